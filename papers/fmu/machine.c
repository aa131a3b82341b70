#include "papers/fmu/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NPB 3.3.1, class C, recorded under SMPI 3.32 (gfortran 12.2 -O3, one core of a Zen 5 processor). All ranks
 * took turns on that core. docs/measurements/reproduce-fmu.md, "One machine for all programs", says how each
 * column was measured. */
static const struct recording {
    const char *program;
    double seconds[3]; /* of all ranks together, with 4, 16 and 64 ranks: helio trace info */
    double start;      /* of these, with 4 ranks, before the first communication */
    double operations; /* that the benchmark counts for them */
    double more;       /* how many times the work of an iteration is in class D */
    double bytes;      /* that all ranks work on, class C */
    double cached;     /* how long a burst takes that fits into the cache, as a share; 1: not measured */
} recordings[] = {
    {"lu", {295.7, 332.8, 379.3}, 0.65, 2.05074e12, 15.98, 0.68e9, 0.79},
    {"cg", {102.1, 100.8, 111.3}, 1.3, 1.45259e11, 18.9, 0.433e9, 0.37},
    {"ft", {82.76, 78.59, 83.98}, 7.2, 4.14465e11, 16, 6.4e9, 1},
    {"is", {16.57, 14.98, 15.84}, 13.3, 1.4764e9, 16, 1.07e9, 1},
};

static const struct recording *recording_of(const char *program)
{
    size_t i = 0;
    while (strcmp(recordings[i].program, program) != 0)
        i++;
    return &recordings[i];
}

static double chosen(struct reproduction *reproduction, const char *unknown)
{
    return strtod(reproduction_choice(reproduction, unknown), NULL);
}

/* How much shorter a burst is in the cache of the machine: the share of the data that fits into it takes the
 * cached time. */
static double in_cache(const struct recording *recording, const struct fmu_npb *npb, double cache_bytes)
{
    double bytes = recording->bytes * (npb->class == 'D' ? recording->more : 1) / npb->ranks;
    double share = fmin(cache_bytes / bytes, 1);
    return 1 - share * (1 - recording->cached);
}

struct fmu_pace fmu_machine_pace(struct reproduction *reproduction, const struct fmu_npb *npb)
{
    const struct recording *recording = recording_of(npb->program);
    bool own = reproduction_chooses(reproduction, "machine-bursts", "own-ranks");
    int column = !own || npb->ranks < 16 ? 0 : npb->ranks < 64 ? 1 : 2;
    double scale = chosen(reproduction, "machine-scale");
    double start = recording->start * recording->seconds[column] / recording->seconds[0];
    double second = scale * (recording->seconds[column] - start) / recording->operations *
                    in_cache(recording, npb, 0x1p20 * chosen(reproduction, "machine-cache-MiB"));
    struct fmu_pace pace = {.rate = round(1 / second)};
    if (reproduction_chooses(reproduction, "machine-start", "in"))
        pace.start = round(scale * start * (npb->class == 'D' ? recording->more : 1) / npb->ranks / second);
    double per_second = chosen(reproduction, "machine-interrupts");
    if (per_second > 0) {
        pace.noise_every = round(pace.rate / per_second);
        pace.noise = round(1e-6 * chosen(reproduction, "machine-interrupt-us") * pace.rate);
    }
    return pace;
}
