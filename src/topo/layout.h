#ifndef HELIO_TOPO_LAYOUT_H
#define HELIO_TOPO_LAYOUT_H

#include <stdio.h>

#include "topo/topo.h"

enum { TOPO_MARGIN = 56 };

/* A place in a picture, in pixels from its upper left corner. */
struct topo_point {
    double x, y;
};

/* Where nodes and switches stand in a picture. */
struct topo_layout {
    struct topo_point *nodes, *switches;
    double width, height;
    bool node_is_switch; /* grids: one mark for both */
    double cell;         /* grids: distance between neighbours */
};

void topo_layout_init(struct topo_layout *layout, const struct topo *topo);
void topo_layout_free(struct topo_layout *layout);

/* The path of a link as SVG's attribute d has it; both directions have the same. */
void topo_layout_print_path(const struct topo_layout *layout, struct topo_ends ends, FILE *out);

/* The place on a circle after so many turns from its top, clockwise. */
struct topo_point topo_point_on_circle(struct topo_point centre, double radius, double turns);

#endif
