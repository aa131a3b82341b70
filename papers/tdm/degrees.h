#ifndef HELIO_PAPERS_TDM_DEGREES_H
#define HELIO_PAPERS_TDM_DEGREES_H

#include "reproduce/paper.h"
#include "schedule/method.h"

/* Multiplexing degrees on the paper's network: the columns of its tables, and ours beside them. */
enum tdm_column {
    COLUMN_GREEDY,
    COLUMN_COLORING,
    COLUMN_AAPC,
    COLUMN_COMBINED,
    COLUMN_BOUND,
    COLUMN_BEST,
    COLUMN_BEST_FREE,
    TDM_COLUMNS
};

/* Sums of degrees over patterns. */
struct tdm_sums {
    double degree[TDM_COLUMNS];
    size_t count[TDM_COLUMNS];
};

double tdm_mean(const struct tdm_sums *sums, enum tdm_column column); /* NaN without patterns */

/* By how many percent the combined algorithm is better than greedy: of the means. */
double tdm_improvement(const struct tdm_sums *sums);

/* What a configuration says of the algorithms. */
struct tdm_readings {
    struct topo topo;            /* the paper's 8 x 8 torus, whose routes go along the high digit first */
    enum tdm_algorithm coloring; /* Figure 4 in one of its readings */
    bool greedy_in_order;        /* of sources, in place of a random order */
};

struct tdm_readings tdm_readings_of(struct reproduction *reproduction);

/* The degree of a pattern by an algorithm; its orders and ties follow from the seed. The degree of a pattern
 * without connections is 1 (section 2). */
uint32_t tdm_degree(const struct tdm_readings *readings, const struct tdm_pattern *pattern,
                    enum tdm_algorithm algorithm, uint64_t seed);

/* Schedules a pattern by the paper's algorithms and adds the degrees. */
void tdm_add(struct tdm_sums *sums, const struct tdm_readings *readings, const struct tdm_pattern *pattern,
             uint64_t seed);

/* Beyond the paper: the lower bound, and the best schedule found in so many moves; with free routes, which
 * take longest, if asked for. */
void tdm_add_best(struct tdm_sums *sums, const struct tdm_readings *readings,
                  const struct tdm_pattern *pattern, uint64_t moves, bool with_free);

/* Gives the items PREFIX/greedy and so on, and what is beyond the paper as variants of PREFIX/combined. */
void tdm_degree_items(struct reproduction *reproduction, const struct tdm_sums *sums, const char *prefix);

#endif
