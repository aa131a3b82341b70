#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* The mapping study of section VI-D: every pair of methods, 1 to 64 FMUs, NPB class C at the fitted rates;
 * the paper's two best pairs also on class D. Pairs are compared by the geometric mean of the programs'
 * speedups over InfiniBand, or by that of one program. */
enum { IDLE_METHODS = 5, ALL_METHODS = 5, FMUS_AT_MOST = 64 };
static const char *const try_idle[IDLE_METHODS] = {"NONE", "RANDOM", "SIMPLE", "LEAST_S", "LEAST_SR"};
static const char *const among_all[ALL_METHODS] = {"RANDOM", "LEAST_S", "LEAST_SR", "STATIC", "INCREMENTAL"};

/* With --quick on 16 ranks and without LU, which sends a hundred times the messages of the others. */
static double mean_speedup(struct reproduction *reproduction, const struct fmu_way *way, const char *idle,
                           const char *all, char class, int fmus)
{
    bool quick = reproduction_is_quick(reproduction);
    const char *by = reproduction_choice(reproduction, "mapping-by");
    double sum = 0;
    int count = 0;
    for (int i = quick ? 1 : 0; i < FMU_PROGRAMS; i++) {
        if (strcmp(by, "programs") != 0 && strcmp(by, fmu_programs[i]) != 0)
            continue;
        char workload[FMU_WORKLOAD_TEXT];
        fmu_npb_text(workload, fmu_programs[i], class, quick ? 16 : 64);
        double network_s = fmu_run(reproduction, way, "packet", workload)->makespan_s;
        double fmu_s = fmu_run_with(reproduction, way, "fmu", workload,
                                    "fmu.count=%d fmu.try_idle=%s fmu.among_all=%s", fmus, idle, all)
                           ->makespan_s;
        sum += log(network_s / fmu_s);
        count++;
    }
    return exp(sum / count);
}

static void draw(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "mapping",
                         .title = "Section VI-D: all 25 mappings, NPB class C",
                         .says = reproduction_is_quick(reproduction)
                                     ? "Geometric mean of the speedups of CG, FT and IS over InfiniBand, at "
                                       "the fitted rates; 16 ranks."
                                     : "Geometric mean of the speedups of LU, CG, FT and IS over InfiniBand, "
                                       "at the fitted rates; 64 ranks.",
                         .how = "A row is a pair of methods, try idle + among all. Blue is faster than "
                                "InfiniBand, orange slower.",
                         .x = "FMUs",
                         .y = "speedup",
                         .kind = FIGURE_MAP});
    for (int i = 0; i < IDLE_METHODS; i++)
        for (int k = 0; k < ALL_METHODS; k++)
            for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2) {
                char series[32], x[16];
                snprintf(series, sizeof series, "%s + %s", try_idle[i], among_all[k]);
                snprintf(x, sizeof x, "%d", fmus);
                reproduction_point(reproduction, "", series, x,
                                   mean_speedup(reproduction, way, try_idle[i], among_all[k], 'C', fmus));
            }
}

static double best(struct reproduction *reproduction, const struct fmu_way *way, int fmus)
{
    double most = 0;
    for (int i = 0; i < IDLE_METHODS; i++)
        for (int k = 0; k < ALL_METHODS; k++) {
            double ratio = mean_speedup(reproduction, way, try_idle[i], among_all[k], 'C', fmus);
            most = isnan(ratio) || ratio > most ? ratio : most;
        }
    return most;
}

/* The pair that is best in the paper, as a share of the best pair here. */
static void winner(struct reproduction *reproduction, const struct fmu_way *way, const char *idle,
                   const char *all, int fmus)
{
    double share = mean_speedup(reproduction, way, idle, all, 'C', fmus) / best(reproduction, way, fmus);
    reproduction_item_format(reproduction, NULL, 100 * share, "section-VI-D/best-on-%d-fmus", fmus);
}

static void winners_on_class_d(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_figure(reproduction,
                        &(struct figure){.id = "mapping-class-d",
                                         .title = "Section VI-D: the paper's winners on class D",
                                         .x = "FMUs",
                                         .y = "speedup",
                                         .kind = FIGURE_BARS,
                                         .reference = 1});
    for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2) {
        char x[16];
        snprintf(x, sizeof x, "%d", fmus);
        reproduction_point(reproduction, "", "NONE + INCREMENTAL", x,
                           mean_speedup(reproduction, way, "NONE", "INCREMENTAL", 'D', fmus));
        reproduction_point(reproduction, "", "LEAST_S + STATIC", x,
                           mean_speedup(reproduction, way, "LEAST_S", "STATIC", 'D', fmus));
    }
}

static void study(struct reproduction *reproduction, const struct fmu_way *way)
{
    if (reproduction_draws(reproduction))
        draw(reproduction, way);
    static const int few[] = {1, 4, 8};
    for (int i = 0; i < 3; i++)
        winner(reproduction, way, "LEAST_S", "STATIC", few[i]);
    for (int fmus = 16; fmus <= FMUS_AT_MOST; fmus *= 2)
        winner(reproduction, way, "NONE", "INCREMENTAL", fmus);
    double least = INFINITY, known = 0;
    for (int fmus = 1; fmus < 8; fmus *= 2) {
        double share =
            mean_speedup(reproduction, way, "NONE", "INCREMENTAL", 'C', fmus) / best(reproduction, way, fmus);
        known += share;
        least = share < least ? share : least;
    }
    reproduction_item(reproduction, "section-VI-D/incremental-below-8-fmus", NULL,
                      fmu_holds(known, least > 0.97));
}

/* At the rates of programs only, and with --quick in one configuration: it is the longest part of the paper.
 */
void fmu_mapping(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    bool quick = reproduction_is_quick(reproduction);
    if (!fmu_rates_are_of_programs(reproduction) || (quick && !reproduction_is_first(reproduction)) ||
        (!reproduction_wants(reproduction, "section-VI-D/best-on-") &&
         !reproduction_wants(reproduction, "section-VI-D/incremental-")))
        return;
    study(reproduction, &way);
    if (!quick && reproduction_draws(reproduction))
        winners_on_class_d(reproduction, &way);
}
