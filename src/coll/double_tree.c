#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"

/* Double binary trees: P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan" (Parallel Computing 35(12), 2009), sections 2 and 3; NCCL uses them for allreduce since
 * version 2.4. Each half of the vector moves in segments through a binary tree of its own. A rank with
 * children in one tree has none in the other, so every rank sends and receives about as much as every other.
 *
 * Virtual ranks count from the root, which is at position 0 of both trees. Positions 1 ... P - 1 form a
 * binary tree in order: the lowest set bit of a position says how high it is, and odd positions are leaves.
 * In the first tree the position of a rank is its virtual rank v. In the second one it is P - v if P is odd,
 * and v - 1, around the end, if P is even: odd becomes even, and even odd. Both trees have ceil(log2 P)
 * levels.
 *
 * All ranks count the same rounds. On the way down, a rank at depth d sends segment s in round s + d. On the
 * way up it sends segment s in round s + H - d, where H is the depth of the trees. An allreduce lets segment
 * s go down from the root in round s + H. What the paper does in two steps, one for each colour of its edges,
 * is one round here: a rank exchanges in both trees at once. */
enum { TREES = 2 };

/* Bytes of a segment where the call names none. */
enum { SEGMENT_BYTES = 65536, SEGMENTS_MAX = 1 << 20 };

struct double_tree {
    const struct coll_call *call;
    uint32_t virtual_rank;
    uint32_t levels; /* H */
    struct blocks halves;
    struct branch {
        uint32_t depth, parent;
        uint32_t child[2]; /* NO_CHILD: none */
        struct blocks segments;
        uint64_t offset; /* of its half of the vector */
    } branch[TREES];
};

#define NO_CHILD UINT32_MAX

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
        return size > 1 ? UINT32_C(1) << log2_floor(size - 1) : NO_CHILD;
    uint32_t bit = lowest_bit(position);
    return bit > 1 ? position - bit / 2 : NO_CHILD;
}

/* The upper subtree may be cut off at the end; its root is lower then. */
static uint32_t upper_child(uint32_t position, uint32_t size)
{
    uint32_t bit = position > 0 ? lowest_bit(position) / 2 : 0;
    while (bit > 0 && position + bit >= size)
        bit /= 2;
    return bit > 0 ? position + bit : NO_CHILD;
}

static uint32_t depth_of(uint32_t position, uint32_t size)
{
    uint32_t depth = 0;
    for (; position > 0; depth++)
        position = parent_of(position, size);
    return depth;
}

static uint32_t rank_at(const struct double_tree *self, uint32_t position, uint32_t tree)
{
    uint32_t size = self->call->size;
    return position == NO_CHILD ? NO_CHILD
                                : ring_up(self->call->root, virtual_rank_at(position, tree, size), size);
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

static struct double_tree double_tree_of(const struct coll_call *call)
{
    struct double_tree self = {.call = call,
                               .virtual_rank = ring_down(call->rank, call->root, call->size),
                               .levels = log2_ceil(call->size),
                               .halves = blocks_parts(TREES, call->bytes, call->element)};
    for (uint32_t tree = 0; tree < TREES; tree++) {
        struct branch *branch = &self.branch[tree];
        uint32_t position = position_of(self.virtual_rank, tree, call->size);
        branch->depth = depth_of(position, call->size);
        branch->parent = position > 0 ? rank_at(&self, parent_of(position, call->size), tree) : NO_CHILD;
        branch->child[0] = rank_at(&self, lower_child(position, call->size), tree);
        branch->child[1] = rank_at(&self, upper_child(position, call->size), tree);
        branch->segments = segments_of(call, blocks_bytes(&self.halves, tree, 1), tree);
        branch->offset = blocks_offset(&self.halves, tree);
    }
    return self;
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
    if (branch->parent != NO_CHILD && segment_at(branch, buffer, index + 1, &segment))
        sink->recv(sink, branch->parent, segment);
    for (uint32_t i = 0; i < 2; i++)
        if (branch->child[i] != NO_CHILD && segment_at(branch, buffer, index, &segment))
            sink->send(sink, branch->child[i], segment);
}

/* The rounds before the first receive are left out. */
static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct double_tree self = double_tree_of(call);
    bool is_root = self.virtual_rank == 0;
    uint32_t nearest = self.branch[0].depth + self.branch[1].depth - deepest(&self);
    uint64_t round = (uint64_t)phase + (is_root ? 0 : nearest - 1);
    if (call->size == 1 || round >= (uint64_t)self.branch[0].segments.count + deepest(&self))
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++)
        down(&self.branch[tree], is_root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, round, 0, sink);
    return true;
}

