#include "papers/fmu/rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where communication takes a fixed time, idle / (1 - idle) is proportional to the rate. So each step
 * multiplies the rate by the mean ratio of the published to the computed odds. The search ends where the mean
 * of the logarithms of these ratios is below FIT_END. It takes more than one step only because communication
 * and computation overlap. */
enum { FIT_STEPS = 12 };
static const double FIT_END = 0.002;

static double log_odds(double share)
{
    return log(share / (1 - share));
}

/* Mean logarithm of published over computed odds of a program's class C rows at this rate. */
static double residual(struct reproduction *reproduction, const struct fmu_way *way, const char *program,
                       double rate)
{
    const char *fabric = reproduction_choice(reproduction, "idleness-of");
    double sum = 0;
    int rows = 0;
    for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4, rows++) {
        char workload[FMU_WORKLOAD_TEXT], item[64], settings[64];
        snprintf(item, sizeof item, "table-5/%s.C.%d/idleness", program, ranks);
        snprintf(settings, sizeof settings, "compute.rate=%.0fflop/s", rate);
        const struct run_facts *run = fmu_run_at_peak(
            reproduction, fabric, fmu_npb_text(workload, program, 'C', ranks), way->rate_settings, settings);
        sum += log_odds(reproduction_published(reproduction, item) / 100) - log_odds(run->idle_fraction);
    }
    return sum / rows;
}

/* Four digits are more than the fit means, and keep the settings of runs readable. */
static double rounded(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 3);
    return round(rate / unit) * unit;
}

static double fit(struct reproduction *reproduction, const struct fmu_way *way, const char *const *programs,
                  int count)
{
    double rate = reproduction_parameter("compute.rate"), shift = 1;
    for (int step = 0; step < FIT_STEPS && !(fabs(shift) < FIT_END) && !isnan(rate); step++) {
        shift = 0;
        for (int i = 0; i < count; i++)
            shift += residual(reproduction, way, programs[i], rate) / count;
        if (!(fabs(shift) < FIT_END))
            rate = rounded(rate * exp(shift));
    }
    return rate;
}

double fmu_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *program)
{
    static const char *const is[] = {"is"};
    bool is_too_slow = fmu_programs_are_recorded(reproduction) && strcmp(program, "cg") == 0;
    switch (way->rate) {
    case FMU_RATE_PROGRAM:
        return fit(reproduction, way, &program, 1);
    case FMU_RATE_ALL:
        return fit(reproduction, way, fmu_programs, FMU_PROGRAMS);
    case FMU_RATE_IS:
        return fit(reproduction, way, is, 1) *
               (is_too_slow ? strtod(reproduction_choice(reproduction, "cg-too-slow"), NULL) : 1);
    case FMU_RATE_MACHINE: /* of recorded programs */
        return reproduction_parameter("compute.rate") /
               strtod(reproduction_choice(reproduction, "machine-scale"), NULL);
    case FMU_RATE_PEAK:
        break;
    }
    return reproduction_parameter("compute.rate");
}
