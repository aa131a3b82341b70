#include "engine/rank/coll_exec.h"

#include "base/estimate.h"
#include "coll/nodes.h"
#include "coll/told.h"

/* The contexts of collectives are apart from those of point-to-point messages. */
#define COLL_CONTEXT (UINT32_C(1) << 31)

/* One rank's passage through one collective call. */
/* The fields that every message needs come first, one beside the other. */
struct coll_request {
    ps_t latest;      /* completion of the phase, so far */
    uint32_t peer;    /* of that completion */
    uint32_t cause;   /* of that completion, held, for the critical path; POOL_NONE: there is none */
    uint32_t pending; /* ends of messages, barriers and flags not complete in this phase */
    uint32_t rank;
    uint32_t phase;
    uint8_t op;
    bool is_immediate;
    const struct coll_algorithm *algorithm;
    struct coll_call call;
    uint32_t group;
    uint32_t context;
    uint32_t sequence;    /* collective calls that its group has made before, in this context */
    uint32_t part, parts; /* of the call, one after another */
    uint32_t owner;
    uint32_t node_call;                /* of node_sync; POOL_NONE: its schedule knows no nodes */
    uint64_t bytes;                    /* of all parts */
    uint64_t working_set;              /* bytes that its local steps have touched */
    uint64_t copied_from, copied_into; /* where the last of them ended */
};

/* A message that is to come, which raises a flag or is told to caches. */
struct coll_note {
    uint32_t request, flag;
    bool raises;
    struct host_place into;
    uint64_t bytes;
};

struct coll_exec_sink {
    struct coll_sink base;
    struct coll_exec *exec;
    uint32_t request;
};

static struct coll_request *request_at(const struct coll_exec *exec, uint32_t index)
{
    return pool_at(&exec->coll_requests, index);
}

/* ----------------------------------------------------------- critical path */

/* The strand that goes through the call. Valid until the next call begins. */
static struct critical_strand *strand_of(const struct coll_exec *exec, uint32_t index)
{
    const struct coll_request *request = request_at(exec, index);
    return request->is_immediate ? &exec->causes[index].strand : &exec->strands[request->rank];
}

static void begin_causes(struct coll_exec *exec, uint32_t index)
{
    const bool is_immediate = request_at(exec, index)->is_immediate;
    if (is_immediate || exec->context->has_slack)
        exec->causes =
            mem_grow(exec->causes, &exec->cause_capacity, exec->coll_requests.capacity, "critical path");
    if (is_immediate)
        exec->causes[index].strand = critical_fork(exec->context->critical);
    else if (exec->context->has_slack)
        critical_enter_call(exec->context->critical, strand_of(exec, index));
}

/* The strand waits for the present cause, which is that of the latest completion of the phase, or is not. */
static void take_cause(const struct coll_exec *exec, uint32_t index, bool is_latest)
{
    if (exec->context->has_slack)
        critical_await(exec->context->critical, strand_of(exec, index),
                       critical_moment(exec->context->critical));
    if (is_latest)
        critical_hold(exec->context->critical, &request_at(exec, index)->cause);
}

/* The phase is over, and the strand has waited for what ended it. */
static void follow_cause(const struct coll_exec *exec, uint32_t index)
{
    critical_waited(exec->context->critical, strand_of(exec, index), &request_at(exec, index)->cause,
                    exec->context->has_slack ? exec->causes[index].own : 0);
}

/* ------------------------------------------------------------------ phases */

/* A message, barrier or flag of the present phase is complete at `at`. Returns whether that is later than all
 * before it. */
static inline bool complete_part(struct coll_exec *exec, uint32_t index, ps_t at, uint32_t peer)
{
    struct coll_request *request = request_at(exec, index);
    bool is_later = at > request->latest;
    if (at >= request->latest) {
        request->latest = at;
        request->peer = peer;
    }
    if (--request->pending == 0)
        loop_at(exec->loop, ps_max(request->latest, exec->loop->now), exec->phase_kind, index);
    return is_later;
}

