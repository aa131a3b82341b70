#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/tdm/degrees.h"
#include "papers/tdm/tdm.h"

/* Table 3: the frequently used patterns. The paper ran each algorithm once, with some order of requests and
 * some way to break ties, which it does not say. Ours has the first one that is drawn, SEED. Beside it stands
 * what other orders and ties give. */
enum { SEED = 1, MOVES = 4000000 };

/* Degrees over many orders of requests, or random ties. */
struct tdm_spread {
    double least, most;
    double share_percent; /* of those that give the published degree */
};

static double degree_of(const struct tdm_readings *readings, const struct tdm_pattern *pattern,
                        const char *column, uint64_t seed)
{
    double coloring, aapc;
    if (strcmp(column, "greedy") == 0)
        return tdm_degree(readings, pattern, TDM_GREEDY, seed);
    aapc = strcmp(column, "coloring") == 0 ? INFINITY : tdm_degree(readings, pattern, TDM_AAPC, seed);
    coloring =
        strcmp(column, "aapc") == 0 ? INFINITY : tdm_degree(readings, pattern, readings->coloring, seed);
    return fmin(coloring, aapc);
}

static struct tdm_spread spread_of(struct reproduction *reproduction, const struct tdm_readings *readings,
                                   const struct tdm_pattern *pattern, const char *column, double published)
{
    enum { FEW_CONNECTIONS = 1000, SEEDS = 1000, SEEDS_IF_MANY = 200, QUICK = 10 };
    bool is_cheap = pattern->count < FEW_CONNECTIONS || strcmp(column, "greedy") == 0;
    unsigned seeds = is_cheap ? SEEDS : SEEDS_IF_MANY;
    struct tdm_spread spread = {INFINITY, 0, 0};
    if (reproduction_is_quick(reproduction))
        seeds /= QUICK;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        double degree = degree_of(readings, pattern, column, seed);
        spread.least = fmin(spread.least, degree);
        spread.most = fmax(spread.most, degree);
        spread.share_percent += (degree == published) * 100.0 / seeds;
    }
    return spread;
}

static double give(struct reproduction *reproduction, const struct tdm_readings *readings,
                   const struct tdm_pattern *pattern, const char *name, const char *column)
{
    char item[96], share[112];
    snprintf(item, sizeof item, "table-3/%s/%s", name, column);
    double degree = degree_of(readings, pattern, column, SEED);
    reproduction_item(reproduction, item, NULL, degree);
    snprintf(share, sizeof share, "%s-share", item);
    if (!reproduction_wants(reproduction, share))
        return degree;
    struct tdm_spread spread =
        spread_of(reproduction, readings, pattern, column, reproduction_published(reproduction, item));
    reproduction_item(reproduction, share, NULL, spread.share_percent);
    if (reproduction_is_first(reproduction)) {
        reproduction_item(reproduction, item, "least", spread.least);
        reproduction_item(reproduction, item, "most", spread.most);
    }
    return degree;
}

static void give_best(struct reproduction *reproduction, const struct tdm_readings *readings,
                      const struct tdm_pattern *pattern, const char *name)
{
    static const struct {
        enum tdm_column column;
        const char *variant;
    } columns[] = {{COLUMN_BOUND, "bound"}, {COLUMN_BEST, "best"}, {COLUMN_BEST_FREE, "best-free"}};
    struct tdm_sums sums = {.count = {0}};
    tdm_add_best(&sums, readings, pattern, MOVES, true);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        reproduction_item_format(reproduction, columns[i].variant, tdm_mean(&sums, columns[i].column),
                                 "table-3/%s/combined", name);
}

static void give_row(struct reproduction *reproduction, const struct tdm_readings *readings, const char *name)
{
    struct tdm_pattern pattern = {0};
    if (tdm_pattern_named(name, readings->topo.nodes, &pattern) != STATUS_OK)
        return;
    reproduction_item_format(reproduction, NULL, (double)pattern.count, "table-3/%s/connections", name);
    double greedy = give(reproduction, readings, &pattern, name, "greedy");
    give(reproduction, readings, &pattern, name, "coloring");
    double aapc = give(reproduction, readings, &pattern, name, "aapc");
    double combined = give(reproduction, readings, &pattern, name, "combined");
    double improvement = 100 * (greedy / combined - 1);
    reproduction_item_format(reproduction, NULL, improvement, "table-3/%s/improvement", name);
    if (strcmp(name, "all-to-all") == 0) {
        reproduction_item(reproduction, "section-3.3/phases", NULL, aapc);
        reproduction_item(reproduction, "section-3.4/all-to-all-improvement", NULL, improvement);
    }
    if (reproduction_is_first(reproduction) && reproduction_draws(reproduction))
        give_best(reproduction, readings, &pattern, name);
    tdm_pattern_free(&pattern);
}

void tdm_regular(struct reproduction *reproduction)
{
    static const char *const names[] = {"ring", "nearest-neighbour", "hypercube", "shuffle-exchange",
                                        "all-to-all"};
    struct tdm_readings readings = tdm_readings_of(reproduction);
    if (!reproduction_wants(reproduction, "table-3/") && !reproduction_wants(reproduction, "section-3."))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        give_row(reproduction, &readings, names[i]);
}
