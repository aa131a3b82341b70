#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figures 11 and 12: one message between two nodes, with no other traffic (section VI-C). */

static void draw(struct reproduction *reproduction, const struct fmu_way *way, const struct figure *figure,
                 double largest, int steps, double bytes_per_x)
{
    static const char *const fabrics[] = {"packet", "fmu"}, *const names[] = {"InfiniBand", "FMU"};
    reproduction_figure(reproduction, figure);
    for (int k = 0; k < 2; k++)
        for (int step = 0; step <= steps; step++) {
            double bytes = largest * step / steps;
            reproduction_point_at(reproduction, "", names[k], bytes / bytes_per_x,
                                  1e6 * fmu_one_way_s(reproduction, way, fabrics[k], bytes));
        }
}

static void figures(struct reproduction *reproduction, const struct fmu_way *way)
{
    draw(reproduction, way,
         &(struct figure){.id = "figure-11",
                          .title = "Figure 11: one large message",
                          .how = "Two nodes, nothing else on the way. The lines are Eq. 6 and Eq. 5.",
                          .x = "MB",
                          .y = "time in us",
                          .kind = FIGURE_LINES},
         10e6, 10, 1e6);
    draw(reproduction, way,
         &(struct figure){
             .id = "figure-12",
             .title = "Figure 12: one small message",
             .how = "The lines cross at the pivot of Eq. 7: smaller messages are faster by InfiniBand.",
             .x = "KB",
             .y = "time in us",
             .kind = FIGURE_LINES},
         70e3, 14, 1e3);
}

void fmu_messages(struct reproduction *reproduction)
{
    struct fmu_way way = fmu_way_chosen(reproduction);
    /* No message depends on the rate: drawn once for each model. */
    if (fmu_rates_are_of_programs(reproduction) && reproduction_draws(reproduction))
        figures(reproduction, &way);
    if (!reproduction_wants(reproduction, "figure-11/") && !reproduction_wants(reproduction, "figure-12/") &&
        !reproduction_wants(reproduction, "section-VI-C/") &&
        !reproduction_wants(reproduction, "introduction/"))
        return;
    reproduction_item(reproduction, "figure-11/speedup-at-10MB", NULL,
                      fmu_message_speedup(reproduction, &way, 10e6));
    reproduction_item(reproduction, "section-VI-C/bandwidth-ratio", NULL,
                      fmu_bytes_per_s(reproduction, &way, "fmu") /
                          fmu_bytes_per_s(reproduction, &way, "packet"));
    reproduction_item(reproduction, "introduction/speedup-above-8MB", NULL,
                      fmu_message_speedup(reproduction, &way, 8e6));
    reproduction_item(reproduction, "figure-12/pivot", NULL, 1e-3 * fmu_pivot_bytes(reproduction, &way));
}
