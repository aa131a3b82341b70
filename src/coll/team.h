#ifndef HELIO_COLL_TEAM_H
#define HELIO_COLL_TEAM_H

#include "coll/blocks.h"
#include "coll/nodes.h"
#include "coll/steps.h"

/* Teams: the ranks of a node, or those ranks of all nodes that have the same local rank, a lane. A schedule
 * for all ranks of a group serves a team as well: its sink gives the ranks of the team their ranks in the
 * group, and its buffers their places. So hierarchical algorithms consist of flat ones.
 *
 * The number of lanes is the number of ranks on the smallest node, so each lane has a rank on every node. A
 * call with a root counts the local ranks of the root's node from the root on. Then the root leads its node,
 * as rank 0 of the node's team and of lane 0. */
struct team {
    const struct coll_call *call;
    uint32_t size, rank; /* of the team; this rank in it */
    uint32_t at;         /* the node, or the lane */
    bool is_lane;
    uint32_t root_node, root_local; /* UINT32_MAX: there is no root */
};

#define TEAM_NO_ROOT UINT32_MAX

/* What hierarchical algorithms know of a call. */
struct levels {
    struct team node; /* of this rank */
    struct team lane; /* of this rank; it takes part if node.rank < lanes */
    uint32_t lanes;
};

/* `root` is a rank, or TEAM_NO_ROOT. */
struct levels levels_of(const struct coll_call *call, uint32_t root);

static inline bool levels_in_lane(const struct levels *levels)
{
    return levels->node.rank < levels->lanes;
}

/* The rank of the group that is `rank` in the team. */
uint32_t team_member(const struct team *team, uint32_t rank);

/* A sink for the schedule of a team; NULL stands for the whole group. Offset 0 of the schedule's buffer b is
 * memory[b]. Where two buffers are in one place, nothing is copied from one to the other. */
struct team_sink {
    struct coll_sink base;
    struct coll_sink *group;
    const struct team *team;
    struct coll_span memory[COLL_SCRATCH + 1];
};

/* All buffers in their places. */
struct team_sink team_sink_of(const struct team *team, struct coll_sink *group);

/* ------------------------------------------------------------------- blocks */

/* The blocks of the ranks of a call that has a block for each, in the order of nodes. Lane `lane` of `lanes`
 * carries, for each node, the blocks of local ranks lane, lane + lanes, lane + 2 lanes ... */
struct lane_blocks {
    const struct coll_call *call;
    uint32_t lane, lanes;
};

static inline uint64_t rank_block_bytes(const struct coll_call *call, uint32_t rank)
{
    return call->recv_bytes ? call->recv_bytes[rank] : call->bytes;
}

/* One block for each node: what the lane carries for it. */
struct blocks blocks_of_nodes(const struct lane_blocks *lane);

/* One block for each rank of this rank's node: what its lane carries for all nodes; ranks behind the last
 * lane have none. `lane->lane` does not matter. */
struct blocks blocks_of_lanes(const struct lane_blocks *lanes, const struct team *node);

/* One block for each rank of this rank's node: its own. */
struct blocks blocks_of_members(const struct team *node);

/* Copies the blocks that the lane carries for `node` to scratch, one after another from `at` on, or back.
 * `ordered` begins with the block of rank 0, and has the blocks of all ranks in rank order. Both return where
 * the blocks end in scratch. */
uint64_t lane_pack(const struct lane_blocks *lane, uint32_t node, struct coll_span ordered, uint64_t at,
                   struct coll_sink *sink);
uint64_t lane_unpack(const struct lane_blocks *lane, uint32_t node, uint64_t at, struct coll_span ordered,
                     struct coll_sink *sink);

#endif
