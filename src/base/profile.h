#ifndef HELIO_BASE_PROFILE_H
#define HELIO_BASE_PROFILE_H

#include <stddef.h>

#include "base/time.h"

/* A level over time, such as the length of a queue, in few numbers however long the run: the time integral of
 * the level over each of PROFILE_BINS equal bins, whose width doubles whenever time goes beyond the last. A
 * step costs the same wherever it is; nothing is allocated. */
enum { PROFILE_BINS = 256 };

struct profile {
    unsigned shift;              /* a bin is 2^shift ps wide */
    __int128 part[PROFILE_BINS]; /* level x ps that steps within the bin add up to its end */
    int64_t steps[PROFILE_BINS]; /* what they leave to all later bins */
};

void profile_init(struct profile *profile);

/* Makes bins so wide that `at` lies in one. */
void profile_widen(struct profile *profile, ps_t at);

/* From `at`, which is not negative, on the level is higher by `change`. In any order of time. */
static inline void profile_step(struct profile *profile, ps_t at, int64_t change)
{
    if (at / PROFILE_BINS >> profile->shift)
        profile_widen(profile, at);
    ps_t bin = at >> profile->shift;
    profile->part[bin] += (__int128)change * (((bin + 1) << profile->shift) - at);
    profile->steps[bin] += change;
}

static inline ps_t profile_width(const struct profile *profile)
{
    return (ps_t)1 << profile->shift;
}

/* Level x time in each bin up to `end`, the last step's time or later, in ps; saturated. Returns how many
 * bins that is. */
size_t profile_integrals(const struct profile *profile, ps_t end, int64_t integrals[PROFILE_BINS]);

#endif
