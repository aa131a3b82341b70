#ifndef HELIO_COLL_TREE_H
#define HELIO_COLL_TREE_H

#include "coll/blocks.h"
#include "coll/steps.h"

/* The binomial tree, and what moves up and down in it. Virtual ranks count from the root. The parent of v is
 * v without its lowest set bit, child j is v + 2^j, and the subtree of v is a run of ranks that begins with
 * v. A rank exchanges with one neighbour in each phase: the larger subtree is first on the way down and last
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

/* `data` is the vector of every rank: the root sends from there, all others receive there. */
bool tree_bcast(const struct tree *tree, struct coll_span data, uint32_t phase, struct coll_sink *sink);
uint32_t tree_bcast_phases(const struct tree *tree);

/* Scatters the parts of the root's vector. They are numbered by virtual rank. Every rank of the tree receives
 * the parts of its subtree at their place in the vector. It takes as many phases as tree_bcast. */
bool tree_scatter_in_place(const struct tree *tree, const struct blocks *parts, enum coll_buffer vector,
                           uint32_t phase, struct coll_sink *sink);

/* Reduces the vectors in the send buffers into `sum` of the root. Every rank with children needs memory `sum`
 * and `incoming` of the same length. It takes tree_reduce_phases() phases. */
bool tree_reduce(const struct tree *tree, struct coll_span sum, struct coll_span incoming, uint32_t phase,
                 struct coll_sink *sink);
uint32_t tree_reduce_phases(const struct tree *tree);

/* Gathers equal blocks in the receive buffer of the root. It needs tree_gather_scratch() of scratch. */
bool tree_gather(const struct tree *tree, const struct blocks *blocks, uint32_t phase,
                 struct coll_sink *sink);
uint64_t tree_gather_scratch(const struct tree *tree, const struct blocks *blocks);

/* Scatters blocks from `buffer` of the root, where they begin at 0, to the receive buffers. It needs as much
 * scratch as tree_gather. Blocks of given lengths: from root 0 only. */
bool tree_scatter(const struct tree *tree, const struct blocks *blocks, enum coll_buffer buffer,
                  uint32_t phase, struct coll_sink *sink);

#endif
