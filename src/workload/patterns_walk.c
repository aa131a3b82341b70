#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "call/graph.h"
#include "coll/nodes.h"
#include "workload/patterns_internal.h"
#include "workload/repetition.h"

/* From calls to phases. All ranks go from one collective call of all ranks to the next. On each such stretch
 * the sends of one rank after another are folded: into the part before its loop, one iteration, and the part
 * after. So memory holds the whole stretch of one rank and the folded stretches of the others. */

/* A send, or one message of a collective call of some ranks. */
struct pattern_send {
    uint32_t destination; /* a rank */
    int32_t tag;
    uint64_t bytes;
};

struct pattern_span {
    size_t first, count; /* of struct program_walk's tallies */
};

/* The stretch of a rank. `body` has the messages of one iteration and the bytes of all iterations. */
struct pattern_fold {
    struct pattern_span before, body, after;
    uint64_t repeats, messages;
};

struct pattern_nodes {
    struct coll_nodes nodes;
    uint32_t *storage; /* NULL: not made yet */
};

struct program_walk {
    struct program *program;
    const struct patterns_options *options;
    struct patterns *patterns;
    struct pattern_send *sent;
    uint64_t *signatures; /* of `sent`, for the search of a loop */
    struct pattern_tally *tallies, *phase;
    struct pattern_fold *folded; /* [ranks] */
    struct call *collectives;    /* [ranks]: the one that ends the stretch */
    struct call_place *places;
    bool *ended;                       /* [ranks]: no further call */
    struct pattern_nodes *group_nodes; /* [groups] */
    size_t sent_count, sent_capacity, signature_capacity, tally_count, tally_capacity, phase_count,
        phase_capacity;
};

/* -------------------------------------------------------------------- calls */

static void add_sent(struct program_walk *walk, uint32_t destination, int32_t tag, uint64_t bytes)
{
    walk->sent = mem_grow(walk->sent, &walk->sent_capacity, walk->sent_count + 1, "sends of a rank");
    walk->sent[walk->sent_count++] =
        (struct pattern_send){.destination = destination, .tag = tag, .bytes = bytes};
}

struct pattern_sink {
    struct coll_sink base;
    struct program_walk *walk;
    const struct group *group;
    int32_t tag;
};

static void sink_send(struct coll_sink *base, uint32_t peer, struct coll_span from)
{
    struct pattern_sink *sink = (struct pattern_sink *)base;
    add_sent(sink->walk, group_world(sink->group, peer), sink->tag, from.bytes);
}

static void sink_nothing(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

static void sink_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)sink, (void)peer, (void)into, (void)flag;
}

static void sink_barrier(struct coll_sink *sink)
{
    (void)sink;
}

static void sink_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag;
}

static void sink_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

/* Only sends count. Barriers, flags and shared memory are no messages. */
static const struct coll_sink sends_only = {.send = sink_send,
                                            .recv = sink_nothing,
                                            .recv_raise = sink_recv_raise,
                                            .barrier = sink_barrier,
                                            .raise = sink_flag,
                                            .await = sink_flag,
                                            .copy = sink_local,
                                            .reduce = sink_local};

/* The nodes of a group, numbered in the order of their lowest ranks. */
static const struct coll_nodes *nodes_of(struct program_walk *walk, uint32_t group, bool by_server)
{
    struct pattern_nodes *made = &walk->group_nodes[2 * group + by_server];
    const struct group *members = &walk->program->groups[group];
    if (made->storage)
        return &made->nodes;
    made->storage = mem_alloc(coll_nodes_storage(members->size), sizeof *made->storage, "nodes of a group");
    group_places(walk->program, members, walk->options->ranks_per_node, by_server, made->storage);
    coll_nodes_init(&made->nodes, members->size, made->storage, made->storage);
    return &made->nodes;
}

_Static_assert(CALL_EXSCAN - CALL_BARRIER == COLL_EXSCAN,
               "calls and schedules list the collectives in one order");

