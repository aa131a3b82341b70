#include "coll/algorithms.h"
#include "coll/meet.h"

/* Allgather, allgatherv, gather and scatter through one leader of each node and shared memory (meet.h). */

/* ---------------------------------------------------------------- allgather */

/* The blocks of each node lie together, those of the nodes a, a + 1 ... one after another on node a. */
static struct lane_blocks of_leaders(const struct meet *self)
{
    return (struct lane_blocks){.call = self->call, .lanes = 1};
}

static void stage_block(const struct meet *self, struct coll_sink *sink)
{
    if (!sink->local)
        return;
    struct blocks members = blocks_of_members(&self->levels.node);
    struct coll_span block = span_of(COLL_SEND_BUFFER, 0, rank_block_bytes(self->call, self->call->rank));
    step_copy(sink, block, meet_span(self, blocks_bytes(&members, 0, self->number), block.bytes));
}

static void exchange_blocks(const struct meet *self, uint32_t phase, struct coll_sink *sink)
{
    struct lane_blocks lane = of_leaders(self);
    struct blocks blocks = blocks_of_nodes(&lane);
    struct circulant kept = circulant_of(self->place.node, &blocks, 0, 0);
    struct team_sink leaders = meet_leaders(self, sink);
    meet_allgather(self, &kept, phase, &leaders.base);
}

static void take_blocks(const struct meet *self, struct coll_sink *sink)
{
    struct lane_blocks lane = of_leaders(self);
    struct coll_span all = span_of(COLL_RECV_BUFFER, 0, sink->local ? blocks_of_call_bytes(self->call) : 0);
    struct team_sink node = team_sink_of(NULL, sink);
    node.memory[COLL_SCRATCH] = meet_span(self, 0, 0);
    if (!self->call->nodes || self->call->nodes->in_order) {
        struct blocks blocks = blocks_of_nodes(&lane);
        struct circulant kept = circulant_of(self->place.node, &blocks, 0, 0);
        circulant_turn_back(&kept, all, &node.base);
        return;
    }
    uint64_t at = 0;
    for (uint32_t i = 0; sink->local && i < self->place.nodes; i++)
        at = lane_unpack(&lane, ring_up(self->place.node, i, self->place.nodes), at, all, &node.base);
}

static bool allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    static const struct meet_steps steps = {.stage = stage_block,
                                            .exchange_phases = meet_allgather_phases,
                                            .exchange = exchange_blocks,
                                            .take = take_blocks};
    struct meet self = meet_of(call, TEAM_NO_ROOT);
    return meet_emit(&self, &steps, phase, sink);
}

static uint64_t all_blocks_in(const struct coll_call *call, enum coll_buffer memory)
{
    return meet_of(call, TEAM_NO_ROOT).memory == memory ? blocks_of_call_bytes(call) : 0;
}

static uint64_t allgather_scratch(const struct coll_call *call)
{
    return all_blocks_in(call, COLL_SCRATCH);
}

static uint64_t allgather_shared(const struct coll_call *call)
{
    return all_blocks_in(call, COLL_SHARED);
}

const struct coll_algorithm coll_allgather_leaders = {
    .kind = COLL_ALLGATHER,
    .name = "leaders",
    .doc = "shared memory within nodes; leaders exchange the blocks of nodes at once, from 9 nodes on in "
           "ceil(log2 N) rounds: at most N-1 messages a node",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
    .shared = allgather_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

const struct coll_algorithm coll_allgatherv_leaders = {
    .kind = COLL_ALLGATHERV,
    .name = "leaders",
    .doc = "as allgather: at most N-1 messages a node",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
    .shared = allgather_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
