#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figures 14 and 15 and section VII-B: NPB programs on FMU and hybrid FMU, compared with InfiniBand. */
enum { FMUS_AT_MOST = 64 };

static void begin_figure(struct reproduction *reproduction, const struct fmu_way *way, int number,
                         const char *fabric)
{
    char id[48], title[96];
    snprintf(id, sizeof id, "figure-%d", number);
    snprintf(title, sizeof title, "Figure %d: NPB, %s over InfiniBand", number, fabric);
    fmu_figure(reproduction, way,
               &(struct figure){
                   .id = id,
                   .title = title,
                   .how = "Bars above 1 are faster than InfiniBand, bars below slower. How far from 1 they "
                          "are depends on the share of communication, and so on the rate of computation.",
                   .x = "FMUs",
                   .y = "speedup",
                   .kind = FIGURE_BARS,
                   .reference = 1});
}

static void draw_program(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                         const char *program, char class)
{
    char panel[32], series[16], x[16], workload[FMU_WORKLOAD_TEXT];
    snprintf(panel, sizeof panel, "%s, class %c", program, class);
    for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2)
        for (int ranks = 4; ranks <= fmu_most_ranks(reproduction, program); ranks *= 4) {
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
        begin_figure(reproduction, way, 14 + i, fabrics[i]);
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
            for (int ranks = 4; ranks <= 64; ranks *= 4)
                for (int fmus = 1; fmus <= FMUS_AT_MOST; fmus *= 2) {
                    if (ranks > fmu_most_ranks(reproduction, fmu_programs[i]))
                        continue;
                    char workload[FMU_WORKLOAD_TEXT];
                    double ratio =
                        fmu_npb_speedup(reproduction, way, fabric,
                                        fmu_npb_text(workload, fmu_programs[i], *class, ranks), fmus);
                    most = isnan(ratio) || ratio > most ? ratio : most;
                }
    return most;
}

static double gain_percent(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                           const char *workload)
{
    return 100 * (fmu_npb_speedup(reproduction, way, fabric, workload, FMUS_AT_MOST) - 1);
}

static void speedup_items(struct reproduction *reproduction, const struct fmu_way *way)
{
    static const char cg_16[] = "npb:cg:class=C,ranks=16", cg_64[] = "npb:cg:class=C,ranks=64";
    static const char ft_16[] = "npb:ft:class=C,ranks=16";
    reproduction_item_format(reproduction, way->name, fmu_npb_speedup(reproduction, way, "fmu", ft_16, 16),
                             "figure-14/ft.C.16-on-16-fmus");
    reproduction_item_format(reproduction, way->name, fmu_npb_speedup(reproduction, way, "hybrid", ft_16, 16),
                             "figure-15/ft.C.16-on-16-fmus");
    reproduction_item_format(reproduction, way->name, best(reproduction, way, "fmu"), "figure-14/best");
    reproduction_item_format(reproduction, way->name, best(reproduction, way, "hybrid"), "figure-15/best");
    reproduction_item_format(reproduction, way->name, gain_percent(reproduction, way, "fmu", cg_16),
                             "figure-14/cg.C.16-gain");
    reproduction_item_format(reproduction, way->name, gain_percent(reproduction, way, "hybrid", cg_16),
                             "figure-15/cg.C.16-gain");
    reproduction_item_format(reproduction, way->name, gain_percent(reproduction, way, "fmu", cg_64),
                             "figure-14/cg.C.64-gain");
    reproduction_item_format(reproduction, way->name, gain_percent(reproduction, way, "hybrid", cg_64),
                             "figure-15/cg.C.64-gain");
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
    reproduction_item_format(reproduction, way->name, entries, "section-VII-B/q-header-entries-is.C");
    reproduction_item_format(reproduction, way->name, 1e-3 * ENTRY_BYTES * entries, "section-VII-B/q-header");
    if (reproduction_is_quick(reproduction))
        return;
    reproduction_item_format(reproduction, way->name, peak(reproduction, way, q_header, "is", 'D'),
                             "section-VII-B/q-header-entries-is.D");
    reproduction_item_format(reproduction, way->name, 1e-9 * peak(reproduction, way, q_data, "ft", 'D'),
                             "section-VII-B/q-data-ft.D");
}

void fmu_npb(struct reproduction *reproduction)
{
    for (int i = 0; i < FMU_WAYS; i++) {
        figures(reproduction, &fmu_ways[i]);
        speedup_items(reproduction, &fmu_ways[i]);
        memory_items(reproduction, &fmu_ways[i]);
    }
}