struct coll_call patterns_coll_call(const struct program *program, const struct patterns_options *options,
                                    uint32_t rank, const struct call *call)
{
    const struct group *group = &program->groups[call->group];
    bool receives = call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
    return (struct coll_call){
        .kind = (enum coll_kind)(call->op - CALL_BARRIER),
        .size = group->size,
        .rank = group_rank(group, rank),
        .root = (uint32_t)call->peer,
        .window = options->window,
        .leaders = options->leaders,
        .segment_bytes = options->segment_bytes,
        .element = call->element_bytes ? (uint64_t)call->element_bytes : 1,
        .bytes = receives ? call->recv_bytes : call->bytes,
        .send_bytes = call->send_counts ? program->counts + call->send_counts : NULL,
        .recv_bytes = call->recv_counts ? program->counts + call->recv_counts : NULL,
    };
}

const struct coll_algorithm *patterns_algorithm(const struct patterns_options *options,
                                                const struct coll_call *call)
{
    return options->choices ? coll_choose(&options->choices[call->kind], call) : coll_default(call->kind);
}

static enum status refuse_bytes(const struct program_walk *walk, uint32_t rank, const struct call *call)
{
    struct call_place place = walk->program->ops->place(walk->program, rank);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                "rank %" PRIu32
                " calls %s, whose blocks have more than 2 EiB together; make the blocks smaller",
                rank, call_op_name((enum call_op)call->op));
    return STATUS_BAD_INPUT;
}

/* The messages that a rank sends in a collective call. */
static enum status add_collective(struct program_walk *walk, uint32_t rank, const struct call *call)
{
    struct pattern_sink sink = {.base = sends_only,
                                .walk = walk,
                                .group = &walk->program->groups[call->group],
                                .tag = -1 - (int32_t)call->op};
    struct coll_call coll_call = patterns_coll_call(walk->program, walk->options, rank, call);
    const struct coll_algorithm *algorithm = patterns_algorithm(walk->options, &coll_call);
    if (!coll_bytes_fit(algorithm, &coll_call))
        return refuse_bytes(walk, rank, call);
    if (algorithm->node_aware)
        coll_call.nodes = nodes_of(walk, call->group, !coll_needs_memory(algorithm));
    const struct coll_call whole = coll_call;
    uint32_t parts = coll_parts(algorithm, &whole, walk->options->splits);
    for (uint32_t part = 0; part < parts; part++) {
        coll_call.bytes = coll_part_bytes(&whole, parts, part);
        for (uint32_t phase = 0; coll_emit(algorithm, &coll_call, phase, &sink.base); phase++)
            continue;
    }
    return STATUS_OK;
}

static enum status check_peer(const struct program_walk *walk, uint32_t rank, const struct call *call)
{
    if (call->peer >= 0 && (uint32_t)call->peer < walk->program->ranks)
        return STATUS_OK;
    struct call_place place = walk->program->ops->place(walk->program, rank);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                "rank %" PRIu32 " sends to rank %" PRId32 ", but there are %" PRIu32, rank, call->peer,
                walk->program->ranks);
    return STATUS_BAD_INPUT;
}

/* The sends of a rank up to its next collective call of all ranks, which becomes walk->collectives[rank]. */
static enum status gather(struct program_walk *walk, uint32_t rank)
{
    struct call scratch;
    const struct call *call;
    walk->sent_count = 0;
    while ((call = program_next(walk->program, rank, &scratch))) {
        progress_step();
        if (call->op == CALL_SEND || call->op == CALL_SENDRECV) {
            if (call->peer == CALL_PROC_NULL)
                continue;
            enum status status = check_peer(walk, rank, call);
            if (status != STATUS_OK)
                return status;
            add_sent(walk, (uint32_t)call->peer, call->tag, call->bytes);
        } else if (call_is_collective(call)) {
            if (call->group == 0) {
                walk->collectives[rank] = *call;
                walk->places[rank] = walk->program->ops->place(walk->program, rank);
                return STATUS_OK;
            }
            enum status status = add_collective(walk, rank, call);
            if (status != STATUS_OK)
                return status;
        }
    }
    walk->ended[rank] = true;
    return walk->program->status;
}

