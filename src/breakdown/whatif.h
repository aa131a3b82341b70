#ifndef HELIO_BREAKDOWN_WHATIF_H
#define HELIO_BREAKDOWN_WHATIF_H

#include "breakdown/model.h"

/* What a change of a component gains (section 7 of "Breaking Band"). A change is made to the times of the
 * system, and the model is made anew. */

/* What can be changed: one component or several, as a set of bits 1 << enum system_time. */
struct whatif_target {
    const char *name;
    uint32_t times;
    uint32_t parts; /* of a set: its parts of the latency; 0: a single component */
};

/* The index-th target, single components first; NULL behind the last. */
const struct whatif_target *whatif_target_at(size_t index);

/* Whether the target is a set of components. */
bool whatif_is_set(const struct whatif_target *target);

/* The target of that name: "PIO", "LLP_post", "RC-to-MEM", "i/o". Only letters and digits count, in upper or
 * lower case. NULL: there is none. */
const struct whatif_target *whatif_find(const char *name);

/* Applies "Wire=+300ns", "LLP_post=-50%" or "PIO=15ns": an addition, a relative change, or the new time. The
 * time of a set is what it takes of the latency of a message of so many bytes, as Figure 15 has it. Its
 * components change in proportion, and stay between 0 and 1 s. Errors have the place `what`:1:column. */
enum status whatif_apply(struct system *system, uint64_t bytes, const char *what, const char *text);

/* Reduces the times by so many hundredths of a percent. */
void whatif_reduce(struct system *system, uint32_t times, unsigned hundredths);

/* The optimisations that section 7 discusses, as changes. */
struct whatif_optimisation {
    const char *name, *change, *doc;
};
extern const struct whatif_optimisation whatif_optimisations[];
extern const size_t whatif_optimisation_count;

/* One line of Figure 17: a component or a set of them, in one of the panels (a) to (d). */
struct whatif_curve {
    char panel; /* 'a': of overall injection; 'b' CPU, 'c' I/O, 'd' network: of end-to-end latency */
    const char *name;
    uint32_t times;
};
extern const struct whatif_curve whatif_curves[];
extern const size_t whatif_curve_count;

enum { WHATIF_DEGREES = 5 };
extern const unsigned whatif_degrees_percent[WHATIF_DEGREES]; /* 10, 30, 50, 70, 90 */

/* From `before_ps` to `after_ps`: the share of the time that is saved, and how much faster it is, in percent.
 * The paper calls the first "speedup". 0 where the divisor is 0. */
double whatif_reduction_percent(ps_t before_ps, ps_t after_ps); /* (T - T') / T */
double whatif_speedup_percent(ps_t before_ps, ps_t after_ps);   /* T / T' - 1 */

/* The two totals that show the effect of a change, for a message of a given size. */
struct whatif_totals {
    ps_t injection_ps; /* overall injection */
    ps_t latency_ps;   /* end to end */
};
struct whatif_totals whatif_totals_of(const struct system *system, uint64_t bytes);
/* The same with reduced times of a target. */
struct whatif_totals whatif_totals_reduced(const struct system *system, uint64_t bytes, uint32_t times,
                                           unsigned hundredths);
/* The same with one of the optimisations. */
struct whatif_totals whatif_totals_optimised(const struct system *system, uint64_t bytes,
                                             const struct whatif_optimisation *optimisation);

/* The total that a curve shows. */
ps_t whatif_curve_total(const struct whatif_curve *curve, const struct whatif_totals *totals);

/* Every single component reduced alike, sorted by the latency that it saves, and among equals by injection.
 */
struct whatif_rank {
    const char *name;
    struct whatif_totals totals; /* with this component reduced */
};
enum { WHATIF_RANKS = 24 };
size_t whatif_ranking(const struct system *system, uint64_t bytes, unsigned hundredths,
                      struct whatif_rank ranks[WHATIF_RANKS]);

#endif
