#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"

/* Parallel aggregated trees: S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations
 * at scale" (arXiv 2506.20252, 2025); in NCCL since version 2.23.
 *
 * The block of rank q goes down a binomial tree: its node s is rank q + s, and the parent of s is s without
 * its lowest set bit. All ranks do the same step in their trees at once. So in a step with bit b every rank
 * sends to the rank b above it, for one node s or for several. Far bits come first, with few blocks, and near
 * bits last. A reduce_scatter goes the same way back, from the leaves to the root.
 *
 * A message has at most A blocks. A is the largest power of two that the segment has room for, and at most
 * half of Q, the power of two from P on. The tree has A nodes 0, D, 2D ... with D = Q / A. Steps between them
 * come first: bits Q/2, Q/4 ... D, with 1, 2 ... A/2 blocks. Each of these nodes then has D - 1 nodes of its
 * own, and step `offset` serves the nodes offset, D + offset, 2D + offset ... together. Offsets come in the
 * order in which a walk meets them that goes down as far as it can. So a reduce_scatter has few sums under
 * way: one group of A for each bit of D. There are log2 A + D - 1 steps, or P - 1 if A is 1. */
enum { PAT_SEGMENT_BYTES = 524288 }; /* NCCL's buffer of 4 MiB has 8 parts */

struct pat {
    const struct coll_call *call;
    struct blocks blocks;
    uint64_t longest;  /* of all blocks */
    uint32_t together; /* A */
    uint32_t spacing;  /* D */
    uint32_t far;      /* steps between the nodes 0, D, 2D ...: log2 A */
    uint32_t steps;
};

/* Nodes first, first + stride ... below P, and the bit that leads to their parents. */
struct pat_step {
    uint32_t first, stride, bit, count;
};

static uint64_t longest_of(const struct blocks *blocks)
{
    uint64_t longest = blocks_bytes(blocks, 0, 1);
    for (uint32_t i = 1; blocks->bytes && i < blocks->count; i++)
        if (blocks->bytes[i] > longest)
            longest = blocks->bytes[i];
    return longest;
}

static struct pat pat_of(const struct coll_call *call, bool placed)
{
    const uint64_t *given = call->kind == COLL_ALLGATHER ? NULL : call->recv_bytes;
    struct pat self = {.call = call, .together = 1};
    uint64_t segment = call->segment_bytes ? call->segment_bytes : PAT_SEGMENT_BYTES;
    uint32_t levels = log2_ceil(call->size);
    self.blocks = blocks_given(call->size, given, call->bytes, placed);
    self.longest = longest_of(&self.blocks);
    while (self.far + 1 < levels && self.longest <= segment / 2 / self.together) {
        self.together *= 2;
        self.far++;
    }
    self.spacing = UINT32_C(1) << (levels - self.far);
    self.steps = self.far + (self.spacing < call->size ? self.spacing : call->size) - 1;
    return self;
}

/* Number `index`, from 1 on, of the offsets below D, in the order of the walk; 0 is the first. */
static uint32_t offset_at(const struct pat *self, uint32_t index)
{
    uint32_t node = 0, size = self->call->size;
    for (uint32_t width = self->spacing / 2; index > 0; width /= 2) {
        uint32_t child = node + width;
        uint32_t below = child >= size ? 0 : width < size - child ? width : size - child;
        if (index > below) {
            index -= below;
        } else {
            node = child;
            index--;
        }
    }
    return node;
}

/* Steps of an allgather. */
static struct pat_step step_at(const struct pat *self, uint32_t index)
{
    struct pat_step step;
    if (index < self->far) {
        step.first = step.bit = self->spacing << (self->far - 1 - index);
        step.stride = 2 * step.bit;
    } else {
        step.first = offset_at(self, index - self->far + 1);
        step.bit = step.first & (~step.first + 1);
        step.stride = self->spacing;
    }
    step.count = (self->call->size - step.first + step.stride - 1) / step.stride;
    return step;
}

/* The most blocks of a message. */
static uint32_t most_blocks(const struct pat *self)
{
    return (self->call->size - 1 + self->spacing - 1) / self->spacing;
}

/* The rank whose tree has this rank as node s. */
static uint32_t tree_of_node(const struct pat *self, uint32_t node)
{
    return ring_down(self->call->rank, node, self->call->size);
}

/* Bytes of the blocks that belong to the nodes of the step, or to their parents. */
static uint64_t step_bytes(const struct pat *self, const struct pat_step *step, uint32_t above)
{
    if (!self->blocks.bytes)
        return step->count * self->longest;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < step->count; i++)
        sum += blocks_bytes(&self->blocks, tree_of_node(self, step->first + i * step->stride - above), 1);
    return sum;
}

