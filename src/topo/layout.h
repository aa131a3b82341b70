#ifndef HELIO_TOPO_LAYOUT_H
#define HELIO_TOPO_LAYOUT_H

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

void layout_make(struct layout *layout, const struct topo *topo);
void layout_free(struct layout *layout);

#endif