static void on_message(void *self, uint32_t index, ps_t at, uint32_t peer)
{
    complete_part(self, index, at, peer);
}

/* The same for the critical path. A function of its own: all messages of collectives pass here. */
static void on_message_with_cause(void *self, uint32_t index, ps_t at, uint32_t peer)
{
    take_cause(self, index, complete_part(self, index, at, peer));
}

/* Of things other than messages. */
static void complete_other(struct coll_exec *exec, uint32_t index, ps_t at, uint32_t peer)
{
    const bool is_latest = complete_part(exec, index, at, peer);
    if (exec->context->critical)
        take_cause(exec, index, is_latest);
}

/* A message has come that raises a flag, or that is in a cache now. */
static void on_noted_message(void *self, uint32_t index, ps_t at, uint32_t peer)
{
    struct coll_exec *exec = self;
    struct coll_note note = *(struct coll_note *)pool_at(&exec->notes, index);
    const struct coll_request *request = request_at(exec, note.request);
    pool_give(&exec->notes, index);
    if (endpoint_has_caches(exec->endpoint) && note.bytes > 0 && note.into.buffer != HOST_BUFFER_NONE)
        endpoint_fill(exec->endpoint, request->rank, peer, note.into, note.bytes);
    if (note.raises)
        node_sync_raise(&exec->node_sync, request->node_call, note.flag, at);
    complete_other(exec, note.request, at, peer);
}

static void on_release(void *self, uint32_t index, ps_t at)
{
    complete_other(self, index, at, TAP_NOBODY);
}

/* -------------------------------------------------------------------- sink */

static struct message_post post_of(const struct coll_exec *exec, const struct coll_request *request,
                                   uint32_t peer, uint64_t bytes, uint32_t owner)
{
    return (struct message_post){.rank = request->rank,
                                 .peer = group_world(&exec->program->groups[request->group], peer),
                                 .context = request->context | COLL_CONTEXT,
                                 .tag = (int32_t)request->sequence,
                                 .channel = CHANNEL_KEYED,
                                 .owner = owner,
                                 .bytes = bytes,
                                 .op = request->op};
}

static void sink_send(struct coll_sink *base, uint32_t peer, struct coll_span from)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    struct coll_exec *exec = sink->exec;
    struct coll_request *request = request_at(exec, sink->request);
    request->pending++;
    struct message_post post = post_of(exec, request, peer, from.bytes, exec->message_tag | sink->request);
    p2p_send(exec->p2p, &post);
}

/* Where the step of a schedule reads or writes. */
static struct host_place place_of(struct coll_span span)
{
    static const enum host_buffer buffers[] = {[COLL_SEND_BUFFER] = HOST_BUFFER_SEND,
                                               [COLL_RECV_BUFFER] = HOST_BUFFER_RECEIVE,
                                               [COLL_SCRATCH] = HOST_BUFFER_SCRATCH,
                                               [COLL_SHARED] = HOST_BUFFER_SHARED,
                                               [COLL_TOKEN] = HOST_BUFFER_NONE};
    return (struct host_place){.buffer = buffers[span.buffer], .offset = span.offset};
}

static void receive(struct coll_exec_sink *sink, uint32_t peer, uint64_t bytes, uint32_t owner)
{
    struct coll_request *request = request_at(sink->exec, sink->request);
    request->pending++;
    struct message_post post = post_of(sink->exec, request, peer, bytes, owner);
    p2p_receive(sink->exec->p2p, &post);
}

static void receive_noted(struct coll_exec_sink *sink, uint32_t peer, const struct coll_note *note)
{
    struct coll_exec *exec = sink->exec;
    uint32_t index = pool_take(&exec->notes);
    *(struct coll_note *)pool_at(&exec->notes, index) = *note;
    receive(sink, peer, note->bytes, exec->note_tag | index);
}

