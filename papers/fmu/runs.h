#ifndef HELIO_PAPERS_FMU_RUNS_H
#define HELIO_PAPERS_FMU_RUNS_H

#include "papers/fmu/ways.h"

/* Runs in one of the ways, NPB programs at the fitted rate where the way says so, and what more than one
 * section takes from them. All numbers are NaN while a run or a rate is missing. */
const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload);
/* With further settings, made from a format. */
const struct run_facts *fmu_run_with(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *workload, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A ring benchmark of Table 4 ("bcast", "16MiB") on 64 ranks. */
enum { FMU_RING_RANKS = 64 };
const struct run_facts *fmu_ring_run(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *ring, const char *size, int fmus);

/* How long one message takes with nothing in its way: half of what another round of a ping-pong adds, so that
 * the barrier that the published simulator makes of finalize is not in it. */
double fmu_one_way_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                     double bytes);

/* The size at which a message takes equally long by both (Eq. 7), from the slopes of the two. */
double fmu_pivot_bytes(struct reproduction *reproduction, const struct fmu_way *way);

/* How much faster than over InfiniBand: a ring benchmark of Figure 13, an NPB program. */
double fmu_ring_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                        const char *size, int fmus);
double fmu_npb_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                       const char *workload, int fmus);

#endif
