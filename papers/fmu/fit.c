#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"

/* The computation behind Table 5. The paper gives a node's peak rate, and neither the operations that its
 * traces count nor the share of the peak that was reached, so the rate is found from the one column that
 * depends on it: the idleness of the class C rows, taken to be that over InfiniBand. Class D is held out.
 *
 * Where communication takes a fixed time, idle / (1 - idle) is proportional to the rate. So each step
 * multiplies the rate by the mean ratio of the published to the computed odds; it ends where the mean of the
 * logarithms of these ratios is below FIT_END, and needs more than one step only because communication and
 * computation overlap. */
enum { FIT_STEPS = 12 };
static const double FIT_END = 0.002;

static double log_odds(double share)
{
    return log(share / (1 - share));
}

/* Mean logarithm of published over computed odds of a program's class C rows at this rate; in a hurry LU's
 * row of 64 ranks is not among them. */
static double residual(struct reproduction *reproduction, const struct fmu_way *way, const char *program,
                       double rate)
{
    double sum = 0;
    int rows = 0;
    for (int ranks = 4; ranks <= fmu_most_ranks(reproduction, program); ranks *= 4, rows++) {
        char workload[FMU_WORKLOAD_TEXT], item[64];
        snprintf(item, sizeof item, "table-5/%s.C.%d/idleness", program, ranks);
        const struct run_facts *run =
            fmu_run_with(reproduction, way, "packet", fmu_npb(workload, program, 'C', ranks),
                         "compute.rate=%.0fflop/s", rate);
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

double fmu_fitted_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *program)
{
    return fit(reproduction, way, &program, 1);
}

/* --------------------------------------------------------------------------------- what depends on the rate
 */

/* Speedups of class C on 64 FMUs from a 256th of the paper's rate to four times it. */
static void rate_figure(struct reproduction *reproduction, const struct fmu_way *way)
{
    int ranks = reproduction_is_quick(reproduction) ? 16 : 64;
    char id[64], title[128];
    snprintf(id, sizeof id, "compute-rate-%s", way->name);
    snprintf(title, sizeof title, "What Figure 14 hangs on: the rate of computation (%s)", way->name);
    reproduction_figure(
        reproduction,
        &(struct figure){.id = id,
                         .title = title,
                         .says = "Speedup over InfiniBand with 64 FMUs, NPB class C.",
                         .how =
                             "Where computation is fast, communication is all there is, and the speedup "
                             "tells how fast the fabric is; where it is slow, every fabric looks the same. "
                             "The paper's 12 Gflop/s is the peak of its nodes, not what a program reaches.",
                         .x = "Gflop/s per rank",
                         .y = "speedup",
                         .kind = FIGURE_LINES,
                         .x_log = true,
                         .reference = 1});
    for (int fabric = 0; fabric < 2; fabric++)
        for (int i = 0; i < FMU_PROGRAMS; i++)
            for (double rate = 12e9 / 256; rate <= 48e9; rate *= 2) {
                char workload[FMU_WORKLOAD_TEXT], panel[64];
                const char *names[] = {"fmu", "hybrid"};
                fmu_npb(workload, fmu_programs[i], 'C', ranks);
                snprintf(panel, sizeof panel, "%s, %d ranks", names[fabric], ranks);
                double network_s =
                    fmu_run_with(reproduction, way, "packet", workload, "compute.rate=%.0fflop/s", rate)
                        ->makespan_s;
                double ours_s =
                    fmu_run_with(reproduction, way, names[fabric], workload, "compute.rate=%.0fflop/s", rate)
                        ->makespan_s;
                reproduction_point_at(reproduction, panel, fmu_programs[i], rate * 1e-9, network_s / ours_s);
            }
}

/* What the fit leaves: classes C, which it saw, and D, which it did not. */
static void draw_program(struct reproduction *reproduction, const char *program)
{
    static const int ways[] = {FMU_CORRECT_FITTED, FMU_SIMPLECOMM_FITTED};
    for (const char *class = reproduction_is_quick(reproduction) ? "C" : "CD"; *class; class ++)
        for (int ranks = 4; ranks <= fmu_most_ranks(reproduction, program); ranks *= 4) {
            char workload[FMU_WORKLOAD_TEXT], item[64], row[16];
            snprintf(item, sizeof item, "table-5/%s.%c.%d/idleness", program, *class, ranks);
            snprintf(row, sizeof row, "%c.%d", *class, ranks);
            reproduction_point(reproduction, program, "paper", row,
                               reproduction_published(reproduction, item));
            fmu_npb(workload, program, *class, ranks);
            for (int i = 0; i < 2; i++)
                reproduction_point(
                    reproduction, program, fmu_ways[ways[i]].name, row,
                    100 * fmu_run(reproduction, &fmu_ways[ways[i]], "packet", workload)->idle_fraction);
        }
}

static void fit_figure(struct reproduction *reproduction)
{
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "fit",
            .title = "The computation behind Table 5: a fit",
            .says =
                "Idleness over InfiniBand with one rate of computation per program, found from the rows of "
                "class C. Those of class D are held out.",
            .how = "The list of numbers has the deviation of every row, as correct-fitted and "
                   "simplecomm-fitted.",
            .x = "class and ranks",
            .y = "% idle",
            .kind = FIGURE_BARS});
    for (int i = 0; i < FMU_PROGRAMS; i++)
        draw_program(reproduction, fmu_programs[i]);
}

void fmu_fit(struct reproduction *reproduction)
{
    fit_figure(reproduction);
    for (int i = 0; i < FMU_PLAIN_WAYS; i++) {
        const struct fmu_way *way = &fmu_ways[i];
        for (int k = 0; k < FMU_PROGRAMS; k++)
            fmu_item(reproduction, way, 1e-9 * fmu_fitted_rate(reproduction, way, fmu_programs[k]),
                     "fit/compute-rate/%s", fmu_programs[k]);
        fmu_item(reproduction, way, 1e-9 * fit(reproduction, way, fmu_programs, FMU_PROGRAMS),
                 "fit/compute-rate/all");
        rate_figure(reproduction, way);
    }
}
