#ifndef HELIO_COLL_NODE_SUM_H
#define HELIO_COLL_NODE_SUM_H

#include "coll/meet.h"

/* The sum of the vectors of a node's ranks, in the algorithms `leaders` of reductions. All ranks but the
 * leader stage their vectors in shared memory, one after another. The leader has its own where the sum will
 * be, and adds the others in the order of ranks. If that is long work, the ranks meet at a barrier after
 * staging, and each adds up a slice. */
struct node_sum {
    struct meet meet;
    uint64_t bytes; /* of a vector */
    bool is_sliced;
    struct coll_span sum;
    uint64_t staged; /* where the vectors of the other ranks begin in shared memory */
    /* The sum begins with position `split` of the vector, and has the positions before it at its end. */
    uint64_t split;
};

/* A sum at the beginning of the node's memory, the staged vectors behind it. */
struct node_sum node_sum_of(const struct coll_call *call, uint32_t root, uint64_t bytes);

/* Where this rank stages its vector; the leader: where the sum is. */
struct coll_span node_sum_place(const struct node_sum *self);
/* Copies the vector in the send buffer there, unless it is the sum by itself. */
void node_sum_stage(const struct node_sum *self, struct coll_sink *sink);

/* Each rank adds its slice of all vectors. */
void node_sum_add_slice(const struct node_sum *self, struct coll_sink *sink);

/* The leader adds all vectors, unless the ranks have added slices. `meet` is that of a struct node_sum. */
void node_sum_begin(const struct meet *meet, struct coll_sink *sink);

/* Bytes of shared memory up to the end of the staged vectors; 0 if the rank is alone. */
static inline uint64_t node_sum_shared(const struct node_sum *self)
{
    return self->meet.place.here > 1 ? self->staged + (self->meet.place.here - 1) * self->bytes : 0;
}

#endif
