#include <math.h>
#include <stdio.h>

#include "papers/fmu/fmu.h"

/* Figures 11 and 12: one message between two nodes, with nothing in its way (section VI-C). */

double fmu_one_way_s(struct reproduction *reproduction, const struct fmu_way *way, const char *fabric,
                     double bytes)
{
    double makespan_s[2];
    for (int i = 0; i < 2; i++) {
        char workload[FMU_WORKLOAD_TEXT];
        snprintf(workload, sizeof workload, "pingpong:bytes=%.0fB,iterations=%d", bytes, i + 1);
        makespan_s[i] = fmu_run(reproduction, way, fabric, workload)->makespan_s;
    }
    return (makespan_s[1] - makespan_s[0]) / 2;
}

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

/* Both costs are straight lines, so two sizes of each give where they cross. */
double fmu_pivot_bytes(struct reproduction *reproduction, const struct fmu_way *way)
{
    const double bytes = 35000, more = 60000;
    double low =
        fmu_one_way_s(reproduction, way, "fmu", bytes) - fmu_one_way_s(reproduction, way, "packet", bytes);
    double high =
        fmu_one_way_s(reproduction, way, "fmu", more) - fmu_one_way_s(reproduction, way, "packet", more);
    return bytes + (more - bytes) * low / (low - high);
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
        fmu_item(reproduction, way,
                 fmu_one_way_s(reproduction, way, "packet", LARGE) /
                     fmu_one_way_s(reproduction, way, "fmu", LARGE),
                 "figure-11/speedup-at-10MB");
        fmu_item(reproduction, way, 1e-3 * fmu_pivot_bytes(reproduction, way), "figure-12/pivot");
    }
}
