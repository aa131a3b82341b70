#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figures 14 and 15 and section VII-B: NPB programs on FMU and hybrid FMU, compared with InfiniBand. */
enum { FMUS_AT_MOST = 64 };

static void begin_figure(struct reproduction *reproduction, int number, const char *fabric)
{
    char id[48], title[96];
    snprintf(id, sizeof id, "figure-%d", number);
    snprintf(title, sizeof title, "Figure %d: NPB, %s over InfiniBand", number, fabric);
    reproduction_figure(
        reproduction,
        &(struct figure){.id = id,
                         .title = title,
                         .how = "Bars above 1 are faster than InfiniBand, bars below slower. How far from 1 "
                                "they are depends on the share of communication, and so on the rate of "
                                "computation.",
                         .x = "FMUs",
                         .y = "speedup",
                         .kind = FIGURE_BARS,
                         .reference = 1});
}

static void draw_program(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                         const char *program, char class)
{
    char panel[32], series[24], x[16], workload[FMU_WORKLOAD_TEXT];
    snprintf(panel, sizeof panel, "%s, class %c", program, class);
    for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2)
        for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4) {
            snprintf(series, sizeof series, "%d ranks", ranks);
            snprintf(x, sizeof x, "%d", fmus);
            reproduction_point(reproduction, panel, series, x,
                               fmu_npb_speedup(reproduction, way, fabric,
                                               fmu_npb_text(workload, program, class, ranks), fmus));
        }
}

static void figures(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const fabrics[] = {"fmu", "hybrid"};
    for (int i = 0; i < 2; i++) {
        begin_figure(reproduction, 14 + i, fabrics[i]);
        for (int k = 0; k < FMU_PROGRAMS; k++)
            for (const char *class = fmu_classes(reproduction); *class; class ++)
                draw_program(reproduction, way, fabrics[i], fmu_programs[k], *class);
    }
}

/* The best speedup over all programs, ranks, classes and numbers of FMUs in the figures. */
static double best(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric)
{
    double most = 0;
    for (int i = 0; i < FMU_PROGRAMS; i++)
        for (const char *class = fmu_classes(reproduction); *class; class ++)
            for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4)
                for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2) {
                    char workload[FMU_WORKLOAD_TEXT];
                    double ratio =
                        fmu_npb_speedup(reproduction, way, fabric,
                                        fmu_npb_text(workload, fmu_programs[i], *class, ranks), fmus);
                    most = isnan(ratio) || ratio > most ? ratio : most;
                }
    return most;
}

static void speedup_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char *const fabrics[] = {"fmu", "hybrid"};
    for (int i = 0; i < 2; i++) {
        reproduction_item_format(
            reproduction, NULL, fmu_npb_speedup(reproduction, way, fabrics[i], "npb:ft:class=C,ranks=16", 16),
            "figure-%d/ft.C.16-on-16-fmus", 14 + i);
        for (int ranks = 16; ranks <= 64; ranks *= 4) {
            char cg[FMU_WORKLOAD_TEXT];
            fmu_npb_text(cg, "cg", 'C', ranks);
            double ratio = fmu_npb_speedup(reproduction, way, fabrics[i], cg, FMUS_AT_MOST);
            reproduction_item_format(reproduction, NULL, 100 * (ratio - 1), "figure-%d/cg.C.%d-gain", 14 + i,
                                     ranks);
        }
    }
    if (reproduction_wants(reproduction, "section-VI-D/best-speedup"))
        reproduction_item(reproduction, "section-VI-D/best-speedup", NULL, best(reproduction, way, "fmu"));
    if (reproduction_wants(reproduction, "figure-15/best"))
        reproduction_item(reproduction, "figure-15/best", NULL, best(reproduction, way, "hybrid"));
}

/* Whether the hybrid reduces the slowdown where FMU, with 64 of them, is slower than InfiniBand: somewhere it
 * is faster than FMU, and nowhere slower, by more than the two decimals of a speedup show. */
static double hybrid_loses_less(struct reproduction *reproduction, const struct fmu_way *way)
{
    const double half_a_digit = 0.005;
    double known = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < FMU_PROGRAMS; i++)
        for (int ranks = 4; ranks <= FMU_RANKS_AT_MOST; ranks *= 4) {
            char workload[FMU_WORKLOAD_TEXT];
            fmu_npb_text(workload, fmu_programs[i], 'C', ranks);
            double fmu = fmu_npb_speedup(reproduction, way, "fmu", workload, FMUS_AT_MOST);
            double gain = fmu_npb_speedup(reproduction, way, "hybrid", workload, FMUS_AT_MOST) - fmu;
            known += gain;
            if (fmu < 1) {
                least = gain < least ? gain : least;
                most = gain > most ? gain : most;
            }
        }
    return fmu_holds(known, least >= -half_a_digit && most > half_a_digit);
}

