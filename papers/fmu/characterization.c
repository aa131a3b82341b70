#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figure 3: eight NPB programs of class D. The authors measured them on nodes with FDR InfiniBand, so its
 * numbers cannot be computed. What is drawn is simulated, with 4 ranks at the paper's peak rate, on a network
 * of FDR's 54.5 Gb/s of data. */
enum { PROGRAMS = 8, RANKS = 4 };
static const char *const programs[PROGRAMS] = {"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"};
static const char FDR[] = "packet.bandwidth=54.54Gb/s";

static const struct run_facts *run(struct reproduction *reproduction, const char *program, int ranks,
                                   int ranks_per_node)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    char workload[FMU_WORKLOAD_TEXT];
    way.rate = FMU_RATE_PEAK;
    fmu_npb_text(workload, program, 'D', ranks);
    return fmu_run_with(reproduction, &way, "packet", workload, "%s ranks_per_node=%d", FDR, ranks_per_node);
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
                         .kind = FIGURE_BARS,
                         .is_common = true});
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
                                         .kind = FIGURE_BARS,
                                         .is_common = true});
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
    if (reproduction_is_quick(reproduction) || !reproduction_is_first(reproduction) ||
        !reproduction_draws(reproduction))
        return;
    draw_left(reproduction);
    draw_right(reproduction);
}