static void sink_recv(struct coll_sink *base, uint32_t peer, struct coll_span into)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    if (endpoint_has_caches(sink->exec->endpoint))
        receive_noted(
            sink, peer,
            &(struct coll_note){.request = sink->request, .into = place_of(into), .bytes = into.bytes});
    else
        receive(sink, peer, into.bytes, sink->exec->message_tag | sink->request);
}

static void sink_recv_raise(struct coll_sink *base, uint32_t peer, struct coll_span into, uint32_t flag)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    receive_noted(sink, peer,
                  &(struct coll_note){.request = sink->request,
                                      .flag = flag,
                                      .raises = true,
                                      .into = place_of(into),
                                      .bytes = into.bytes});
}

/* When the rank has come so far, and its core has done this. */
static ps_t step(const struct coll_exec_sink *sink, enum endpoint_work work)
{
    struct coll_exec *exec = sink->exec;
    return endpoint_work(exec->endpoint, request_at(exec, sink->request)->rank, work, exec->loop->now);
}

/* What follows is caused by the strand itself, and reaches other ranks of the node without a message. */
static void begin_signal(const struct coll_exec_sink *sink, ps_t at)
{
    if (sink->exec->context->critical)
        critical_signal(sink->exec->context->critical, at);
}

static void end_signal(const struct coll_exec_sink *sink)
{
    if (sink->exec->context->critical)
        critical_told(sink->exec->context->critical);
}

static void sink_barrier(struct coll_sink *base)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    struct coll_request *request = request_at(sink->exec, sink->request);
    ps_t at = step(sink, ENDPOINT_WORK_BARRIER);
    request->pending++;
    begin_signal(sink, at);
    node_sync_barrier(&sink->exec->node_sync, request->node_call, sink->request, at);
    end_signal(sink);
}

static void sink_raise(struct coll_sink *base, uint32_t flag)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    ps_t at = step(sink, ENDPOINT_WORK_FLAG);
    begin_signal(sink, at);
    node_sync_raise(&sink->exec->node_sync, request_at(sink->exec, sink->request)->node_call, flag, at);
    end_signal(sink);
}

/* The flag is up, or goes up at a known time. */
static void raised_before(const struct coll_exec_sink *sink, struct coll_request *request, ps_t at)
{
    if (sink->exec->context->critical)
        take_cause(sink->exec, sink->request, at > request->latest);
    end_signal(sink);
    request->latest = ps_max(request->latest, at);
}

static void sink_await(struct coll_sink *base, uint32_t flag)
{
    struct coll_exec_sink *sink = (struct coll_exec_sink *)base;
    struct coll_request *request = request_at(sink->exec, sink->request);
    step(sink, ENDPOINT_WORK_FLAG);
    ps_t raised_at = node_sync_await(&sink->exec->node_sync, request->node_call, flag, sink->request);
    if (raised_at == NODE_SYNC_DOWN)
        request->pending++;
    else
        raised_before(sink, request, raised_at);
}

typedef void local_work(struct endpoint *endpoint, const struct host_copy *copy);

/* A copy or a reduction. Without what these cost `local` is false, and most are not even emitted. */
static void work_locally(struct coll_exec_sink *sink, struct coll_span from, struct coll_span into,
                         local_work *work)
{
    struct coll_request *request = request_at(sink->exec, sink->request);
    if (!sink->base.local || from.bytes == 0)
        return;
    uint64_t touched = from.offset + from.bytes + into.offset + into.bytes;
    bool continues = request->copied_from == from.offset && request->copied_into == into.offset;
    if (touched > request->working_set)
        request->working_set = touched;
    request->copied_from = from.offset + from.bytes;
    request->copied_into = into.offset + into.bytes;
    work(sink->exec->endpoint,
         &(struct host_copy){.rank = request->rank,
                             .continues = continues && request->copied_from > from.bytes,
                             .bytes = from.bytes,
                             .working_set = request->working_set,
                             .from = place_of(from),
                             .into = place_of(into)});
}

