#include "papers/tdm/degrees.h"

#include <math.h>

struct topo tdm_paper_torus(void)
{
    struct topo topo = {.nodes = 0};
    tdm_topology("the paper's network", "torus:8x8", &topo);
    return topo;
}

double tdm_mean(const struct tdm_sums *sums, enum tdm_column column)
{
    return sums->count[column] ? sums->degree[column] / (double)sums->count[column] : NAN;
}

static void add(struct tdm_sums *sums, enum tdm_column column, double degree)
{
    sums->degree[column] += degree;
    sums->count[column]++;
}

static uint32_t schedule(struct tdm_sums *sums, enum tdm_column column, const struct tdm_pattern *pattern,
                         const struct tdm_method *method)
{
    struct topo topo = tdm_paper_torus();
    struct tdm_plan plan;
    if (tdm_plan_init(&plan, &topo, pattern, method) != STATUS_OK)
        return 0;
    uint32_t degree = pattern->count ? plan.schedule.degree : 1;
    add(sums, column, degree);
    if (column == COLUMN_BEST)
        add(sums, COLUMN_BOUND, pattern->count ? plan.bound : 1);
    tdm_plan_free(&plan);
    return degree;
}

void tdm_add(struct tdm_sums *sums, const struct tdm_pattern *pattern, uint64_t seed, uint64_t moves,
             bool with_free)
{
    struct tdm_method method = {.seed = seed, .random_order = true, .limit = {.moves = moves}};
    static const struct {
        enum tdm_column column;
        enum tdm_algorithm algorithm;
    } published[] = {{COLUMN_GREEDY, TDM_GREEDY},
                     {COLUMN_LITERAL, TDM_COLORING_LITERAL},
                     {COLUMN_COLORING, TDM_COLORING},
                     {COLUMN_AAPC, TDM_AAPC},
                     {COLUMN_BEST, TDM_BEST}};
    uint32_t degree[TDM_COLUMNS] = {0};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        method.algorithm = published[i].algorithm;
        degree[published[i].column] = schedule(sums, published[i].column, pattern, &method);
    }
    add(sums, COLUMN_COMBINED, fmin(degree[COLUMN_COLORING], degree[COLUMN_AAPC]));
    method.free_routes = true;
    if (with_free)
        schedule(sums, COLUMN_BEST_FREE, pattern, &method);
}

void tdm_degree_items(struct reproduction *reproduction, const struct tdm_sums *sums, const char *prefix)
{
    double greedy = tdm_mean(sums, COLUMN_GREEDY), combined = tdm_mean(sums, COLUMN_COMBINED);
    reproduction_item_format(reproduction, NULL, greedy, "%s/greedy", prefix);
    reproduction_item_format(reproduction, "fitted", tdm_mean(sums, COLUMN_COLORING), "%s/coloring", prefix);
    reproduction_item_format(reproduction, "literal", tdm_mean(sums, COLUMN_LITERAL), "%s/coloring", prefix);
    reproduction_item_format(reproduction, NULL, tdm_mean(sums, COLUMN_AAPC), "%s/aapc", prefix);
    reproduction_item_format(reproduction, NULL, combined, "%s/combined", prefix);
    reproduction_item_format(reproduction, NULL, 100 * (greedy / combined - 1), "%s/improvement", prefix);
    reproduction_item_format(reproduction, NULL, tdm_mean(sums, COLUMN_BOUND), "%s/bound", prefix);
    reproduction_item_format(reproduction, NULL, tdm_mean(sums, COLUMN_BEST), "%s/best", prefix);
}
