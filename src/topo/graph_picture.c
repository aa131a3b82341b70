#include <math.h>

#include "base/mem.h"
#include "topo/graph.h"
#include "topo/layout.h"

enum { GAP = 24, LEVEL_GAP = 96 };

/* Switches in a row for each level, nodes in a row below them. Nodes stand in the order of their switches. */
static void place_rows(const struct topo_graph *graph, struct topo_layout *layout)
{
    uint32_t switches = graph->switches, placed = 0;
    uint32_t *in_level = mem_alloc(graph->levels, sizeof *in_level, "a picture");
    uint32_t widest = graph->nodes;
    for (uint32_t i = 0; i < switches; i++)
        if (++in_level[graph->level[i]] > widest)
            widest = in_level[graph->level[i]];
    double width = (double)GAP * widest, gap = LEVEL_GAP + 0.02 * width;
    layout->width = 2.0 * TOPO_MARGIN + width;
    layout->height = 2.0 * TOPO_MARGIN + LEVEL_GAP / 2.0 + gap * (graph->levels - 1);
    for (uint32_t level = 0; level < graph->levels; level++) {
        uint32_t nth = 0;
        for (uint32_t i = 0; i < switches; i++) {
            if (graph->level[i] != level)
                continue;
            double x = TOPO_MARGIN + width * (nth++ + 0.5) / in_level[level];
            double y = layout->height - TOPO_MARGIN - LEVEL_GAP / 2.0 - gap * level;
            layout->switches[i] = (struct topo_point){x, y};
            for (uint32_t node = 0; level == 0 && node < graph->nodes; node++)
                if (graph->node_switch[node] == i)
                    layout->nodes[node] = (struct topo_point){
                        TOPO_MARGIN + width * (placed++ + 0.5) / graph->nodes, layout->height - TOPO_MARGIN};
        }
    }
    free(in_level);
}

/* Switches in a circle, their nodes outside. */
static void place_circle(const struct topo_graph *graph, struct topo_layout *layout)
{
    const double pi = 3.14159265358979323846;
    uint32_t switches = graph->switches;
    double circle = fmax(60, switches * (16.0 + 16.0 * graph->nodes_most) / (2 * pi)), outer = circle + 40;
    double half = outer + TOPO_MARGIN / 2.0;
    struct topo_point centre = {half, half};
    for (uint32_t i = 0; i < switches; i++) {
        uint32_t nth = 0;
        layout->switches[i] = topo_point_on_circle(centre, circle, (double)i / switches);
        for (uint32_t node = 0; node < graph->nodes; node++) {
            if (graph->node_switch[node] != i)
                continue;
            double beside = 0.8 * ((nth++ + 0.5) / graph->nodes_most - 0.5);
            layout->nodes[node] = topo_point_on_circle(centre, outer, (i + beside) / switches);
        }
    }
    layout->width = layout->height = 2 * half;
}

void graph_place(const struct topo *topo, struct topo_layout *layout)
{
    const struct topo_graph *graph = graph_of(topo);
    (graph->levels > 1 ? place_rows : place_circle)(graph, layout);
}
