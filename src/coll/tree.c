#include "coll/tree.h"

struct tree tree_of(uint32_t rank, uint32_t root, uint32_t size)
{
    struct tree tree = {.size = size, .root = root, .virtual_rank = ring_down(rank, root, size)};
    uint32_t v = tree.virtual_rank;
    /* Child j exists when 2^j is below the lowest set bit of v and v + 2^j below the size. */
    tree.children = log2_ceil(size - v);
    if (v > 0 && (uint32_t)__builtin_ctz(v) < tree.children)
        tree.children = (uint32_t)__builtin_ctz(v);
    return tree;
}

static uint32_t actual_rank(const struct tree *tree, uint32_t virtual_rank)
{
    return ring_up(tree->root, virtual_rank, tree->size);
}

static uint32_t virtual_child(const struct tree *tree, uint32_t index)
{
    return tree->virtual_rank + (UINT32_C(1) << index);
}

uint32_t tree_parent(const struct tree *tree)
{
    return actual_rank(tree, tree->virtual_rank & (tree->virtual_rank - 1));
}

uint32_t tree_child(const struct tree *tree, uint32_t index)
{
    return actual_rank(tree, virtual_child(tree, index));
}

uint32_t tree_subtree(uint32_t virtual_rank, uint32_t size)
{
    uint32_t whole = virtual_rank & (~virtual_rank + 1);
    uint32_t left = size - virtual_rank;
    return virtual_rank > 0 && whole < left ? whole : left;
}

/* ------------------------------------------------------------ whole vectors */

bool tree_bcast(const struct tree *tree, struct coll_span data, uint32_t phase, struct coll_sink *sink)
{
    if (tree->virtual_rank > 0 && phase-- == 0) {
        sink->recv(sink, tree_parent(tree), data);
        return true;
    }
    if (phase >= tree->children)
        return false;
    sink->send(sink, tree_child(tree, tree->children - 1 - phase), data);
    return true;
}

uint32_t tree_bcast_phases(const struct tree *tree)
{
    return tree->children + (tree->virtual_rank > 0);
}

bool tree_scatter_in_place(const struct tree *tree, const struct blocks *parts, enum coll_buffer vector,
                           uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = tree->virtual_rank;
    if (v > 0 && phase-- == 0) {
        sink->recv(sink, tree_parent(tree), blocks_span(parts, vector, v, tree_subtree(v, tree->size)));
        return true;
    }
    if (phase >= tree->children)
        return false;
    uint32_t child = tree->children - 1 - phase, first = virtual_child(tree, child);
    sink->send(sink, tree_child(tree, child),
               blocks_span(parts, vector, first, tree_subtree(first, tree->size)));
    return true;
}

uint32_t tree_reduce_phases(const struct tree *tree)
{
    return tree->children + 1;
}

bool tree_reduce(const struct tree *tree, struct coll_span sum, struct coll_span incoming, uint32_t phase,
                 struct coll_sink *sink)
{
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, sum.bytes);
    bool leaf = tree->children == 0, is_root = tree->virtual_rank == 0;
    if (phase > tree->children)
        return false;
    if (phase > 0)
        step_reduce(sink, incoming, sum);
    else if (!leaf || is_root)
        step_copy(sink, own, sum);
    if (phase < tree->children)
        sink->recv(sink, tree_child(tree, phase), incoming);
    else if (!is_root)
        sink->send(sink, tree_parent(tree), leaf ? own : sum);
    return true;
}

/* ------------------------------------------------------------------- blocks */

/* The blocks of child `index` of the root lie one after another in a buffer in rank order, unless the last
 * rank and rank 0 are both among them. */
struct child_blocks {
    uint32_t first; /* actual rank */
    uint32_t count;
    uint32_t wrapped; /* this many blocks continue at rank 0 */
};

static struct child_blocks root_child(const struct tree *tree, uint32_t index)
{
    struct child_blocks child = {.first = tree_child(tree, index),
                                 .count = tree_subtree(virtual_child(tree, index), tree->size)};
    uint32_t left = tree->size - child.first;
    if (child.count > left)
        child.wrapped = child.count - left;
    return child;
}

static uint64_t child_bytes(const struct blocks *blocks, const struct child_blocks *child)
{
    return blocks_bytes(blocks, child->first, child->count - child->wrapped) +
           blocks_bytes(blocks, 0, child->wrapped);
}

uint64_t tree_gather_scratch(const struct tree *tree, const struct blocks *blocks)
{
    if (tree->virtual_rank > 0)
        return tree->children > 0
                   ? blocks_bytes(blocks, tree->virtual_rank, tree_subtree(tree->virtual_rank, tree->size))
                   : 0;
    for (uint32_t i = 0; i < tree->children; i++) {
        struct child_blocks child = root_child(tree, i);
        if (child.wrapped > 0)
            return child_bytes(blocks, &child);
    }
    return 0;
}

/* The two runs of blocks of a wrapped child, in scratch and in the buffer of the root. */
struct wrapped_runs {
    struct coll_span upper, lower;                       /* in rank order */
    struct coll_span upper_in_scratch, lower_in_scratch; /* in virtual order */
};

