#include "engine/graph/scheduler.h"

#include "base/mem.h"
#include "engine/rank/job_queue.h"

static struct event_loop *loop_of(const struct graph_scheduler *scheduler)
{
    return &scheduler->layers->context.loop;
}

static const struct tap *tap_of(const struct graph_scheduler *scheduler)
{
    return scheduler->layers->context.tap;
}

static const struct graph_operation *operation_at(const struct graph_scheduler *scheduler, uint32_t index)
{
    const struct graph_rank *rank = &scheduler->graph->ranks[scheduler->operations[index].rank];
    return &rank->operations[index - rank->first];
}

uint32_t graph_scheduler_site(const struct graph_scheduler *scheduler, uint32_t index)
{
    if (!scheduler->sites || index == POOL_NONE)
        return 0;
    return scheduler->sites->of_operation(scheduler->sites, scheduler->operations[index].rank,
                                          graph_scheduler_number(scheduler, index));
}

/* ------------------------------------------------------------------- cores */

static struct queue_links operation_links(const struct graph_scheduler *scheduler)
{
    return QUEUE_LINKS(scheduler->operations, struct operation_run, next);
}

static struct queue_links core_links(const struct graph_scheduler *scheduler)
{
    return QUEUE_LINKS(scheduler->core, struct graph_core, next);
}

/* The core has something to begin. It does so when the present event is over, so that a chain of operations
 * that take no time does not nest. */
static void list_core(struct graph_scheduler *scheduler, uint32_t index)
{
    struct graph_core *core = &scheduler->core[index];
    if (core->is_listed || core->is_busy)
        return;
    core->is_listed = true;
    queue_append(&scheduler->listed, core_links(scheduler), index);
}

/* What core 0 has done for messages by now. The endpoint has what it began, too. */
static ps_t software_of(const struct graph_scheduler *scheduler, uint32_t rank)
{
    const struct endpoint *endpoint = scheduler->layers->endpoint;
    ps_t now = loop_of(scheduler)->now, until = endpoint_free_at(endpoint, rank, now);
    return endpoint_software(endpoint, rank) - (until > now ? until - now : 0);
}

/* The rank has been idle while none of its cores was busy. What core 0 did for messages meanwhile is not
 * idle. It has waited for what ended last. */
static void end_idle(struct graph_scheduler *scheduler, uint32_t rank_index)
{
    struct graph_rank_run *rank = &scheduler->ranks[rank_index];
    ps_t now = loop_of(scheduler)->now, software = software_of(scheduler, rank_index) - rank->software_before;
    ps_t since = ps_add(rank->idle_since, software);
    const uint32_t site = rank->is_idle ? graph_scheduler_site(scheduler, rank->ended) : 0;
    if (rank->is_idle)
        tap_emit(tap_of(scheduler),
                 &(struct tap_record){.kind = TAP_IDLE,
                                      .rank = rank_index,
                                      .call = CALL_WAIT,
                                      .cause = CALL_SEND,
                                      .peer = TAP_NOBODY,
                                      .site = site,
                                      .site_name = site ? scheduler->sites->names[site] : NULL,
                                      .since = since < now ? since : now,
                                      .at = now});
    rank->is_idle = false;
}

/* When all that begins now has begun, so that a rank is not idle for no time between two operations. */
static void begin_idle(struct graph_scheduler *scheduler, uint32_t rank_index)
{
    struct graph_rank_run *rank = &scheduler->ranks[rank_index];
    ps_t now = loop_of(scheduler)->now;
    if (rank->busy || rank->is_idle || !rank->left)
        return;
    rank->is_idle = true;
    rank->idle_since = now;
    rank->software_before = software_of(scheduler, rank_index);
    if (tap_has_handler(tap_of(scheduler), TAP_BLOCKED))
        tap_emit(tap_of(scheduler),
                 &(struct tap_record){
                     .kind = TAP_BLOCKED, .rank = rank_index, .call = CALL_WAIT, .since = now, .at = now});
}

static void set_busy(struct graph_scheduler *scheduler, uint32_t index, ps_t until)
{
    struct graph_core *core = &scheduler->core[index];
    uint32_t rank = index / scheduler->cores;
    if (!core->is_busy && scheduler->ranks[rank].busy++ == 0)
        end_idle(scheduler, rank);
    core->is_busy = true;
    loop_at(loop_of(scheduler), until, scheduler->core_kind, index);
}

