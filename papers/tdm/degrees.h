#ifndef HELIO_PAPERS_TDM_DEGREES_H
#define HELIO_PAPERS_TDM_DEGREES_H

#include "reproduce/paper.h"
#include "schedule/method.h"

/* Multiplexing degrees on the paper's network: the columns of its tables, and ours beside them. */
enum tdm_column {
    COLUMN_GREEDY,
    COLUMN_COLORING,
    COLUMN_LITERAL,
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

/* Schedules a pattern on the paper's 8 x 8 torus by every method and adds the degrees. `best` makes so many
 * moves. Free routes take longest, so `with_free` asks for them. The degree of a pattern without connections
 * is 1 (section 2). */
void tdm_add(struct tdm_sums *sums, const struct tdm_pattern *pattern, uint64_t seed, uint64_t moves,
             bool with_free);

/* Gives the items PREFIX/greedy, PREFIX/coloring in both readings, and so on. */
void tdm_degree_items(struct reproduction *reproduction, const struct tdm_sums *sums, const char *prefix);

/* The paper's network. Its routes go along the high digit first. */
struct topo tdm_paper_torus(void);

#endif
