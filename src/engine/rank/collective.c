#include "engine/rank/internal.h"

#include <string.h>

/* A collective call: every rank of the group goes through the phases of its schedule. What a phase sends and
 * receives are messages like any other, in a context of their own; the phase ends when all of them are
 * complete, and the next one begins at that time, whatever the rank itself is doing: non-blocking collectives
 * progress alone. */

struct sink {
    struct coll_sink base;
    struct machine *machine;
    uint32_t run;
};

static struct run *run_at(const struct machine *machine, uint32_t index)
{
    return pool_at(&machine->runs, index);
}

/* ------------------------------------------------------------------------------------------------- sink */

static void post(struct coll_sink *base, uint32_t peer, uint64_t bytes, uint32_t owner,
                 void (*protocol)(struct machine *machine, const struct post *post))
{
    struct sink *sink = (struct sink *)base;
    struct machine *machine = sink->machine;
    struct run *run = run_at(machine, sink->run);
    run->pending++;
    protocol(machine, &(struct post){.rank = run->rank,
                                     .peer = group_world(&machine->program->groups[run->group], peer),
                                     .context = run->context | CONTEXT_COLLECTIVE,
                                     .tag = (int32_t)run->sequence,
                                     .channel = CHANNEL_KEYED,
                                     .owner = owner | OWNER_RUN,
                                     .bytes = bytes,
                                     .op = run->op});
}

static void sink_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    post(sink, peer, from.bytes, ((struct sink *)sink)->run, protocol_send);
}

static void sink_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    post(sink, peer, into.bytes, ((struct sink *)sink)->run, protocol_receive);
}

static void sink_recv_raise(struct coll_sink *base, uint32_t peer, struct coll_span into, uint32_t flag)
{
    struct sink *sink = (struct sink *)base;
    post(base, peer, into.bytes, gathering_flag_owner(sink->machine, sink->run, flag) | OWNER_FLAG,
         protocol_receive);
}

/* When the rank has come so far: now, or with a host model when its core has done what it does for it. */
static ps_t step(const struct sink *sink, enum system_time time)
{
    const struct machine *machine = sink->machine;
    if (!machine->host)
        return machine->loop->now;
    return hosted_step(sink->machine, run_at(machine, sink->run)->rank,
                       machine->host->system.times[time].time_ps);
}

static void sink_barrier(struct coll_sink *base)
{
    struct sink *sink = (struct sink *)base;
    gathering_barrier(sink->machine, sink->run, step(sink, TIME_BARRIER));
}

static void sink_raise(struct coll_sink *base, uint32_t flag)
{
    struct sink *sink = (struct sink *)base;
    gathering_raise(sink->machine, sink->run, flag, step(sink, TIME_FLAG));
}

static void sink_await(struct coll_sink *base, uint32_t flag)
{
    struct sink *sink = (struct sink *)base;
    step(sink, TIME_FLAG);
    gathering_await(sink->machine, sink->run, flag);
}

/* A copy or a reduction. Without what copies cost `local` is false, and most are not even emitted. */
static void sink_local(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    struct sink *sink = (struct sink *)base;
    struct run *run = run_at(sink->machine, sink->run);
    if (!base->local || from.bytes == 0)
        return;
    uint64_t touched = from.offset + from.bytes + into.offset + into.bytes;
    bool continues = run->copied_from == from.offset && run->copied_into == into.offset;
    if (touched > run->working_set)
        run->working_set = touched;
    run->copied_from = from.offset + from.bytes;
    run->copied_into = into.offset + into.bytes;
    hosted_copy(sink->machine, run->rank, from.bytes, run->working_set,
                continues && run->copied_from > from.bytes);
}

/* ----------------------------------------------------------------------------------------------- phases */

/* Posts phase after phase until one has to wait; the call is complete when there is no further phase. */
static void run_phases(struct machine *machine, uint32_t index)
{
    struct sink sink = {.base = {.send = sink_send,
                                 .recv = sink_recv,
                                 .recv_raise = sink_recv_raise,
                                 .barrier = sink_barrier,
                                 .raise = sink_raise,
                                 .await = sink_await,
                                 .copy = sink_local,
                                 .reduce = sink_local,
                                 .local = machine->host && host_copies(machine->host)},
                        .machine = machine,
                        .run = index};
    for (;;) {
        struct run *run = run_at(machine, index);
        run->pending = 1; /* this emission, so that the phase cannot end while it is being posted */
        run->latest = machine->loop->now;
        if (!run->algorithm->emit(&run->call, run->phase, &sink.base)) {
            uint32_t slot = run->slot, rank = run->rank;
            uint32_t peer = run->peer;
            uint8_t op = run->op;
            gathering_leave(machine, index);
            pool_give(&machine->runs, index);
            machine_complete(machine, slot, rank, machine->loop->now, op, peer);
            return;
        }
        run->phase++;
        if (machine->host)
            run->latest = ps_max(run->latest, hosted_step(machine, run->rank, 0));
        if (--run->pending > 0)
            return;
        if (run->latest > machine->loop->now) {
            loop_at(machine->loop, run->latest, machine->phase_kind, index);
            return;
        }
    }
}

