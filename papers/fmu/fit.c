#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/rate.h"
#include "papers/fmu/runs.h"

/* The rate that fits Table 5 (rate.h), what the fit leaves, and how the speedups depend on the rate. */

/* ------------------------------------------------- what depends on the rate */

/* Speedups of class C on 64 FMUs from a 256th of the paper's rate to four times it. */
static void rate_figure(struct reproduction *reproduction, const struct fmu_way *way)
{
    int ranks = reproduction_is_quick(reproduction) ? 16 : 64;
    reproduction_figure(
        reproduction,
        &(struct figure){
            .id = "compute-rate",
            .title = "What Figure 14 hangs on: the rate of computation",
            .says = "Speedup over InfiniBand with 64 FMUs, NPB class C.",
            .how = "Where computation is fast, nearly all time is communication, and the speedup "
                   "shows how fast the fabric is. Where computation is slow, all fabrics look alike. "
                   "The paper's 12 Gflop/s is the peak of its nodes, which programs do not reach.",
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
                fmu_npb_text(workload, fmu_programs[i], 'C', ranks);
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
static void draw_program(struct reproduction *reproduction, const struct fmu_way *way, const char *program)
{
    for (const char *class = fmu_classes(reproduction); *class; class ++)
        for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4) {
            char workload[FMU_WORKLOAD_TEXT], item[64], row[16];
            snprintf(item, sizeof item, "table-5/%s.%c.%d/idleness", program, *class, ranks);
            snprintf(row, sizeof row, "%c.%d", *class, ranks);
            fmu_npb_text(workload, program, *class, ranks);
            reproduction_point(reproduction, program, "paper", row,
                               reproduction_published(reproduction, item));
            reproduction_point(reproduction, program, "ours", row,
                               100 * fmu_idle_run(reproduction, way, workload)->idle_fraction);
        }
}

static void fit_figures(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "fit",
                         .title = "The computation behind Table 5: a fit",
                         .says = "Idleness with a rate of computation found from the rows of class C. Those "
                                 "of class D are held out.",
                         .how = "The list of numbers has the deviation of every row.",
                         .x = "class and ranks",
                         .y = "% idle",
                         .kind = FIGURE_BARS});
    for (int i = 0; i < FMU_PROGRAMS; i++)
        draw_program(reproduction, way, fmu_programs[i]);
    reproduction_figure(reproduction, &(struct figure){.id = "rates",
                                                       .title = "The fitted rates of computation",
                                                       .says = "The paper's nodes have a peak of 12 Gflop/s.",
                                                       .x = "program",
                                                       .y = "Gflop/s per rank",
                                                       .kind = FIGURE_BARS});
    for (int i = 0; i < FMU_PROGRAMS; i++)
        reproduction_point(reproduction, "", "rate", fmu_programs[i],
                           1e-9 * fmu_rate(reproduction, way, fmu_programs[i]));
}

void fmu_fit(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    if (way.rate == FMU_RATE_PEAK || !reproduction_draws(reproduction))
        return;
    fit_figures(reproduction, &way);
    if (!fmu_rates_are_of_programs(reproduction))
        return;
    way.rate = FMU_RATE_PEAK; /* each run sets its own */
    rate_figure(reproduction, &way);
}
