#ifndef HELIO_COLL_SHAPES_H
#define HELIO_COLL_SHAPES_H

#include "coll/steps.h"

/* Trees of other shapes than the binomial tree of coll/tree.h, as MPI libraries use them. Virtual ranks count
 * from the root, which is 0, unless the shape says otherwise. */
enum shape_kind {
    SHAPE_CHAIN,    /* each rank has the next one as its child */
    SHAPE_BINARY,   /* level by level: rank v of a level of 2^l ranks has the children v + 2^l, v + 2^(l+1) */
    SHAPE_KNOMIAL,  /* radix 4: the parent of v is v without its lowest digit to base 4 that is not 0 */
    SHAPE_IN_ORDER, /* binary; subtrees are runs of ranks and end with their root. The last rank is the root
                     */
    SHAPE_DOUBLING, /* the parent of v is v without its highest set bit: distances double from round to round
                     */
};

enum { SHAPE_CHILDREN_MAX = 48 }; /* three for each of 16 digits to base 4 */

struct shape {
    uint32_t parent; /* of the root: itself */
    uint32_t count;
    uint32_t child[SHAPE_CHILDREN_MAX];
};

void shape_of(enum shape_kind kind, uint32_t virtual_rank, uint32_t size, struct shape *shape);

#endif
