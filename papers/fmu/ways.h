#ifndef HELIO_PAPERS_FMU_WAYS_H
#define HELIO_PAPERS_FMU_WAYS_H

#include "reproduce/paper.h"

/* The ways in which the paper is recomputed. Everything is computed by the correct model, and as the paper's
 * own simulator computes it. What depends on the rate of computation, which the paper does not state, is
 * computed twice in each: at the 12 Gflop/s of its nodes and the operations that the benchmarks count, and at
 * the rate that its idleness column implies (rate.h). */
struct fmu_way {
    const char *name;     /* the items' variant */
    const char *settings; /* the parameters that make the difference */
    bool simplecomm;      /* as the published simulator: finalize is a barrier, and it measures its own way */
    bool fitted; /* NPB programs compute at the rate fitted to Table 5 in the model that they run in */
};

enum { FMU_CORRECT, FMU_SIMPLECOMM, FMU_CORRECT_FITTED, FMU_SIMPLECOMM_FITTED, FMU_WAYS };
enum { FMU_PLAIN_WAYS = FMU_SIMPLECOMM + 1 }; /* for what does not compute */
extern const struct fmu_way fmu_ways[FMU_WAYS];

enum { FMU_PROGRAMS = 4 };
extern const char *const fmu_programs[FMU_PROGRAMS]; /* lu cg ft is, as in Table 5 */

/* Writes "npb:cg:class=C,ranks=16" into the buffer, and returns it. */
enum { FMU_WORKLOAD_TEXT = 64 };
const char *fmu_npb_text(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks);

/* The classes that are computed, a letter each: "CD", or "C" with --quick. */
const char *fmu_classes(const struct reproduction *reproduction);

/* How many ranks a program has at most: 64, as in the paper. With --quick LU has 16, since it sends a hundred
 * times the messages of the others. */
int fmu_most_ranks(const struct reproduction *reproduction, const char *program);

/* Begins the figure of one of the ways, whose name goes behind its id and its title. */
void fmu_figure(struct reproduction *reproduction, const struct fmu_way *way, const struct figure *figure);

/* A run in one of the ways, with further settings ("" for none). The way's `fitted` is not looked at. */
const struct run_facts *fmu_run_unfitted(struct reproduction *reproduction, const struct fmu_way *way,
                                         const char *fabric, const char *workload, const char *settings);

#endif
