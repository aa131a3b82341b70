#include "engine/rank/machine.h"

#include <string.h>

#include "engine/rank/internal.h"

void machine_fail(struct machine *machine, enum status status)
{
    if (machine->status == STATUS_OK)
        machine->status = status;
    machine->loop->stopped = true;
}

struct call_place machine_place(const struct machine *machine, uint32_t rank)
{
    return machine->program->ops->place(machine->program, rank);
}

/* --------------------------------------------------------------------------------------------- requests */

/* A request or message end of this rank completes at `at`, now or later. */
void machine_complete(struct machine *machine, uint32_t owner, uint32_t rank_index, ps_t at, uint8_t op,
                      uint32_t peer)
{
    if (owner == OWNER_NONE)
        return;
    if (owner & OWNER_RUN) {
        collective_message_done(machine, owner & ~OWNER_RUN, at, peer);
        return;
    }
    struct slot *slot = &machine->slots[owner];
    bool awaited = slot->at == SLOT_AWAITED;
    slot->op = op;
    slot->peer = peer;
    slot->at = awaited ? SLOT_FREE : at;
    if (!awaited)
        return;
    struct rank *rank = &machine->ranks[rank_index];
    if (at >= rank->wake) {
        rank->wake = at;
        rank->cause = op;
        rank->peer = peer;
    }
    if (--rank->awaited > 0)
        return;
    ps_t wake = ps_max(rank->wake, machine->loop->now);
    if (machine->host)
        wake = hosted_leave(machine, rank_index, wake);
    loop_at(machine->loop, wake, machine->resume_kind, rank_index);
}

static uint32_t open_slot(struct machine *machine, const struct rank *rank, uint32_t slot)
{
    uint32_t index = rank->first_slot + slot;
    machine->slots[index].at = SLOT_OPEN;
    return index;
}

static void await_slot(struct machine *machine, struct rank *rank, uint32_t slot_index)
{
    struct slot *slot = &machine->slots[rank->first_slot + slot_index];
    if (slot->at == SLOT_FREE)
        return;
    if (slot->at == SLOT_OPEN) {
        slot->at = SLOT_AWAITED;
        rank->awaited++;
        return;
    }
    if (slot->at >= rank->wake) {
        rank->wake = slot->at;
        rank->cause = slot->op;
        rank->peer = slot->peer;
    }
    slot->at = SLOT_FREE;
}

/* ------------------------------------------------------------------------------------------------- time */

/* It has been blocked since then; what its core did for messages meanwhile is not idle. */
static void tell_idle(struct machine *machine, uint32_t rank_index, ps_t since)
{
    const struct rank *rank = &machine->ranks[rank_index];
    ps_t now = machine->loop->now;
    if (machine->host) {
        since += machine->hosted[rank_index].core.software - rank->software_before;
        if (since >= now && !tap_has_handler(machine->tap, TAP_BLOCKED)) /* as after most calls that post */
            return;
    }
    tap_emit(machine->tap, &(struct tap_record){.kind = TAP_IDLE,
                                                .rank = rank_index,
                                                .call = rank->call->op,
                                                .cause = rank->cause,
                                                .peer = rank->peer,
                                                .since = since < now ? since : now,
                                                .at = now});
}

/* Moves the rank to `at`. True when it may go on there at once, because nothing else happens before; else its
 * resume is in the queue. */
static bool advance(struct machine *machine, uint32_t rank_index, ps_t at)
{
    if (at <= machine->loop->now)
        return true;
    if (at < loop_next_at(machine->loop)) {
        machine->loop->now = at;
        return true;
    }
    loop_at(machine->loop, at, machine->resume_kind, rank_index);
    return false;
}

/* With a host model a call that posts or polls takes the time that the core takes. */
static bool go_on(struct machine *machine, uint32_t rank_index)
{
    return !machine->host || advance(machine, rank_index, machine->hosted[rank_index].core.free_at);
}

/* Polls what has come, which may complete all that the rank waits for: its resume is in the queue then. */
static bool host_completes(struct machine *machine, uint32_t rank_index)
{
    struct rank *rank = &machine->ranks[rank_index];
    if (rank->awaited == 0) {
        rank->wake = hosted_pass(machine, rank_index, rank->wake);
        return false;
    }
    hosted_enter(machine, rank_index);
    return rank->awaited == 0;
}

/* After await_slot on what the call waits for: goes on, or blocks in `state` until the last of it completes.
 */
