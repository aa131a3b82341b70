#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figure 16 and section VII-C: what ranks gain or lose when they spread from one node, with its one DDR
 * channel, to several.
 *
 * In the correct model that channel, which all ranks of the node share, is a single FMU without a switch and
 * with twice the bandwidth, since a message passes the channel once and an FMU twice. In the published
 * simulator it is InfiniBand's contention model with all ranks on one node. */
enum { WORKLOADS = FMU_PROGRAMS + 2, RING_LARGE = WORKLOADS - 1, RING_SMALL = RING_LARGE - 1 };

static const char *workload_of(char buffer[static FMU_WORKLOAD_TEXT], int index, int ranks)
{
    if (index < FMU_PROGRAMS)
        return fmu_npb_text(buffer, fmu_programs[index], 'C', ranks);
    snprintf(buffer, FMU_WORKLOAD_TEXT, "fmu-bcast:ranks=%d,bytes=%s,iterations=100", ranks,
             index == RING_LARGE ? "16MiB" : "32KiB");
    return buffer;
}

static const char *name_of(int index)
{
    return index < FMU_PROGRAMS ? fmu_programs[index] : index == RING_LARGE ? "ring 16 MB" : "ring 32 KB";
}

static double within_s(struct reproduction *reproduction, const struct fmu_way *way, const char *workload,
                       int ranks)
{
    if (way->simplecomm)
        return fmu_run_with(reproduction, way, "packet", workload, "ranks_per_node=%d", ranks)->makespan_s;
    return fmu_run_with(reproduction, way, "fmu", workload,
                        "fmu.count=1 fmu.t_switch=0ps fmu.bandwidth=153.6GB/s fmu.capacity=1TB")
        ->makespan_s;
}

static double speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                      int index, int ranks)
{
    char workload[FMU_WORKLOAD_TEXT];
    workload_of(workload, index, ranks);
    return within_s(reproduction, way, workload, ranks) /
           fmu_run(reproduction, way, fabric, workload)->makespan_s;
}

/* The mean is geometric. In an arithmetic mean of 2.81, FMU's 8.8 on the ring would leave a mean of 0.81 for
 * the other three, which the paper calls speedups. */
static double mean(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                   const int *list, int count, int ranks)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += log(speedup(reproduction, way, fabric, list[i], ranks));
    return exp(sum / count);
}

static bool is_drawn(const struct reproduction *reproduction, int index, int ranks)
{
    return index >= FMU_PROGRAMS || ranks <= fmu_most_ranks(reproduction, fmu_programs[index]);
}

static void figure_16(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const fabrics[] = {"packet", "fmu"}, *const names[] = {"InfiniBand", "FMU"};
    char panel[32];
    fmu_figure(reproduction, way,
               &(struct figure){.id = "figure-16",
                                .title = "Figure 16: between nodes over one shared DDR channel",
                                .how = "Above 1, ranks spread over nodes are faster than ranks in one node, "
                                       "which share its memory channel.",
                                .x = "benchmark",
                                .y = "speedup",
                                .kind = FIGURE_BARS,
                                .reference = 1});
    for (int ranks = 4; ranks <= 64; ranks *= 16)
        for (int i = 0; i < WORKLOADS; i++)
            for (int k = 0; k < 2 && is_drawn(reproduction, i, ranks); k++) {
                snprintf(panel, sizeof panel, "%d ranks", ranks);
                reproduction_point(reproduction, panel, names[k], name_of(i),
                                   speedup(reproduction, way, fabrics[k], i, ranks));
            }
}

void fmu_within(struct reproduction *reproduction)
{
    static const int npb[] = {0, 1, 2, 3}, large[] = {1, 2, 3, RING_LARGE};
    for (int i = 0; i < FMU_WAYS; i++) {
        const struct fmu_way *way = &fmu_ways[i];
        figure_16(reproduction, way);
        reproduction_item_format(reproduction, way->name, mean(reproduction, way, "fmu", npb, 4, 4),
                                 "figure-16/fmu-npb-4-ranks");
        reproduction_item_format(reproduction, way->name, mean(reproduction, way, "packet", npb, 4, 4),
                                 "figure-16/infiniband-npb-4-ranks");
        reproduction_item_format(reproduction, way->name, speedup(reproduction, way, "fmu", RING_LARGE, 64),
                                 "figure-16/fmu-ring-16MB-64-ranks");
        reproduction_item_format(reproduction, way->name, mean(reproduction, way, "fmu", large, 4, 64),
                                 "figure-16/fmu-large-64-ranks");
        reproduction_item_format(reproduction, way->name, mean(reproduction, way, "packet", large, 4, 64),
                                 "figure-16/infiniband-large-64-ranks");
    }
}
