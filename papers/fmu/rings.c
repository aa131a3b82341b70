#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figure 13 and section VII-A: the ring benchmarks of Table 4, one collective with every rank as root in
 * turn, 100 times, on 64 ranks. */
enum { RANKS = FMU_RING_RANKS, SIZES = 4, RINGS = 3 };
static const char *const sizes[SIZES] = {"32KiB", "256KiB", "2MiB", "16MiB"};
static const char *const rings[RINGS] = {"bcast", "reduce", "allreduce"};

static void figure_13(struct reproduction *reproduction, const struct fmu_way *way)
{
    fmu_figure(reproduction, way,
               &(struct figure){.id = "figure-13",
                                .title = "Figure 13: ring benchmarks, FMU over InfiniBand",
                                .says = "64 ranks, one per node, 100 iterations.",
                                .how = "Above the dashed line FMU is faster than InfiniBand.",
                                .x = "FMUs",
                                .y = "speedup",
                                .kind = FIGURE_BARS,
                                .reference = 1});
    for (int ring = 0; ring < RINGS; ring++)
        for (int fmus = 1; fmus <= RANKS; fmus *= 2)
            for (int size = 0; size < SIZES; size++) {
                char panel[32], x[16];
                snprintf(panel, sizeof panel, "Ring_%s", rings[ring]);
                snprintf(x, sizeof x, "%d", fmus);
                reproduction_point(reproduction, panel, sizes[size], x,
                                   fmu_ring_speedup(reproduction, way, rings[ring], sizes[size], fmus));
            }
}

/* The most ranks per FMU with which no ring of 256 KiB or more is slower than over InfiniBand; 0 = none. */
static double ranks_per_fmu(struct reproduction *reproduction, const struct fmu_way *way)
{
    for (int fmus = 1; fmus <= RANKS; fmus *= 2) {
        double least = INFINITY;
        for (int ring = 0; ring < RINGS; ring++)
            for (int size = 1; size < SIZES; size++) {
                double ratio = fmu_ring_speedup(reproduction, way, rings[ring], sizes[size], fmus);
                least = ratio < least || isnan(ratio) ? ratio : least;
            }
        if (isnan(least) || least >= 1)
            return isnan(least) ? NAN : (double)RANKS / fmus;
    }
    return 0;
}

/* The mean time that an access waits for its FMU. The published simulator counts it itself, once for the
 * write and once for the read of a message. In the correct model it is the waiting time less that with plenty
 * of FMUs: reads then still wait for their writes, and accesses for the one channel of their node. */
static double waiting_s(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                        const char *size, int fmus)
{
    enum { PLENTY = 4096 };
    const struct run_facts *run = fmu_ring_run(reproduction, way, "fmu", ring, size, fmus);
    if (way->simplecomm)
        return run_metric(run, "congestion_sum_s") / (2 * run->messages);
    return run_metric(run, "queue_wait_mean_s") -
           run_metric(fmu_ring_run(reproduction, way, "fmu", ring, size, PLENTY), "queue_wait_mean_s");
}

/* The paper does not say which benchmark its waiting times are of. Here is each, as the mean over its four
 * sizes. */
static void waiting_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    for (int fmus = 16; fmus <= RANKS; fmus *= 2)
        for (int ring = 0; ring < RINGS; ring++) {
            double sum_s = 0;
            for (int size = 0; size < SIZES; size++)
                sum_s += waiting_s(reproduction, way, rings[ring], sizes[size], fmus);
            char item[48], variant[48];
            snprintf(item, sizeof item, "section-VII-A/wait-%d-fmus", fmus);
            snprintf(variant, sizeof variant, "%s-ring-%s", way->name, rings[ring]);
            reproduction_item(reproduction, item, variant, 1e9 * sum_s / SIZES);
        }
}

/* "A small benchmark where all ranks send straight to the root" is Ring_Reduce with the linear algorithm. */
static double binomial_over_naive(struct reproduction *reproduction, const struct fmu_way *way,
                                  const char *fabric)
{
    static const char workload[] = "fmu-reduce:ranks=64,bytes=16MiB,iterations=2";
    return fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=linear")->makespan_s /
           fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=binomial")->makespan_s;
}

static void section_7a(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_item_format(reproduction, way->name,
                             fmu_ring_speedup(reproduction, way, "bcast", "16MiB", 64),
                             "figure-13/bcast-16MB");
    reproduction_item_format(reproduction, way->name,
                             (fmu_ring_speedup(reproduction, way, "reduce", "16MiB", 64) +
                              fmu_ring_speedup(reproduction, way, "allreduce", "16MiB", 64)) /
                                 2,
                             "figure-13/reduce-and-allreduce-16MB");
    for (int ring = 0; ring < RINGS; ring++) {
        reproduction_item_format(reproduction, way->name,
                                 fmu_ring_speedup(reproduction, way, rings[ring], "32KiB", 64),
                                 "figure-13/%s-32KB-slows-down", rings[ring]);
        reproduction_item_format(reproduction, way->name,
                                 fmu_ring_speedup(reproduction, way, rings[ring], "2MiB", 8),
                                 "figure-13/%s-2MB-on-8-fmus", rings[ring]);
        reproduction_item_format(reproduction, way->name,
                                 fmu_ring_speedup(reproduction, way, rings[ring], "16MiB", 32) /
                                     fmu_ring_speedup(reproduction, way, rings[ring], "16MiB", 64),
                                 "figure-13/%s-32-fmus-as-64", rings[ring]);
    }
    reproduction_item_format(reproduction, way->name, ranks_per_fmu(reproduction, way),
                             "section-VII-A/ranks-per-fmu");
    reproduction_item_format(reproduction, way->name, binomial_over_naive(reproduction, way, "fmu"),
                             "section-VII-A/fmu-binomial-over-naive");
    reproduction_item_format(reproduction, way->name, binomial_over_naive(reproduction, way, "packet"),
                             "section-VII-A/infiniband-binomial-over-naive");
}

void fmu_rings(struct reproduction *reproduction)
{
    for (int i = 0; i < FMU_PLAIN_WAYS; i++) {
        figure_13(reproduction, &fmu_ways[i]);
        section_7a(reproduction, &fmu_ways[i]);
        waiting_items(reproduction, &fmu_ways[i]);
    }
}