static bool block(struct machine *machine, uint32_t rank_index, enum rank_state state)
{
    struct rank *rank = &machine->ranks[rank_index];
    ps_t since = machine->loop->now;
    if (rank->awaited == 0 && rank->wake <= since && !machine->host)
        return true;
    rank->state = (uint8_t)state;
    rank->blocked_at = since;
    rank->idle = true;
    if (tap_has_handler(machine->tap, TAP_BLOCKED))
        tap_emit(machine->tap, &(struct tap_record){.kind = TAP_BLOCKED,
                                                    .rank = rank_index,
                                                    .call = rank->call->op,
                                                    .since = since,
                                                    .at = since});
    if (machine->host && host_completes(machine, rank_index))
        return false;
    if (rank->awaited > 0 || !advance(machine, rank_index, rank->wake))
        return false;
    rank->idle = false;
    rank->state = RANK_NORM;
    tell_idle(machine, rank_index, since);
    return true;
}

static bool compute(struct machine *machine, uint32_t rank_index, double amount, double ps_per_unit)
{
    double picoseconds = amount * ps_per_unit;
    ps_t now = machine->loop->now;
    /* 2^62 is exact as a double; anything above leaves the range of simulated time anyhow. */
    ps_t at = picoseconds < 0x1p62 ? ps_add(now, (ps_t)(picoseconds + 0.5)) : PS_NEVER;
    tap_emit(machine->tap,
             &(struct tap_record){.kind = TAP_COMPUTED, .rank = rank_index, .since = now, .at = at});
    return advance(machine, rank_index, at);
}

/* ------------------------------------------------------------------------------------------------ calls */

static struct post post_of(const struct call *call, uint32_t rank_index, uint32_t owner)
{
    return (struct post){.rank = rank_index,
                         .peer = (uint32_t)call->peer,
                         .context = call->context,
                         .tag = call->tag,
                         .channel = call->channel,
                         .owner = owner,
                         .bytes = call->bytes,
                         .op = call->op,
                         .call_flags = call->flags};
}

static bool point_to_point(struct machine *machine, uint32_t rank_index, const struct call *call)
{
    struct rank *rank = &machine->ranks[rank_index];
    bool immediate = call->flags & CALL_IMMEDIATE;
    uint32_t blocking_slot = call->op == CALL_RECV ? SLOT_RECV : SLOT_SEND;
    uint32_t slot = immediate ? call->slot : blocking_slot;
    struct post post = post_of(call, rank_index, open_slot(machine, rank, slot));
    if (call->op == CALL_SEND) {
        protocol_send(machine, &post);
    } else {
        post.bytes = call->recv_bytes;
        protocol_receive(machine, &post);
    }
    if (immediate)
        return go_on(machine, rank_index);
    await_slot(machine, rank, slot);
    return block(machine, rank_index, RANK_COMM);
}

static bool sendrecv(struct machine *machine, uint32_t rank_index, const struct call *call)
{
    struct rank *rank = &machine->ranks[rank_index];
    if (call->source != CALL_PROC_NULL) {
        struct post receive = post_of(call, rank_index, open_slot(machine, rank, SLOT_RECV));
        receive.peer = (uint32_t)call->source;
        receive.channel = call->source_channel;
        receive.tag = call_source_tag(call);
        receive.bytes = call->recv_bytes;
        protocol_receive(machine, &receive);
    }
    if (call->peer != CALL_PROC_NULL) {
        struct post send = post_of(call, rank_index, open_slot(machine, rank, SLOT_SEND));
        protocol_send(machine, &send);
    }
    await_slot(machine, rank, SLOT_RECV);
    await_slot(machine, rank, SLOT_SEND);
    return block(machine, rank_index, RANK_COMM);
}

static bool wait_all(struct machine *machine, uint32_t rank_index)
{
    struct rank *rank = &machine->ranks[rank_index];
    for (uint32_t slot = SLOT_FIRST; slot < rank->slot_count; slot++)
        await_slot(machine, rank, slot);
    return block(machine, rank_index, RANK_WAIT);
}

static bool collective(struct machine *machine, uint32_t rank_index, const struct call *call)
{
    struct rank *rank = &machine->ranks[rank_index];
    bool immediate = call->flags & CALL_IMMEDIATE;
    uint32_t slot = immediate ? call->slot : SLOT_SEND;
    collective_begin(machine, rank_index, call, open_slot(machine, rank, slot));
    if (immediate)
        return go_on(machine, rank_index);
    await_slot(machine, rank, slot);
    return block(machine, rank_index, RANK_COMM);
}

