#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"
#include "coll/team.h"

/* Double binary trees: P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan" (Parallel Computing 35(12), 2009); NCCL uses them for allreduce since
 * version 2.4. Each half of the vector moves in segments through a binary tree of its own. A rank with
 * children in one tree has none in the other, so every rank sends and receives about as much as every other.
 *
 * Virtual ranks count from the root, which is at position 0 of both trees. Positions 1 ... P - 1 form a
 * binary tree in order: the lowest set bit of a position says how high it is, and odd positions are leaves.
 * In the first tree the position of a rank is its virtual rank v. In the second one it is P - v if P is odd,
 * and v - 1, around the end, if P is even: odd becomes even, and even odd. Both trees have ceil(log2 P)
 * levels.
 *
 * As in NCCL, the trees may also connect nodes instead of ranks. Then the ranks of a node form a chain below
 * the one that has the links to other nodes: its first rank in the first tree, its last rank in the second.
 * The root is the first in both. If every rank is a node of its own, both forms are the same.
 *
 * All ranks count the same rounds. On the way down, a rank at depth d sends segment s in round s + d. On the
 * way up it sends segment s in round s + H - d, where H is the depth of the trees. An allreduce lets segment
 * s go down from the root in round s + H. What the paper does in two steps, one for each colour of its edges,
 * is one round here: a rank exchanges in both trees at once. */
enum { TREES = 2, CHILDREN = 3 };

/* Bytes of a segment where the call names none. */
enum { SEGMENT_BYTES = 65536, SEGMENTS_MAX = 1 << 20 };

struct branch {
    uint32_t depth, parent;
    uint32_t child[CHILDREN]; /* two in the tree, one in the chain; NO_RANK: none */
    struct blocks segments;
    uint64_t offset; /* of its half of the vector */
    uint32_t place;  /* of its first segment in scratch */
};

struct double_tree {
    const struct coll_call *call;
    struct levels levels;
    uint32_t depth; /* H */
    struct branch branch[TREES];
};

#define NO_RANK UINT32_MAX

/* ---------------------------------------------------------------- positions */

static uint32_t position_of(uint32_t virtual_rank, uint32_t tree, uint32_t size)
{
    if (tree == 0 || virtual_rank == 0)
        return virtual_rank;
    if (size % 2)
        return size - virtual_rank;
    return virtual_rank == 1 ? size - 1 : virtual_rank - 1;
}

static uint32_t virtual_rank_at(uint32_t position, uint32_t tree, uint32_t size)
{
    if (tree == 0 || position == 0)
        return position;
    if (size % 2)
        return size - position;
    return position == size - 1 ? 1 : position + 1;
}

static uint32_t lowest_bit(uint32_t position)
{
    return position & (~position + 1);
}

/* Of a position above 0. */
static uint32_t parent_of(uint32_t position, uint32_t size)
{
    uint32_t bit = lowest_bit(position), above = (position ^ bit) | bit << 1;
    return above < size ? above : position ^ bit;
}

static uint32_t lower_child(uint32_t position, uint32_t size)
{
    if (position == 0)
        return size > 1 ? UINT32_C(1) << log2_floor(size - 1) : NO_RANK;
    uint32_t bit = lowest_bit(position);
    return bit > 1 ? position - bit / 2 : NO_RANK;
}

/* The upper subtree may be cut off at the end; its root is lower then. */
static uint32_t upper_child(uint32_t position, uint32_t size)
{
    uint32_t bit = position > 0 ? lowest_bit(position) / 2 : 0;
    while (bit > 0 && position + bit >= size)
        bit /= 2;
    return bit > 0 ? position + bit : NO_RANK;
}

static uint32_t depth_of(uint32_t position, uint32_t size)
{
    uint32_t depth = 0;
    for (; position > 0; depth++)
        position = parent_of(position, size);
    return depth;
}

/* ------------------------------------------------------------------- chains */

static bool is_turned(const struct team *node, uint32_t tree)
{
    return tree == 1 && node->at != node->root_node;
}