void collective_on_phase(void *self, uint32_t run)
{
    run_phases(self, run);
}

void collective_message_done(struct machine *machine, uint32_t index, ps_t at, uint32_t peer)
{
    if (index & OWNER_FLAG) {
        uint32_t record = index & ~OWNER_FLAG;
        struct wait arrival = *(struct wait *)pool_at(&machine->waits, record);
        pool_give(&machine->waits, record);
        gathering_raise(machine, arrival.run, arrival.flag, at);
        index = arrival.run;
    }
    struct run *run = run_at(machine, index);
    if (at >= run->latest) {
        run->latest = at;
        run->peer = peer;
    }
    if (--run->pending == 0)
        loop_at(machine->loop, ps_max(run->latest, machine->loop->now), machine->phase_kind, index);
}

/* ------------------------------------------------------------------------------------------------ begin */

/* All ranks must make the same collective calls in the same order. The first to arrive leaves what it called,
 * the last takes the record away. */
static bool meet(struct machine *machine, const struct run *run, const struct call *call)
{
    struct queue_key key = {.high = run->group, .low = (uint64_t)run->context << 32 | run->sequence};
    struct queue_table_entry *entry = queue_table_at(&machine->meetings, key);
    if (entry->queue.head == POOL_NONE) {
        entry->queue.head = pool_take(&machine->meeting_records);
        *(struct meeting *)pool_at(&machine->meeting_records, entry->queue.head) =
            (struct meeting){.arrived = 0, .first = run->rank, .op = call->op, .root = call->peer};
    }
    struct meeting *meeting = pool_at(&machine->meeting_records, entry->queue.head);
    if (meeting->op != call->op || meeting->root != call->peer) {
        report_mismatch(machine, run, call, meeting);
        return false;
    }
    if (++meeting->arrived == run->call.size) {
        pool_give(&machine->meeting_records, entry->queue.head);
        entry->queue.head = POOL_NONE;
        queue_table_remove(&machine->meetings, entry);
    }
    return true;
}

static const uint64_t *counts_at(const struct machine *machine, uint64_t offset)
{
    return offset ? machine->program->counts + offset : NULL;
}

_Static_assert(CALL_EXSCAN - CALL_BARRIER == COLL_EXSCAN,
               "calls and schedules list the collectives in one order");

static struct coll_call coll_call_of(const struct machine *machine, uint32_t rank, const struct call *call)
{
    const struct group *group = &machine->program->groups[call->group];
    bool receives = call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
    return (struct coll_call){.kind = (enum coll_kind)(call->op - CALL_BARRIER),
                              .size = group->size,
                              .rank = group_rank(group, rank),
                              .root = (uint32_t)call->peer,
                              .window = (uint32_t)machine->collective->window,
                              .leaders = (uint32_t)machine->collective->leaders,
                              .element = call->element_bytes ? (uint64_t)call->element_bytes : 1,
                              .bytes = receives ? call->recv_bytes : call->bytes,
                              .send_bytes = counts_at(machine, call->send_counts),
                              .recv_bytes = counts_at(machine, call->recv_counts)};
}

void collective_begin(struct machine *machine, uint32_t rank, const struct call *call, uint32_t slot)
{
    uint32_t index = pool_take(&machine->runs);
    struct run *run = run_at(machine, index);
    uint32_t *sequence = &machine->sequences[(size_t)rank * machine->program->group_count + call->group];
    *run = (struct run){.call = coll_call_of(machine, rank, call),
                        .rank = rank,
                        .group = call->group,
                        .context = call->context,
                        .sequence = (*sequence)++,
                        .slot = slot,
                        .gathering = POOL_NONE,
                        .peer = TAP_NOBODY,
                        .op = call->op};
    run->algorithm = coll_choose(&machine->collective->choice[run->call.kind], &run->call);
    if (run->algorithm->node_aware) {
        run->call.nodes = gathering_nodes(machine, run->group);
        gathering_enter(machine, index);
    }
    if (meet(machine, run, call))
        run_phases(machine, index);
}
