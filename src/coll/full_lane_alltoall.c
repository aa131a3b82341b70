#include "coll/algorithms.h"
#include "coll/node_steps.h"
#include "coll/team.h"

/* An alltoall in which the ranks of a node exchange first, and then each with the ranks of its own local
 * rank: the full-lane alltoall of J. L. Traeff, S. Hunold, "Decomposing MPI collectives for exploiting
 * multi-lane communication" (IEEE Cluster 2020). On a cluster of GPUs by rails each block goes to the GPU of
 * its own server that is on the rail of its destination, and from there over this rail, as with PXN of NCCL.
 *
 * There are as many lanes as the smallest node has ranks. Lane i carries, for each node, the blocks for the
 * local ranks i, i + lanes, i + 2 lanes ... A rank behind the last lane, an extra rank, gets its blocks from
 * the rank that serves it, whose lane carries them. Messages of a phase go all at once.
 *
 * Scratch: `out`, the blocks of this rank lane by lane, of a lane node by node. In a lane: `in`, what the
 * ranks of the node have for the lane; `across`, the same node by node; `come`, what nodes have for the ranks
 * that this rank serves, if it is more than its own or its ranks are not consecutive; `hand`, the blocks of
 * each extra rank. An extra rank: `come`, its own blocks node by node. */
struct full_alltoall {
    struct levels levels;
    struct lane_blocks of_lane;
    struct blocks nodes, lanes; /* that this lane carries of a rank, node by node; that each lane carries */
    uint64_t block_bytes, carried;
    uint32_t here, served; /* ranks of this node; that this rank serves */
    uint64_t in, across, come, hand;
};

static uint32_t served_by(const struct full_alltoall *self, uint32_t node)
{
    uint32_t ranks = node_ranks(self->of_lane.call, node), lanes = self->levels.lanes;
    return (ranks - self->of_lane.lane + lanes - 1) / lanes;
}

static void full_alltoall_init(struct full_alltoall *self, const struct coll_call *call)
{
    self->levels = levels_of(call, TEAM_NO_ROOT);
    const struct team *node = &self->levels.node;
    bool in_lane = levels_in_lane(&self->levels);
    self->of_lane =
        (struct lane_blocks){.call = call, .lane = in_lane ? node->rank : 0, .lanes = self->levels.lanes};
    self->nodes = blocks_of_nodes(&self->of_lane);
    self->lanes = blocks_of_lanes(&self->of_lane, node);
    self->block_bytes = call->bytes;
    self->here = node->size;
    self->carried = in_lane ? blocks_bytes(&self->nodes, 0, self->levels.lane.size) : 0;
    self->served = in_lane ? served_by(self, node->at) : 0;
    self->in = call->size * call->bytes;
    self->across = self->in + self->here * self->carried;
    self->come = self->across + self->here * self->carried;
    self->hand = self->come + self->served * call->size * call->bytes;
}

static bool is_consecutive(const struct coll_call *call, uint32_t node)
{
    return node_run(call, node, 0) == node_ranks(call, node);
}

/* ---------------------------------------------------------- within the node */

static void pack_out(const struct full_alltoall *self, struct coll_sink *sink)
{
    struct lane_blocks lane = self->of_lane;
    uint64_t at = 0;
    for (lane.lane = 0; sink->local && lane.lane < lane.lanes; lane.lane++)
        for (uint32_t node = 0; node < self->levels.lane.size; node++)
            at = lane_pack(&lane, node, span_of(COLL_SEND_BUFFER, 0, 0), at, sink);
}

static struct coll_span in_of(const struct full_alltoall *self, uint32_t local)
{
    return span_of(COLL_SCRATCH, self->in + local * self->carried, self->carried);
}

static void exchange_in_node(const struct full_alltoall *self, struct coll_sink *sink)
{
    uint32_t own = self->levels.node.rank;
    struct team_sink within = team_sink_of(&self->levels.node, sink);
    pack_out(self, sink);
    for (uint32_t i = 1; i < self->here && levels_in_lane(&self->levels); i++)
        within.base.recv(&within.base, ring_down(own, i, self->here),
                         in_of(self, ring_down(own, i, self->here)));
    for (uint32_t i = 0; i < self->here; i++) {
        uint32_t lane = ring_up(own, i, self->here);
        struct coll_span out = blocks_span(&self->lanes, COLL_SCRATCH, lane, 1);
        if (lane == own && levels_in_lane(&self->levels))
            step_copy(sink, out, in_of(self, own));
        else if (lane < self->levels.lanes)
            within.base.send(&within.base, lane, out);
    }
}

/* ------------------------------------------------------------ between nodes */

/* The blocks that this lane carries for the node. */
static struct coll_span across_to(const struct full_alltoall *self, uint32_t node)
{
    return span_of(COLL_SCRATCH, self->across + blocks_bytes(&self->nodes, 0, node) * self->here,
                   blocks_bytes(&self->nodes, node, 1) * self->here);
}

static void pack_across(const struct full_alltoall *self, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < self->levels.lane.size; node++) {
        struct coll_span to = across_to(self, node), from = blocks_span(&self->nodes, COLL_SCRATCH, node, 1);
        for (uint32_t local = 0; local < self->here; local++)
            step_copy(sink, span_of(COLL_SCRATCH, in_of(self, local).offset + from.offset, from.bytes),
                      span_of(COLL_SCRATCH, to.offset + local * from.bytes, from.bytes));
    }
}

