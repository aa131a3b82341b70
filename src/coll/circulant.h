#ifndef HELIO_COLL_CIRCULANT_H
#define HELIO_COLL_CIRCULANT_H

#include "coll/blocks.h"
#include "coll/steps.h"

/* Halving and doubling on a circulant graph: J. L. Traeff, "Optimal, non-pipelined reduce-scatter and
 * allreduce algorithms" (arXiv 2410.14234, 2024). It serves any number of ranks without folding, in
 * ceil(log2 P) rounds.
 *
 * Rank r keeps the blocks of ranks r, r+1, ... around the end, one after another in scratch, as R[0], R[1]
 * ... The distances halve, rounded up: s[0] = P, s[k+1] = ceil(s[k] / 2), down to 1. In round k of a
 * reduce_scatter it sends R[s[k+1]] ... R[s[k]-1] to r + s[k+1], and adds what comes from r - s[k+1] to R[0]
 * and those behind it. In the end R[0] is the sum of all. An allgather goes the same way back: the rounds are
 * those of Bruck's algorithm, with other distances. */
struct circulant {
    uint32_t rank;
    uint32_t rounds;
    const struct blocks *blocks; /* one for each rank of the group */
    uint64_t kept;               /* where R[0] begins in scratch */
    uint64_t incoming;           /* and room for circulant_incoming() bytes */
};

static inline struct circulant circulant_of(uint32_t rank, const struct blocks *blocks, uint64_t kept,
                                            uint64_t incoming)
{
    return (struct circulant){.rank = rank,
                              .rounds = log2_ceil(blocks->count),
                              .blocks = blocks,
                              .kept = kept,
                              .incoming = incoming};
}

/* Bytes that the first round of a reduce_scatter receives, the most of all. */
uint64_t circulant_incoming(const struct circulant *self);

/* Copies all blocks, in rank order in `ordered`, to R, or back. */
void circulant_turn(const struct circulant *self, struct coll_span ordered, struct coll_sink *sink);
void circulant_turn_back(const struct circulant *self, struct coll_span ordered, struct coll_sink *sink);

/* The phases 0 ... rounds of a reduce_scatter of R; the last one only adds. */
void circulant_reduce_scatter(const struct circulant *self, uint32_t phase, struct coll_sink *sink);

/* The phases 0 ... rounds - 1 of an allgather of the R[0] of all ranks. */
void circulant_allgather(const struct circulant *self, uint32_t phase, struct coll_sink *sink);

/* Sums up the vectors `own` of all ranks into `sum`, which may be the same; the blocks are its parts. */
void circulant_allreduce(const struct circulant *self, struct coll_span own, struct coll_span sum,
                         uint32_t phase, struct coll_sink *sink);
uint32_t circulant_allreduce_phases(const struct circulant *self);

/* R[0], the block of this rank. */
static inline struct coll_span circulant_own(const struct circulant *self)
{
    return span_of(COLL_SCRATCH, self->kept, blocks_bytes(self->blocks, self->rank, 1));
}

#endif
