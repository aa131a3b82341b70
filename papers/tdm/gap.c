#include <math.h>

#include "papers/tdm/programs.h"
#include "papers/tdm/tdm.h"

/* Beyond the paper: how much of the gap between dynamic and compiled control is due to the control plane. */

static const struct tdm_world worlds[] = {
    {"as published", "", 1},
    {"control ten times faster", " tdm.control_time=100ns tdm.control_processing=100ns", 1},
    {"slots ten times shorter", " tdm.slot_time=100ns", 10},
};

/* The best fixed degree over compiled. A slot is that of the world, and dynamic times are in slots of 1 us.
 */
static double gap_of(struct reproduction *reproduction, const struct tdm_row *row,
                     const struct tdm_world *world)
{
    const char *pattern = tdm_pattern_of(reproduction, row);
    double best = INFINITY, known = 0;
    double compiled = tdm_compiled_slots(reproduction, row, pattern, world, "tdm.algorithm=combined");
    for (int i = 0; i < TDM_DEGREES; i++) {
        double slots = tdm_dynamic_slots(reproduction, row, pattern, world, tdm_degrees[i]);
        known += slots;
        best = fmin(best, slots);
    }
    return isnan(known) ? NAN : best * world->scale / compiled;
}

bool tdm_gap(struct reproduction *reproduction)
{
    bool known = true;
    reproduction_figure(
        reproduction,
        &(struct figure){.id = "gap",
                         .title = "Beyond the paper: how much of the gap is the control plane's",
                         .says = "A faster control plane helps small messages most. Shorter slots, which "
                                 "carry less each, make the same control plane slower by comparison.",
                         .how = "Time under the best fixed degree of 1, 2, 5, 10, divided by compiled time "
                                "(combined).",
                         .x = "pattern",
                         .y = "dynamic / compiled",
                         .kind = FIGURE_BARS,
                         .reference = 1,
                         .is_common = true});
    for (int i = 0; i < TDM_ROWS; i++)
        for (size_t world = 0; world < sizeof worlds / sizeof *worlds; world++) {
            double gap = gap_of(reproduction, &tdm_rows[i], &worlds[world]);
            known = known && !isnan(gap);
            reproduction_point(reproduction, "", worlds[world].name, tdm_rows[i].item, gap);
        }
    return known;
}
