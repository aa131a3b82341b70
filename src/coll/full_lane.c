#include "coll/algorithms.h"
#include "coll/circulant.h"
#include "coll/team.h"
#include "coll/tree.h"

/* Hierarchical algorithms in which all ranks of a node exchange with other nodes at once, each with the ranks
 * of its own local rank: the full-lane algorithms of J. L. Traeff, S. Hunold, "Decomposing MPI collectives
 * for exploiting multi-lane communication" (IEEE Cluster 2020). The ranks of a node share the
 * data among the lanes, each lane does its part, and the ranks of the node put the parts together. Clusters
 * of GPUs with a NIC for each GPU do the same.
 *
 * The paper's nodes have equally many ranks. Here there are as many lanes as the smallest node has ranks. A
 * rank behind the last lane, an extra rank, takes part within its node only. Lane i carries the blocks of the
 * local ranks i, i + lanes, i + 2 lanes ... of each node.
 *
 * Nodes and lanes halve and double on a circulant graph, and use binomial trees for a bcast. */

/* ---------------------------------------------------------------- allreduce */

struct full_allreduce {
    struct levels levels;
    struct blocks parts;       /* of the vector, one for each lane */
    struct blocks small_parts; /* of this lane's part, one for each node */
    struct circulant node, lane;
};

/* Scratch: this node's parts from the rank's own on, then what comes in. The sum of the lane's part takes the
 * place of the first of them; what the lane needs is behind it. */
static void full_allreduce_init(struct full_allreduce *self, const struct coll_call *call)
{
    self->levels = levels_of(call, TEAM_NO_ROOT);
    const struct team *node = &self->levels.node, *lane = &self->levels.lane;
    struct blocks parts = blocks_parts(self->levels.lanes, call->bytes, call->element);
    self->parts = blocks_padded(parts, node->size);
    self->node = circulant_of(node->rank, &self->parts, 0, call->bytes);
    uint64_t own = blocks_bytes(&self->parts, node->rank, 1);
    self->small_parts = blocks_parts(lane->size, own, call->element);
    self->lane = circulant_of(lane->rank, &self->small_parts, own, 2 * own);
}

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct full_allreduce self;
    full_allreduce_init(&self, call);
    struct team_sink within = team_sink_of(&self.levels.node, sink);
    struct team_sink across = team_sink_of(&self.levels.lane, sink);
    if (phase <= self.node.rounds) {
        if (phase == 0)
            circulant_turn(&self.node, span_of(COLL_SEND_BUFFER, 0, call->bytes), sink);
        circulant_reduce_scatter(&self.node, phase, &within.base);
        return true;
    }
    phase -= self.node.rounds + 1;
    uint32_t phases = levels_in_lane(&self.levels) ? circulant_allreduce_phases(&self.lane) : 0;
    if (phase < phases) {
        struct coll_span own = circulant_own(&self.node);
        circulant_allreduce(&self.lane, own, own, phase, &across.base);
        return true;
    }
    phase -= phases;
    if (phase < self.node.rounds)
        circulant_allgather(&self.node, phase, &within.base);
    else if (phase == self.node.rounds)
        circulant_turn_back(&self.node, span_of(COLL_RECV_BUFFER, 0, call->bytes), sink);
    return phase <= self.node.rounds;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct full_allreduce self;
    full_allreduce_init(&self, call);
    uint64_t node = self.node.incoming + circulant_incoming(&self.node);
    uint64_t lane = self.lane.incoming + circulant_incoming(&self.lane);
    return levels_in_lane(&self.levels) && lane > node ? lane : node;
}

const struct coll_algorithm coll_allreduce_full_lane = {
    .kind = COLL_ALLREDUCE,
    .name = "full-lane",
    .doc =
        "reduce_scatter within nodes, allreduce of each part between ranks of the same local rank, allgather "
        "within nodes: the ranks of a node share the traffic between nodes (Traeff, Hunold 2020)",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .node_aware = true,
};

/* -------------------------------------------------------------------- bcast */

/* The ring within a node. The root receives nothing. */
static bool bcast_ring(const struct levels *levels, const struct blocks *parts, enum coll_buffer buffer,
                       uint32_t step, struct coll_sink *sink)
{
    uint32_t rank = levels->node.rank, size = levels->node.size;
    bool rooted = levels->node.at == levels->node.root_node;
    if (step + 1 >= size)
        return false;
    if (!rooted || rank > 0)
        sink->recv(sink, ring_down(rank, 1, size),
                   blocks_span(parts, buffer, ring_down(rank, step + 1, size), 1));
    if (!rooted || rank < size - 1)
        sink->send(sink, ring_up(rank, 1, size), blocks_span(parts, buffer, ring_down(rank, step, size), 1));
    return true;
}

