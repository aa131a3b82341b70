#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figure 3: eight NPB programs of class D. The authors measured them on nodes with FDR InfiniBand. Here they
 * are simulated, with 4 ranks and at the paper's peak rate, on a network of FDR's 54.5 Gb/s of data. */
enum { PROGRAMS = 8, RANKS = 4 };
static const char *const programs[PROGRAMS] = {"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"};
static const char FDR[] = "packet.bandwidth=54.54Gb/s";

static const struct run_facts *run(struct reproduction *reproduction, const char *program, int ranks,
                                   int ranks_per_node)
{
    char workload[FMU_WORKLOAD_TEXT];
    fmu_npb_text(workload, program, 'D', ranks);
    return fmu_run_with(reproduction, &fmu_ways[FMU_CORRECT], "packet", workload, "%s ranks_per_node=%d", FDR,
                        ranks_per_node);
}

static void draw_left(struct reproduction *reproduction)
{
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "figure-3-left",
                         .title = "Figure 3, left: share of communication, class D",
                         .how = "Share of the ranks' time that they wait in MPI, 4 ranks on 4 nodes. "
                                "The paper measured it, ours is simulated at 12 Gflop/s a rank.",
                         .x = "program",
                         .y = "% of the time",
                         .kind = FIGURE_BARS});
    for (int i = 0; i < PROGRAMS; i++)
        reproduction_point(reproduction, "", "communication", programs[i],
                           100 * run(reproduction, programs[i], RANKS, 1)->idle_fraction);
}

static void draw_right(struct reproduction *reproduction)
{
    reproduction_figure(reproduction,
                        &(struct figure){.id = "figure-3-right",
                                         .title = "Figure 3, right: 4 ranks in one node and in four, class D",
                                         .how = "Speedup over one rank alone; 4 would be perfect.",
                                         .x = "program",
                                         .y = "speedup",
                                         .kind = FIGURE_BARS});
    for (int i = 0; i < PROGRAMS; i++) {
        if (strcmp(programs[i], "is") == 0)
            continue; /* class D does not run on one rank */
        double alone_s = run(reproduction, programs[i], 1, 1)->makespan_s;
        reproduction_point(reproduction, "", "one node", programs[i],
                           alone_s / run(reproduction, programs[i], RANKS, RANKS)->makespan_s);
        reproduction_point(reproduction, "", "four nodes", programs[i],
                           alone_s / run(reproduction, programs[i], RANKS, 1)->makespan_s);
    }
}

void fmu_characterization(struct reproduction *reproduction)
{
    const struct fmu_way *way = &fmu_ways[FMU_CORRECT];
    if (reproduction_is_quick(reproduction))
        return;
    draw_left(reproduction);
    draw_right(reproduction);
    double sum = 0;
    for (int i = 0; i < PROGRAMS; i++)
        sum += run(reproduction, programs[i], RANKS, 1)->idle_fraction;
    reproduction_item_format(reproduction, way->name, 100 * sum / PROGRAMS, "figure-3/mean-communication");
    reproduction_item_format(reproduction, way->name, 100 * run(reproduction, "ft", RANKS, 1)->idle_fraction,
                             "figure-3/ft-communication");
    reproduction_item_format(reproduction, way->name, 100 * run(reproduction, "ep", RANKS, 1)->idle_fraction,
                             "figure-3/ep-communication");
    reproduction_item_format(reproduction, way->name, 100 * run(reproduction, "lu", RANKS, 1)->idle_fraction,
                             "figure-3/lu-communication");
}
