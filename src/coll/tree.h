#ifndef HELIO_COLL_TREE_H
#define HELIO_COLL_TREE_H

#include "coll/blocks.h"
#include "coll/steps.h"

/* The binomial tree, and what flows up and down in it. Ranks are counted from the root ("virtual" ranks). The
 * parent of v is v without its lowest set bit, its j-th child is v + 2^j, and the subtree of v is the run of
 * ranks from v on. A rank talks to one neighbour per phase, the larger subtree first on the way down and last
 * on the way up, which makes ceil(log2 P) rounds. */
struct tree {
    uint32_t size;
    uint32_t root;
    uint32_t virtual_rank;
    uint32_t children;
};

struct tree tree_of(uint32_t rank, uint32_t root, uint32_t size);
uint32_t tree_parent(const struct tree *tree);
uint32_t tree_child(const struct tree *tree, uint32_t index);
uint32_t tree_subtree(uint32_t virtual_rank, uint32_t size); /* ranks in it */

/* Every rank's `data` is the vector: the root sends it from there, the others receive it there. */
bool tree_bcast(const struct tree *tree, struct coll_span data, uint32_t phase, struct coll_sink *sink);

/* Reduces the vectors in the send buffers into `sum` of the root. `sum` of the other ranks that have
 * children, and `incoming` of all that have children, are memory of the same length. Phases:
 * tree_reduce_phases(). */
bool tree_reduce(const struct tree *tree, struct coll_span sum, struct coll_span incoming, uint32_t phase,
                 struct coll_sink *sink);
uint32_t tree_reduce_phases(const struct tree *tree);

/* Blocks go up to the root's receive buffer. Scratch: tree_gather_scratch(). Equal blocks only. */
bool tree_gather(const struct tree *tree, const struct blocks *blocks, uint32_t phase,
                 struct coll_sink *sink);
uint64_t tree_gather_scratch(const struct tree *tree, const struct blocks *blocks);

/* Blocks go from `buffer` of the root, where they start at 0, to the receive buffers. Needs as much scratch
 * as tree_gather, used from its start. Blocks of given lengths: only from root 0. */
bool tree_scatter(const struct tree *tree, const struct blocks *blocks, enum coll_buffer buffer,
                  uint32_t phase, struct coll_sink *sink);

#endif
