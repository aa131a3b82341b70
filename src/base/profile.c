#include "base/profile.h"

void profile_init(struct profile *profile)
{
    *profile = (struct profile){.shift = 0};
}

/* Two neighbours become one bin. The steps of the first change the level during all of the second. */
static void halve(struct profile *profile)
{
    for (size_t i = 0; i < PROFILE_BINS / 2; i++) {
        sum_t carried = (sum_t)profile->steps[2 * i] * profile_width(profile);
        profile->part[i] = profile->part[2 * i] + profile->part[2 * i + 1] + carried;
        profile->steps[i] = profile->steps[2 * i] + profile->steps[2 * i + 1];
    }
    for (size_t i = PROFILE_BINS / 2; i < PROFILE_BINS; i++) {
        profile->part[i] = 0;
        profile->steps[i] = 0;
    }
    profile->shift++;
}

void profile_widen(struct profile *profile, ps_t at)
{
    while (at / PROFILE_BINS >> profile->shift)
        halve(profile);
}

size_t profile_integrals(const struct profile *profile, ps_t end, struct sums *integrals)
{
    size_t bins = 0;
    sum_t level = 0;
    for (; bins < PROFILE_BINS && (ps_t)bins << profile->shift < end; bins++) {
        sums_set(integrals, bins, level * profile_width(profile) + profile->part[bins]);
        level += profile->steps[bins];
    }
    return bins;
}