static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct levels levels = levels_of(call, call->root);
    struct tree node = tree_of(levels.node.rank, 0, levels.node.size);
    struct tree lane = tree_of(levels.lane.rank, levels.lane.root_node, levels.lane.size);
    enum coll_buffer buffer = call->rank == call->root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER;
    struct blocks parts = blocks_parts(levels.lanes, call->bytes, call->element);
    struct team_sink within = team_sink_of(&levels.node, sink);
    struct team_sink across = team_sink_of(&levels.lane, sink);
    bool rooted = levels.node.at == levels.node.root_node;
    uint32_t phases = rooted ? tree_bcast_phases(&node) : 0;
    if (phase < phases)
        return tree_scatter_in_place(&node, &parts, buffer, phase, &within.base);
    phase -= phases;
    phases = levels_in_lane(&levels) ? tree_bcast_phases(&lane) : 0;
    if (phase < phases)
        return tree_bcast(&lane, blocks_span(&parts, buffer, levels.node.rank, 1), phase, &across.base);
    return bcast_ring(&levels, &parts, buffer, phase - phases, &within.base);
}

const struct coll_algorithm coll_bcast_full_lane = {
    .kind = COLL_BCAST,
    .name = "full-lane",
    .doc =
        "scatter within the root's node, binomial bcast of each part between ranks of the same local rank, "
        "ring within nodes: the ranks of a node share the traffic between nodes (Traeff, Hunold 2020)",
    .emit = bcast,
    .node_aware = true,
};

/* ---------------------------------------------------------------- allgather */

/* For calls with a block for each rank: what the lane carries for each node, and what the lanes of this node
 * carry for all nodes. */
struct full_blocks {
    struct levels levels;
    struct lane_blocks of_lane;
    struct blocks nodes, lanes;
    struct circulant node, lane;
    uint64_t carried; /* bytes of this rank's lane; 0 of an extra rank */
};

static void full_blocks_init(struct full_blocks *self, const struct coll_call *call)
{
    self->levels = levels_of(call, TEAM_NO_ROOT);
    const struct team *node = &self->levels.node, *lane = &self->levels.lane;
    bool in_lane = levels_in_lane(&self->levels);
    self->of_lane =
        (struct lane_blocks){.call = call, .lane = in_lane ? node->rank : 0, .lanes = self->levels.lanes};
    self->nodes = blocks_of_nodes(&self->of_lane);
    self->lanes = blocks_of_lanes(&self->of_lane, node);
    self->carried = in_lane ? blocks_bytes(&self->nodes, 0, lane->size) : 0;
    self->lane = circulant_of(lane->rank, &self->nodes, 0, 0);
    self->node = circulant_of(node->rank, &self->lanes, 0, 0);
}

/* The rank of a lane that serves the extra rank, or the next extra rank that this rank serves. */
static uint32_t server_of(const struct levels *levels)
{
    return levels->node.rank % levels->lanes;
}

/* The extra ranks hand their blocks to ranks with lanes. The blocks of this node are the first in scratch. */
static void collect(const struct full_blocks *self, struct team_sink *within)
{
    const struct team *node = &self->levels.node;
    uint64_t bytes = node->call->bytes, at = bytes;
    struct coll_sink *sink = &within->base;
    if (!levels_in_lane(&self->levels)) {
        sink->send(sink, server_of(&self->levels), span_of(COLL_SEND_BUFFER, 0, bytes));
        return;
    }
    step_copy(sink, span_of(COLL_SEND_BUFFER, 0, bytes), span_of(COLL_SCRATCH, 0, bytes));
    for (uint32_t extra = node->rank + self->levels.lanes; extra < node->size; extra += self->levels.lanes) {
        sink->recv(sink, extra, span_of(COLL_SCRATCH, at, bytes));
        at += bytes;
    }
}

static void unpack_lanes(const struct full_blocks *self, struct coll_sink *sink)
{
    const struct team *node = &self->levels.node;
    uint64_t at = self->node.kept;
    for (uint32_t i = 0; sink->local && i < node->size; i++) {
        struct lane_blocks lane = self->of_lane;
        lane.lane = ring_up(node->rank, i, node->size);
        for (uint32_t other = 0; lane.lane < lane.lanes && other < self->levels.lane.size; other++)
            at = lane_unpack(&lane, other, at, span_of(COLL_RECV_BUFFER, 0, 0), sink);
    }
}

/* Scratch: what the lane carries, this node's blocks first. Then what the lanes of this node carry, in the
 * order of nodes, this rank's lane first. */