static struct wrapped_runs wrapped_runs_of(const struct blocks *blocks, enum coll_buffer buffer,
                                           const struct child_blocks *child)
{
    struct wrapped_runs runs = {.upper =
                                    blocks_span(blocks, buffer, child->first, child->count - child->wrapped),
                                .lower = blocks_span(blocks, buffer, 0, child->wrapped)};
    runs.upper_in_scratch = span_of(COLL_SCRATCH, 0, runs.upper.bytes);
    runs.lower_in_scratch = span_of(COLL_SCRATCH, runs.upper.bytes, runs.lower.bytes);
    return runs;
}

static void gather_at_root(const struct tree *tree, const struct blocks *blocks, uint32_t phase,
                           struct coll_sink *sink)
{
    if (phase < tree->children) {
        struct child_blocks child = root_child(tree, phase);
        sink->recv(sink, child.first,
                   child.wrapped > 0 ? span_of(COLL_SCRATCH, 0, child_bytes(blocks, &child))
                                     : blocks_span(blocks, COLL_RECV_BUFFER, child.first, child.count));
        return;
    }
    struct coll_span own = blocks_span(blocks, COLL_RECV_BUFFER, tree->root, 1);
    step_copy(sink, span_of(COLL_SEND_BUFFER, 0, own.bytes), own);
    for (uint32_t i = 0; i < tree->children; i++) {
        struct child_blocks child = root_child(tree, i);
        if (child.wrapped == 0)
            continue;
        struct wrapped_runs runs = wrapped_runs_of(blocks, COLL_RECV_BUFFER, &child);
        step_copy(sink, runs.upper_in_scratch, runs.upper);
        step_copy(sink, runs.lower_in_scratch, runs.lower);
    }
}

bool tree_gather(const struct tree *tree, const struct blocks *blocks, uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = tree->virtual_rank;
    if (phase > tree->children)
        return false;
    if (v == 0) {
        gather_at_root(tree, blocks, phase, sink);
        return true;
    }
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, blocks_bytes(blocks, v, 1));
    if (phase == 0 && tree->children > 0)
        step_copy(sink, own, span_of(COLL_SCRATCH, 0, own.bytes));
    if (phase < tree->children) {
        uint32_t child = virtual_child(tree, phase);
        sink->recv(sink, tree_child(tree, phase),
                   span_of(COLL_SCRATCH, blocks_bytes(blocks, v, child - v),
                           blocks_bytes(blocks, child, tree_subtree(child, tree->size))));
    } else {
        uint64_t bytes = blocks_bytes(blocks, v, tree_subtree(v, tree->size));
        sink->send(sink, tree_parent(tree), tree->children > 0 ? span_of(COLL_SCRATCH, 0, bytes) : own);
    }
    return true;
}

static bool scatter_from_root(const struct tree *tree, const struct blocks *blocks, enum coll_buffer buffer,
                              uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0) {
        struct coll_span own = blocks_span(blocks, buffer, tree->root, 1);
        step_copy(sink, own, span_of(COLL_RECV_BUFFER, 0, own.bytes));
    }
    if (phase >= tree->children)
        return phase == 0;
    struct child_blocks child = root_child(tree, tree->children - 1 - phase);
    if (child.wrapped == 0) {
        sink->send(sink, child.first, blocks_span(blocks, buffer, child.first, child.count));
        return true;
    }
    struct wrapped_runs runs = wrapped_runs_of(blocks, buffer, &child);
    step_copy(sink, runs.upper, runs.upper_in_scratch);
    step_copy(sink, runs.lower, runs.lower_in_scratch);
    sink->send(sink, child.first, span_of(COLL_SCRATCH, 0, runs.upper.bytes + runs.lower.bytes));
    return true;
}

bool tree_scatter(const struct tree *tree, const struct blocks *blocks, enum coll_buffer buffer,
                  uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = tree->virtual_rank;
    if (v == 0)
        return scatter_from_root(tree, blocks, buffer, phase, sink);
    bool leaf = tree->children == 0;
    if (phase == 0) {
        uint64_t bytes = blocks_bytes(blocks, v, tree_subtree(v, tree->size));
        sink->recv(sink, tree_parent(tree), span_of(leaf ? COLL_RECV_BUFFER : COLL_SCRATCH, 0, bytes));
        return true;
    }
    if (phase > tree->children)
        return false;
    if (phase == 1) {
        uint64_t bytes = blocks_bytes(blocks, v, 1);
        step_copy(sink, span_of(COLL_SCRATCH, 0, bytes), span_of(COLL_RECV_BUFFER, 0, bytes));
    }
    uint32_t child = virtual_child(tree, tree->children - phase);
    sink->send(sink, tree_child(tree, tree->children - phase),
               span_of(COLL_SCRATCH, blocks_bytes(blocks, v, child - v),
                       blocks_bytes(blocks, child, tree_subtree(child, tree->size))));
    return true;
}
