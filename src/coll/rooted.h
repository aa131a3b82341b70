#ifndef HELIO_COLL_ROOTED_H
#define HELIO_COLL_ROOTED_H

#include "coll/tree.h"

/* What gather and scatter, with and without counts, share. */

/* The root exchanges blocks with all other ranks directly, in rank order: all at once, or a window at a time.
 * A rank other than the root needs its own length alone. It does not know the lengths of others, so it could
 * not forward their blocks: gatherv and scatterv have no tree. For emit() of an algorithm. */
bool rooted_linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink);
bool rooted_windowed(const struct coll_call *call, uint32_t phase, struct coll_sink *sink);

/* Scratch of a rank in a binomial gather or scatter. */
uint64_t rooted_tree_scratch(const struct coll_call *call);

#endif
