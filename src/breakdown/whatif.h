#ifndef HELIO_BREAKDOWN_WHATIF_H
#define HELIO_BREAKDOWN_WHATIF_H

#include "breakdown/model.h"

/* What would it gain to change a component (section 7 of "Breaking Band")? A change is made to the system's
 * times, and the model does the rest. */

/* What can be changed: a component or several, as a set of bits 1 << enum system_time. */
struct whatif_target {
    const char *name;
    uint32_t times;
};

/* By name, of which letters and digits alone count, small or large: "PIO", "LLP_post", "RC-to-MEM", "i/o".
 * NULL when there is none. */
const struct whatif_target *whatif_find(const char *name);

/* "Wire=+300ns", "LLP_post=-50%", "PIO=15ns": relative, added, or the new time; of a set it is the set's sum
 * that changes, in proportion. Errors have the place `what`:1:column. A component stays between 0 and 1 s. */
enum status whatif_apply(struct system *system, const char *what, const char *text);

/* By that many hundredths of a percent less. */
void whatif_reduce(struct system *system, uint32_t times, unsigned hundredths);

/* The optimisations that section 7 discusses, as changes. */
struct whatif_optimisation {
    const char *name, *change, *doc;
};
extern const struct whatif_optimisation whatif_optimisations[];
extern const size_t whatif_optimisation_count;

/* One line of Figure 17: a component or a set, in one of the panels (a) to (d). */
struct whatif_curve {
    char panel; /* 'a': of overall injection; 'b' CPU, 'c' I/O, 'd' network: of end-to-end latency */
    const char *name;
    uint32_t times;
};
extern const struct whatif_curve whatif_curves[];
extern const size_t whatif_curve_count;

enum { WHATIF_DEGREES = 5 };
extern const unsigned whatif_degrees_percent[WHATIF_DEGREES]; /* 10, 30, 50, 70, 90 */

/* From `before_ps` to `after_ps`: what is saved, and how much faster that is, in percent of different things.
 * The paper's "speedup" is the first. 0 where the divisor is. */
double whatif_reduction_percent(ps_t before_ps, ps_t after_ps); /* (T - T') / T */
double whatif_speedup_percent(ps_t before_ps, ps_t after_ps);   /* T / T' - 1 */

/* The two totals that changes are judged by, for a message of a given size. */
struct whatif_totals {
    ps_t injection_ps; /* overall injection */
    ps_t latency_ps;   /* end to end */
};
struct whatif_totals whatif_totals_of(const struct system *system, uint64_t bytes);
/* With the times of a target reduced. */
struct whatif_totals whatif_totals_reduced(const struct system *system, uint64_t bytes, uint32_t times,
                                           unsigned hundredths);
/* With one of the optimisations. */
struct whatif_totals whatif_totals_optimised(const struct system *system, uint64_t bytes,
                                             const struct whatif_optimisation *optimisation);

/* The one of the totals that a curve is about. */
ps_t whatif_curve_total(const struct whatif_curve *curve, const struct whatif_totals *totals);

/* Every single component reduced alike, the one that saves most latency first (injection among equals). */
struct whatif_rank {
    const char *name;
    struct whatif_totals totals; /* with this component reduced */
};
enum { WHATIF_RANKS = 24 };
size_t whatif_ranking(const struct system *system, uint64_t bytes, unsigned hundredths,
                      struct whatif_rank ranks[WHATIF_RANKS]);

#endif
