#include "coll/algorithms.h"
#include "coll/circulant.h"
#include "coll/team.h"
#include "coll/tree.h"

/* Hierarchical algorithms with one leader for each node: J. L. Traeff, S. Hunold, "Decomposing MPI
 * collectives for exploiting multi-lane communication" (IEEE Cluster 2020); so do the
 * hierarchical modules of Open MPI (HAN) and MVAPICH. A stage within nodes moves the data to the leaders, the
 * leaders exchange them, and a stage within nodes moves them on. Within a node they use binomial trees.
 * Leaders halve and double on a circulant graph, or use a binomial tree for a bcast. Nodes may have different
 * numbers of ranks. */
static bool leads(const struct levels *levels)
{
    return levels->node.rank == 0;
}

static struct tree node_tree(const struct levels *levels)
{
    return tree_of(levels->node.rank, 0, levels->node.size);
}

static bool node_bcast(const struct levels *levels, struct coll_span data, uint32_t phase,
                       struct coll_sink *sink)
{
    struct tree tree = node_tree(levels);
    struct team_sink within = team_sink_of(&levels->node, sink);
    return tree_bcast(&tree, data, phase, &within.base);
}

/* -------------------------------------------------------------------- bcast */

static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct levels levels = levels_of(call, call->root);
    struct tree tree = tree_of(levels.lane.rank, levels.lane.root_node, levels.lane.size);
    enum coll_buffer buffer = call->rank == call->root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER;
    struct coll_span data = span_of(buffer, 0, call->bytes);
    uint32_t phases = leads(&levels) ? tree_bcast_phases(&tree) : 0;
    if (phase >= phases)
        return node_bcast(&levels, data, phase - phases, sink);
    struct team_sink between = team_sink_of(&levels.lane, sink);
    return tree_bcast(&tree, data, phase, &between.base);
}

const struct coll_algorithm coll_bcast_hierarchical = {
    .kind = COLL_BCAST,
    .name = "hierarchical",
    .doc = "binomial to a leader of each node, then binomial within nodes: N-1 messages between N nodes "
           "(Traeff, Hunold 2020)",
    .emit = bcast,
    .node_aware = true,
};

/* ---------------------------------------------------------------- allreduce */

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    struct tree tree = node_tree(&levels);
    struct coll_span sum = span_of(COLL_RECV_BUFFER, 0, call->bytes);
    struct blocks parts = blocks_parts(levels.lane.size, call->bytes, call->element);
    struct circulant leaders = circulant_of(levels.lane.rank, &parts, 0, call->bytes);
    if (phase < tree_reduce_phases(&tree)) {
        struct team_sink within = team_sink_of(&levels.node, sink);
        return tree_reduce(&tree, sum, span_of(COLL_SCRATCH, 0, call->bytes), phase, &within.base);
    }
    phase -= tree_reduce_phases(&tree);
    uint32_t phases = leads(&levels) ? circulant_allreduce_phases(&leaders) : 0;
    if (phase >= phases)
        return node_bcast(&levels, sum, phase - phases, sink);
    struct team_sink between = team_sink_of(&levels.lane, sink);
    circulant_allreduce(&leaders, sum, sum, phase, &between.base);
    return true;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    struct blocks parts = blocks_parts(levels.lane.size, call->bytes, call->element);
    struct circulant leaders = circulant_of(levels.lane.rank, &parts, 0, call->bytes);
    if (leads(&levels) && levels.lane.size > 1)
        return call->bytes + circulant_incoming(&leaders);
    return node_tree(&levels).children > 0 ? call->bytes : 0;
}

const struct coll_algorithm coll_allreduce_hierarchical = {
    .kind = COLL_ALLREDUCE,
    .name = "hierarchical",
    .doc = "binomial reduce to a leader of each node, circulant allreduce of the N leaders, binomial bcast "
           "within nodes: 2N ceil(log2 N) messages between nodes (Traeff, Hunold 2020)",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .node_aware = true,
};

/* ---------------------------------------------------------------- allgather */

/* The leader of node a has the blocks of the nodes a, a + 1 ... in scratch. At first its own arrive there. */
static bool gather(const struct levels *levels, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = node_tree(levels);
    struct blocks blocks = blocks_equal(levels->node.size, levels->node.call->bytes);
    struct team_sink within = team_sink_of(&levels->node, sink);
    if (leads(levels))
        within.memory[COLL_RECV_BUFFER] = span_of(COLL_SCRATCH, 0, 0);
    return tree_gather(&tree, &blocks, phase, &within.base);
}