static void set_free(struct graph_scheduler *scheduler, uint32_t index)
{
    struct graph_core *core = &scheduler->core[index];
    uint32_t rank = index / scheduler->cores;
    core->is_busy = false;
    if (!core->begins) /* handling a message before that is no work of an operation: it waited for its cause
                        */
        core->free_at = loop_of(scheduler)->now;
    scheduler->ranks[rank].busy--;
}

/* ------------------------------------------------------------- dependences */

static void make_ready(struct graph_scheduler *scheduler, uint32_t index)
{
    struct operation_run *run = &scheduler->operations[index];
    uint32_t core = run->rank * scheduler->cores + operation_at(scheduler, index)->core;
    run->state = OPERATION_READY;
    queue_append(&scheduler->core[core].ready, operation_links(scheduler), index);
    list_core(scheduler, core);
}

static void release(struct graph_scheduler *scheduler, uint32_t index)
{
    if (--scheduler->operations[index].needs == 0)
        make_ready(scheduler, index);
}

static void release_on_begin(struct graph_scheduler *scheduler, uint32_t core, uint32_t index)
{
    const struct graph_operation *operation = operation_at(scheduler, index);
    const struct graph_rank *rank = &scheduler->graph->ranks[scheduler->operations[index].rank];
    for (uint32_t i = operation->on_begin; i < operation[1].on_end; i++) {
        uint32_t after = (uint32_t)rank->first + rank->dependents[i];
        graph_causes_begun(scheduler, core, index, after);
        release(scheduler, after);
    }
}

static void end_rank(struct graph_scheduler *scheduler, uint32_t rank, uint32_t last)
{
    const struct endpoint *endpoint = scheduler->layers->endpoint;
    end_idle(scheduler, rank);
    if (!endpoint_is_null(endpoint))
        tap_emit(tap_of(scheduler), &(struct tap_record){.kind = TAP_SOFTWARE,
                                                         .rank = rank,
                                                         .at = endpoint_software(endpoint, rank)});
    tap_emit(tap_of(scheduler),
             &(struct tap_record){.kind = TAP_ENDED, .rank = rank, .at = loop_of(scheduler)->now});
    if (scheduler->layers->context.job_queue)
        job_queue_rank_ended(scheduler->layers->context.job_queue, rank);
    graph_causes_rank_ends(scheduler, rank, last);
}

static void end_operation(struct graph_scheduler *scheduler, uint32_t index)
{
    struct operation_run *run = &scheduler->operations[index];
    const struct graph_operation *operation = operation_at(scheduler, index);
    const struct graph_rank *rank = &scheduler->graph->ranks[run->rank];
    run->state = OPERATION_ENDED;
    scheduler->ranks[run->rank].ended = index;
    if (scheduler->sites) /* what the rank waits for next may have another one */
        end_idle(scheduler, run->rank);
    scheduler->ended++;
    context_count(&scheduler->layers->context, &scheduler->layers->context.calls);
    for (uint32_t i = operation->on_end; i < operation->on_begin; i++) {
        uint32_t after = (uint32_t)rank->first + rank->dependents[i];
        graph_causes_release(scheduler, index, after);
        release(scheduler, after);
    }
    if (--scheduler->ranks[run->rank].left == 0)
        end_rank(scheduler, run->rank, index);
    graph_causes_ended(scheduler, index, operation->on_end == operation->on_begin);
}

/* A message or a collective call of an operation completes, perhaps at a known later time. What follows is an
 * event, since the layers that tell this are not to be called from here. */
static void on_complete(void *self, uint32_t index, ps_t at, uint32_t peer)
{
    struct graph_scheduler *scheduler = self;
    (void)peer;
    graph_causes_complete(scheduler, index, at);
    loop_at(loop_of(scheduler), ps_max(at, loop_of(scheduler)->now), scheduler->end_kind, index);
}

/* --------------------------------------------------------------- operations */

