#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figure 13 and section VII-A: the ring benchmarks of Table 4, one collective with every rank as root in
 * turn, 100 times, on 64 ranks. */
enum { RANKS = FMU_RING_RANKS, SIZES = 4, RINGS = 3 };
static const char *const sizes[SIZES] = {"32KiB", "256KiB", "2MiB", "16MiB"};
static const char *const rings[RINGS] = {"bcast", "reduce", "allreduce"};

static void figure_13(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_figure(reproduction,
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

/* Whether the configuration counts this benchmark and size: "all", "bcast", "bcast-2MiB". */
static bool is_counted(const char *chosen, const char *ring, const char *size)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%s", ring, size);
    return strcmp(chosen, "all") == 0 || strcmp(chosen, ring) == 0 || strcmp(chosen, name) == 0;
}

static double mean_waiting_ns(struct reproduction *reproduction, const struct fmu_way *way, int fmus)
{
    const char *chosen = reproduction_choice(reproduction, "wait-of");
    bool by_message = reproduction_chooses(reproduction, "wait-per", "message");
    double sum_s = 0;
    int count = 0;
    for (int ring = 0; ring < RINGS; ring++)
        for (int size = 0; size < SIZES; size++)
            if (is_counted(chosen, rings[ring], sizes[size])) {
                sum_s += waiting_s(reproduction, way, rings[ring], sizes[size], fmus);
                count++;
            }
    return (by_message ? 2 : 1) * 1e9 * sum_s / count;
}

static void waiting_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_item(reproduction, "section-VII-A/wait-16-fmus", NULL,
                      mean_waiting_ns(reproduction, way, 16));
    reproduction_item(reproduction, "section-VII-A/wait-32-fmus", NULL,
                      mean_waiting_ns(reproduction, way, 32));
    double wait_ns = mean_waiting_ns(reproduction, way, 64);
    reproduction_item(reproduction, "section-VII-A/wait-64-fmus-is-picoseconds", NULL,
                      fmu_holds(wait_ns, wait_ns >= 1e-3 && wait_ns < 1));
}

/* "A small benchmark where all ranks send straight to the root" is Ring_Reduce with the linear algorithm. */
static double binomial_over_naive(struct reproduction *reproduction, const struct fmu_way *way,
                                  const char *fabric)
{
    char workload[FMU_WORKLOAD_TEXT];
    const char *fmus = reproduction_choice(reproduction, "naive-fmus");
    snprintf(workload, sizeof workload, "fmu-reduce:ranks=%s,bytes=%s,iterations=2",
             reproduction_choice(reproduction, "naive-ranks"),
             reproduction_choice(reproduction, "naive-size"));
    return fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=linear fmu.count=%s", fmus)
               ->makespan_s /
           fmu_run_with(reproduction, way, fabric, workload, "mpi.reduce=binomial fmu.count=%s", fmus)
               ->makespan_s;
}

/* Whether messages of 2 MB and more gain with eight FMUs and more. */
static double large_gain(struct reproduction *reproduction, const struct fmu_way *way, const char *ring)
{
    double least = INFINITY, known = 0;
    for (int fmus = 8; fmus <= RANKS; fmus *= 2)
        for (int size = SIZES - 2; size < SIZES; size++) {
            double ratio = fmu_ring_speedup(reproduction, way, ring, sizes[size], fmus);
            known += ratio;
            least = ratio < least ? ratio : least;
        }
    return fmu_holds(known, least > 1);
}

static void claims(struct reproduction *reproduction, const struct fmu_way *way, const char *ring)
{
    double small = fmu_ring_slows_down(reproduction, way, ring);
    double fewer = fmu_ring_speedup(reproduction, way, ring, "16MiB", 32) /
                   fmu_ring_speedup(reproduction, way, ring, "16MiB", 64);
    reproduction_item_format(reproduction, NULL, small, "figure-13/%s-32KB-slows-down", ring);
    reproduction_item_format(reproduction, NULL, large_gain(reproduction, way, ring),
                             "figure-13/%s-2MB-gains-from-8-fmus", ring);
    reproduction_item_format(reproduction, NULL, fmu_holds(fewer, fabs(fewer - 1) <= 0.03),
                             "figure-13/%s-32-fmus-as-64", ring);
}

static void figure_13_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_item(reproduction, "figure-13/bcast-16MB", NULL,
                      fmu_ring_speedup(reproduction, way, "bcast", "16MiB", 64));
    reproduction_item(reproduction, "figure-13/reduce-and-allreduce-16MB", NULL,
                      (fmu_ring_speedup(reproduction, way, "reduce", "16MiB", 64) +
                       fmu_ring_speedup(reproduction, way, "allreduce", "16MiB", 64)) /
                          2);
    for (int ring = 0; ring < RINGS; ring++)
        claims(reproduction, way, rings[ring]);
}

static void naive_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_item(reproduction, "section-VII-A/fmu-binomial-over-naive", NULL,
                      binomial_over_naive(reproduction, way, "fmu"));
    reproduction_item(reproduction, "section-VII-A/infiniband-binomial-over-naive", NULL,
                      binomial_over_naive(reproduction, way, "packet"));
}

void fmu_rings(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    /* No ring depends on the rate: drawn once for each model. */
    if (fmu_rates_are_of_programs(reproduction) && reproduction_draws(reproduction))
        figure_13(reproduction, &way);
    if (reproduction_wants(reproduction, "figure-13/"))
        figure_13_items(reproduction, &way);
    if (reproduction_wants(reproduction, "section-VII-A/ranks-per-fmu"))
        reproduction_item(reproduction, "section-VII-A/ranks-per-fmu", NULL,
                          ranks_per_fmu(reproduction, &way));
    if (reproduction_wants(reproduction, "section-VII-A/fmu-binomial") ||
        reproduction_wants(reproduction, "section-VII-A/infiniband-binomial"))
        naive_items(reproduction, &way);
    if (reproduction_wants(reproduction, "section-VII-A/wait-"))
        waiting_items(reproduction, &way);
}
