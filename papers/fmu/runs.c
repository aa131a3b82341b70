#include "papers/fmu/runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/machine.h"
#include "papers/fmu/rate.h"

/* An NPB program on the machine of the way: its text, and its rate as a setting. */
static void put_pace(struct reproduction *reproduction, const struct fmu_npb *npb,
                     char text[static FMU_LONGEST_WORKLOAD], char *rate, size_t size)
{
    struct fmu_pace pace = fmu_machine_pace(reproduction, npb);
    size_t length = strlen(text);
    snprintf(text + length, FMU_LONGEST_WORKLOAD - length, ",start=%.0f,noise_every=%.0f,noise=%.0f",
             pace.start, pace.noise_every, pace.noise);
    snprintf(rate, size, "compute.rate=%.0fflop/s", pace.rate);
}

/* Adds "compute.rate=..." for an NPB workload, and the machine's part to its text; false while the rate is
 * not known. */
static bool put_rate(struct reproduction *reproduction, const struct fmu_way *way,
                     char text[static FMU_LONGEST_WORKLOAD], char *buffer, size_t size)
{
    struct fmu_npb npb;
    *buffer = '\0';
    if (way->rate == FMU_RATE_PEAK || !fmu_is_npb(text, &npb))
        return true;
    if (way->rate == FMU_RATE_MACHINE && !fmu_programs_are_recorded(reproduction)) {
        put_pace(reproduction, &npb, text, buffer, size);
        return true;
    }
    double rate = fmu_rate(reproduction, way, npb.program);
    snprintf(buffer, size, "compute.rate=%.0fflop/s", rate);
    return !isnan(rate);
}

static const struct run_facts *run(struct reproduction *reproduction, const struct fmu_way *way,
                                   const char *fabric, const char *workload, const char *settings)
{
    char rate[64], all[400], text[FMU_LONGEST_WORKLOAD];
    snprintf(text, sizeof text, "%s", workload);
    if (!put_rate(reproduction, way, text, rate, sizeof rate))
        return &run_unknown;
    snprintf(all, sizeof all, "%s%s%s", rate, *rate && *settings ? " " : "", settings);
    return fmu_run_at_peak(reproduction, fabric, text, way->settings, all);
}

const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload)
{
    return run(reproduction, way, fabric, workload, "");
}

const struct run_facts *fmu_run_with(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *workload, const char *format, ...)
{
    char settings[256];
    va_list args;
    va_start(args, format);
    vsnprintf(settings, sizeof settings, format, args);
    va_end(args);
    return run(reproduction, way, fabric, workload, settings);
}

const struct run_facts *fmu_idle_run(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *workload)
{
    return fmu_run(reproduction, way, reproduction_choice(reproduction, "idleness-of"), workload);
}

const struct run_facts *fmu_ring_run(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *ring, const char *size, int fmus)
{
    char workload[FMU_WORKLOAD_TEXT];
    snprintf(workload, sizeof workload, "fmu-%s:ranks=%d,bytes=%s,iterations=100", ring, FMU_RING_RANKS,
             size);
    return fmu_run_with(reproduction, way, fabric, workload, "fmu.count=%d", fmus);
}

double fmu_one_way_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                     double bytes)
{
    double makespan_s[2];
    for (int i = 0; i < 2; i++) {
        char workload[FMU_WORKLOAD_TEXT];
        snprintf(workload, sizeof workload, "pingpong:bytes=%.0fB,iterations=%d", bytes, i + 1);
        makespan_s[i] = fmu_run(reproduction, way, fabric, workload)->makespan_s;
    }
    return (makespan_s[1] - makespan_s[0]) / 2;
}

double fmu_bytes_per_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric)
{
    const double bytes = 1e7;
    return bytes / (fmu_one_way_s(reproduction, way, fabric, 2 * bytes) -
                    fmu_one_way_s(reproduction, way, fabric, bytes));
}

/* Both costs are straight lines, so two sizes of each give where they cross. */
double fmu_pivot_bytes(struct reproduction *reproduction, const struct fmu_way *way)
{
    const double bytes = 35000, more = 60000;
    double low =
        fmu_one_way_s(reproduction, way, "fmu", bytes) - fmu_one_way_s(reproduction, way, "packet", bytes);
    double high =
        fmu_one_way_s(reproduction, way, "fmu", more) - fmu_one_way_s(reproduction, way, "packet", more);
    return bytes + (more - bytes) * low / (low - high);
}

double fmu_message_speedup(struct reproduction *reproduction, const struct fmu_way *way, double bytes)
{
    return fmu_one_way_s(reproduction, way, "packet", bytes) / fmu_one_way_s(reproduction, way, "fmu", bytes);
}

double fmu_ring_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                        const char *size, int fmus)
{
    return fmu_ring_run(reproduction, way, "packet", ring, size, FMU_RING_RANKS)->makespan_s /
           fmu_ring_run(reproduction, way, "fmu", ring, size, fmus)->makespan_s;
}

double fmu_ring_slows_down(struct reproduction *reproduction, const struct fmu_way *way, const char *ring)
{
    double most = 0, known = 0;
    for (int fmus = 1; fmus <= FMU_RING_RANKS; fmus *= 2) {
        double ratio = fmu_ring_speedup(reproduction, way, ring, "32KiB", fmus);
        known += ratio;
        most = ratio > most ? ratio : most;
    }
    return fmu_holds(known, most < 1);
}

double fmu_npb_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                       const char *workload, int fmus)
{
    return fmu_run(reproduction, way, "packet", workload)->makespan_s /
           fmu_run_with(reproduction, way, fabric, workload, "fmu.count=%d", fmus)->makespan_s;
}
