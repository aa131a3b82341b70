#include "topo/layout.h"

#include <math.h>

#include "base/mem.h"

struct topo_point topo_point_on_circle(struct topo_point centre, double radius, double turns)
{
    const double pi = 3.14159265358979323846;
    return (struct topo_point){centre.x + radius * sin(2 * pi * turns),
                               centre.y - radius * cos(2 * pi * turns)};
}

/* The layout of families without place(): a circle of switches with their nodes outside. */
static void place_circle(const struct topo *topo, struct topo_layout *layout)
{
    const double pi = 3.14159265358979323846;
    uint32_t per_switch = topo->nodes_per_switch, switches = topo->switches;
    double circle = fmax(60, switches * (16.0 + 16.0 * per_switch) / (2 * pi)), outer = circle + 40;
    double half = outer + TOPO_MARGIN / 2.0;
    struct topo_point centre = {half, half};
    for (uint32_t i = 0; i < switches; i++)
        layout->switches[i] = topo_point_on_circle(centre, circle, (double)i / switches);
    for (uint32_t i = 0; i < topo->nodes; i++) {
        double of_switch = (i % per_switch + 0.5) / per_switch - 0.5;
        layout->nodes[i] =
            topo_point_on_circle(centre, outer, (topo_switch_of(topo, i) + 0.8 * of_switch) / switches);
    }
    layout->width = layout->height = 2 * half;
}

void topo_layout_init(struct topo_layout *layout, const struct topo *topo)
{
    *layout =
        (struct topo_layout){.nodes = mem_alloc(topo->nodes, sizeof *layout->nodes, "a picture"),
                             .switches = mem_alloc(topo->switches, sizeof *layout->switches, "a picture")};
    (topo->ops->place ? topo->ops->place : place_circle)(topo, layout);
}

void topo_layout_free(struct topo_layout *layout)
{
    free(layout->nodes);
    free(layout->switches);
}

/* -------------------------------------------------------------------- links */

static struct topo_point point_of(const struct topo_layout *layout, struct topo_end end)
{
    return end.is_node ? layout->nodes[end.id] : layout->switches[end.id];
}

/* Links of a grid that pass over other switches are bent: links around a ring, which lead from a higher to a
 * lower number, and links between pictures side by side. */
void topo_layout_print_path(const struct topo_layout *layout, struct topo_ends ends, FILE *out)
{
    struct topo_point from = point_of(layout, ends.from), to = point_of(layout, ends.to);
    double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
    fprintf(out, "M%.1f %.1f", from.x, from.y);
    bool passes_over = ends.from.id > ends.to.id || length > 1.5 * layout->cell;
    if (!layout->node_is_switch || !passes_over) {
        fprintf(out, "L%.1f %.1f", to.x, to.y);
        return;
    }
    double bow = fmin(40.0, 14 + 0.08 * length);
    double side = dx > 0 || (dx == 0 && dy < 0) ? 1 : -1;
    double over_x = side * dy / length * bow, over_y = -side * dx / length * bow;
    fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from.x + 0.2 * dx + over_x, from.y + 0.2 * dy + over_y,
            to.x - 0.2 * dx + over_x, to.y - 0.2 * dy + over_y, to.x, to.y);
}