/* The rank at `index` of the chain of a node. */
static uint32_t chain_member(const struct team *node, uint32_t tree, uint32_t index)
{
    uint32_t ranks = node_ranks(node->call, node->at);
    if (is_turned(node, tree))
        return team_member(node, ranks - 1 - index);
    return team_member(node, tree == 0 || index == 0 ? index : ranks - index);
}

static uint32_t chain_index(const struct team *node, uint32_t tree)
{
    if (is_turned(node, tree))
        return node->size - 1 - node->rank;
    return tree == 0 || node->rank == 0 ? node->rank : node->size - node->rank;
}

/* The rank with the links to other nodes, on the node at this position of the tree. */
static uint32_t head_at(const struct double_tree *self, uint32_t tree, uint32_t position)
{
    struct team node = self->levels.node;
    uint32_t nodes = self->levels.lane.size;
    if (position == NO_RANK)
        return NO_RANK;
    node.at = ring_up(node.root_node, virtual_rank_at(position, tree, nodes), nodes);
    return chain_member(&node, tree, 0);
}

static void find_neighbours(const struct double_tree *self, uint32_t tree, struct branch *branch)
{
    const struct team *node = &self->levels.node;
    uint32_t nodes = self->levels.lane.size, index = chain_index(node, tree);
    uint32_t position = position_of(ring_down(node->at, node->root_node, nodes), tree, nodes);
    bool is_head = index == 0;
    branch->depth = depth_of(position, nodes) + index;
    if (is_head)
        branch->parent = position > 0 ? head_at(self, tree, parent_of(position, nodes)) : NO_RANK;
    else
        branch->parent = chain_member(node, tree, index - 1);
    branch->child[0] = is_head ? head_at(self, tree, lower_child(position, nodes)) : NO_RANK;
    branch->child[1] = is_head ? head_at(self, tree, upper_child(position, nodes)) : NO_RANK;
    branch->child[2] = index + 1 < node->size ? chain_member(node, tree, index + 1) : NO_RANK;
}

static uint32_t child_count(const struct branch *branch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CHILDREN; i++)
        count += branch->child[i] != NO_RANK;
    return count;
}

/* ----------------------------------------------------------------- segments */

/* The second half has no segments if it has no bytes; the first half always has one. */
static struct blocks segments_of(const struct coll_call *call, uint64_t half_bytes, uint32_t tree)
{
    uint64_t segment = call->segment_bytes ? call->segment_bytes : SEGMENT_BYTES;
    uint64_t elements = segment / call->element ? segment / call->element : 1;
    uint64_t units = half_bytes / call->element + (half_bytes % call->element != 0);
    uint64_t count = units / elements + (units % elements != 0);
    if (count > SEGMENTS_MAX)
        count = SEGMENTS_MAX;
    if (count == 0 && tree == 0)
        count = 1;
    struct blocks none = {.count = 0};
    return count > 0 ? blocks_parts((uint32_t)count, half_bytes, call->element) : none;
}

/* Segments in scratch: a sum, unless it has another place, and what the children send. */
static uint32_t scratch_segments(const struct branch *branch)
{
    uint32_t children = child_count(branch);
    return children > 0 && branch->parent != NO_RANK ? children + 1 : children;
}

/* Of nodes, if the call has some. */
static struct double_tree double_tree_of(const struct coll_call *call, uint32_t root)
{
    struct double_tree self = {.call = call, .levels = levels_of(call, root)};
    struct blocks halves = blocks_parts(TREES, call->bytes, call->element);
    self.depth = log2_ceil(self.levels.lane.size) + node_most(call) - 1;
    for (uint32_t tree = 0; tree < TREES; tree++) {
        struct branch *branch = &self.branch[tree];
        find_neighbours(&self, tree, branch);
        branch->segments = segments_of(call, blocks_bytes(&halves, tree, 1), tree);
        branch->offset = blocks_offset(&halves, tree);
        branch->place = tree > 0 ? scratch_segments(&self.branch[0]) : 0;
    }
    return self;
}

/* The trees of ranks: every rank is a node of its own. */
static struct coll_call without_nodes(const struct coll_call *call)
{
    struct coll_call flat = *call;
    flat.nodes = NULL;
    return flat;
}

