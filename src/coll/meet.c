#include "coll/meet.h"

struct meet meet_of(const struct coll_call *call, uint32_t root)
{
    struct meet self = {
        .call = call, .place = node_call_of(call), .levels = levels_of(call, root), .memory = COLL_SHARED};
    self.number = self.levels.node.rank;
    if (self.place.here == 1)
        self.memory = COLL_SCRATCH;
    return self;
}

/* ---------------------------------------------------------------- meetings */

uint32_t meet_flags(const struct coll_call *call)
{
    uint32_t here = node_ranks(call, node_of(call, call->rank));
    return here > 1 ? here : 0;
}

void meet_raise(const struct meet *self, struct coll_sink *sink)
{
    if (self->place.here > 1)
        sink->raise(sink, self->number);
}

void meet_await(const struct meet *self, struct coll_sink *sink)
{
    if (!meet_leads(self)) {
        sink->await(sink, 0);
        return;
    }
    for (uint32_t number = 1; number < self->place.here; number++)
        sink->await(sink, number);
}

static bool follow(const struct meet *self, const struct meet_steps *steps, uint32_t phase,
                   struct coll_sink *sink)
{
    if (phase == 0) {
        steps->stage(self, sink);
        meet_raise(self, sink);
        meet_await(self, sink);
    } else if (phase == 1 && steps->take) {
        steps->take(self, sink);
    }
    return phase < (steps->take ? 2 : 1);
}

bool meet_emit(const struct meet *self, const struct meet_steps *steps, uint32_t phase,
               struct coll_sink *sink)
{
    if (!meet_leads(self))
        return follow(self, steps, phase, sink);
    uint32_t last = 1 + steps->exchange_phases(self);
    if (phase == 0) {
        steps->stage(self, sink);
        meet_await(self, sink);
        return true;
    }
    if (phase == 1 && steps->begin)
        steps->begin(self, sink);
    if (phase < last) {
        steps->exchange(self, phase - 1, sink);
    } else if (phase == last) {
        if (steps->finish)
            steps->finish(self, sink);
        meet_raise(self, sink);
        if (steps->take)
            steps->take(self, sink);
    }
    return phase <= last;
}

/* ----------------------------------------------------------------- leaders */

struct team_sink meet_leaders(const struct meet *self, struct coll_sink *sink)
{
    struct team_sink leaders = team_sink_of(&self->levels.lane, sink);
    leaders.memory[COLL_SCRATCH] = leaders.memory[COLL_RECV_BUFFER] = meet_span(self, 0, 0);
    return leaders;
}

/* Where messages are that short together, their number does not matter. */
enum { AT_ONCE_BYTES = 65536 };
/* A part of so many bytes is worth a message. */
enum { PART_BYTES = 8192 };

enum meet_way meet_way_of(const struct meet *self)
{
    uint32_t nodes = self->place.nodes;
    uint64_t bytes = self->call->bytes;
    if (nodes > 1 && meet_few(self) && bytes <= AT_ONCE_BYTES / nodes)
        return MEET_AT_ONCE;
    return nodes > 2 && bytes / (nodes - 1) >= PART_BYTES ? MEET_IN_PARTS : MEET_IN_TREE;
}

struct blocks meet_parts(const struct meet *self)
{
    return blocks_parts(self->place.nodes - 1, self->call->bytes, self->call->element);
}

uint32_t meet_allgather_phases(const struct meet *self)
{
    return meet_few(self) && self->place.nodes > 1 ? 1 : log2_ceil(self->place.nodes);
}

static void exchange_at_once(const struct meet *self, const struct circulant *blocks,
                             struct coll_sink *leaders)
{
    uint32_t node = self->place.node, nodes = self->place.nodes;
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t from = ring_up(node, i, nodes);
        uint64_t at = blocks->kept + blocks_cyclic_bytes(blocks->blocks, node, i);
        leaders->recv(leaders, from, span_of(COLL_SCRATCH, at, blocks_bytes(blocks->blocks, from, 1)));
    }
    for (uint32_t i = 1; i < nodes; i++)
        leaders->send(leaders, ring_down(node, i, nodes), circulant_own(blocks));
}

void meet_allgather(const struct meet *self, const struct circulant *blocks, uint32_t phase,
                    struct coll_sink *leaders)
{
    if (meet_few(self))
        exchange_at_once(self, blocks, leaders);
    else
        circulant_allgather(blocks, phase, leaders);
}

static void pack(const struct meet *self, struct coll_span place, bool back, struct coll_sink *sink)
{
    if (!sink->local)
        return;
    uint32_t node = self->place.node, nodes = self->place.nodes;
    struct lane_blocks lane = meet_blocks(self);
    struct blocks blocks = blocks_of_nodes(&lane);
    struct coll_span ordered =
        span_of(back ? COLL_RECV_BUFFER : COLL_SEND_BUFFER, 0, blocks_of_call_bytes(self->call));
    struct team_sink placed = team_sink_of(NULL, sink);
    placed.memory[COLL_SCRATCH] = place;
    if (!self->call->nodes || self->call->nodes->in_order) {
        struct circulant kept = circulant_of(node, &blocks, 0, 0);
        (back ? circulant_turn_back : circulant_turn)(&kept, ordered, &placed.base);
        return;
    }
    uint64_t at = 0;
    for (uint32_t i = 0; i < nodes; i++)
        at = back ? lane_unpack(&lane, ring_up(node, i, nodes), at, ordered, &placed.base)
                  : lane_pack(&lane, ring_up(node, i, nodes), ordered, at, &placed.base);
}

void meet_pack(const struct meet *self, struct coll_span place, struct coll_sink *sink)
{
    pack(self, place, false, sink);
}

void meet_unpack(const struct meet *self, struct coll_span place, struct coll_sink *sink)
{
    pack(self, place, true, sink);
}
