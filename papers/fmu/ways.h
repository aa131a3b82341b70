#ifndef HELIO_PAPERS_FMU_WAYS_H
#define HELIO_PAPERS_FMU_WAYS_H

#include "reproduce/paper.h"

/* The way in which a configuration (unknowns.csv) recomputes the paper. The rate of computation is not in the
 * text: it is the 12 Gflop/s of the nodes, for the operations that the benchmarks count, or what Table 5's
 * idleness implies (rate.h). NPB programs are generated, or recorded. */
enum fmu_rate { FMU_RATE_PEAK, FMU_RATE_PROGRAM, FMU_RATE_ALL, FMU_RATE_IS, FMU_RATE_MACHINE };

struct fmu_way {
    const char *settings;      /* parameters beside those of the configuration: "" for none */
    const char *rate_settings; /* the same while the rate is fitted */
    bool simplecomm;           /* as the published simulator, which measures its own way */
    enum fmu_rate rate;        /* at which NPB programs compute */
};

/* The way of the configuration. */
struct fmu_way fmu_way_chosen(struct reproduction *reproduction);
/* Whether each program has a fitted rate. What takes long or does not depend on the rate is then computed,
 * once for each model. */
bool fmu_rates_are_of_programs(struct reproduction *reproduction);

enum { FMU_PROGRAMS = 4 };
extern const char *const fmu_programs[FMU_PROGRAMS]; /* lu cg ft is, as in Table 5 */

/* Writes "npb:cg:class=C,ranks=16" into the buffer, and returns it. */
enum { FMU_WORKLOAD_TEXT = 64, FMU_LONGEST_WORKLOAD = 192 };
const char *fmu_npb_text(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks);

/* Whether NPB programs of class C are recorded ones; none of class D is. */
bool fmu_programs_are_recorded(struct reproduction *reproduction);

/* The classes that are computed, a letter each: "CD", or "C" with --quick and where programs are recorded. */
const char *fmu_classes(struct reproduction *reproduction);

enum { FMU_RANKS_AT_MOST = 64 };

/* Its class and number of ranks, if the workload is an NPB program; false: it is none. */
struct fmu_npb {
    char program[8], class;
    int ranks;
};
bool fmu_is_npb(const char *workload, struct fmu_npb *npb);

/* A run of a generated program, with parameters. With --quick LU and the rings, which send most of all
 * messages, are computed from some of their iterations, which are alike. */
const struct run_facts *fmu_run_generated(struct reproduction *reproduction, const char *fabric,
                                          const char *workload, const char *settings);

/* 1 where a claim holds, 0 where it does not, NaN while `known`, a sum of what it rests on, is NaN. */
double fmu_holds(double known, bool claim);

/* A run at the peak, with parameters from two lists, "" for none. Where programs are recorded, that of class
 * C on so many ranks is the trace "recordings/cg.C.16.tar.zst", or the folder "recordings/cg.C.16". Their
 * operations are seconds x 12 Gflop/s, so that at the peak they take the time that was recorded. */
const struct run_facts *fmu_run_at_peak(struct reproduction *reproduction, const char *fabric,
                                        const char *workload, const char *first, const char *second);

#endif