/* Segment `index` of a branch in a buffer that has the whole vector. Returns false if there is none. */
static bool segment_at(const struct branch *branch, enum coll_buffer buffer, uint64_t index,
                       struct coll_span *segment)
{
    if (index >= branch->segments.count)
        return false;
    *segment = blocks_span(&branch->segments, buffer, (uint32_t)index, 1);
    segment->offset += branch->offset;
    return true;
}

static uint32_t deepest(const struct double_tree *self)
{
    uint32_t first = self->branch[0].depth, second = self->branch[1].depth;
    return first > second ? first : second;
}

/* --------------------------------------------------------------------- down */

/* Segment 0 leaves the root in round `start`. An index below 0 wraps around to one that no segment has. */
static void down(const struct branch *branch, enum coll_buffer buffer, uint64_t round, uint64_t start,
                 struct coll_sink *sink)
{
    struct coll_span segment;
    uint64_t index = round - start - branch->depth;
    if (branch->parent != NO_RANK && segment_at(branch, buffer, index + 1, &segment))
        sink->recv(sink, branch->parent, segment);
    for (uint32_t i = 0; i < CHILDREN; i++)
        if (branch->child[i] != NO_RANK && segment_at(branch, buffer, index, &segment))
            sink->send(sink, branch->child[i], segment);
}

/* The rounds before the first receive are left out. */
static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct double_tree self = double_tree_of(call, call->root);
    bool is_root = call->rank == call->root;
    uint32_t nearest = self.branch[0].depth + self.branch[1].depth - deepest(&self);
    uint64_t round = (uint64_t)phase + (is_root ? 0 : nearest - 1);
    if (call->size == 1 || round >= (uint64_t)self.branch[0].segments.count + deepest(&self))
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++)
        down(&self.branch[tree], is_root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, round, 0, sink);
    return true;
}

static bool flat_bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_call flat = without_nodes(call);
    return bcast(&flat, phase, sink);
}

const struct coll_algorithm coll_bcast_double_tree = {
    .kind = COLL_BCAST,
    .name = "double-tree",
    .doc = "each half in segments down a binary tree of its own, S segments: 2S(P-1) messages in "
           "S-1 + ceil(log2 P) rounds (Sanders, Speck, Traeff 2009)",
    .emit = flat_bcast,
    .has_segments = true,
};

const struct coll_algorithm coll_bcast_node_double_tree = {
    .kind = COLL_BCAST,
    .name = "node-double-tree",
    .doc = "double-tree between N nodes, chains of L ranks within nodes: S-1 + ceil(log2 N) + L-1 rounds "
           "(Sanders, Speck, Traeff 2009; NCCL)",
    .emit = bcast,
    .node_aware = true,
    .has_segments = true,
};

/* ----------------------------------------------------------------------- up */

static uint64_t longest_segment(const struct double_tree *self)
{
    uint64_t first = blocks_bytes(&self->branch[0].segments, 0, 1);
    uint64_t second = self->branch[1].segments.count ? blocks_bytes(&self->branch[1].segments, 0, 1) : 0;
    return first > second ? first : second;
}

/* The places of a branch in scratch: its sum, which the root has elsewhere, then what each child sends. */
static struct coll_span scratch_part(const struct double_tree *self, const struct branch *branch,
                                     uint32_t part, struct coll_span segment)
{
    return span_of(COLL_SCRATCH, (branch->place + part) * longest_segment(self), segment.bytes);
}

static struct coll_span incoming_from(const struct double_tree *self, const struct branch *branch,
                                      uint32_t child, struct coll_span segment)
{
    uint32_t part = branch->parent != NO_RANK;
    for (uint32_t i = 0; i < child; i++)
        part += branch->child[i] != NO_RANK;
    return scratch_part(self, branch, part, segment);
}

/* The segments of the children have come; their sum goes on. */
static void pass_up(const struct double_tree *self, const struct branch *branch, struct coll_span own,
                    struct coll_sink *sink)
{
    struct coll_span sum = own;
    if (branch->parent == NO_RANK)
        sum.buffer = COLL_RECV_BUFFER;
    else if (child_count(branch) > 0)
        sum = scratch_part(self, branch, 0, own);
    if (sum.buffer != COLL_SEND_BUFFER)
        step_copy(sink, own, sum);
    for (uint32_t i = 0; i < CHILDREN; i++)
        if (branch->child[i] != NO_RANK)
            step_reduce(sink, incoming_from(self, branch, i, own), sum);
    if (branch->parent != NO_RANK)
        sink->send(sink, branch->parent, sum);
}

