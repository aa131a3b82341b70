#include "engine/rank/scheduler.h"

#include "base/mem.h"
#include "call/bursts.h"
#include "engine/params.h"
#include "engine/rank/job_queue.h"

/* -------------------------------------------------------------------- time */

/* 0: the place in the source is not known. */
static inline uint32_t site_of(const struct scheduler *scheduler, uint32_t rank_index)
{
    const struct program_sites *sites = scheduler->sites;
    return sites ? sites->of(sites, rank_index, scheduler->ranks[rank_index].call) : 0;
}

/* The rank has been blocked since then. What its core did for messages meanwhile is not idle. */
static void emit_idle(struct scheduler *scheduler, uint32_t rank_index, ps_t since)
{
    const struct rank *rank = &scheduler->ranks[rank_index];
    const struct request_waiter *waiter = &rank->waiter;
    ps_t now = scheduler->loop->now;
    since = ps_add(since, endpoint_software(scheduler->endpoint, rank_index) - rank->software_before);
    if (since >= now &&
        !tap_has_handler(scheduler->tap, TAP_BLOCKED)) /* the usual case after a call that posts */
        return;
    const uint32_t site = site_of(scheduler, rank_index);
    tap_emit(scheduler->tap, &(struct tap_record){.kind = TAP_IDLE,
                                                  .rank = rank_index,
                                                  .call = rank->call->op,
                                                  .cause = waiter->cause,
                                                  .peer = waiter->peer,
                                                  .site = site,
                                                  .site_name = site ? scheduler->sites->names[site] : NULL,
                                                  .since = since < now ? since : now,
                                                  .at = now});
}

/* Not inlined: few runs have a handler, and all runs pass through block(). */
__attribute__((noinline)) static void emit_blocked(struct scheduler *scheduler, uint32_t rank_index,
                                                   ps_t since)
{
    tap_emit(scheduler->tap, &(struct tap_record){.kind = TAP_BLOCKED,
                                                  .rank = rank_index,
                                                  .call = scheduler->ranks[rank_index].call->op,
                                                  .since = since,
                                                  .at = since});
}

/* The rank has waited for the latest of its completions. */
static inline void follow_cause(struct scheduler *scheduler, uint32_t rank_index)
{
    struct critical *critical = scheduler->context->critical;
    if (critical)
        critical_waited(critical, critical_rank(critical, rank_index),
                        request_cause(scheduler->requests, rank_index),
                        scheduler->ranks[rank_index].blocked_at);
}

/* Moves the rank to `at`. True: it may go on there at once, because nothing else happens before. False: its
 * resume is in the queue. */
static bool advance(struct scheduler *scheduler, uint32_t rank_index, ps_t at)
{
    if (at <= scheduler->loop->now)
        return true;
    if (at < loop_next_at(scheduler->loop)) {
        scheduler->loop->now = at;
        return true;
    }
    loop_at(scheduler->loop, at, scheduler->resume_kind, rank_index);
    return false;
}

/* A call that does not wait takes the time that the core works for it. */
static inline bool go_on(struct scheduler *scheduler, uint32_t rank_index)
{
    return advance(scheduler, rank_index,
                   endpoint_free_at(scheduler->endpoint, rank_index, scheduler->loop->now));
}

static inline enum endpoint_wait wait_of(const struct rank *rank)
{
    if (rank->state == RANK_WAIT)
        return ENDPOINT_WAIT_REQUESTS;
    return rank->call->op == CALL_SEND ? ENDPOINT_WAIT_SEND : ENDPOINT_WAIT_CALL;
}

/* The endpoint polls what has come. True: that completed all that the rank waits for, and its resume is in
 * the queue. */