static void sink_copy(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    work_locally((struct coll_exec_sink *)base, from, into, endpoint_copy);
}

static void sink_reduce(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    work_locally((struct coll_exec_sink *)base, from, into, endpoint_reduce);
}

/* The call is complete now. */
static void complete(struct coll_exec *exec, const struct coll_request *done, uint32_t index)
{
    struct critical *critical = done->is_immediate ? exec->context->critical : NULL;
    if (exec->context->has_slack && !critical)
        critical_leave_call(exec->context->critical, critical_rank(exec->context->critical, done->rank),
                            exec->loop->now);
    if (critical)
        critical_complete(critical, &exec->causes[index].strand, exec->loop->now);
    request_complete(exec->requests, done->owner, done->rank, exec->loop->now, done->op, done->peer);
    if (critical) {
        critical_told(critical);
        critical_leave(critical, &exec->causes[index].strand);
    }
}

static void begin_part(struct coll_exec *exec, struct coll_request *request)
{
    struct coll_call whole = request->call;
    whole.bytes = request->bytes;
    request->call.bytes = coll_part_bytes(&whole, request->parts, request->part);
    request->phase = 0;
    endpoint_work(exec->endpoint, request->rank, ENDPOINT_WORK_CALL, exec->loop->now);
}

/* Emits the next phase, of this part or of the next one. False: the call is over. */
static bool emit_phase(struct coll_exec *exec, struct coll_request *request, struct coll_sink *sink)
{
    while (!coll_emit(request->algorithm, &request->call, request->phase, sink)) {
        if (++request->part >= request->parts)
            return false;
        begin_part(exec, request);
    }
    request->phase++;
    return true;
}

/* Posts phase after phase until one has to wait; the call is complete when there is no further phase. */
static void post_phases(struct coll_exec *exec, uint32_t index)
{
    struct event_loop *loop = exec->loop;
    struct coll_exec_sink sink = {.base = {.send = sink_send,
                                           .recv = sink_recv,
                                           .recv_raise = sink_recv_raise,
                                           .barrier = sink_barrier,
                                           .raise = sink_raise,
                                           .await = sink_await,
                                           .copy = sink_copy,
                                           .reduce = sink_reduce,
                                           .local = endpoint_copies(exec->endpoint)},
                                  .exec = exec,
                                  .request = index};
    for (;;) {
        struct coll_request *request = request_at(exec, index);
        if (exec->context->critical)
            follow_cause(exec, index);
        request->pending = 1; /* this emission, so that the phase cannot end while it is being posted */
        request->latest = loop->now;
        if (!emit_phase(exec, request, &sink.base)) {
            struct coll_request done = *request;
            if (done.node_call != POOL_NONE)
                node_sync_leave(&exec->node_sync, done.node_call);
            pool_give(&exec->coll_requests, index);
            complete(exec, &done, index);
            return;
        }
        ps_t free_at = endpoint_work(exec->endpoint, request->rank, ENDPOINT_WORK_NONE, loop->now);
        if (exec->context->has_slack)
            exec->causes[index].own = ps_max(free_at, loop->now);
        if (exec->context->critical && free_at > request->latest) /* the core itself takes longest */
            critical_drop(exec->context->critical, &request->cause);
        request->latest = ps_max(request->latest, free_at);
        if (--request->pending > 0)
            return;
        if (request->latest > loop->now) {
            loop_at(loop, request->latest, exec->phase_kind, index);
            return;
        }
    }
}

static void run_phases(struct coll_exec *exec, uint32_t index)
{
    struct critical *critical = exec->context->critical;
    if (!critical) {
        post_phases(exec, index);
        return;
    }
    /* A blocking call goes on as its rank. */
    struct critical_strand *before = critical_enter(critical, strand_of(exec, index));
    post_phases(exec, index);
    critical_enter(critical, before);
}