static void up(const struct double_tree *self, const struct branch *branch, uint64_t round,
               struct coll_sink *sink)
{
    uint64_t index = round - (self->depth - branch->depth);
    struct coll_span segment;
    if (segment_at(branch, COLL_SEND_BUFFER, index, &segment))
        pass_up(self, branch, segment, sink);
    for (uint32_t i = 0; i < CHILDREN; i++)
        if (branch->child[i] != NO_RANK && segment_at(branch, COLL_SEND_BUFFER, index + 1, &segment))
            sink->recv(sink, branch->child[i], incoming_from(self, branch, i, segment));
}

/* The rounds before the first message of the deeper branch are left out. */
static uint64_t up_round(const struct double_tree *self, uint32_t phase)
{
    uint32_t before = self->depth - deepest(self);
    return (uint64_t)phase + (before > 0 ? before - 1 : 0);
}

static bool copy_alone(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, call->bytes), span_of(COLL_RECV_BUFFER, 0, call->bytes));
    return phase == 0;
}

static bool reduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_call flat = without_nodes(call);
    struct double_tree self = double_tree_of(&flat, call->root);
    uint64_t round = up_round(&self, phase);
    if (call->size == 1)
        return copy_alone(call, phase, sink);
    if (round >= (uint64_t)self.branch[0].segments.count + self.depth)
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++)
        up(&self, &self.branch[tree], round, sink);
    return true;
}

static uint64_t scratch_bytes(const struct double_tree *self)
{
    return (self->branch[1].place + scratch_segments(&self->branch[1])) * longest_segment(self);
}

static uint64_t reduce_scratch(const struct coll_call *call)
{
    struct coll_call flat = without_nodes(call);
    struct double_tree self = double_tree_of(&flat, call->root);
    return scratch_bytes(&self);
}

const struct coll_algorithm coll_reduce_double_tree = {
    .kind = COLL_REDUCE,
    .name = "double-tree",
    .doc = "each half in segments up a binary tree of its own, S segments: 2S(P-1) messages in "
           "S-1 + ceil(log2 P) rounds (Sanders, Speck, Traeff 2009)",
    .emit = reduce,
    .scratch = reduce_scratch,
    .has_segments = true,
};

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct double_tree self = double_tree_of(call, 0);
    uint64_t round = up_round(&self, phase);
    if (call->size == 1)
        return copy_alone(call, phase, sink);
    if (round >= (uint64_t)self.branch[0].segments.count + self.depth + deepest(&self))
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++) {
        up(&self, &self.branch[tree], round, sink);
        down(&self.branch[tree], COLL_RECV_BUFFER, round, self.depth, sink);
    }
    return true;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct double_tree self = double_tree_of(call, 0);
    return scratch_bytes(&self);
}

static bool flat_allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_call flat = without_nodes(call);
    return allreduce(&flat, phase, sink);
}

static uint64_t flat_allreduce_scratch(const struct coll_call *call)
{
    struct coll_call flat = without_nodes(call);
    return allreduce_scratch(&flat);
}

const struct coll_algorithm coll_allreduce_double_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "double-tree",
    .doc = "each half in segments up and down a binary tree of its own, S segments: 4S(P-1) messages in "
           "S-1 + 2 ceil(log2 P) rounds (Sanders, Speck, Traeff 2009; NCCL)",
    .emit = flat_allreduce,
    .scratch = flat_allreduce_scratch,
    .has_segments = true,
};

const struct coll_algorithm coll_allreduce_node_double_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "node-double-tree",
    .doc = "double-tree between N nodes, chains of L ranks within nodes: S-1 + 2 (ceil(log2 N) + L-1) rounds "
           "(Sanders, Speck, Traeff 2009; NCCL)",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .node_aware = true,
    .has_segments = true,
};
