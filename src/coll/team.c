#include "coll/team.h"

#include "coll/node_steps.h"

/* -------------------------------------------------------------------- teams */

/* The first local rank of the team on this node: the root comes first on its own node. */
static uint32_t first_local(const struct team *team, uint32_t node)
{
    return node == team->root_node ? team->root_local : 0;
}

uint32_t team_member(const struct team *team, uint32_t rank)
{
    uint32_t node = team->is_lane ? rank : team->at, index = team->is_lane ? team->at : rank;
    uint32_t ranks = node_ranks(team->call, node);
    return node_member(team->call, node, ring_up(first_local(team, node), index, ranks));
}

struct levels levels_of(const struct coll_call *call, uint32_t root)
{
    struct node_call here = node_call_of(call);
    bool rooted = root != TEAM_NO_ROOT;
    struct team node = {.call = call,
                        .size = here.here,
                        .at = here.node,
                        .root_node = rooted ? node_of(call, root) : TEAM_NO_ROOT,
                        .root_local = rooted ? node_local_of(call, root) : TEAM_NO_ROOT};
    node.rank = ring_down(here.local, first_local(&node, here.node), here.here);
    struct team lane = node;
    lane.is_lane = true;
    lane.size = here.nodes;
    lane.rank = here.node;
    lane.at = node.rank;
    return (struct levels){.node = node, .lane = lane, .lanes = node_fewest(call)};
}

/* --------------------------------------------------------------------- sink */

static struct coll_span placed(const struct team_sink *self, struct coll_span span)
{
    struct coll_span memory = self->memory[span.buffer];
    return span_of(memory.buffer, memory.offset + span.offset, span.bytes);
}

/* Without a team, its ranks are those of the group. */
static uint32_t member_of(const struct team_sink *self, uint32_t rank)
{
    return self->team ? team_member(self->team, rank) : rank;
}

static void team_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct team_sink *self = (struct team_sink *)sink;
    self->group->send(self->group, member_of(self, peer), placed(self, from));
}

static void team_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    struct team_sink *self = (struct team_sink *)sink;
    self->group->recv(self->group, member_of(self, peer), placed(self, into));
}

static void team_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct team_sink *self = (struct team_sink *)sink;
    struct coll_span source = placed(self, from), target = placed(self, into);
    if (source.buffer != target.buffer || source.offset != target.offset)
        self->group->copy(self->group, source, target);
}

static void team_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct team_sink *self = (struct team_sink *)sink;
    self->group->reduce(self->group, placed(self, from), placed(self, into));
}

struct team_sink team_sink_of(const struct team *team, struct coll_sink *group)
{
    return (struct team_sink){
        .base = {.send = team_send,
                 .recv = team_recv,
                 .copy = team_copy,
                 .reduce = team_reduce,
                 .local = group->local},
        .group = group,
        .team = team,
        .memory = {{COLL_SEND_BUFFER, 0, 0}, {COLL_RECV_BUFFER, 0, 0}, {COLL_SCRATCH, 0, 0}}};
}

/* ------------------------------------------------------------------- blocks */

static uint64_t lane_node_bytes(const struct lane_blocks *lane, uint32_t node)
{
    uint32_t ranks = node_ranks(lane->call, node);
    if (!lane->call->recv_bytes)
        return (ranks - lane->lane + lane->lanes - 1) / lane->lanes * lane->call->bytes;
    uint64_t sum = 0;
    for (uint32_t local = lane->lane; local < ranks; local += lane->lanes)
        sum += rank_block_bytes(lane->call, node_member(lane->call, node, local));
    return sum;
}

/* All ranks have equal blocks, and all nodes equally many ranks; the last node may have fewer. */
static bool is_even(const struct coll_call *call)
{
    uint32_t nodes = node_count(call), fewest = node_fewest(call);
    return !call->recv_bytes && node_ranks(call, nodes - 1) == fewest &&
           (uint64_t)(nodes - 1) * node_most(call) + fewest == call->size;
}

static uint64_t sum_over_nodes(const void *of, uint32_t first, uint32_t count)
{
    const struct lane_blocks *lane = of;
    uint32_t nodes = node_count(lane->call), with_last = count > 0 && first + count == nodes;
    if (is_even(lane->call))
        return (count - with_last) * lane_node_bytes(lane, 0) + with_last * lane_node_bytes(lane, nodes - 1);
    if (!lane->call->recv_bytes && lane->lanes == 1)
        return (uint64_t)(node_first(lane->call, first + count) - node_first(lane->call, first)) *
               lane->call->bytes;
    uint64_t sum = 0;
    for (uint32_t node = first; node < first + count; node++)
        sum += lane_node_bytes(lane, node);
    return sum;
}

struct blocks blocks_of_nodes(const struct lane_blocks *lane)
{
    return blocks_summed(node_count(lane->call), sum_over_nodes, lane);
}

static uint64_t sum_over_lanes(const void *of, uint32_t first, uint32_t count)
{
    struct lane_blocks lane = *(const struct lane_blocks *)of;
    uint32_t end = first + count < lane.lanes ? first + count : lane.lanes;
    uint64_t sum = 0;
    for (lane.lane = first; lane.lane < end; lane.lane++)
        sum += sum_over_nodes(&lane, 0, node_count(lane.call));
    return sum;
}

struct blocks blocks_of_lanes(const struct lane_blocks *lanes, const struct team *node)
{
    return blocks_summed(node->size, sum_over_lanes, lanes);
}

static uint64_t sum_over_members(const void *of, uint32_t first, uint32_t count)
{
    const struct team *node = of;
    if (!node->call->recv_bytes)
        return count * node->call->bytes;
    uint64_t sum = 0;
    for (uint32_t rank = first; rank < first + count; rank++)
        sum += rank_block_bytes(node->call, team_member(node, rank));
    return sum;
}

struct blocks blocks_of_members(const struct team *node)
{
    return blocks_summed(node->size, sum_over_members, node);
}

/* The blocks of consecutive ranks lie together in rank order. */
static uint32_t run_length(const struct lane_blocks *lane, uint32_t node, uint32_t local)
{
    return lane->lanes == 1 ? node_run(lane->call, node, local) : 1;
}

static uint64_t pack(const struct lane_blocks *lane, uint32_t node, struct coll_span ordered, uint64_t at,
                     bool back, struct coll_sink *sink)
{
    const struct coll_call *call = lane->call;
    struct blocks blocks = blocks_of_call(call, true);
    for (uint32_t local = lane->lane, run; sink->local && local < node_ranks(call, node);
         local += run * lane->lanes) {
        uint32_t rank = node_member(call, node, local);
        run = run_length(lane, node, local);
        struct coll_span block = blocks_span(&blocks, ordered.buffer, rank, run);
        struct coll_span packed = span_of(COLL_SCRATCH, at, block.bytes);
        block.offset += ordered.offset;
        step_copy(sink, back ? packed : block, back ? block : packed);
        at += block.bytes;
    }
    return at;
}

uint64_t lane_pack(const struct lane_blocks *lane, uint32_t node, struct coll_span ordered, uint64_t at,
                   struct coll_sink *sink)
{
    return pack(lane, node, ordered, at, false, sink);
}

uint64_t lane_unpack(const struct lane_blocks *lane, uint32_t node, uint64_t at, struct coll_span ordered,
                     struct coll_sink *sink)
{
    return pack(lane, node, ordered, at, true, sink);
}