static void on_phase(void *self, uint32_t index)
{
    run_phases(self, index);
}

/* ------------------------------------------------------------------- begin */

static const struct coll_nodes *nodes_of(struct coll_exec *exec, uint32_t group, bool by_server)
{
    struct coll_exec_group *made = &exec->groups[group];
    const struct group *members = &exec->program->groups[group];
    struct coll_nodes *nodes = &made->nodes[by_server];
    uint32_t **words = &made->words[by_server];
    if (*words)
        return nodes;
    *words = mem_alloc(coll_nodes_storage(members->size), sizeof **words, "nodes of a group");
    group_places(exec->program, members, exec->ranks_per_node, by_server, *words);
    coll_nodes_init(nodes, members->size, *words, *words);
    return nodes;
}

static void enter_node(struct coll_exec *exec, struct coll_request *request)
{
    request->call.nodes = nodes_of(exec, request->group, !coll_needs_memory(request->algorithm));
    const struct coll_call *call = &request->call;
    uint32_t node = node_of(call, call->rank);
    struct queue_key key = {.high = (uint64_t)node << 32 | request->group,
                            .low = (uint64_t)request->context << 32 | request->sequence};
    bool is_first;
    request->node_call = node_sync_enter(&exec->node_sync, key, &is_first);
    if (is_first)
        node_sync_begin(&exec->node_sync, request->node_call, node_ranks(call, node),
                        request->algorithm->flags ? request->algorithm->flags(call) : 0);
}

static const uint64_t *counts_at(const struct program *program, uint64_t offset)
{
    return offset ? program->counts + offset : NULL;
}

_Static_assert(CALL_EXSCAN - CALL_BARRIER == COLL_EXSCAN,
               "calls and schedules list the collectives in one order");

struct coll_call coll_call_of(const struct program *program, const struct collective_config *config,
                              uint32_t rank, const struct call *call)
{
    const struct group *group = &program->groups[call->group];
    bool receives = call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
    return (struct coll_call){.kind = (enum coll_kind)(call->op - CALL_BARRIER),
                              .size = group->size,
                              .rank = group_rank(group, rank),
                              .root = (uint32_t)call->peer,
                              .window = (uint32_t)config->window,
                              .leaders = (uint32_t)config->leaders,
                              .segment_bytes = config->segment_bytes,
                              .element = call->element_bytes ? (uint64_t)call->element_bytes : 1,
                              .bytes = receives ? call->recv_bytes : call->bytes,
                              .send_bytes = counts_at(program, call->send_counts),
                              .recv_bytes = counts_at(program, call->recv_counts)};
}

static bool check_entry(struct coll_exec *exec, const struct coll_request *request, const struct call *call)
{
    return coll_check_enter(&exec->check, &(struct coll_entry){.rank = request->rank,
                                                               .group = request->group,
                                                               .context = request->context,
                                                               .sequence = request->sequence,
                                                               .size = request->call.size,
                                                               .root = call->peer,
                                                               .op = call->op});
}

/* Rank 0 of the group says for all which algorithm the call has. */
static void tell_algorithm(const struct coll_exec *exec, const struct coll_request *request)
{
    const struct coll_call *call = &request->call;
    if (call->rank != 0 || !tap_has_handler(exec->context->tap, TAP_COLLECTIVE))
        return;
    const struct tap_collective told = coll_told(call, request->algorithm);
    tap_emit(exec->context->tap,
             &(struct tap_record){
                 .kind = TAP_COLLECTIVE, .rank = request->rank, .at = exec->loop->now, .collective = &told});
}

