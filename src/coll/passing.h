#ifndef HELIO_COLL_PASSING_H
#define HELIO_COLL_PASSING_H

#include "coll/steps.h"

/* Recursive doubling without folding, as MPI libraries do it where the ranks are no power of two. In step k
 * a rank v exchanges with v xor 2^k, if that is a rank. If only some ranks of the other side exist, the ranks
 * without a partner get what has arrived from a rank of their own side: in phases 1 ... k of the step, over
 * distances 2^(k-1) ... 1, from the lower rank to the upper one. */

/* The step of a phase, and how many phases of the step are over. False behind the last step; there `step` is
 * at least `rounds`. */
static inline bool passing_step(uint32_t phase, uint32_t rounds, uint32_t *step, uint32_t *passed)
{
    *step = 0;
    while (phase > *step)
        phase -= ++*step;
    *passed = phase;
    return *step < rounds;
}

struct passing {
    enum { PASSING_NONE, PASSING_SENDS, PASSING_RECEIVES } role;
    uint32_t peer;
    uint32_t theirs; /* the first rank of the other side */
};

static inline struct passing passing_of(uint32_t v, uint32_t size, uint32_t distance, uint32_t over)
{
    uint32_t mine = v & ~(distance - 1), theirs = mine ^ distance;
    struct passing none = {.role = PASSING_NONE};
    if (theirs < mine || theirs >= size || distance <= size - theirs)
        return none;
    /* The first ranks of each group of 2 * over ranks have what has arrived: as many as have a partner. */
    uint32_t having = size - theirs, group = v & ~(2 * over - 1), peer = v ^ over;
    uint32_t lower = v < peer ? v : peer, upper = v < peer ? peer : v;
    if (lower - group >= having || upper - group < having)
        return none;
    return (struct passing){
        .role = v == lower ? PASSING_SENDS : PASSING_RECEIVES, .peer = peer, .theirs = theirs};
}

#endif
