#include "papers/tdm/tdm.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* "Compiled Communication for All-optical TDM Networks": schedules are computed here, Table 5 comes from runs
 * of the two fabrics. */

void tdm_item(struct reproduction *reproduction, const char *variant, double ours, const char *format, ...)
{
    char item[160];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    reproduction_item(reproduction, item, variant, ours);
}

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

/* ------------------------------------------------------------------------------------------- one pattern */

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
    if (tdm_plan_open(&plan, &topo, pattern, method) != STATUS_OK)
        return 0;
    uint32_t degree = pattern->count ? plan.schedule.degree : 1;
    add(sums, column, degree);
    if (column == COLUMN_BEST)
        add(sums, COLUMN_BOUND, pattern->count ? plan.bound : 1);
    tdm_plan_close(&plan);
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

void tdm_items(struct reproduction *reproduction, const struct tdm_sums *sums, const char *prefix)
{
    double greedy = tdm_mean(sums, COLUMN_GREEDY), combined = tdm_mean(sums, COLUMN_COMBINED);
    tdm_item(reproduction, NULL, greedy, "%s/greedy", prefix);
    tdm_item(reproduction, "fitted", tdm_mean(sums, COLUMN_COLORING), "%s/coloring", prefix);
    tdm_item(reproduction, "literal", tdm_mean(sums, COLUMN_LITERAL), "%s/coloring", prefix);
    tdm_item(reproduction, NULL, tdm_mean(sums, COLUMN_AAPC), "%s/aapc", prefix);
    tdm_item(reproduction, NULL, combined, "%s/combined", prefix);
    tdm_item(reproduction, NULL, 100 * (greedy / combined - 1), "%s/improvement", prefix);
    tdm_item(reproduction, NULL, tdm_mean(sums, COLUMN_BOUND), "%s/bound", prefix);
    tdm_item(reproduction, NULL, tdm_mean(sums, COLUMN_BEST), "%s/best", prefix);
}

/* -------------------------------------------------------------------------------------------------- paper */

/* Runs first: as long as some are missing, this is called again, and the schedules need not be made. */
static void reproduce(struct reproduction *reproduction)
{
    if (!tdm_programs(reproduction))
        return;
    tdm_tables(reproduction);
    tdm_beyond(reproduction);
}

PAPER(tdm, "Compiled Communication for All-optical TDM Networks", reproduce);