static struct coll_span block_at(const struct pat *self, enum coll_buffer buffer, uint32_t node)
{
    return blocks_span(&self->blocks, buffer, tree_of_node(self, node), 1);
}

/* ---------------------------------------------------------------- allgather */

/* Blocks of one message come from many places. They are copied to scratch, one after another: what goes out,
 * then what comes in. A single block needs no copy. */
static uint64_t room(const struct pat *self)
{
    return self->together > 1 ? most_blocks(self) * self->longest : 0;
}

static void copy_blocks(const struct pat *self, const struct pat_step *step, bool out, struct coll_sink *sink)
{
    uint64_t at = out ? 0 : room(self);
    for (uint32_t i = 0; sink->local && i < step->count; i++) {
        uint32_t node = step->first + i * step->stride - (out ? step->bit : 0);
        struct coll_span block = block_at(self, COLL_RECV_BUFFER, node);
        struct coll_span packed = span_of(COLL_SCRATCH, at, block.bytes);
        if (out)
            step_copy(sink, block, packed);
        else
            step_copy(sink, packed, block);
        at += block.bytes;
    }
}

static void gather_step(const struct pat *self, const struct pat_step *step, struct coll_sink *sink)
{
    uint32_t rank = self->call->rank, size = self->call->size;
    struct coll_span out, in;
    if (self->together > 1) {
        copy_blocks(self, step, true, sink);
        out = span_of(COLL_SCRATCH, 0, step_bytes(self, step, step->bit));
        in = span_of(COLL_SCRATCH, room(self), step_bytes(self, step, 0));
    } else {
        out = block_at(self, COLL_RECV_BUFFER, step->first - step->bit);
        in = block_at(self, COLL_RECV_BUFFER, step->first);
    }
    step_exchange(sink, ring_up(rank, step->bit, size), out, ring_down(rank, step->bit, size), in);
}

static bool allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct pat self = pat_of(call, sink->local);
    uint32_t phases = call->size == 1 ? 1 : self.steps + (self.together > 1);
    if (phase >= phases)
        return false;
    if (phase == 0) {
        struct coll_span own = block_at(&self, COLL_RECV_BUFFER, 0);
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, own.bytes), own);
    } else if (self.together > 1) {
        struct pat_step before = step_at(&self, phase - 1);
        copy_blocks(&self, &before, false, sink);
    }
    if (phase < self.steps) {
        struct pat_step step = step_at(&self, phase);
        gather_step(&self, &step, sink);
    }
    return true;
}

static uint64_t allgather_scratch(const struct coll_call *call)
{
    struct pat self = pat_of(call, true);
    return 2 * room(&self);
}

#define ALLGATHER_DOC                                                                                        \
    "binomial trees of all blocks at once, far ranks first, A blocks in a message: log2 A + Q/A - 1 "        \
    "rounds, "                                                                                               \
    "Q the power of two from P on; any P (Jeaugey 2025; NCCL)"

const struct coll_algorithm coll_allgather_pat = {
    .kind = COLL_ALLGATHER,
    .name = "pat",
    .doc = ALLGATHER_DOC,
    .emit = allgather,
    .scratch = allgather_scratch,
    .has_segments = true,
};

const struct coll_algorithm coll_allgatherv_pat = {
    .kind = COLL_ALLGATHERV,
    .name = "pat",
    .doc = ALLGATHER_DOC,
    .emit = allgather,
    .scratch = allgather_scratch,
    .has_segments = true,
};

/* ----------------------------------------------------------- reduce_scatter */

/* Scratch has places of the longest block: A for nodes 0, D, 2D ..., a group for each bit of D, and a group
 * for what comes in. Of the nodes 0, D, 2D ... those that send together lie together: node 0, then those with
 * the highest bit, and so on. Offsets with bit 1 are leaves. If messages have one block, a leaf sends from
 * the send buffer, and bit 1 has no group. */
static uint32_t group_place(const struct pat *self, uint32_t bit)
{
    uint32_t group = log2_floor(bit) - (self->together == 1);
    return self->together + group * most_blocks(self);
}

static uint32_t incoming_place(const struct pat *self)
{
    return group_place(self, self->spacing);
}

/* Where the nodes are whose sums lie before that of a node, one after another. */
struct pat_group {
    uint32_t place; /* of the first */
    uint32_t first, stride, count;
};