/* ---------------------------------------------------------------- stretches */

/* sent[first ... first + count - 1] as tallies. If there are several iterations, `period` is the length of
 * one: messages are those of the first iteration, bytes those of all. */
static struct pattern_span fold_part(struct program_walk *walk, uint32_t rank, size_t first, size_t count,
                                     size_t period)
{
    uint32_t per_node = walk->options->ranks_per_node, source = program_node(walk->program, rank, per_node);
    struct pattern_span span = {.first = walk->tally_count};
    if (count == 0)
        return span;
    walk->tallies = mem_grow(walk->tallies, &walk->tally_capacity, walk->tally_count + count, "messages");
    for (size_t i = 0; i < count; i++) {
        const struct pattern_send *sent = &walk->sent[first + i];
        uint32_t destination = program_node(walk->program, sent->destination, per_node);
        if (destination == source)
            continue;
        walk->tallies[span.first + span.count++] = (struct pattern_tally){
            .source = source, .destination = destination, .messages = i < period, .bytes = sent->bytes};
    }
    span.count = tallies_unite(walk->tallies + span.first, span.count);
    walk->tally_count = span.first + span.count;
    return span;
}

static void fold(struct program_walk *walk, uint32_t rank)
{
    struct pattern_fold *folded = &walk->folded[rank];
    size_t count = walk->sent_count;
    struct repetition loop = {.repeats = 0};
    walk->signatures = mem_grow(walk->signatures, &walk->signature_capacity, count, "sends of a rank");
    for (size_t i = 0; i < count; i++)
        walk->signatures[i] = (uint64_t)walk->sent[i].destination << 32 | (uint32_t)walk->sent[i].tag;
    *folded = (struct pattern_fold){.messages = count};
    if (!repetition_find(walk->signatures, count, NULL, &loop)) {
        folded->before = fold_part(walk, rank, 0, count, count);
        return;
    }
    size_t end = loop.start + loop.period * loop.repeats;
    folded->repeats = loop.repeats;
    folded->before = fold_part(walk, rank, 0, loop.start, loop.start);
    folded->body = fold_part(walk, rank, loop.start, end - loop.start, loop.period);
    folded->after = fold_part(walk, rank, end, count - end, count - end);
}

/* The number of iterations that all sending ranks have in common. A rank may repeat its sends several times
 * in each of them, and the parts before and after its loop may look like further iterations. 0: there is no
 * loop, or it is minor. */
static uint64_t common_repeats(const struct program_walk *walk)
{
    uint64_t repeats = UINT64_MAX, messages = 0, outside = 0;
    for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
        const struct pattern_fold *folded = &walk->folded[rank];
        if (folded->messages && folded->repeats < repeats)
            repeats = folded->repeats;
        messages += folded->messages;
        for (size_t i = 0; i < folded->before.count; i++)
            outside += walk->tallies[folded->before.first + i].messages;
        for (size_t i = 0; i < folded->after.count; i++)
            outside += walk->tallies[folded->after.first + i].messages;
    }
    if (repeats == UINT64_MAX || repeats < 2 || outside > messages / 2)
        return 0;
    for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
        const struct pattern_fold *folded = &walk->folded[rank];
        uint64_t in_each = folded->repeats / repeats, left_over = folded->repeats % repeats;
        if (left_over > 1 && left_over >= in_each)
            return 0;
    }
    return repeats;
}

/* The bytes of `times` iterations. */
static sum_t share_of(const struct pattern_fold *folded, sum_t bytes, uint64_t times)
{
    return bytes / folded->repeats * times + bytes % folded->repeats * times / folded->repeats;
}

/* Adds iterations of a rank to the phase. `skipped` iterations belong to other phases, `taken` to this phase
 * and its repetitions, `each` to one of these. */