static inline bool poll_completes(struct scheduler *scheduler, uint32_t rank_index)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    struct request_waiter *waiter = &rank->waiter;
    enum endpoint_wait wait = wait_of(rank);
    if (waiter->awaited == 0) {
        waiter->latest = endpoint_pass(scheduler->endpoint, rank_index, waiter->latest, wait);
        return false;
    }
    endpoint_enter(scheduler->endpoint, rank_index, wait);
    return waiter->awaited == 0;
}

/* After request_await on what the call waits for: goes on, or blocks in `state` until the last of it
 * completes. */
static bool block(struct scheduler *scheduler, uint32_t rank_index, enum rank_state state)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    const struct request_waiter *waiter = &rank->waiter;
    bool is_polled = !endpoint_is_null(scheduler->endpoint);
    ps_t since = scheduler->loop->now;
    if (waiter->awaited == 0 && waiter->latest <= since && !is_polled) {
        if (scheduler->context->has_slack)
            critical_passed(scheduler->context->critical,
                            critical_rank(scheduler->context->critical, rank_index), since);
        return true;
    }
    rank->state = (uint8_t)state;
    rank->blocked_at = since;
    rank->is_idle = true;
    if (tap_has_handler(scheduler->tap, TAP_BLOCKED))
        emit_blocked(scheduler, rank_index, since);
    if (is_polled && poll_completes(scheduler, rank_index))
        return false;
    if (waiter->awaited > 0 || !advance(scheduler, rank_index, waiter->latest))
        return false;
    rank->is_idle = false;
    rank->state = RANK_NORM;
    follow_cause(scheduler, rank_index);
    emit_idle(scheduler, rank_index, since);
    return true;
}

/* The last request that the rank awaited has completed. */
static void on_ready(void *self, uint32_t rank_index)
{
    struct scheduler *scheduler = self;
    ps_t at = ps_max(scheduler->ranks[rank_index].waiter.latest, scheduler->loop->now);
    at = endpoint_leave(scheduler->endpoint, rank_index, at);
    loop_at(scheduler->loop, at, scheduler->resume_kind, rank_index);
}

/* NULL: nothing was recorded of the computation. */
__attribute__((noinline)) static const struct tap_burst *
burst_of(const struct scheduler *scheduler, uint32_t rank_index, struct tap_burst *recorded)
{
    const struct program_bursts *bursts = scheduler->program->bursts;
    const struct program_sites *sites = scheduler->sites;
    struct call_burst burst;
    if (!bursts || !bursts->last(bursts, rank_index, &burst))
        return NULL;
    *recorded = (struct tap_burst){.lasted_ns = burst.lasted_ns,
                                   .used_ns = burst.used_ns,
                                   .instructions = burst.instructions,
                                   .is_counted = burst.is_counted,
                                   .after = burst.after ? sites->names[burst.after] : NULL,
                                   .before = burst.before ? sites->names[burst.before] : NULL};
    return recorded;
}

/* 2^62 is exact as a double; anything above leaves the range of simulated time anyhow. */
static ps_t after(ps_t now, double picoseconds)
{
    return picoseconds < 0x1p62 ? ps_add(now, (ps_t)(picoseconds + 0.5)) : PS_NEVER;
}

static bool compute(struct scheduler *scheduler, uint32_t rank_index, const struct call *call,
                    double ps_per_unit)
{
    double picoseconds = call->amount * ps_per_unit * context_slowness(scheduler->context, rank_index);
    ps_t now = scheduler->loop->now, at = after(now, picoseconds);
    struct tap_burst burst;
    tap_emit(scheduler->tap,
             &(struct tap_record){
                 .kind = TAP_COMPUTED,
                 .call = call->amount > 0 ? call->op : (uint32_t)CALL_NOTHING,
                 .rank = rank_index,
                 .since = now,
                 .at = at,
                 .burst = scheduler->tap->wants_bursts ? burst_of(scheduler, rank_index, &burst) : NULL});
    if (scheduler->context->critical)
        critical_rank(scheduler->context->critical, rank_index)->computed += at - now;
    return advance(scheduler, rank_index, at);
}

