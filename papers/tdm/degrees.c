#include "papers/tdm/degrees.h"

#include <math.h>

double tdm_mean(const struct tdm_sums *sums, enum tdm_column column)
{
    return sums->count[column] ? sums->degree[column] / (double)sums->count[column] : NAN;
}

double tdm_improvement(const struct tdm_sums *sums)
{
    return 100 * (tdm_mean(sums, COLUMN_GREEDY) / tdm_mean(sums, COLUMN_COMBINED) - 1);
}

struct tdm_readings tdm_readings_of(struct reproduction *reproduction)
{
    struct tdm_readings readings = {.topo = {.nodes = 0}};
    bool is_reverse = reproduction_chooses(reproduction, "half_ring", "odd-down");
    readings.coloring = reproduction_chooses(reproduction, "coloring", "literal")   ? TDM_COLORING_LITERAL
                        : reproduction_chooses(reproduction, "coloring", "initial") ? TDM_COLORING_INITIAL
                        : reproduction_chooses(reproduction, "coloring", "longest") ? TDM_COLORING_LONGEST
                                                                                    : TDM_COLORING;
    tdm_topology("the paper's network", is_reverse ? "torus:8x8,tie=reverse" : "torus:8x8", &readings.topo);
    readings.greedy_in_order = reproduction_chooses(reproduction, "requests", "by-source");
    return readings;
}

static void add(struct tdm_sums *sums, enum tdm_column column, double degree)
{
    sums->degree[column] += degree;
    sums->count[column]++;
}

uint32_t tdm_degree(const struct tdm_readings *readings, const struct tdm_pattern *pattern,
                    enum tdm_algorithm algorithm, uint64_t seed)
{
    struct tdm_plan plan;
    struct tdm_method method = {.algorithm = algorithm,
                                .random_order = algorithm != TDM_GREEDY || !readings->greedy_in_order,
                                .seed = seed};
    if (!pattern->count)
        return 1;
    if (tdm_plan_init(&plan, &readings->topo, pattern, &method) != STATUS_OK)
        return 0;
    uint32_t degree = plan.schedule.degree;
    tdm_plan_free(&plan);
    return degree;
}

void tdm_add(struct tdm_sums *sums, const struct tdm_readings *readings, const struct tdm_pattern *pattern,
             uint64_t seed)
{
    double coloring = tdm_degree(readings, pattern, readings->coloring, seed);
    double aapc = tdm_degree(readings, pattern, TDM_AAPC, seed);
    add(sums, COLUMN_GREEDY, tdm_degree(readings, pattern, TDM_GREEDY, seed));
    add(sums, COLUMN_COLORING, coloring);
    add(sums, COLUMN_AAPC, aapc);
    add(sums, COLUMN_COMBINED, fmin(coloring, aapc));
}

void tdm_add_best(struct tdm_sums *sums, const struct tdm_readings *readings,
                  const struct tdm_pattern *pattern, uint64_t moves, bool with_free)
{
    for (int free_routes = 0; free_routes <= with_free; free_routes++) {
        struct tdm_plan plan;
        struct tdm_method method = {.algorithm = TDM_BEST,
                                    .free_routes = free_routes,
                                    .random_order = true,
                                    .seed = 1,
                                    .limit = {.moves = moves}};
        if (tdm_plan_init(&plan, &readings->topo, pattern, &method) != STATUS_OK)
            return;
        add(sums, free_routes ? COLUMN_BEST_FREE : COLUMN_BEST, pattern->count ? plan.schedule.degree : 1);
        if (!free_routes)
            add(sums, COLUMN_BOUND, pattern->count ? plan.bound : 1);
        tdm_plan_free(&plan);
    }
}

void tdm_degree_items(struct reproduction *reproduction, const struct tdm_sums *sums, const char *prefix)
{
    static const struct {
        enum tdm_column column;
        const char *item, *variant;
    } columns[] = {{COLUMN_GREEDY, "greedy", NULL},
                   {COLUMN_COLORING, "coloring", NULL},
                   {COLUMN_AAPC, "aapc", NULL},
                   {COLUMN_COMBINED, "combined", NULL},
                   {COLUMN_BOUND, "combined", "bound"},
                   {COLUMN_BEST, "combined", "best"},
                   {COLUMN_BEST_FREE, "combined", "best-free"}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!columns[i].variant || sums->count[columns[i].column])
            reproduction_item_format(reproduction, columns[i].variant, tdm_mean(sums, columns[i].column),
                                     "%s/%s", prefix, columns[i].item);
    reproduction_item_format(reproduction, NULL, tdm_improvement(sums), "%s/improvement", prefix);
}