static ps_t duration_of(const struct graph_scheduler *scheduler, uint32_t rank,
                        const struct graph_operation *operation)
{
    double slowness = context_slowness(&scheduler->layers->context, rank);
    double scale = operation->time == GRAPH_TIME_GIVEN ? scheduler->scale : 1;
    if (operation->kind == GRAPH_COMPUTE && slowness == 1 && scale == 1)
        return operation->amount < (uint64_t)PS_NEVER ? (ps_t)operation->amount : PS_NEVER;
    double each = operation->kind == GRAPH_COMPUTE ? scale : scheduler->ps_per_operation;
    double time = (double)operation->amount * each * slowness;
    return time < 0x1p62 ? (ps_t)(time + 0.5) : PS_NEVER;
}

/* The rank begins later, when its job starts. */
static bool begin_later(struct graph_scheduler *scheduler, uint32_t core, ps_t time)
{
    const ps_t now = loop_of(scheduler)->now, at = ps_add(now, time);
    set_busy(scheduler, core, at);
    tap_emit(tap_of(scheduler),
             &(struct tap_record){.kind = TAP_BEGAN, .rank = core / scheduler->cores, .at = at});
    graph_causes_begins_later(scheduler, core, at);
    return true;
}

/* True: the core is busy until an event. */
static bool compute(struct graph_scheduler *scheduler, uint32_t core, const struct graph_operation *operation)
{
    ps_t now = loop_of(scheduler)->now, time = duration_of(scheduler, core / scheduler->cores, operation),
         at = ps_add(now, time);
    set_busy(scheduler, core, at);
    tap_emit(tap_of(scheduler), &(struct tap_record){.kind = TAP_COMPUTED,
                                                     .call = graph_computes(operation),
                                                     .rank = core / scheduler->cores,
                                                     .core = core % scheduler->cores,
                                                     .since = now,
                                                     .at = at});
    graph_causes_computed(scheduler, core, at - now);
    return true;
}

/* GOAL does not compare the size of a receive with that of its message, whose size holds. */
static void communicate(struct graph_scheduler *scheduler, uint32_t index,
                        const struct graph_operation *operation)
{
    uint32_t rank = scheduler->operations[index].rank, owner = scheduler->owner_tag | index;
    bool is_send = operation->kind == GRAPH_SEND;
    uint32_t receiver = is_send ? operation->peer : rank;
    struct message_post post = {
        .rank = rank,
        .peer = operation->peer == GRAPH_ANY ? (uint32_t)CALL_ANY_SOURCE : operation->peer,
        .tag = operation->tag == GRAPH_ANY ? CALL_ANY_TAG : (int32_t)operation->tag,
        .channel = scheduler->ranks[receiver].has_any ? CHANNEL_MAILBOX : CHANNEL_KEYED,
        .owner = owner,
        .bytes = is_send ? operation->amount : INT64_MAX,
        .op = is_send ? CALL_SEND : CALL_RECV,
        .call_flags = CALL_IMMEDIATE | (operation->is_eager ? CALL_EAGER : 0)};
    graph_causes_post(scheduler, index);
    scheduler->causes.posting = index;
    if (operation->kind == GRAPH_CALL) {
        struct call call = scheduler->graph->calls[operation->amount];
        call.flags |= CALL_IMMEDIATE;
        coll_exec_begin(&scheduler->layers->coll_exec, rank, &call, owner);
    } else if (is_send) {
        p2p_send(&scheduler->layers->p2p, &post);
    } else {
        p2p_receive(&scheduler->layers->p2p, &post);
    }
    scheduler->causes.posting = POOL_NONE;
}

/* Core 0 stops polling. False: it handles a message until an event, and begins then. */
static bool stop_polling(struct graph_scheduler *scheduler, uint32_t index, uint32_t operation)
{
    uint32_t rank = index / scheduler->cores;
    ps_t now = loop_of(scheduler)->now;
    if (index % scheduler->cores || !scheduler->ranks[rank].is_polling)
        return true;
    scheduler->ranks[rank].is_polling = false;
    ps_t at = endpoint_leave(scheduler->layers->endpoint, rank, now);
    if (at <= now)
        return true;
    scheduler->core[index].present = operation;
    scheduler->core[index].begins = true;
    set_busy(scheduler, index, at);
    return false;
}