/* The rank begins later, when its job starts: no computation, which a slow node would take longer for. */
static bool begin_later(struct scheduler *scheduler, uint32_t rank_index, double seconds)
{
    struct critical *critical = scheduler->context->critical;
    const ps_t now = scheduler->loop->now, at = after(now, seconds * (double)PS_PER_S);
    tap_emit(scheduler->tap, &(struct tap_record){.kind = TAP_BEGAN, .rank = rank_index, .at = at});
    if (critical)
        critical_begin_later(critical, critical_rank(critical, rank_index), now, at);
    return advance(scheduler, rank_index, at);
}

/* ------------------------------------------------------------------- calls */

static struct message_post post_of(const struct call *call, uint32_t rank_index, uint32_t owner)
{
    return (struct message_post){.rank = rank_index,
                                 .peer = (uint32_t)call->peer,
                                 .context = call->context,
                                 .tag = call->tag,
                                 .channel = call->channel,
                                 .owner = owner,
                                 .bytes = call->bytes,
                                 .op = call->op,
                                 .call_flags = call->flags};
}

static bool point_to_point(struct scheduler *scheduler, uint32_t rank_index, const struct call *call)
{
    struct request_table *requests = scheduler->requests;
    struct request_waiter *waiter = &scheduler->ranks[rank_index].waiter;
    bool immediate = call->flags & CALL_IMMEDIATE;
    uint32_t blocking_slot = call->op == CALL_RECV ? SLOT_RECV : SLOT_SEND;
    uint32_t slot = immediate ? call->slot : blocking_slot;
    struct message_post post = post_of(call, rank_index, request_open(requests, waiter, slot));
    if (call->op == CALL_SEND) {
        p2p_send(scheduler->p2p, &post);
    } else {
        post.bytes = call->recv_bytes;
        p2p_receive(scheduler->p2p, &post);
    }
    if (immediate)
        return go_on(scheduler, rank_index);
    request_await(requests, waiter, slot);
    return block(scheduler, rank_index, RANK_COMM);
}

static bool sendrecv(struct scheduler *scheduler, uint32_t rank_index, const struct call *call)
{
    struct request_table *requests = scheduler->requests;
    struct request_waiter *waiter = &scheduler->ranks[rank_index].waiter;
    if (call->source != CALL_PROC_NULL) {
        struct message_post receive = post_of(call, rank_index, request_open(requests, waiter, SLOT_RECV));
        receive.peer = (uint32_t)call->source;
        receive.channel = call->source_channel;
        receive.tag = call_source_tag(call);
        receive.bytes = call->recv_bytes;
        p2p_receive(scheduler->p2p, &receive);
    }
    if (call->peer != CALL_PROC_NULL) {
        struct message_post post = post_of(call, rank_index, request_open(requests, waiter, SLOT_SEND));
        p2p_send(scheduler->p2p, &post);
    }
    request_await(requests, waiter, SLOT_RECV);
    request_await(requests, waiter, SLOT_SEND);
    return block(scheduler, rank_index, RANK_COMM);
}

static bool wait_all(struct scheduler *scheduler, uint32_t rank_index)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    for (uint32_t slot = SLOT_FIRST; slot < rank->slot_count; slot++)
        request_await(scheduler->requests, &rank->waiter, slot);
    return block(scheduler, rank_index, RANK_WAIT);
}

static bool collective(struct scheduler *scheduler, uint32_t rank_index, const struct call *call)
{
    struct request_table *requests = scheduler->requests;
    struct request_waiter *waiter = &scheduler->ranks[rank_index].waiter;
    bool immediate = call->flags & CALL_IMMEDIATE;
    uint32_t slot = immediate ? call->slot : SLOT_SEND;
    coll_exec_begin(scheduler->coll_exec, rank_index, call, request_open(requests, waiter, slot));
    if (immediate)
        return go_on(scheduler, rank_index);
    request_await(requests, waiter, slot);
    return block(scheduler, rank_index, RANK_COMM);
}

