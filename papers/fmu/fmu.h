#ifndef HELIO_PAPERS_FMU_H
#define HELIO_PAPERS_FMU_H

#include "reproduce/paper.h"

/* The parts of the FMU paper: M. G. Palma et al., Inter-Node Message Passing Through Optical Reconfigurable
 * Memory Channel. Everything is computed by the correct model and as the paper's own simulator computes it,
 * and what depends on computation, which the paper does not state, twice in each: at its 12 Gflop/s and the
 * operations that the benchmarks count, and at the rate that its idleness column implies. */
struct fmu_way {
    const char *name;     /* the items' variant */
    const char *settings; /* what makes the difference */
    bool simplecomm;      /* as the published simulator: finalize is a barrier, and it measures its own way */
    bool fitted; /* NPB programs compute at the rate fitted to Table 5 in the model that they run in */
};

enum { FMU_CORRECT, FMU_SIMPLECOMM, FMU_CORRECT_FITTED, FMU_SIMPLECOMM_FITTED, FMU_WAYS };
enum { FMU_PLAIN_WAYS = FMU_SIMPLECOMM + 1 }; /* for what does not compute */
extern const struct fmu_way fmu_ways[FMU_WAYS];

enum { FMU_PROGRAMS = 4 };
extern const char *const fmu_programs[FMU_PROGRAMS]; /* lu cg ft is, as in Table 5 */

/* Gives the item, its name by a format. */
void fmu_item(struct reproduction *reproduction, const struct fmu_way *way, double ours, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* A run in one of the ways, and with further settings by a format; nothing but NaN where its rate is not
 * known yet. */
const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload);
const struct run_facts *fmu_run_with(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *workload, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* "npb:cg:class=C,ranks=16" into the buffer, which is returned. */
enum { FMU_WORKLOAD_TEXT = 64 };
const char *fmu_npb(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks);

/* How many ranks a program gets at most: 64, as in the paper, but 16 for LU in a hurry, since it sends a
 * hundred times the messages of the others. */
int fmu_most_ranks(const struct reproduction *reproduction, const char *program);

/* What one message takes with nothing in its way: half of what another round of a ping-pong adds, so that the
 * barrier that the published simulator makes of finalize is not in it. */
double fmu_one_way_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                     double bytes);

/* The size at which both cost the same (Eq. 7), from the slopes of the two. */
double fmu_pivot_bytes(struct reproduction *reproduction, const struct fmu_way *way);

/* How much faster than over InfiniBand: a ring benchmark of Figure 13 ("bcast", "16MiB"), an NPB program. */
double fmu_ring_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *ring,
                        const char *size, int fmus);
double fmu_npb_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                       const char *workload, int fmus);

/* Operations per second of a rank at which the class C rows of a program come out at the idleness of Table 5;
 * NaN until it is found. */
double fmu_fitted_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *program);

void fmu_characterization(struct reproduction *reproduction); /* Figure 3 */
void fmu_tables(struct reproduction *reproduction);           /* Tables 3, 4 and 5 */
void fmu_fit(struct reproduction *reproduction);           /* the rate behind Table 5, and what hangs on it */
void fmu_messages(struct reproduction *reproduction);      /* Figures 11 and 12 */
void fmu_rings(struct reproduction *reproduction);         /* Figure 13, section VII-A */
void fmu_npb_speedups(struct reproduction *reproduction);  /* Figures 14 and 15, section VII-B */
void fmu_mapping_study(struct reproduction *reproduction); /* section VI-D */
void fmu_within_node(struct reproduction *reproduction);   /* Figure 16, section VII-C */
void fmu_conclusions(struct reproduction *reproduction);   /* which of them survive, and what they rest on */
void fmu_beyond(struct reproduction *reproduction);        /* what the paper did not try */

#endif