/* One call of one rank, at now. True when the rank may make its next call, at (a possibly later) now. */
static bool execute(struct machine *machine, uint32_t rank_index, const struct call *call)
{
    struct rank *rank = &machine->ranks[rank_index];
    rank->wake = machine->loop->now;
    if (machine->host)
        rank->software_before = machine->hosted[rank_index].core.software;
    switch ((enum call_op)call->op) {
    case CALL_COMPUTE:
        return compute(machine, rank_index, call->amount, machine->ps_per_operation);
    case CALL_SLEEP:
        return compute(machine, rank_index, call->amount, (double)PS_PER_S);
    case CALL_SEND:
    case CALL_RECV:
        return point_to_point(machine, rank_index, call);
    case CALL_SENDRECV:
        return sendrecv(machine, rank_index, call);
    case CALL_WAIT:
        await_slot(machine, rank, call->slot);
        return block(machine, rank_index, RANK_WAIT);
    case CALL_WAITALL:
    case CALL_FINALIZE:
        return wait_all(machine, rank_index);
    case CALL_TEST: /* asks without waiting: what it starts or completes is in other calls */
        if (machine->host)
            hosted_test(machine, rank_index);
        return go_on(machine, rank_index);
    case CALL_INIT:
    case CALL_NOTHING:
        return true;
    default:
        return collective(machine, rank_index, call);
    }
}

/* Remembers the call of a blocked rank for report.c, when the program returned it in our scratch. */
static void keep_blocked_call(struct machine *machine, uint32_t rank_index, const struct call *scratch)
{
    struct rank *rank = &machine->ranks[rank_index];
    if (rank->call != scratch)
        return;
    if (!machine->blocked_calls)
        machine->blocked_calls =
            mem_alloc(machine->program->ranks, sizeof *machine->blocked_calls, "blocked calls");
    machine->blocked_calls[rank_index] = *scratch;
    rank->call = &machine->blocked_calls[rank_index];
}

static void end_rank(struct machine *machine, uint32_t rank_index)
{
    machine->ranks[rank_index].state = RANK_FIN;
    machine->ended++;
    if (machine->host)
        tap_emit(machine->tap, &(struct tap_record){.kind = TAP_SOFTWARE,
                                                    .rank = rank_index,
                                                    .at = machine->hosted[rank_index].core.software});
    tap_emit(machine->tap,
             &(struct tap_record){.kind = TAP_ENDED, .rank = rank_index, .at = machine->loop->now});
}

/* Executes calls until the rank blocks, computes beyond the next event, or ends. */
static void run_rank(struct machine *machine, uint32_t rank_index)
{
    enum { PROGRESS_EVERY = 1 << 20 };
    struct rank *rank = &machine->ranks[rank_index];
    struct call scratch;
    bool going = true;
    rank->state = RANK_NORM;
    while (going && !machine->loop->stopped) {
        rank->call = program_next(machine->program, rank_index, &scratch);
        if (!rank->call) {
            end_rank(machine, rank_index);
            return;
        }
        going = execute(machine, rank_index, rank->call);
        if (++machine->calls % PROGRESS_EVERY == 0 && machine->params->progress)
            machine->params->progress(machine->params->progress_self, machine->calls, machine->loop->now);
    }
    keep_blocked_call(machine, rank_index, &scratch);
}

static void on_resume(void *self, uint32_t rank_index)
{
    struct machine *machine = self;
    struct rank *rank = &machine->ranks[rank_index];
    if (rank->idle) {
        rank->idle = false;
        tell_idle(machine, rank_index, rank->blocked_at);
    }
    run_rank(machine, rank_index);
}

/* -------------------------------------------------------------------------------------------------- run */

static void make_ranks(struct machine *machine)
{
    struct program *program = machine->program;
    uint64_t slots = 0;
    machine->ranks = mem_alloc(program->ranks, sizeof *machine->ranks, "ranks");
    for (uint32_t i = 0; i < program->ranks; i++) {
        machine->ranks[i].first_slot = (uint32_t)slots;
        machine->ranks[i].slot_count = program->ops->slots(program, i);
        slots += machine->ranks[i].slot_count;
    }
    machine->slots = mem_alloc(slots, sizeof *machine->slots, "requests");
    for (uint64_t i = 0; i < slots; i++)
        machine->slots[i].at = SLOT_FREE;
    machine->sequences = mem_alloc((size_t)program->ranks * program->group_count, sizeof *machine->sequences,
                                   "collective counters");
    machine->channels = mem_alloc(program->channels, sizeof *machine->channels, "channels");
    for (uint32_t i = 0; i < program->channels; i++)
        machine->channels[i].head = POOL_NONE;
}

static uint32_t nodes_of(const struct machine *machine)
{
    uint64_t ranks = machine->program->ranks, per_node = machine->node->ranks_per_node;
    return (uint32_t)(ranks / per_node + (ranks % per_node != 0));
}