/* One call of one rank, at now. True when the rank may make its next call, at (a possibly later) now. */
static bool execute(struct scheduler *scheduler, uint32_t rank_index, const struct call *call)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    request_begin(&rank->waiter, scheduler->loop->now);
    rank->software_before = endpoint_software(scheduler->endpoint, rank_index);
    switch ((enum call_op)call->op) {
    case CALL_COMPUTE:
        return compute(scheduler, rank_index, call, scheduler->ps_per_operation);
    case CALL_SLEEP:
        if (call->flags & CALL_START)
            return begin_later(scheduler, rank_index, call->amount);
        return compute(scheduler, rank_index, call, scheduler->ps_per_second);
    case CALL_SEND:
    case CALL_RECV:
        return point_to_point(scheduler, rank_index, call);
    case CALL_SENDRECV:
        return sendrecv(scheduler, rank_index, call);
    case CALL_WAIT:
        request_await(scheduler->requests, &rank->waiter, call->slot);
        return block(scheduler, rank_index, RANK_WAIT);
    case CALL_WAITALL:
    case CALL_FINALIZE:
        return wait_all(scheduler, rank_index);
    case CALL_TEST: /* does not wait: what it starts or completes is in other calls */
        endpoint_test(scheduler->endpoint, rank_index);
        return go_on(scheduler, rank_index);
    case CALL_INIT:
    case CALL_NOTHING:
        return true;
    default:
        return collective(scheduler, rank_index, call);
    }
}

/* Keeps the call of a blocked rank for the deadlock report, if it is in the scratch record. */
static void keep_blocked_call(struct scheduler *scheduler, uint32_t rank_index, const struct call *scratch)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    if (rank->call != scratch)
        return;
    if (!scheduler->blocked_calls)
        scheduler->blocked_calls =
            mem_alloc(scheduler->program->ranks, sizeof *scheduler->blocked_calls, "blocked calls");
    scheduler->blocked_calls[rank_index] = *scratch;
    rank->call = &scheduler->blocked_calls[rank_index];
}

static void end_rank(struct scheduler *scheduler, uint32_t rank_index)
{
    const struct endpoint *endpoint = scheduler->endpoint;
    scheduler->ranks[rank_index].state = RANK_FIN;
    scheduler->ended++;
    if (!endpoint_is_null(endpoint))
        tap_emit(scheduler->tap, &(struct tap_record){.kind = TAP_SOFTWARE,
                                                      .rank = rank_index,
                                                      .at = endpoint_software(endpoint, rank_index)});
    tap_emit(scheduler->tap,
             &(struct tap_record){.kind = TAP_ENDED, .rank = rank_index, .at = scheduler->loop->now});
    if (scheduler->context->job_queue)
        job_queue_rank_ended(scheduler->context->job_queue, rank_index);
    if (scheduler->context->critical)
        critical_end(scheduler->context->critical, rank_index, scheduler->loop->now);
}

/* Executes calls until the rank blocks, computes beyond the next event, or ends. */
static void run_rank(struct scheduler *scheduler, uint32_t rank_index)
{
    struct rank *rank = &scheduler->ranks[rank_index];
    struct call scratch;
    bool going = true;
    rank->state = RANK_NORM;
    if (scheduler->context->critical)
        critical_enter(scheduler->context->critical, critical_rank(scheduler->context->critical, rank_index));
    while (going && !scheduler->loop->stopped) {
        rank->call = program_next(scheduler->program, rank_index, &scratch);
        if (!rank->call) {
            end_rank(scheduler, rank_index);
            if (scheduler->program->status != STATUS_OK)
                context_fail(scheduler->context, scheduler->program->status);
            return;
        }
        if (scheduler->sites && scheduler->context->critical)
            critical_rank(scheduler->context->critical, rank_index)->site = site_of(scheduler, rank_index);
        if (scheduler->tap->call.handle)
            scheduler->tap->call.handle(scheduler->tap->call.self, scheduler->program, rank_index, rank->call,
                                        scheduler->loop->now);
        going = execute(scheduler, rank_index, rank->call);
        context_count(scheduler->context, &scheduler->context->calls);
    }
    keep_blocked_call(scheduler, rank_index, &scratch);
}