static bool allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct full_blocks self;
    full_blocks_init(&self, call);
    self.node.kept = self.carried;
    struct team_sink within = team_sink_of(&self.levels.node, sink);
    struct team_sink across = team_sink_of(&self.levels.lane, sink);
    bool in_lane = levels_in_lane(&self.levels);
    if (phase == 0) {
        collect(&self, &within);
        return true;
    }
    phase--;
    uint32_t phases = in_lane ? self.lane.rounds : 0;
    if (phase < phases) {
        circulant_allgather(&self.lane, phase, &across.base);
        return true;
    }
    phase -= phases;
    if (phase == 0 && in_lane)
        circulant_turn_back(&self.lane, span_of(COLL_SCRATCH, self.node.kept, self.carried), sink);
    if (phase < self.node.rounds)
        circulant_allgather(&self.node, phase, &within.base);
    else if (phase == self.node.rounds)
        unpack_lanes(&self, sink);
    return phase <= self.node.rounds;
}

static uint64_t allgather_scratch(const struct coll_call *call)
{
    struct full_blocks self;
    full_blocks_init(&self, call);
    return self.carried + call->size * call->bytes;
}

const struct coll_algorithm coll_allgather_full_lane = {
    .kind = COLL_ALLGATHER,
    .name = "full-lane",
    .doc = "allgather between ranks of the same local rank, then within nodes: P-1 blocks per rank, and the "
           "ranks of a node share the traffic between nodes (Traeff, Hunold 2020)",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
};

/* ----------------------------------------------------------- reduce_scatter */

static void pack_lanes(const struct full_blocks *self, struct coll_sink *sink)
{
    const struct team *node = &self->levels.node;
    uint64_t at = 0;
    for (uint32_t i = 0; sink->local && i < node->size; i++) {
        struct lane_blocks lane = self->of_lane;
        lane.lane = ring_up(node->rank, i, node->size);
        for (uint32_t other = 0; lane.lane < lane.lanes && other < self->levels.lane.size; other++)
            at = lane_pack(&lane, other, span_of(COLL_SEND_BUFFER, 0, 0), at, sink);
    }
}

/* The sums for this node are the first of the lane. Extra ranks get theirs from ranks with lanes. */
static void hand_out(const struct full_blocks *self, struct team_sink *within)
{
    const struct team *node = &self->levels.node;
    struct blocks blocks = blocks_of_members(node);
    struct coll_sink *sink = &within->base;
    struct coll_span own = span_of(COLL_RECV_BUFFER, 0, blocks_bytes(&blocks, node->rank, 1));
    if (!levels_in_lane(&self->levels)) {
        sink->recv(sink, server_of(&self->levels), own);
        return;
    }
    uint64_t at = self->lane.kept;
    step_copy(sink, span_of(COLL_SCRATCH, at, own.bytes), own);
    for (uint32_t extra = node->rank + self->levels.lanes; extra < node->size; extra += self->levels.lanes) {
        at += blocks_bytes(&blocks, extra - self->levels.lanes, 1);
        sink->send(sink, extra, span_of(COLL_SCRATCH, at, blocks_bytes(&blocks, extra, 1)));
    }
}

/* Scratch: what the lanes of this node carry, this rank's lane first, then what comes in. Later, behind the
 * part of this rank's lane in the order of nodes: the same part, this node first, then what comes in. */
static void reduce_scatter_init(struct full_blocks *self, const struct coll_call *call)
{
    full_blocks_init(self, call);
    self->node.incoming = blocks_bytes(&self->lanes, 0, self->levels.node.size);
    self->lane.kept = self->carried;
    self->lane.incoming = 2 * self->carried;
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct full_blocks self;
    reduce_scatter_init(&self, call);
    struct team_sink within = team_sink_of(&self.levels.node, sink);
    struct team_sink across = team_sink_of(&self.levels.lane, sink);
    if (phase <= self.node.rounds) {
        if (phase == 0)
            pack_lanes(&self, sink);
        circulant_reduce_scatter(&self.node, phase, &within.base);
        return true;
    }
    phase -= self.node.rounds + 1;
    uint32_t phases = levels_in_lane(&self.levels) ? self.lane.rounds + 1 : 0;
    if (phase < phases) {
        if (phase == 0)
            circulant_turn(&self.lane, span_of(COLL_SCRATCH, 0, self.carried), sink);
        circulant_reduce_scatter(&self.lane, phase, &across.base);
    } else if (phase == phases) {
        hand_out(&self, &within);
    }
    return phase <= phases;
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct full_blocks self;
    reduce_scatter_init(&self, call);
    uint64_t node = self.node.incoming + circulant_incoming(&self.node);
    uint64_t lane = self.lane.incoming + circulant_incoming(&self.lane);
    return levels_in_lane(&self.levels) && lane > node ? lane : node;
}

const struct coll_algorithm coll_reduce_scatter_full_lane = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "full-lane",
    .doc = "reduce_scatter within nodes, then between ranks of the same local rank: P-1 blocks per rank, and "
           "the ranks of a node share the traffic between nodes (Traeff, Hunold 2020)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
    .node_aware = true,
};
