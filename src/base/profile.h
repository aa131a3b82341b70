#ifndef HELIO_BASE_PROFILE_H
#define HELIO_BASE_PROFILE_H

#include <stddef.h>

#include "base/sum.h"
#include "base/time.h"

/* A level over time, such as the length of a queue, as the integral of the level over each of PROFILE_BINS
 * equal bins. When time passes the last bin, the bins become twice as wide. So a run of any length needs the
 * same memory, and each step costs the same. Nothing is allocated. */
enum { PROFILE_BINS = 256 };

struct profile {
    unsigned shift;              /* a bin is 2^shift ps wide */
    sum_t part[PROFILE_BINS];    /* level x ps, from the bin's steps up to its end */
    int64_t steps[PROFILE_BINS]; /* the change of level by the bin's steps, for all later bins */
};

void profile_init(struct profile *profile);

/* Makes the bins so wide that `at` is in one of them. */
void profile_widen(struct profile *profile, ps_t at);

/* The level changes by `change` at `at`, which is not negative. Steps can be added in any order of time. */
static inline void profile_step(struct profile *profile, ps_t at, int64_t change)
{
    if (at / PROFILE_BINS >> profile->shift)
        profile_widen(profile, at);
    ps_t bin = at >> profile->shift;
    profile->part[bin] += change * (((sum_t)(bin + 1) << profile->shift) - at);
    profile->steps[bin] += change;
}

static inline ps_t profile_width(const struct profile *profile)
{
    return (ps_t)1 << profile->shift;
}

/* Level x time of each bin up to `end`, in ps, into PROFILE_BINS sums. `end` is not before the last step.
 * Returns the number of bins. */
size_t profile_integrals(const struct profile *profile, ps_t end, struct sums *integrals);

#endif