static struct pat_group group_of(const struct pat *self, uint32_t node)
{
    uint32_t offset = node % self->spacing, index = node / self->spacing;
    if (offset > 0)
        return (struct pat_group){group_place(self, offset & (~offset + 1)), offset, self->spacing, index};
    uint32_t bit = index & (~index + 1);
    if (index == 0)
        return (struct pat_group){0, 0, 0, 0};
    return (struct pat_group){self->together / (2 * bit), bit * self->spacing, 2 * bit * self->spacing,
                              index / (2 * bit)};
}

static uint64_t own_bytes(const struct pat *self, uint32_t node)
{
    return blocks_bytes(&self->blocks, tree_of_node(self, node), 1);
}

/* Where the sum of a node's subtree is. */
static struct coll_span sum_of(const struct pat *self, uint32_t node)
{
    struct pat_group before = group_of(self, node);
    uint64_t at = before.place * self->longest;
    if (!self->blocks.bytes)
        at += before.count * self->longest;
    for (uint32_t i = 0; self->blocks.bytes && i < before.count; i++)
        at += own_bytes(self, before.first + i * before.stride);
    return span_of(COLL_SCRATCH, at, own_bytes(self, node));
}

/* The sums of these nodes begin with this rank's own blocks. */
static void begin_sums(const struct pat *self, uint32_t first, uint32_t stride, struct coll_sink *sink)
{
    for (uint32_t node = first; sink->local && node < self->call->size; node += stride)
        step_copy(sink, block_at(self, COLL_SEND_BUFFER, node), sum_of(self, node));
}

/* Adds what the children have sent to the sums of their parents. */
static void add_incoming(const struct pat *self, const struct pat_step *step, struct coll_sink *sink)
{
    uint64_t at = incoming_place(self) * self->longest;
    for (uint32_t i = 0; sink->local && i < step->count; i++) {
        struct coll_span sum = sum_of(self, step->first + i * step->stride - step->bit);
        step_reduce(sink, span_of(COLL_SCRATCH, at, sum.bytes), sum);
        at += sum.bytes;
    }
}

/* A node with a child has one at the next offset, which sends first of all. */
static bool is_leaf(const struct pat *self, const struct pat_step *step)
{
    return step->bit == 1 || (step->stride == self->spacing && step->first + 1 >= self->call->size);
}

/* What goes to the parents: the sums of the nodes, or for leaves their own blocks. */
static struct coll_span outgoing(const struct pat *self, const struct pat_step *step, struct coll_sink *sink)
{
    bool leaf = is_leaf(self, step);
    if (leaf && self->together == 1)
        return block_at(self, COLL_SEND_BUFFER, step->first);
    if (leaf)
        begin_sums(self, step->first, step->stride, sink);
    return span_of(COLL_SCRATCH, sum_of(self, step->first).offset, step_bytes(self, step, 0));
}

static void scatter_step(const struct pat *self, const struct pat_step *step, struct coll_sink *sink)
{
    uint32_t rank = self->call->rank, size = self->call->size;
    struct coll_span out = outgoing(self, step, sink);
    if (step->bit == 1)
        begin_sums(self, step->first - 1, step->stride, sink);
    step_exchange(
        sink, ring_down(rank, step->bit, size), out, ring_up(rank, step->bit, size),
        span_of(COLL_SCRATCH, incoming_place(self) * self->longest, step_bytes(self, step, step->bit)));
}

/* The steps of an allgather, from the last to the first. */
static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct pat self = pat_of(call, sink->local);
    if (phase > self.steps)
        return false;
    if (call->size == 1) {
        struct coll_span own = block_at(&self, COLL_SEND_BUFFER, 0);
        step_copy(sink, own, span_of(COLL_RECV_BUFFER, 0, own.bytes));
        return true;
    }
    if (phase > 0) {
        struct pat_step before = step_at(&self, self.steps - phase);
        add_incoming(&self, &before, sink);
    }
    if (phase < self.steps) {
        struct pat_step step = step_at(&self, self.steps - 1 - phase);
        scatter_step(&self, &step, sink);
    } else {
        struct coll_span sum = sum_of(&self, 0);
        step_copy(sink, sum, span_of(COLL_RECV_BUFFER, 0, sum.bytes));
    }
    return true;
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct pat self = pat_of(call, true);
    return call->size > 1 ? (incoming_place(&self) + most_blocks(&self)) * self.longest : 0;
}

const struct coll_algorithm coll_reduce_scatter_pat = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "pat",
    .doc = "binomial trees of all blocks at once, near ranks first, A blocks in a message: log2 A + Q/A - 1 "
           "rounds, Q the power of two from P on; any P (Jeaugey 2025; NCCL)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
    .has_segments = true,
};
