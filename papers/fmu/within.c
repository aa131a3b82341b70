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

/* The mean is geometric or arithmetic, which the paper does not say. */
static double mean(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                   const int *list, int count, int ranks)
{
    bool is_arithmetic = reproduction_chooses(reproduction, "mean", "arithmetic");
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double ratio = speedup(reproduction, way, fabric, list[i], ranks);
        sum += is_arithmetic ? ratio : log(ratio);
    }
    return is_arithmetic ? sum / count : exp(sum / count);
}

enum { INTERCONNECTS = 2 };
static const char *const fabrics[INTERCONNECTS] = {"packet", "fmu"};

static void figure_16(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const names[INTERCONNECTS] = {"InfiniBand", "FMU"};
    char panel[32];
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "figure-16",
                         .title = "Figure 16: between nodes over one shared DDR channel",
                         .how = "Above 1, ranks spread over nodes are faster than ranks in one node, which "
                                "share its memory channel.",
                         .x = "benchmark",
                         .y = "speedup",
                         .kind = FIGURE_BARS,
                         .reference = 1});
    for (int ranks = 4; ranks <= 64; ranks *= 16)
        for (int i = 0; i < WORKLOADS; i++)
            for (int k = 0; k < INTERCONNECTS; k++) {
                snprintf(panel, sizeof panel, "%d ranks", ranks);
                reproduction_point(reproduction, panel, names[k], name_of(i),
                                   speedup(reproduction, way, fabrics[k], i, ranks));
            }
}

/* ----------------------------------------------------------------- in words */

static const char *const interconnects[INTERCONNECTS] = {"infiniband", "fmu"};
static const int npb[] = {0, 1, 2, 3}, large[] = {1, 2, 3, RING_LARGE}; /* CG, FT, IS and the ring */

/* The text calls InfiniBand's mean of 0.93 similar to the baseline: 7.5 % is similar. */
static double is_similar(double ratio)
{
    return fmu_holds(ratio, fabs(ratio - 1) <= 0.075);
}

static void claims_of_4_ranks(struct reproduction *reproduction, const struct fmu_way *way)
{
    for (int k = 0; k < INTERCONNECTS; k++) {
        double small = speedup(reproduction, way, fabrics[k], RING_SMALL, 4);
        reproduction_item_format(reproduction, NULL,
                                 is_similar(mean(reproduction, way, fabrics[k], npb, FMU_PROGRAMS, 4)),
                                 "figure-16/4-ranks/npb-similar-by-%s", interconnects[k]);
        reproduction_item_format(reproduction, NULL, fmu_holds(small, small < 1),
                                 "figure-16/4-ranks/ring-32KB-slower-by-%s", interconnects[k]);
    }
    double infiniband = speedup(reproduction, way, "packet", RING_LARGE, 4);
    reproduction_item(reproduction, "figure-16/4-ranks/ring-16MB-slower-by-infiniband", NULL,
                      fmu_holds(infiniband, infiniband < 1));
    reproduction_item(reproduction, "figure-16/4-ranks/ring-16MB-similar-by-fmu", NULL,
                      is_similar(speedup(reproduction, way, "fmu", RING_LARGE, 4)));
}

/* Whether a benchmark of 64 ranks is slower than within a node by both interconnects. */
static double is_slower(struct reproduction *reproduction, const struct fmu_way *way, int index)
{
    double infiniband = speedup(reproduction, way, "packet", index, 64),
           fmu = speedup(reproduction, way, "fmu", index, 64);
    return fmu_holds(infiniband + fmu, infiniband < 1 && fmu < 1);
}

static void claims_of_64_ranks(struct reproduction *reproduction, const struct fmu_way *way)
{
    double known = 0;
    bool improves = true;
    for (int k = 0; k < INTERCONNECTS; k++) {
        for (int i = 1; i < FMU_PROGRAMS; i++) {
            double ratio = speedup(reproduction, way, fabrics[k], i, 64);
            reproduction_item_format(reproduction, NULL, fmu_holds(ratio, ratio > 1),
                                     "figure-16/64-ranks/npb-%s-faster-by-%s", fmu_programs[i],
                                     interconnects[k]);
        }
        double few = mean(reproduction, way, fabrics[k], large, 4, 4),
               many = mean(reproduction, way, fabrics[k], large, 4, 64);
        known += few + many;
        improves = improves && many > few;
    }
    reproduction_item(reproduction, "figure-16/npb-and-ring-improve-with-ranks", NULL,
                      fmu_holds(known, improves));
    reproduction_item(reproduction, "figure-16/64-ranks/ring-32KB-slower", NULL,
                      is_slower(reproduction, way, RING_SMALL));
    reproduction_item(reproduction, "figure-16/64-ranks/npb-lu-slower", NULL,
                      is_slower(reproduction, way, 0));
}

void fmu_within(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    if (reproduction_draws(reproduction))
        figure_16(reproduction, &way);
    if (!reproduction_wants(reproduction, "figure-16/"))
        return;
    for (int k = 0; k < INTERCONNECTS; k++) {
        reproduction_item_format(reproduction, NULL,
                                 mean(reproduction, &way, fabrics[k], npb, FMU_PROGRAMS, 4),
                                 "figure-16/%s-npb-4-ranks", interconnects[k]);
        reproduction_item_format(reproduction, NULL, mean(reproduction, &way, fabrics[k], large, 4, 64),
                                 "figure-16/%s-large-64-ranks", interconnects[k]);
    }
    reproduction_item(reproduction, "figure-16/fmu-ring-16MB-64-ranks", NULL,
                      speedup(reproduction, &way, "fmu", RING_LARGE, 64));
    claims_of_4_ranks(reproduction, &way);
    claims_of_64_ranks(reproduction, &way);
}