/* Begins the operation. True: the core is busy with it until an event. */
static bool begin(struct graph_scheduler *scheduler, uint32_t core_index, uint32_t index)
{
    struct graph_core *core = &scheduler->core[core_index];
    const struct graph_operation *operation = operation_at(scheduler, index);
    uint32_t rank = scheduler->operations[index].rank;
    struct event_loop *loop = loop_of(scheduler);
    scheduler->operations[index].state = OPERATION_BEGUN;
    graph_causes_begin(scheduler, core_index, index, core->free_at);
    core->free_at = loop->now;
    if (operation->kind == GRAPH_COMPUTE || operation->kind == GRAPH_WORK) {
        core->present = index;
        release_on_begin(scheduler, core_index, index);
        if (operation->kind == GRAPH_COMPUTE && operation->time == GRAPH_TIME_OF_START)
            return begin_later(scheduler, core_index, (ps_t)operation->amount);
        return compute(scheduler, core_index, operation);
    }
    communicate(scheduler, index, operation);
    release_on_begin(scheduler, core_index, index);
    ps_t free_at = core_index % scheduler->cores
                       ? loop->now
                       : endpoint_free_at(scheduler->layers->endpoint, rank, loop->now);
    core->present = POOL_NONE;
    if (free_at > loop->now)
        set_busy(scheduler, core_index, free_at);
    return core->is_busy;
}

/* A core with nothing to do polls, where the host has to. */
static void poll(struct graph_scheduler *scheduler, uint32_t core)
{
    uint32_t rank = core / scheduler->cores;
    if (core % scheduler->cores || endpoint_is_null(scheduler->layers->endpoint) ||
        scheduler->ranks[rank].is_polling)
        return;
    scheduler->ranks[rank].is_polling = true;
    endpoint_enter(scheduler->layers->endpoint, rank, ENDPOINT_WAIT_REQUESTS);
}

static void run_core(struct graph_scheduler *scheduler, uint32_t index)
{
    struct graph_core *core = &scheduler->core[index];
    while (!scheduler->layers->context.loop.stopped) {
        uint32_t operation = queue_take(&core->ready, operation_links(scheduler));
        if (operation == POOL_NONE) {
            poll(scheduler, index);
            return;
        }
        if (!stop_polling(scheduler, index, operation) || begin(scheduler, index, operation))
            return;
    }
}

static void run_listed(struct graph_scheduler *scheduler)
{
    uint32_t core;
    while ((core = queue_take(&scheduler->listed, core_links(scheduler))) != POOL_NONE) {
        scheduler->core[core].is_listed = false;
        if (!scheduler->core[core].is_busy) /* what it began has listed it, and keeps it busy */
            run_core(scheduler, core);
    }
}

/* Event: a core has finished what made it busy. */
static void on_core(void *self, uint32_t index)
{
    struct graph_scheduler *scheduler = self;
    struct graph_core *core = &scheduler->core[index];
    uint32_t present = core->present;
    core->present = POOL_NONE;
    set_free(scheduler, index);
    if (core->begins) {
        core->begins = false;
        begin(scheduler, index, present);
    } else if (present != POOL_NONE) {
        graph_causes_core_ends(scheduler, index, present);
        end_operation(scheduler, present);
    }
    list_core(scheduler, index);
    run_listed(scheduler);
    begin_idle(scheduler, index / scheduler->cores);
}

/* Event: a message or a collective call of an operation is complete. */
static void on_end(void *self, uint32_t index)
{
    struct graph_scheduler *scheduler = self;
    end_operation(scheduler, index);
    run_listed(scheduler);
    if (scheduler->sites)
        begin_idle(scheduler, scheduler->operations[index].rank);
}

/* The operations of the rank that wait for nothing become ready. */
static void begin_rank(struct graph_scheduler *scheduler, uint32_t rank)
{
    const struct graph_rank *about = &scheduler->graph->ranks[rank];
    if (!about->count)
        end_rank(scheduler, rank, POOL_NONE);
    for (uint32_t i = 0; i < about->count; i++)
        if (!about->operations[i].needs)
            make_ready(scheduler, (uint32_t)about->first + i);
    list_core(scheduler, rank * scheduler->cores);
}

