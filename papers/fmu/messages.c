#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"
#include "papers/fmu/runs.h"

/* Figures 11 and 12: one message between two nodes, with no other traffic (section VI-C). */

static void draw(struct reproduction *reproduction, const struct figure *figure, double largest, int steps,
                 double bytes_per_x, double y_per_s)
{
    static const char *const fabrics[] = {"packet", "fmu"}, *const names[] = {"InfiniBand", "FMU"};
    reproduction_figure(reproduction, figure);
    for (int i = 0; i < FMU_PLAIN_WAYS; i++)
        for (int k = 0; k < 2; k++)
            for (int step = 0; step <= steps; step++) {
                double bytes = largest * step / steps;
                reproduction_point_at(reproduction, fmu_ways[i].name, names[k], bytes / bytes_per_x,
                                      y_per_s * fmu_one_way_s(reproduction, &fmu_ways[i], fabrics[k], bytes));
            }
}

void fmu_messages(struct reproduction *reproduction)
{
    static const double LARGE = 10e6;
    draw(reproduction,
         &(struct figure){.id = "figure-11",
                          .title = "Figure 11: one large message",
                          .how = "Two nodes, nothing else on the way. The lines are Eq. 6 and Eq. 5.",
                          .x = "MB",
                          .y = "time in us",
                          .kind = FIGURE_LINES},
         LARGE, 10, 1e6, 1e6);
    draw(reproduction,
         &(struct figure){
             .id = "figure-12",
             .title = "Figure 12: one small message",
             .how = "The lines cross at the pivot of Eq. 7: smaller messages are faster by InfiniBand.",
             .x = "KB",
             .y = "time in us",
             .kind = FIGURE_LINES},
         70e3, 14, 1e3, 1e6);
    for (int i = 0; i < FMU_PLAIN_WAYS; i++) {
        const struct fmu_way *way = &fmu_ways[i];
        reproduction_item_format(reproduction, way->name,
                                 fmu_one_way_s(reproduction, way, "packet", LARGE) /
                                     fmu_one_way_s(reproduction, way, "fmu", LARGE),
                                 "figure-11/speedup-at-10MB");
        reproduction_item_format(reproduction, way->name, 1e-3 * fmu_pivot_bytes(reproduction, way),
                                 "figure-12/pivot");
    }
}
