#include <math.h>
#include <stdio.h>

#include "reproduce/fmu.h"

/* Figure 13 and section VII-A: the ring benchmarks of Table 4, one collective with every rank as root in
 * turn, 100 times, on 64 ranks. */
enum { RANKS = 64, SIZES = 4, RINGS = 3 };
static const char *const sizes[SIZES] = {"32KiB", "256KiB", "2MiB", "16MiB"};
static const char *const rings[RINGS] = {"bcast", "reduce", "allreduce"};

static const struct run_facts *ring_run(struct reproduction *reproduction, const struct fmu_way *way,
                                        const char *fabric, const char *ring, const char *size, int fmus)
{
    char workload[FMU_WORKLOAD_TEXT];
    snprintf(workload, sizeof workload, "ring-%s:ranks=%d,bytes=%s,iterations=100", ring, RANKS, size);
    return fmu_run_with(reproduction, way, fabric, workload, "fmu.count=%d", fmus);
}

static double speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                      const char *size, int fmus)
{
    return ring_run(reproduction, way, "packet", ring, size, RANKS)->makespan_s /
           ring_run(reproduction, way, "fmu", ring, size, fmus)->makespan_s;
}

static void figure_13(struct reproduction *reproduction, const struct fmu_way *way)
{
    char id[48], title[96];
    snprintf(id, sizeof id, "figure-13-%s", way->name);
    snprintf(title, sizeof title, "Figure 13: ring benchmarks, FMU over InfiniBand (%s)", way->name);
    reproduction_figure(reproduction,
                        &(struct figure){.id = id,
                                         .title = title,
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
                                   speedup(reproduction, way, rings[ring], sizes[size], fmus));
            }
}

/* The most ranks per FMU at which no ring of 256 KiB or more is slower than over InfiniBand; 0 = at none. */
static double ranks_per_fmu(struct reproduction *reproduction, const struct fmu_way *way)
{
    for (int fmus = 1; fmus <= RANKS; fmus *= 2) {
        double least = INFINITY;
        for (int ring = 0; ring < RINGS; ring++)
            for (int size = 1; size < SIZES; size++) {
                double ratio = speedup(reproduction, way, rings[ring], sizes[size], fmus);
                least = ratio < least || isnan(ratio) ? ratio : least;
            }
        if (isnan(least) || least >= 1)
            return isnan(least) ? NAN : (double)RANKS / fmus;
    }
    return 0;
}

/* Waiting for FMUs alone: what is left without the waiting that no number of FMUs takes away, that of reads
 * for their writes and of accesses for the one channel of their node. */
static double contention_s(struct reproduction *reproduction, const struct fmu_way *way, int fmus)
{
    enum { PLENTY = 4096 };
    return run_metric(ring_run(reproduction, way, "fmu", "bcast", "16MiB", fmus), "queue_wait_mean_s") -
           run_metric(ring_run(reproduction, way, "fmu", "bcast", "16MiB", PLENTY), "queue_wait_mean_s");
}

/* "A small benchmark where all ranks send straight to the root": Ring_Reduce with the linear algorithm. */
static double binomial_over_naive(struct reproduction *reproduction, const char *fabric)
{
    static const char workload[] = "ring-reduce:ranks=64,bytes=16MiB,iterations=2";
    const struct fmu_way *way = &fmu_ways[FMU_CORRECT];
    return fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=linear")->makespan_s /
           fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=binomial")->makespan_s;
}

static void section_7a(struct reproduction *reproduction, const struct fmu_way *way)
{
    fmu_item(reproduction, way, speedup(reproduction, way, "bcast", "16MiB", 64), "figure-13/bcast-16MB");
    fmu_item(reproduction, way,
             (speedup(reproduction, way, "reduce", "16MiB", 64) +
              speedup(reproduction, way, "allreduce", "16MiB", 64)) /
                 2,
             "figure-13/reduce-and-allreduce-16MB");
    for (int ring = 0; ring < RINGS; ring++) {
        fmu_item(reproduction, way, speedup(reproduction, way, rings[ring], "32KiB", 64),
                 "figure-13/%s-32KB-slows-down", rings[ring]);
        fmu_item(reproduction, way, speedup(reproduction, way, rings[ring], "2MiB", 8),
                 "figure-13/%s-2MB-on-8-fmus", rings[ring]);
        fmu_item(reproduction, way,
                 speedup(reproduction, way, rings[ring], "16MiB", 32) /
                     speedup(reproduction, way, rings[ring], "16MiB", 64),
                 "figure-13/%s-32-fmus-as-64", rings[ring]);
    }
    fmu_item(reproduction, way, ranks_per_fmu(reproduction, way), "section-VII-A/ranks-per-fmu");
    fmu_item(reproduction, way, 1e9 * contention_s(reproduction, way, 16), "section-VII-A/wait-16-fmus");
    fmu_item(reproduction, way, 1e9 * contention_s(reproduction, way, 32), "section-VII-A/wait-32-fmus");
    fmu_item(reproduction, way, 1e9 * contention_s(reproduction, way, 64), "section-VII-A/wait-64-fmus");
}

void fmu_rings(struct reproduction *reproduction)
{
    for (int i = 0; i < FMU_PLAIN_WAYS; i++) {
        figure_13(reproduction, &fmu_ways[i]);
        section_7a(reproduction, &fmu_ways[i]);
    }
    fmu_item(reproduction, &fmu_ways[FMU_CORRECT], binomial_over_naive(reproduction, "fmu"),
             "section-VII-A/fmu-binomial-over-naive");
    fmu_item(reproduction, &fmu_ways[FMU_CORRECT], binomial_over_naive(reproduction, "packet"),
             "section-VII-A/infiniband-binomial-over-naive");
}
