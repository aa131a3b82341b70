#ifndef HELIO_TOPO_PICTURE_H
#define HELIO_TOPO_PICTURE_H

#include <stdio.h>

#include "topo/topo.h"

/* Pictures of a topology, with one route in it marked if there is one. They are for networks that an eye can
 * follow: at most TOPO_PICTURE_NODES nodes and as many switches, which the caller looks after. */
enum { TOPO_PICTURE_NODES = 4096 };

struct topo_picture {
    const struct topo *topo;
    const uint32_t *route; /* links, as of topo_route */
    uint32_t route_count;  /* 0: none */
};

void topo_draw_ascii(const struct topo_picture *picture, FILE *out);
void topo_draw_svg(const struct topo_picture *picture, FILE *out);
void topo_draw_dot(const struct topo_picture *picture, FILE *out); /* a graph for Graphviz */

/* Whether the route takes this link. */
bool topo_picture_has(const struct topo_picture *picture, uint32_t link);

/* Whether the route passes a switch. */
bool topo_picture_passes(const struct topo_picture *picture, uint32_t at);

#endif