/* Event: the job of the rank has started. */
static void on_begin(void *self, uint32_t rank)
{
    struct graph_scheduler *scheduler = self;
    begin_rank(scheduler, rank);
    run_listed(scheduler);
    begin_idle(scheduler, rank);
}

void graph_scheduler_begin(void *self, uint32_t rank)
{
    struct graph_scheduler *scheduler = self;
    loop_at(loop_of(scheduler), loop_of(scheduler)->now, scheduler->begin_kind, rank);
}

/* -------------------------------------------------------------- life cycle */

static void find_any(struct graph_scheduler *scheduler)
{
    for (uint32_t rank = 0; scheduler->graph->has_any && rank < scheduler->program->ranks; rank++) {
        const struct graph_rank *about = &scheduler->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++) {
            const struct graph_operation *operation = &about->operations[i];
            scheduler->ranks[rank].has_any |= operation->kind == GRAPH_RECV &&
                                              (operation->peer == GRAPH_ANY || operation->tag == GRAPH_ANY);
        }
    }
}

void graph_scheduler_init(struct graph_scheduler *scheduler)
{
    const struct graph *graph = scheduler->graph = scheduler->program->graph;
    uint32_t ranks = scheduler->program->ranks, cores = graph->cores ? graph->cores : 1;
    scheduler->sites = scheduler->program->sites;
    scheduler->cores = cores;
    scheduler->operations = mem_alloc((size_t)graph->operations, sizeof *scheduler->operations, "operations");
    scheduler->core = mem_alloc((size_t)ranks * cores, sizeof *scheduler->core, "cores");
    scheduler->ranks = mem_alloc(ranks, sizeof *scheduler->ranks, "ranks");
    for (size_t i = 0; i < (size_t)ranks * cores; i++) {
        queue_init(&scheduler->core[i].ready);
        scheduler->core[i].present = POOL_NONE;
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct graph_rank *about = &graph->ranks[rank];
        scheduler->ranks[rank].left = about->count;
        scheduler->ranks[rank].ended = POOL_NONE;
        for (uint32_t i = 0; i < about->count; i++)
            scheduler->operations[about->first + i] =
                (struct operation_run){.needs = about->operations[i].needs, .rank = rank};
    }
    queue_init(&scheduler->listed);
    find_any(scheduler);
    scheduler->owner_tag = request_add_handler(&scheduler->layers->requests, scheduler, on_complete);
    scheduler->core_kind = loop_register(loop_of(scheduler), on_core, scheduler);
    scheduler->end_kind = loop_register(loop_of(scheduler), on_end, scheduler);
    if (scheduler->layers->context.job_queue || graph->has_calls_too)
        scheduler->begin_kind = loop_register(loop_of(scheduler), on_begin, scheduler);
    graph_causes_init(&scheduler->causes, scheduler);
}

void graph_scheduler_free(struct graph_scheduler *scheduler)
{
    graph_causes_free(&scheduler->causes);
    free(scheduler->operations);
    free(scheduler->core);
    free(scheduler->ranks);
}

size_t graph_scheduler_bytes(const struct graph_scheduler *scheduler)
{
    size_t ranks = scheduler->program->ranks;
    return (size_t)scheduler->graph->operations * sizeof *scheduler->operations +
           ranks * (scheduler->cores * sizeof *scheduler->core + sizeof *scheduler->ranks);
}

double graph_scheduler_estimate(const struct program *program)
{
    double cores = (double)program->ranks * (program->graph->cores ? program->graph->cores : 1);
    return (double)program->graph->operations * (double)sizeof(struct operation_run) +
           cores * (double)sizeof(struct graph_core) +
           (double)program->ranks * (double)sizeof(struct graph_rank_run);
}

void graph_scheduler_start(struct graph_scheduler *scheduler)
{
    if (scheduler->layers->context.job_queue) {
        job_queue_start(scheduler->layers->context.job_queue, graph_scheduler_begin, scheduler);
        return;
    }
    for (uint32_t rank = 0; rank < scheduler->program->ranks; rank++)
        begin_rank(scheduler, rank);
    run_listed(scheduler);
    for (uint32_t rank = 0; rank < scheduler->program->ranks; rank++)
        begin_idle(scheduler, rank);
}