static void unpack_nodes(const struct levels *levels, const struct lane_blocks *lane, struct coll_sink *sink)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < levels->lane.size; i++)
        at = lane_unpack(lane, ring_up(levels->lane.rank, i, levels->lane.size), at,
                         span_of(COLL_RECV_BUFFER, 0, 0), sink);
}

static bool allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    struct lane_blocks lane = {.call = call, .lanes = 1};
    struct blocks blocks = blocks_of_nodes(&lane);
    struct circulant leaders = circulant_of(levels.lane.rank, &blocks, 0, 0);
    uint32_t before = node_tree(&levels).children + 1;
    if (phase < before)
        return gather(&levels, phase, sink);
    phase -= before;
    uint32_t phases = leads(&levels) ? leaders.rounds + 1 : 0;
    if (phase >= phases)
        return node_bcast(&levels, span_of(COLL_RECV_BUFFER, 0, call->size * call->bytes), phase - phases,
                          sink);
    struct team_sink between = team_sink_of(&levels.lane, sink);
    if (phase < leaders.rounds)
        circulant_allgather(&leaders, phase, &between.base);
    else
        unpack_nodes(&levels, &lane, sink);
    return true;
}

static uint64_t allgather_scratch(const struct coll_call *call)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    struct tree tree = node_tree(&levels);
    struct blocks blocks = blocks_equal(levels.node.size, call->bytes);
    return leads(&levels) ? call->size * call->bytes : tree_gather_scratch(&tree, &blocks);
}

const struct coll_algorithm coll_allgather_hierarchical = {
    .kind = COLL_ALLGATHER,
    .name = "hierarchical",
    .doc = "binomial gather to a leader of each node, circulant allgather of the N leaders, binomial bcast "
           "within nodes: N ceil(log2 N) messages between nodes (Traeff, Hunold 2020)",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
};

/* ----------------------------------------------------------- reduce_scatter */

/* Scratch of a leader: the sum of its node, in rank order; then what comes in, and later the same sum with
 * the blocks of the nodes a, a + 1 ... one after another. */
static bool exchange_sums(const struct levels *levels, uint64_t total, uint32_t phase, struct coll_sink *sink)
{
    struct lane_blocks lane = {.call = levels->lane.call, .lanes = 1};
    struct blocks blocks = blocks_of_nodes(&lane);
    struct circulant leaders = circulant_of(levels->lane.rank, &blocks, total, 0);
    struct team_sink between = team_sink_of(&levels->lane, sink);
    uint64_t at = total;
    if (phase > 0) {
        circulant_reduce_scatter(&leaders, phase - 1, &between.base);
        return true;
    }
    for (uint32_t i = 0; i < levels->lane.size; i++)
        at = lane_pack(&lane, ring_up(levels->lane.rank, i, levels->lane.size), span_of(COLL_SCRATCH, 0, 0),
                       at, sink);
    return true;
}

static bool scatter(const struct levels *levels, uint64_t total, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = node_tree(levels);
    struct blocks blocks = blocks_of_members(&levels->node);
    struct team_sink within = team_sink_of(&levels->node, sink);
    if (leads(levels))
        within.memory[COLL_SCRATCH].offset = total;
    return tree_scatter(&tree, &blocks, COLL_SCRATCH, phase, &within.base);
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    struct tree tree = node_tree(&levels);
    uint64_t total = blocks_of_call_bytes(call);
    if (phase < tree_reduce_phases(&tree)) {
        struct team_sink within = team_sink_of(&levels.node, sink);
        return tree_reduce(&tree, span_of(COLL_SCRATCH, 0, total), span_of(COLL_SCRATCH, total, total), phase,
                           &within.base);
    }
    phase -= tree_reduce_phases(&tree);
    uint32_t phases = leads(&levels) ? 2 + log2_ceil(levels.lane.size) : 0;
    if (phase < phases)
        return exchange_sums(&levels, total, phase, sink);
    return scatter(&levels, total, phase - phases, sink);
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct levels levels = levels_of(call, TEAM_NO_ROOT);
    return leads(&levels) || node_tree(&levels).children > 0 ? 2 * blocks_of_call_bytes(call) : 0;
}

const struct coll_algorithm coll_reduce_scatter_hierarchical = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "hierarchical",
    .doc = "binomial reduce to a leader of each node, circulant reduce_scatter of the N leaders, binomial "
           "scatter within nodes: N ceil(log2 N) messages between nodes (Traeff, Hunold 2020)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
    .node_aware = true,
};