/* How many accesses to FMUs shared a switch with another. */
static double shared_accesses(const struct fmu_way *way, const struct run_facts *run)
{
    if (way->simplecomm)
        return run_metric(run, "coalesced_writes") + run_metric(run, "coalesced_reads");
    return run_metric(run, "coalesced_count");
}

/* "A system with fewer FMUs can benefit from the hybrid approach if the workload can transfer more than one
 * message when accessing an FMU": on at most four FMUs, which are fewer than ranks, a program is faster by
 * the hybrid than over InfiniBand, and its accesses share switches. */
static double few_fmus_benefit(struct reproduction *reproduction, const struct fmu_way *way)
{
    double known = 0;
    bool so = false;
    for (int i = 0; i < FMU_PROGRAMS; i++)
        for (int fmus = 1; fmus <= 4; fmus *= 2)
            for (int ranks = 16; ranks <= FMU_RANKS_AT_MOST; ranks *= 4) {
                char workload[FMU_WORKLOAD_TEXT];
                fmu_npb_text(workload, fmu_programs[i], 'C', ranks);
                double ratio = fmu_npb_speedup(reproduction, way, "hybrid", workload, fmus);
                double shared = shared_accesses(
                    way, fmu_run_with(reproduction, way, "hybrid", workload, "fmu.count=%d", fmus));
                known += ratio + shared;
                so = so || (ratio > 1 && shared > 0);
            }
    return fmu_holds(known, so);
}

static void claims(struct reproduction *reproduction, const struct fmu_way *way)
{
    reproduction_item(reproduction, "section-VII-B/hybrid-loses-less", NULL,
                      hybrid_loses_less(reproduction, way));
    reproduction_item(reproduction, "section-VII-B/few-fmus-benefit-by-shared-accesses", NULL,
                      few_fmus_benefit(reproduction, way));
}

/* ------------------------------------------------------------------- memory */

/* The largest of a metric over all ranks and numbers of FMUs. */
static double peak(struct reproduction *reproduction, const struct fmu_way *way, const char *metric,
                   const char *program, char class)
{
    double most = 0;
    for (int ranks = 4; ranks <= 64; ranks *= 4)
        for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2) {
            char workload[FMU_WORKLOAD_TEXT];
            const struct run_facts *run =
                fmu_run_with(reproduction, way, "fmu", fmu_npb_text(workload, program, class, ranks),
                             "fmu.count=%d", fmus);
            double value = run_metric(run, metric);
            most = isnan(value) || value > most ? value : most;
        }
    return most;
}

static void memory_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    enum { ENTRY_BYTES = 8 }; /* section VII-B */
    const char *q_data = way->simplecomm ? "biggest_buffer_bytes" : "q_data_bytes";
    const char *q_header = way->simplecomm ? "biggest_buffer_messages" : "q_header_entries";
    double entries = peak(reproduction, way, q_header, "is", 'C');
    reproduction_item(reproduction, "section-VII-B/q-header-entries-is.C", NULL, entries);
    reproduction_item(reproduction, "section-VII-B/q-header", NULL, 1e-3 * ENTRY_BYTES * entries);
    if (reproduction_is_quick(reproduction))
        return;
    reproduction_item(reproduction, "section-VII-B/q-header-entries-is.D", NULL,
                      peak(reproduction, way, q_header, "is", 'D'));
    reproduction_item(reproduction, "section-VII-B/q-data-ft.D", NULL,
                      1e-9 * peak(reproduction, way, q_data, "ft", 'D'));
}

void fmu_npb(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    if (reproduction_draws(reproduction))
        figures(reproduction, &way);
    if (reproduction_wants(reproduction, "figure-14/") || reproduction_wants(reproduction, "figure-15/") ||
        reproduction_wants(reproduction, "section-VI-D/best-speedup"))
        speedup_items(reproduction, &way);
    if (reproduction_wants(reproduction, "section-VII-B/hybrid-") ||
        reproduction_wants(reproduction, "section-VII-B/few-fmus-"))
        claims(reproduction, &way);
    if (reproduction_wants(reproduction, "section-VII-B/q-"))
        memory_items(reproduction, &way);
}