/* Where the blocks of the node arrive. */
static struct coll_span come_from(const struct full_alltoall *self, uint32_t node)
{
    const struct coll_call *call = self->of_lane.call;
    uint64_t bytes = node_ranks(call, node) * self->served * self->block_bytes;
    if (self->served == 1 && is_consecutive(call, node))
        return span_of(COLL_RECV_BUFFER, node_member(call, node, 0) * self->block_bytes, bytes);
    return span_of(COLL_SCRATCH, self->come + node_first(call, node) * self->served * self->block_bytes,
                   bytes);
}

static void exchange_in_lane(const struct full_alltoall *self, struct coll_sink *sink)
{
    const struct team *lane = &self->levels.lane;
    struct team_sink between = team_sink_of(lane, sink);
    pack_across(self, sink);
    step_copy(sink, across_to(self, lane->rank), come_from(self, lane->rank));
    for (uint32_t i = 1; i < lane->size; i++)
        step_exchange(&between.base, ring_up(lane->rank, i, lane->size),
                      across_to(self, ring_up(lane->rank, i, lane->size)),
                      ring_down(lane->rank, i, lane->size),
                      come_from(self, ring_down(lane->rank, i, lane->size)));
}

/* ----------------------------------------------------------- to their ranks */

/* The blocks of all ranks, node by node, for the extra rank that is `index` among those served. */
static struct coll_span hand_to(const struct full_alltoall *self, uint32_t index)
{
    uint64_t bytes = self->of_lane.call->size * self->block_bytes;
    return span_of(COLL_SCRATCH, self->hand + (index - 1) * bytes, bytes);
}

/* What came from the node: of each of its ranks the blocks for those that this rank serves, itself first. */
static void sort_out(const struct full_alltoall *self, uint32_t node, struct coll_sink *sink)
{
    const struct coll_call *call = self->of_lane.call;
    struct coll_span come = come_from(self, node);
    for (uint32_t local = 0; come.buffer == COLL_SCRATCH && local < node_ranks(call, node); local++)
        for (uint32_t index = 0; index < self->served; index++) {
            uint64_t at = come.offset + (local * self->served + index) * self->block_bytes;
            uint64_t place = (uint64_t)node_first(call, node) + local;
            struct coll_span to =
                index ? span_of(COLL_SCRATCH, hand_to(self, index).offset + place * self->block_bytes,
                                self->block_bytes)
                      : span_of(COLL_RECV_BUFFER, node_member(call, node, local) * self->block_bytes,
                                self->block_bytes);
            step_copy(sink, span_of(COLL_SCRATCH, at, self->block_bytes), to);
        }
}

static void hand_out(const struct full_alltoall *self, struct coll_sink *sink)
{
    struct team_sink within = team_sink_of(&self->levels.node, sink);
    for (uint32_t node = 0; sink->local && node < self->levels.lane.size; node++)
        sort_out(self, node, sink);
    for (uint32_t index = 1; index < self->served; index++)
        within.base.send(&within.base, self->levels.node.rank + index * self->levels.lanes,
                         hand_to(self, index));
}

/* What an extra rank does: 1, it gets its blocks; 2, it puts them in the order of ranks. */
static bool take_own(const struct full_alltoall *self, uint32_t phase, struct coll_sink *sink)
{
    struct node_call node = node_call_of(self->of_lane.call);
    struct team_sink within = team_sink_of(&self->levels.node, sink);
    uint64_t come = self->of_lane.call->size;
    if (phase == 1)
        within.base.recv(&within.base, self->levels.node.rank % self->levels.lanes,
                         span_of(COLL_SCRATCH, come * self->block_bytes, come * self->block_bytes));
    for (uint32_t from = 0; phase == 2 && sink->local && from < self->levels.lane.size; from++)
        node_copy(&node, COLL_RECV_BUFFER, from, COLL_SCRATCH, come + node_first(node.call, from), sink);
    return phase <= 2;
}

static bool alltoall(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct full_alltoall self;
    full_alltoall_init(&self, call);
    if (phase == 0)
        exchange_in_node(&self, sink);
    else if (!levels_in_lane(&self.levels))
        return take_own(&self, phase, sink);
    else if (phase == 1)
        exchange_in_lane(&self, sink);
    else if (phase == 2)
        hand_out(&self, sink);
    return phase <= 2;
}

static uint64_t alltoall_scratch(const struct coll_call *call)
{
    struct full_alltoall self;
    full_alltoall_init(&self, call);
    uint64_t all = call->size * call->bytes;
    if (!levels_in_lane(&self.levels))
        return 2 * all;
    if (self.served > 1)
        return self.hand + (self.served - 1) * all;
    for (uint32_t node = 0; node < self.levels.lane.size; node++)
        if (!is_consecutive(call, node))
            return self.hand;
    return self.come;
}

const struct coll_algorithm coll_alltoall_full_lane = {
    .kind = COLL_ALLTOALL,
    .name = "full-lane",
    .doc = "alltoall within nodes, then between ranks of the same local rank: L-1 + N-1 messages a rank of N "
           "nodes of L ranks; as PXN does on rails (Traeff, Hunold 2020)",
    .emit = alltoall,
    .scratch = alltoall_scratch,
    .node_aware = true,
};