void coll_exec_begin(struct coll_exec *exec, uint32_t rank, const struct call *call, uint32_t owner)
{
    uint32_t index = pool_take(&exec->coll_requests);
    struct coll_request *request = request_at(exec, index);
    *request = (struct coll_request){.call = coll_call_of(exec->program, exec->config, rank, call),
                                     .rank = rank,
                                     .cause = POOL_NONE,
                                     .group = call->group,
                                     .context = call->context,
                                     .owner = owner,
                                     .node_call = POOL_NONE,
                                     .peer = TAP_NOBODY,
                                     .op = call->op,
                                     .is_immediate = call->flags & CALL_IMMEDIATE};
    request->sequence = exec->sequences[exec->groups[call->group].first_sequence + request->call.rank]++;
    if (exec->context->critical)
        begin_causes(exec, index);
    request->algorithm = coll_choose(&exec->config->choice[request->call.kind], &request->call);
    if (request->algorithm->node_aware)
        enter_node(exec, request);
    if (!check_entry(exec, request, call) ||
        !coll_check_bytes_fit(&exec->check, rank, &request->call, request->algorithm))
        return;
    tell_algorithm(exec, request);
    request->bytes = request->call.bytes;
    request->parts = coll_parts(request->algorithm, &request->call, exec->config->splits);
    begin_part(exec, request);
    run_phases(exec, index);
}

/* -------------------------------------------------------------- life cycle */

void coll_exec_init(struct coll_exec *exec)
{
    const struct program *program = exec->program;
    exec->groups = mem_alloc(program->group_count, sizeof *exec->groups, "groups of ranks");
    for (uint32_t group = 0; group < program->group_count; group++) {
        exec->groups[group].first_sequence = exec->sequence_count;
        exec->sequence_count += program->groups[group].size;
    }
    exec->sequences = mem_alloc(exec->sequence_count, sizeof *exec->sequences, "collective counters");
    pool_init(&exec->coll_requests, sizeof(struct coll_request), "collectives under way");
    coll_check_init(&exec->check, exec->context);
    node_sync_init(&exec->node_sync, exec, on_release);
    exec->node_sync.critical = exec->context->critical;
    if (exec->context->critical)
        exec->strands = critical_rank(exec->context->critical, 0);
    exec->message_tag = request_add_handler(exec->requests, exec,
                                            exec->context->critical ? on_message_with_cause : on_message);
    exec->note_tag = request_add_handler(exec->requests, exec, on_noted_message);
    pool_init(&exec->notes, sizeof(struct coll_note), "messages to come");
    exec->phase_kind = loop_register(exec->loop, on_phase, exec);
}

void coll_exec_free(struct coll_exec *exec)
{
    for (uint32_t group = 0; group < exec->program->group_count; group++)
        for (int by_server = 0; by_server < 2; by_server++)
            free(exec->groups[group].words[by_server]);
    free(exec->groups);
    free(exec->sequences);
    node_sync_free(&exec->node_sync);
    coll_check_free(&exec->check);
    pool_free(&exec->coll_requests);
    pool_free(&exec->notes);
    free(exec->causes);
}

size_t coll_exec_bytes(const struct coll_exec *exec)
{
    const struct program *program = exec->program;
    size_t bytes = coll_check_bytes(&exec->check) + node_sync_bytes(&exec->node_sync) +
                   exec->coll_requests.capacity * exec->coll_requests.size +
                   exec->notes.capacity * exec->notes.size + program->group_count * sizeof *exec->groups +
                   exec->sequence_count * sizeof *exec->sequences;
    for (uint32_t group = 0; group < program->group_count; group++)
        for (int by_server = 0; by_server < 2; by_server++)
            if (exec->groups[group].words[by_server])
                bytes += coll_nodes_storage(program->groups[group].size) * sizeof(uint32_t);
    return bytes;
}

double coll_exec_estimate(const struct program *program, double calls)
{
    double counters = 0;
    for (uint32_t group = 0; group < program->group_count; group++)
        counters += (double)program->groups[group].size * sizeof(uint32_t);
    return counters + (double)program->group_count * sizeof(struct coll_exec_group) +
           estimate_pool(calls, sizeof(struct coll_request));
}
