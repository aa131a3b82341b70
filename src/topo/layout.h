#ifndef HELIO_TOPO_LAYOUT_H
#define HELIO_TOPO_LAYOUT_H

#include <stdio.h>

#include "topo/topo.h"

/* Where nodes and switches are in a picture, in pixels from its upper left corner. */
struct point {
    double x, y;
};

struct layout {
    struct point *nodes, *switches;
    double width, height;
    bool node_is_switch; /* mesh and torus: one mark for both */
    double cell;         /* mesh and torus: how far neighbours are apart */
};

/* The path of a link as SVG's attribute d has it; both directions have the same. */
void layout_print_path(const struct layout *layout, struct topo_ends ends, FILE *out);

void layout_make(struct layout *layout, const struct topo *topo);
void layout_free(struct layout *layout);

#endif