const struct coll_algorithm coll_bcast_double_tree = {
    .kind = COLL_BCAST,
    .name = "double-tree",
    .doc = "each half in segments down a binary tree of its own, S segments: 2S(P-1) messages in "
           "S-1 + ceil(log2 P) rounds (Sanders, Speck, Traeff 2009)",
    .emit = bcast,
};

/* ----------------------------------------------------------------------- up */

static uint64_t longest_segment(const struct double_tree *self)
{
    uint64_t first = blocks_bytes(&self->branch[0].segments, 0, 1);
    uint64_t second = self->branch[1].segments.count ? blocks_bytes(&self->branch[1].segments, 0, 1) : 0;
    return first > second ? first : second;
}

/* Scratch: the sum of a segment, then what the two children send. */
static struct coll_span scratch_part(const struct double_tree *self, uint32_t part, struct coll_span segment)
{
    return span_of(COLL_SCRATCH, part * longest_segment(self), segment.bytes);
}

/* The two branches of the root have one child each. The second one has its own place. */
static struct coll_span incoming_from(const struct double_tree *self, uint32_t tree, uint32_t child,
                                      struct coll_span segment)
{
    uint32_t part = 1 + (self->virtual_rank == 0 ? tree : child);
    return scratch_part(self, part, segment);
}

/* In round s + H - d the segments s of the children have come; their sum goes on. */
static void up(const struct double_tree *self, uint32_t tree, uint64_t round, struct coll_sink *sink)
{
    const struct branch *branch = &self->branch[tree];
    uint64_t index = round - (self->levels - branch->depth);
    struct coll_span own, next;
    bool is_leaf = branch->child[0] == NO_CHILD && branch->child[1] == NO_CHILD;
    if (segment_at(branch, COLL_SEND_BUFFER, index, &own)) {
        struct coll_span sum = own;
        if (branch->parent == NO_CHILD)
            sum.buffer = COLL_RECV_BUFFER;
        else if (!is_leaf)
            sum = scratch_part(self, 0, own);
        if (sum.buffer != COLL_SEND_BUFFER)
            step_copy(sink, own, sum);
        for (uint32_t i = 0; i < 2; i++)
            if (branch->child[i] != NO_CHILD)
                step_reduce(sink, incoming_from(self, tree, i, own), sum);
        if (branch->parent != NO_CHILD)
            sink->send(sink, branch->parent, sum);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (branch->child[i] != NO_CHILD && segment_at(branch, COLL_SEND_BUFFER, index + 1, &next))
            sink->recv(sink, branch->child[i], incoming_from(self, tree, i, next));
}

/* The rounds before the first message of the deeper branch are left out. */
static uint64_t up_round(const struct double_tree *self, uint32_t phase)
{
    uint32_t before = self->levels - deepest(self);
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
    struct double_tree self = double_tree_of(call);
    uint64_t round = up_round(&self, phase);
    if (call->size == 1)
        return copy_alone(call, phase, sink);
    if (round >= (uint64_t)self.branch[0].segments.count + self.levels)
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++)
        up(&self, tree, round, sink);
    return true;
}

static uint64_t three_segments(const struct coll_call *call)
{
    struct double_tree self = double_tree_of(call);
    return call->size > 1 ? 3 * longest_segment(&self) : 0;
}

const struct coll_algorithm coll_reduce_double_tree = {
    .kind = COLL_REDUCE,
    .name = "double-tree",
    .doc = "each half in segments up a binary tree of its own, S segments: 2S(P-1) messages in "
           "S-1 + ceil(log2 P) rounds (Sanders, Speck, Traeff 2009)",
    .emit = reduce,
    .scratch = three_segments,
};

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_call from_zero = *call;
    from_zero.root = 0;
    struct double_tree self = double_tree_of(&from_zero);
    uint64_t round = up_round(&self, phase);
    if (call->size == 1)
        return copy_alone(call, phase, sink);
    if (round >= (uint64_t)self.branch[0].segments.count + self.levels + deepest(&self))
        return false;
    for (uint32_t tree = 0; tree < TREES; tree++) {
        up(&self, tree, round, sink);
        down(&self.branch[tree], COLL_RECV_BUFFER, round, self.levels, sink);
    }
    return true;
}

const struct coll_algorithm coll_allreduce_double_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "double-tree",
    .doc = "each half in segments up and down a binary tree of its own, S segments: 4S(P-1) messages in "
           "S-1 + 2 ceil(log2 P) rounds (Sanders, Speck, Traeff 2009; NCCL)",
    .emit = allreduce,
    .scratch = three_segments,
};