static void open_machine(struct machine *machine, const struct engine_params *params, struct event_loop *loop)
{
    *machine = (struct machine){.params = params,
                                .host = params->host,
                                .protocol = config_of(params->config, &protocol_params),
                                .node = config_of(params->config, &node_params),
                                .collective = config_of(params->config, &collective_params),
                                .program = params->program,
                                .loop = loop,
                                .tap = params->tap};
    const struct compute_config *computing = config_of(params->config, &compute_params);
    machine->ps_per_operation = (double)PS_PER_S / (double)computing->rate_flops * computing->scale;
    loop_init(loop);
    machine->resume_kind = loop_register(loop, on_resume, machine);
    machine->phase_kind = loop_register(loop, collective_on_phase, machine);
    machine->visible_kind = loop_register(loop, protocol_on_visible, machine);
    machine->control_kind = loop_register(loop, protocol_on_control, machine);
    pool_init(&machine->messages, sizeof(struct message), "messages");
    pool_init(&machine->runs, sizeof(struct run), "collectives under way");
    pool_init(&machine->meeting_records, sizeof(struct meeting), "collective calls");
    gathering_open(machine);
    queue_table_init(&machine->keyed);
    queue_table_init(&machine->meetings);
    make_ranks(machine);
    if (machine->host)
        hosted_open(machine, nodes_of(machine));
}

static void close_machine(struct machine *machine)
{
    if (machine->fabric)
        machine->fabric->ops->close(machine->fabric);
    for (uint32_t i = 0; machine->mailboxes && i < machine->program->ranks; i++)
        free(machine->mailboxes[i]);
    free(machine->mailboxes);
    queue_table_free(&machine->meetings);
    queue_table_free(&machine->keyed);
    if (machine->host)
        hosted_close(machine);
    gathering_close(machine);
    pool_free(&machine->meeting_records);
    pool_free(&machine->runs);
    pool_free(&machine->messages);
    free(machine->blocked_calls);
    free(machine->channels);
    free(machine->sequences);
    free(machine->slots);
    free(machine->ranks);
    loop_free(machine->loop);
}

static enum status prepare_fabric(struct machine *machine)
{
    struct fabric_params fabric = {.ops = machine->params->fabric,
                                   .config = machine->params->config,
                                   .loop = machine->loop,
                                   .messages = &machine->messages,
                                   .nodes = nodes_of(machine),
                                   .seed = machine->params->seed,
                                   .included_bytes = machine->host ? machine->host->block_bytes : 0,
                                   .callbacks = protocol_callbacks(machine),
                                   .tap = machine->tap,
                                   .traffic = machine->params->traffic};
    enum status status = machine->params->fabric->prepare(&fabric, &machine->fabric);
    if (status == STATUS_OK && machine->host && machine->fabric->ops->node_rate)
        machine->nodes.link_bytes_per_s = machine->fabric->ops->node_rate(machine->fabric);
    return status;
}

/* All ranks start at 0, in rank order, and run until nothing is left to happen. */
static enum status run_to_the_end(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->program->ranks; i++)
        loop_at(machine->loop, 0, machine->resume_kind, i);
    loop_run(machine->loop);
    if (machine->loop->out_of_range) {
        diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
        return STATUS_FAILED;
    }
    if (machine->status != STATUS_OK)
        return machine->status;
    if (machine->ended < machine->program->ranks) {
        report_blocked(machine);
        return STATUS_FAILED;
    }
    report_never_received(machine);
    return STATUS_OK;
}

static struct engine_usage usage_of(const struct machine *machine)
{
    size_t bytes = sizeof *machine + loop_bytes(machine->loop) + queue_table_bytes(&machine->keyed) +
                   queue_table_bytes(&machine->meetings);
    const struct pool *pools[] = {&machine->messages, &machine->runs, &machine->meeting_records};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        bytes += pools[i]->capacity * pools[i]->size;
    uint32_t ranks = machine->program->ranks;
    const struct rank *last = &machine->ranks[ranks - 1];
    bytes += ranks * sizeof *machine->ranks + (last->first_slot + last->slot_count) * sizeof *machine->slots;
    bytes += (size_t)ranks * machine->program->group_count * sizeof *machine->sequences;
    bytes += machine->program->channels * sizeof *machine->channels;
    bytes += machine->blocked_calls ? ranks * sizeof *machine->blocked_calls : 0;
    bytes += machine->host ? hosted_bytes(machine) : 0;
    bytes += gathering_bytes(machine);
    bytes += machine->fabric->ops->bytes(machine->fabric);
    return (struct engine_usage){.bytes = bytes,
                                 .peak_messages = machine->messages.fresh,
                                 .peak_events = machine->loop->peak,
                                 .events = machine->loop->taken,
                                 .calls = machine->calls,
                                 .host = machine->nodes.statistics};
}

static bool runs(const struct engine_input *input)
{
    return !input->compat && !(input->program && input->program->openloop);
}

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    struct event_loop loop;
    struct machine machine;
    open_machine(&machine, params, &loop);
    enum status status = prepare_fabric(&machine);
    if (status == STATUS_OK)
        status = run_to_the_end(&machine);
    if (status == STATUS_OK) {
        *usage = usage_of(&machine);
        if (visit)
            visit(self, machine.fabric);
    }
    close_machine(&machine);
    return status;
}

const struct engine engine_ranks = {.name = "ranks", .runs = runs, .run = run};
