#include "coll/algorithms.h"
#include "coll/node_sum.h"

/* Reduce_scatter through one leader of each node and shared memory (node_sum.h).
 *
 * Vectors are staged in the order in which the leader keeps the sum: the blocks of the nodes a, a + 1 ... on
 * node a, those of a node together. Behind them there is room for what comes in. Few leaders send each other
 * the node's part of their sum, and each rank adds up its own block from all parts. */
struct scattered_sum {
    struct node_sum node;
    struct lane_blocks lane;
    uint64_t part; /* bytes of the blocks of this node's ranks */
};

static struct scattered_sum scattered_sum_of(const struct coll_call *call)
{
    struct scattered_sum self = {
        .node = node_sum_of(call, TEAM_NO_ROOT, blocks_of_call_bytes(call)),
    };
    self.lane = meet_blocks(&self.node.meet);
    struct blocks members = blocks_of_members(&self.node.meet.levels.node);
    self.part = blocks_bytes(&members, 0, self.node.meet.place.here);
    return self;
}

static struct circulant graph_of_parts(const struct scattered_sum *self, const struct blocks *nodes)
{
    uint64_t behind = self->node.meet.place.here * self->node.bytes;
    return circulant_of(self->node.meet.place.node, nodes, 0, behind);
}

/* Bytes that come in at once. */
static uint64_t incoming_bytes(const struct scattered_sum *self, const struct circulant *graph)
{
    return meet_few(&self->node.meet) ? (self->node.meet.place.nodes - 1) * self->part
                                      : circulant_incoming(graph);
}

static void stage_blocks_or_add(const struct meet *meet, struct coll_sink *sink)
{
    const struct scattered_sum *self = (const struct scattered_sum *)meet;
    if (self->node.is_sliced)
        node_sum_add_slice(&self->node, sink);
    else
        meet_pack(meet, node_sum_place(&self->node), sink);
}

static void exchange_parts(const struct meet *meet, uint32_t phase, struct coll_sink *sink)
{
    const struct scattered_sum *self = (const struct scattered_sum *)meet;
    struct blocks nodes = blocks_of_nodes(&self->lane);
    struct circulant graph = graph_of_parts(self, &nodes);
    struct team_sink leaders = meet_leaders(meet, sink);
    if (!meet_few(meet)) {
        circulant_reduce_scatter(&graph, phase, &leaders.base);
        return;
    }
    uint32_t node = meet->place.node, count = meet->place.nodes;
    for (uint32_t i = 1; i < count; i++)
        leaders.base.recv(&leaders.base, ring_down(node, i, count),
                          span_of(COLL_SCRATCH, graph.incoming + (i - 1) * self->part, self->part));
    for (uint32_t i = 1; i < count; i++) {
        uint32_t to = ring_up(node, i, count);
        leaders.base.send(
            &leaders.base, to,
            span_of(COLL_SCRATCH, blocks_cyclic_bytes(&nodes, node, i), blocks_bytes(&nodes, to, 1)));
    }
}

static void add_last(const struct meet *meet, struct coll_sink *sink)
{
    if (!meet_few(meet))
        exchange_parts(meet, log2_ceil(meet->place.nodes), sink);
}

/* Adds up this rank's block: that of the first part, and those of `count` parts from `others` on that begin
 * `distance` apart. */
static void add_own_block(const struct meet *meet, uint64_t others, uint64_t distance, uint32_t count,
                          struct coll_sink *sink)
{
    if (!sink->local)
        return;
    struct blocks members = blocks_of_members(&meet->levels.node);
    uint64_t at = blocks_bytes(&members, 0, meet->number), bytes = blocks_bytes(&members, meet->number, 1);
    struct coll_span own = span_of(COLL_RECV_BUFFER, 0, bytes);
    step_copy(sink, meet_span(meet, at, bytes), own);
    for (uint32_t i = 0; i < count; i++)
        step_reduce(sink, meet_span(meet, others + i * distance + at, bytes), own);
}

static void take_own_block(const struct meet *meet, struct coll_sink *sink)
{
    const struct scattered_sum *self = (const struct scattered_sum *)meet;
    add_own_block(meet, meet->place.here * self->node.bytes, self->part,
                  meet_few(meet) ? meet->place.nodes - 1 : 0, sink);
}

/* One node: each rank adds up its own block from the vectors of all, and no leader is needed. */
static bool on_one_node(const struct scattered_sum *self, uint32_t phase, struct coll_sink *sink)
{
    const struct meet *meet = &self->node.meet;
    if (phase == 0) {
        meet_pack(meet, node_sum_place(&self->node), sink);
        node_barrier(&meet->place, sink);
    } else if (phase == 1) {
        add_own_block(meet, self->node.staged, self->node.bytes, meet->place.here - 1, sink);
    }
    return phase < 2;
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    static const struct meet_steps steps = {.stage = stage_blocks_or_add,
                                            .begin = node_sum_begin,
                                            .exchange_phases = meet_allgather_phases,
                                            .exchange = exchange_parts,
                                            .finish = add_last,
                                            .take = take_own_block};
    struct scattered_sum self = scattered_sum_of(call);
    if (self.node.meet.place.nodes == 1)
        return on_one_node(&self, phase, sink);
    if (self.node.is_sliced && phase-- == 0) {
        meet_pack(&self.node.meet, node_sum_place(&self.node), sink);
        sink->barrier(sink);
        return true;
    }
    return meet_emit(&self.node.meet, &steps, phase, sink);
}

static uint64_t reduce_scatter_bytes(const struct coll_call *call, enum coll_buffer memory)
{
    struct scattered_sum self = scattered_sum_of(call);
    struct blocks nodes = blocks_of_nodes(&self.lane);
    struct circulant graph = graph_of_parts(&self, &nodes);
    return self.node.meet.memory == memory ? graph.incoming + incoming_bytes(&self, &graph) : 0;
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    return reduce_scatter_bytes(call, COLL_SCRATCH);
}

static uint64_t reduce_scatter_shared(const struct coll_call *call)
{
    return reduce_scatter_bytes(call, COLL_SHARED);
}

const struct coll_algorithm coll_reduce_scatter_leaders = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "leaders",
    .doc = "sums in shared memory within nodes; leaders exchange the parts of nodes at once, from 9 nodes on "
           "by circulant: at most N-1 messages a node",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
    .node_aware = true,
    .shared = reduce_scatter_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