static void add_body(struct program_walk *walk, const struct pattern_fold *folded, uint64_t skipped,
                     uint64_t taken, uint64_t each)
{
    for (size_t i = 0; i < folded->body.count && taken; i++) {
        struct pattern_tally tally = walk->tallies[folded->body.first + i];
        tally.bytes = share_of(folded, tally.bytes, skipped + taken) - share_of(folded, tally.bytes, skipped);
        tally.messages *= each;
        walk->phase = mem_grow(walk->phase, &walk->phase_capacity, walk->phase_count + 1, "a phase");
        walk->phase[walk->phase_count++] = tally;
    }
}

static void add_span(struct program_walk *walk, struct pattern_span span)
{
    walk->phase = mem_grow(walk->phase, &walk->phase_capacity, walk->phase_count + span.count, "a phase");
    if (span.count)
        memcpy(walk->phase + walk->phase_count, walk->tallies + span.first, span.count * sizeof *walk->phase);
    walk->phase_count += span.count;
}

enum { SKELETON_STRETCH = 0, SKELETON_ITERATION = 1, SKELETON_COLLECTIVE = 2 };

static void end_phase(struct program_walk *walk, uint64_t times, uint64_t skeleton)
{
    patterns_add_phase(walk->patterns, walk->phase, walk->phase_count, times, skeleton);
    walk->phase_count = 0;
}

static void end_whole_stretch(struct program_walk *walk)
{
    for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
        const struct pattern_fold *folded = &walk->folded[rank];
        add_span(walk, folded->before);
        add_body(walk, folded, 0, folded->repeats, folded->repeats);
        add_span(walk, folded->after);
    }
    end_phase(walk, 1, SKELETON_STRETCH);
}

/* A phase for the part before the loop, one for each iteration, and one for the part after. */
static void end_loop(struct program_walk *walk, uint64_t repeats)
{
    uint32_t ranks = walk->program->ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        add_span(walk, walk->folded[rank].before);
    end_phase(walk, 1, SKELETON_STRETCH);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct pattern_fold *folded = &walk->folded[rank];
        uint64_t left_over = folded->repeats % repeats;
        add_body(walk, folded, 0, folded->repeats - left_over, folded->repeats / repeats);
    }
    end_phase(walk, repeats, SKELETON_ITERATION);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct pattern_fold *folded = &walk->folded[rank];
        uint64_t left_over = folded->repeats % repeats;
        add_body(walk, folded, folded->repeats - left_over, left_over, left_over);
        add_span(walk, folded->after);
    }
    end_phase(walk, 1, SKELETON_STRETCH);
}

static void end_stretch(struct program_walk *walk)
{
    uint64_t repeats = common_repeats(walk);
    if (repeats)
        end_loop(walk, repeats);
    else
        end_whole_stretch(walk);
    walk->tally_count = 0;
}

/* -------------------------------------------------------------- collectives */

static enum status refuse(const struct program_walk *walk, uint32_t rank)
{
    char mine[128], first[128];
    const struct call_place *place = &walk->places[rank];
    if (walk->ended[rank] != walk->ended[0])
        diag_error("rank %" PRIu32 " is at its end while rank %" PRIu32 " makes a further collective call",
                   walk->ended[rank] ? rank : 0, walk->ended[rank] ? 0 : rank);
    else
        diag_report(DIAG_ERROR, &(struct diag_place){.file = place->file, .line = place->line},
                    "rank %" PRIu32 " calls %s, rank 0 calls %s; all ranks make the same collective calls",
                    rank, call_describe(&walk->collectives[rank], mine, sizeof mine),
                    call_describe(&walk->collectives[0], first, sizeof first));
    return STATUS_BAD_INPUT;
}

