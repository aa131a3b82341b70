#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "papers/tdm/degrees.h"
#include "papers/tdm/tdm.h"

/* Table 3: the frequently used patterns. The paper ran each algorithm once, with some order of requests and
 * some way to break ties, which it does not say. Ours is the degree that many orders give most often, the
 * smaller one of two; beside it stand the others. */
enum { ORDERS = 1000, ORDERS_IF_MANY = 200, ORDERS_IF_QUICK = 20, FEW_CONNECTIONS = 1000 };
enum { MOVES = 4000000 };

/* The paper's columns. */
static const char *const columns[] = {"greedy", "coloring", "aapc", "combined"};
enum { COLUMNS = COLUMN_COMBINED + 1 };

/* The degrees of a pattern over many orders of requests, or random ties. */
struct tdm_spread {
    unsigned orders;
    double degree[COLUMNS][ORDERS];
};

static void spread_over(struct reproduction *reproduction, const struct tdm_readings *readings,
                        const struct tdm_pattern *pattern, struct tdm_spread *spread)
{
    bool is_quick = reproduction_is_quick(reproduction);
    spread->orders = pattern->count < FEW_CONNECTIONS ? ORDERS : is_quick ? ORDERS_IF_QUICK : ORDERS_IF_MANY;
    for (unsigned i = 0; i < spread->orders; i++) {
        double coloring = tdm_degree(readings, pattern, readings->coloring, i + 1);
        double aapc = tdm_degree(readings, pattern, TDM_AAPC, i + 1);
        spread->degree[COLUMN_GREEDY][i] = tdm_degree(readings, pattern, TDM_GREEDY, i + 1);
        spread->degree[COLUMN_COLORING][i] = coloring;
        spread->degree[COLUMN_AAPC][i] = aapc;
        spread->degree[COLUMN_COMBINED][i] = fmin(coloring, aapc);
    }
}

static unsigned orders_with(const struct tdm_spread *spread, int column, double degree)
{
    unsigned count = 0;
    for (unsigned i = 0; i < spread->orders; i++)
        count += spread->degree[column][i] == degree;
    return count;
}

static double most_likely(const struct tdm_spread *spread, int column)
{
    double best = NAN;
    unsigned most = 0;
    for (unsigned i = 0; i < spread->orders; i++) {
        double degree = spread->degree[column][i];
        unsigned count = orders_with(spread, column, degree);
        if (count > most || (count == most && degree < best)) {
            best = degree;
            most = count;
        }
    }
    return best;
}

static void give(struct reproduction *reproduction, const struct tdm_spread *spread, const char *name,
                 int column)
{
    char item[96];
    snprintf(item, sizeof item, "table-3/%s/%s", name, columns[column]);
    double least = INFINITY, most = 0, published = reproduction_published(reproduction, item);
    for (unsigned i = 0; i < spread->orders; i++) {
        least = fmin(least, spread->degree[column][i]);
        most = fmax(most, spread->degree[column][i]);
    }
    reproduction_item(reproduction, item, NULL, most_likely(spread, column));
    reproduction_item_format(reproduction, NULL,
                             100.0 * orders_with(spread, column, published) / spread->orders, "%s-share",
                             item);
    if (reproduction_is_first(reproduction)) {
        reproduction_item(reproduction, item, "least", least);
        reproduction_item(reproduction, item, "most", most);
    }
}

static void give_best(struct reproduction *reproduction, const struct tdm_readings *readings,
                      const struct tdm_pattern *pattern, const char *name)
{
    static const struct {
        enum tdm_column column;
        const char *variant;
    } beyond[] = {{COLUMN_BOUND, "bound"}, {COLUMN_BEST, "best"}, {COLUMN_BEST_FREE, "best-free"}};
    struct tdm_sums sums = {.count = {0}};
    tdm_add_best(&sums, readings, pattern, MOVES, true);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        reproduction_item_format(reproduction, beyond[i].variant, tdm_mean(&sums, beyond[i].column),
                                 "table-3/%s/combined", name);
}

static void give_row(struct reproduction *reproduction, const struct tdm_readings *readings, const char *name)
{
    struct tdm_pattern pattern = {0};
    if (tdm_pattern_named(name, readings->topo.nodes, &pattern) != STATUS_OK)
        return;
    reproduction_item_format(reproduction, NULL, (double)pattern.count, "table-3/%s/connections", name);
    struct tdm_spread *spread = mem_alloc(1, sizeof *spread, "the degrees of a pattern");
    spread_over(reproduction, readings, &pattern, spread);
    for (int column = 0; column < COLUMNS; column++)
        give(reproduction, spread, name, column);
    double aapc = most_likely(spread, COLUMN_AAPC);
    double improvement =
        100 * (most_likely(spread, COLUMN_GREEDY) / most_likely(spread, COLUMN_COMBINED) - 1);
    free(spread);
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
