#ifndef HELIO_EXTRAPOLATE_VECTORS_H
#define HELIO_EXTRAPOLATE_VECTORS_H

#include "extrapolate/fit.h"

/* A rule for the sizes of alltoallv, allgatherv and reducescatter, one for each peer: factor x the rank's
 * share of `own` x the peer's share of `peer`. Shares are those of blocks, larger ones first. */
struct vector_rule {
    struct fit factor;
    uint64_t own, peer; /* 0: the size does not depend on the rank, or on the peer */
};

/* The sizes of a rank. */
struct vector_observation {
    const struct grid *grid;
    uint32_t members, place; /* of its communicator, and the rank's place in it */
    const uint64_t *sizes;   /* [member] */
};

static inline uint64_t vector_share(uint64_t whole, uint32_t members, uint32_t place)
{
    return whole ? whole / members + (place < whole % members) : 1;
}

/* As fit_find(). */
enum fit_outcome vector_find(const struct vector_observation *observations, size_t count,
                             const struct grid *target, struct vector_rule *rule);

#endif
