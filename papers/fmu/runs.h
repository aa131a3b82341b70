#ifndef HELIO_PAPERS_FMU_RUNS_H
#define HELIO_PAPERS_FMU_RUNS_H

#include "papers/fmu/ways.h"

/* Runs in a way, NPB programs at its rate, and what more than one section takes from them. All numbers are
 * NaN while a run or a rate is missing. */
const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload);
/* With further settings, made from a format. */
const struct run_facts *fmu_run_with(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *workload, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The run on the interconnect that Table 5's idleness is measured on. */
const struct run_facts *fmu_idle_run(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *workload);

/* A ring benchmark of Table 4 ("bcast", "16MiB") on 64 ranks. */
enum { FMU_RING_RANKS = 64 };
const struct run_facts *fmu_ring_run(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *ring, const char *size, int fmus);

/* How long one message takes with nothing in its way: half of what another round of a ping-pong adds, so that
 * the barrier that the published simulator makes of finalize is not in it. */
double fmu_one_way_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                     double bytes);

/* The bandwidth of such a message, from the time of ten megabytes more. */
double fmu_bytes_per_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric);

/* The size at which a message takes equally long by both (Eq. 7), from the slopes of the two. */
double fmu_pivot_bytes(struct reproduction *reproduction, const struct fmu_way *way);

/* How much faster than over InfiniBand: one message, a ring benchmark of Figure 13, an NPB program. */
double fmu_message_speedup(struct reproduction *reproduction, const struct fmu_way *way, double bytes);
double fmu_ring_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                        const char *size, int fmus);
double fmu_npb_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                       const char *workload, int fmus);

/* Whether messages of 32 KB are slower than over InfiniBand, however many FMUs there are. */
double fmu_ring_slows_down(struct reproduction *reproduction, const struct fmu_way *way, const char *ring);

#endif