static enum status end_collective(struct program_walk *walk)
{
    const struct call *first = &walk->collectives[0];
    for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
        const struct call *call = &walk->collectives[rank];
        if (walk->ended[rank] != walk->ended[0] ||
            (!walk->ended[0] && (call->op != first->op || call->peer != first->peer)))
            return refuse(walk, rank);
        if (walk->ended[0])
            continue;
        walk->sent_count = 0;
        enum status status = add_collective(walk, rank, call);
        if (status != STATUS_OK)
            return status;
        add_span(walk, fold_part(walk, rank, 0, walk->sent_count, walk->sent_count));
    }
    end_phase(walk, 1, SKELETON_COLLECTIVE + (first->op | (uint64_t)(uint32_t)first->peer << 8));
    walk->tally_count = 0;
    return STATUS_OK;
}

/* The sends of a graph have no order, so that all are one phase. */
static enum status walk_graph(struct program_walk *walk)
{
    const struct graph *graph = walk->program->graph;
    if (graph->has_calls_too) {
        diag_error("%s has jobs that are graphs and jobs that are calls, whose patterns are not compared",
                   walk->program->name);
        return STATUS_BAD_INPUT;
    }
    for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
        walk->sent_count = walk->tally_count = 0;
        for (uint32_t i = 0; i < graph->ranks[rank].count; i++) {
            const struct graph_operation *operation = &graph->ranks[rank].operations[i];
            enum status status = STATUS_OK;
            progress_step();
            if (operation->kind == GRAPH_SEND)
                add_sent(walk, operation->peer, (int32_t)operation->tag, operation->amount);
            else if (operation->kind == GRAPH_CALL)
                status = add_collective(walk, rank, &graph->calls[operation->amount]);
            if (status != STATUS_OK)
                return status;
        }
        add_span(walk, fold_part(walk, rank, 0, walk->sent_count, walk->sent_count));
    }
    end_phase(walk, 1, SKELETON_STRETCH);
    patterns_find_main_loop(walk->patterns);
    return STATUS_OK;
}

static enum status walk_through(struct program_walk *walk)
{
    while (!walk->ended[0]) {
        for (uint32_t rank = 0; rank < walk->program->ranks; rank++) {
            enum status status = gather(walk, rank);
            if (status != STATUS_OK)
                return status;
            fold(walk, rank);
        }
        end_stretch(walk);
        enum status status = end_collective(walk);
        if (status != STATUS_OK)
            return status;
    }
    patterns_find_main_loop(walk->patterns);
    return STATUS_OK;
}

enum status patterns_find(struct program *program, const struct patterns_options *options,
                          struct patterns *patterns)
{
    struct program_walk walk = {.program = program, .options = options, .patterns = patterns};
    *patterns = (struct patterns){.ranks = program->ranks,
                                  .nodes = program_nodes(program, options->ranks_per_node),
                                  .listener = options->listener};
    walk.folded = mem_alloc(program->ranks, sizeof *walk.folded, "stretches of ranks");
    walk.collectives = mem_alloc(program->ranks, sizeof *walk.collectives, "calls of ranks");
    walk.places = mem_alloc(program->ranks, sizeof *walk.places, "calls of ranks");
    walk.ended = mem_alloc(program->ranks, sizeof *walk.ended, "calls of ranks");
    walk.group_nodes =
        mem_alloc(2 * (size_t)program->group_count, sizeof *walk.group_nodes, "nodes of groups");
    program->ops->rewind(program);
    progress_begin("the patterns of the program", program->total_calls);
    enum status status = program->graph ? walk_graph(&walk) : walk_through(&walk);
    progress_end();
    program->ops->rewind(program);
    free(walk.sent);
    free(walk.signatures);
    free(walk.tallies);
    free(walk.phase);
    free(walk.folded);
    free(walk.collectives);
    free(walk.places);
    free(walk.ended);
    for (size_t i = 0; i < 2 * (size_t)program->group_count; i++)
        free(walk.group_nodes[i].storage);
    free(walk.group_nodes);
    if (status != STATUS_OK)
        patterns_free(patterns);
    return status;
}
