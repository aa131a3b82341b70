#ifndef HELIO_SCHEDULE_METHOD_H
#define HELIO_SCHEDULE_METHOD_H

#include "schedule/network.h"
#include "schedule/schedule.h"

/* The schedulers by name, for users to choose from. */
enum tdm_algorithm {
    TDM_GREEDY,
    TDM_COLORING,
    TDM_COLORING_LITERAL,
    TDM_COLORING_INITIAL,
    TDM_COLORING_LONGEST,
    TDM_AAPC,
    TDM_COMBINED,
    TDM_BEST,
    TDM_ALGORITHMS
};

extern const char *const tdm_algorithm_names[]; /* ends with NULL */

struct tdm_method {
    int algorithm; /* enum tdm_algorithm */
    bool free_routes;
    bool random_order; /* of requests, for greedy, and of phases of equal rank; else by their numbers */
    uint64_t seed;
    struct tdm_limit limit; /* of best */
};

/* A scheduled pattern. */
struct tdm_plan {
    struct tdm_problem problem;
    struct tdm_schedule schedule;
    uint32_t bound;
    uint64_t moves; /* of best */
};

/* STATUS_FAILED, reported, where the pattern is too large for the algorithm; then nothing is left to free. */
enum status tdm_plan_init(struct tdm_plan *plan, const struct topo *topo, const struct tdm_pattern *pattern,
                          const struct tdm_method *method);
void tdm_plan_free(struct tdm_plan *plan);

#endif