static void on_resume(void *self, uint32_t rank_index)
{
    struct scheduler *scheduler = self;
    struct rank *rank = &scheduler->ranks[rank_index];
    if (rank->is_idle) {
        rank->is_idle = false;
        follow_cause(scheduler, rank_index);
        emit_idle(scheduler, rank_index, rank->blocked_at);
    }
    run_rank(scheduler, rank_index);
}

uint32_t scheduler_blocked(const struct scheduler *scheduler)
{
    uint32_t blocked = 0;
    for (uint32_t rank = 0; rank < scheduler->program->ranks; rank++)
        blocked += scheduler_blocked_call(scheduler, rank) != NULL;
    return blocked;
}

const struct call *scheduler_blocked_call(const void *self, uint32_t rank_index)
{
    const struct scheduler *scheduler = self;
    const struct rank *rank = &scheduler->ranks[rank_index];
    return rank->state == RANK_FIN ? NULL : rank->call;
}

/* -------------------------------------------------------------- life cycle */

void scheduler_open(struct scheduler *scheduler, struct rank_layers *layers,
                    const struct compute_config *compute)
{
    struct program *program = layers->params->program;
    *scheduler = (struct scheduler){.context = &layers->context,
                                    .loop = &layers->context.loop,
                                    .tap = layers->params->tap,
                                    .requests = &layers->requests,
                                    .endpoint = layers->endpoint,
                                    .p2p = &layers->p2p,
                                    .coll_exec = &layers->coll_exec,
                                    .program = program,
                                    .sites = program->sites,
                                    .ps_per_operation = compute_config_ps(compute),
                                    .ps_per_second = (double)PS_PER_S * compute->scale};
    struct rank *ranks = mem_alloc(program->ranks, sizeof *ranks, "ranks");
    for (uint32_t i = 0; i < program->ranks; i++) {
        ranks[i].slot_count = program->ops->slots(program, i);
        request_waiter_init(&ranks[i].waiter, scheduler->requests, ranks[i].slot_count);
    }
    request_table_start(scheduler->requests, &ranks->waiter, sizeof *ranks, scheduler, on_ready);
    if (scheduler->context->critical)
        request_table_follow(scheduler->requests, program->ranks, scheduler->context->critical);
    scheduler->ranks = ranks;
    scheduler->resume_kind = loop_register(scheduler->loop, on_resume, scheduler);
}

void scheduler_begin(void *self, uint32_t rank)
{
    struct scheduler *scheduler = self;
    loop_at(scheduler->loop, scheduler->loop->now, scheduler->resume_kind, rank);
}

void scheduler_start(struct scheduler *scheduler)
{
    if (scheduler->context->job_queue)
        job_queue_start(scheduler->context->job_queue, scheduler_begin, scheduler);
    else
        for (uint32_t rank = 0; rank < scheduler->program->ranks; rank++)
            scheduler_begin(scheduler, rank);
}

void scheduler_free(struct scheduler *scheduler)
{
    free(scheduler->blocked_calls);
    free(scheduler->ranks);
}

size_t scheduler_bytes(const struct scheduler *scheduler)
{
    size_t ranks = scheduler->program->ranks;
    return ranks * sizeof *scheduler->ranks +
           (scheduler->blocked_calls ? ranks * sizeof *scheduler->blocked_calls : 0);
}

/* Nearly all programs have a rank that blocks in a call that is not stored. */
double scheduler_estimate(double ranks)
{
    return ranks * (double)(sizeof(struct rank) + sizeof(struct call));
}
