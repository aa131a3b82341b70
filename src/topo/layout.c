#include "topo/layout.h"

#include <math.h>

#include "base/mem.h"

enum { MARGIN = 56, CELL = 56, DEPTH = 24, NODE_GAP = 24, LEVEL_GAP = 96 };

/* -------------------------------------------------------------------------------------- mesh and torus */

/* How one more step in each dimension moves a switch: right, down, a little of both for the depth of a cube;
 * further dimensions are whole pictures side by side and below each other. A cube's cells are wide enough for
 * all that is behind each other. */
static void place_grid(struct layout *layout, const struct topo *topo)
{
    double behind = topo->dimensions > 2 ? (double)DEPTH * topo->dimension[2].size + 20 : 0;
    double cell = fmax(CELL, behind);
    struct point step[TOPO_DIMENSIONS] = {{cell, 0}, {0, cell}, {DEPTH, -DEPTH}};
    double width = 0, height = 0;
    for (uint32_t d = 0; d < topo->dimensions; d++) {
        if (d >= 3)
            step[d] = d % 2 ? (struct point){width + 2 * CELL, 0} : (struct point){0, height + 2 * CELL};
        width += step[d].x * (topo->dimension[d].size - 1);
        height += fabs(step[d].y) * (topo->dimension[d].size - 1);
    }
    double depth = topo->dimensions > 2 ? -step[2].y * (topo->dimension[2].size - 1) : 0;
    for (uint32_t i = 0; i < topo->switches; i++) {
        uint32_t at[TOPO_COORDINATES];
        struct point point = {MARGIN, MARGIN + depth};
        for (uint32_t d = 0, count = topo_coordinates(topo, i, at); d < count; d++) {
            point.x += at[d] * step[d].x;
            point.y += at[d] * step[d].y;
        }
        layout->switches[i] = layout->nodes[i] = point;
    }
    layout->node_is_switch = true;
    layout->cell = cell;
    layout->width = width + 2 * MARGIN;
    layout->height = height + 2 * MARGIN;
}

/* ---------------------------------------------------------------------------------- tree and crossbar */

/* Nodes in a row below, each level in a row above it, every switch over k nodes. */
static void place_tree(struct layout *layout, const struct topo *topo)
{
    uint32_t width = topo->switches / topo->levels;
    double gap = LEVEL_GAP + 0.02 * NODE_GAP * topo->nodes; /* long links stay apart in wide trees */
    layout->width = 2.0 * MARGIN + (double)NODE_GAP * (topo->nodes - 1);
    layout->height = 2.0 * MARGIN + LEVEL_GAP / 2.0 + gap * (topo->levels - 1);
    for (uint32_t i = 0; i < topo->nodes; i++)
        layout->nodes[i] = (struct point){MARGIN + (double)NODE_GAP * i, layout->height - MARGIN};
    for (uint32_t i = 0; i < topo->switches; i++) {
        double x = MARGIN + NODE_GAP * (i % width * (double)topo->arity + (topo->arity - 1) / 2.0);
        double y = layout->height - MARGIN - LEVEL_GAP / 2.0 - gap * (i / width);
        layout->switches[i] = (struct point){x, y};
    }
}

/* ------------------------------------------------------------------------------------------ dragonfly */

static struct point on_circle(struct point centre, double radius, double turns)
{
    const double pi = 3.14159265358979323846;
    return (struct point){centre.x + radius * sin(2 * pi * turns), centre.y - radius * cos(2 * pi * turns)};
}

/* A circle of groups, each a circle of routers with their nodes outside. */
static void place_dragonfly(struct layout *layout, const struct topo *topo)
{
    const double pi = 3.14159265358979323846;
    double router_circle = topo->routers > 1 ? fmax(30, topo->routers * 34 / (2 * pi)) : 0;
    double node_circle = router_circle + 26;
    double node_turns = fmin(12 / (2 * pi * node_circle), 0.8 / topo->routers / topo->terminals);
    double group_circle = fmax(2.2 * node_circle, topo->groups * (2 * node_circle + 24) / (2 * pi));
    double half = group_circle + node_circle + MARGIN / 2.0;
    for (uint32_t i = 0; i < topo->switches; i++) {
        struct point group =
            on_circle((struct point){half, half}, group_circle, (double)(i / topo->routers) / topo->groups);
        double turns = (double)(i % topo->routers) / topo->routers;
        layout->switches[i] = on_circle(group, router_circle, turns);
        for (uint32_t k = 0; k < topo->terminals; k++)
            layout->nodes[i * topo->terminals + k] =
                on_circle(group, node_circle, turns + node_turns * (k - (topo->terminals - 1) / 2.0));
    }
    layout->width = layout->height = 2 * half;
}

void layout_make(struct layout *layout, const struct topo *topo)
{
    *layout = (struct layout){.nodes = mem_alloc(topo->nodes, sizeof *layout->nodes, "a picture"),
                              .switches = mem_alloc(topo->switches, sizeof *layout->switches, "a picture")};
    if (topo->kind == TOPO_DRAGONFLY)
        place_dragonfly(layout, topo);
    else if (topo->kind == TOPO_TREE || topo->kind == TOPO_CROSSBAR)
        place_tree(layout, topo);
    else
        place_grid(layout, topo);
}

void layout_free(struct layout *layout)
{
    free(layout->nodes);
    free(layout->switches);
}

/* ------------------------------------------------------------------------------------------------ links */

static struct point point_of(const struct layout *layout, struct topo_end end)
{
    return end.is_node ? layout->nodes[end.id] : layout->switches[end.id];
}

/* Links of a mesh or torus that pass over other switches bow out of their way: those around a ring, which
 * lead up and yet to a lower number, and those between pictures side by side. */
void layout_print_path(const struct layout *layout, struct topo_ends ends, FILE *out)
{
    struct point from = point_of(layout, ends.from), to = point_of(layout, ends.to);
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
