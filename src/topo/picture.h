#ifndef HELIO_TOPO_PICTURE_H
#define HELIO_TOPO_PICTURE_H

#include <stdio.h>

#include "topo/topo.h"

/* Pictures of a topology, with one route marked if there is one. A picture is readable up to
 * TOPO_PICTURE_NODES nodes and as many switches; the caller checks this. */
enum { TOPO_PICTURE_NODES = 4096 };

struct topo_picture {
    const struct topo *topo;
    const uint32_t *route; /* links, as of topo_route */
    uint32_t route_count;  /* 0: none */
};

void topo_draw_ascii(const struct topo_picture *picture, FILE *out);
void topo_draw_svg(const struct topo_picture *picture, FILE *out);
void topo_draw_dot(const struct topo_picture *picture, FILE *out); /* a graph for Graphviz */

/* Whether the route takes this link, passes this switch, begins or ends at this node. */
bool topo_picture_has(const struct topo_picture *picture, uint32_t link);
bool topo_picture_passes(const struct topo_picture *picture, uint32_t at);
bool topo_picture_ends_at(const struct topo_picture *picture, uint32_t node);

/* What stands before the name of a link's end in a picture in characters: ">", ">>" for a link of the route,
 * "x" for one that has failed. */
const char *topo_picture_arrow(const struct topo_picture *picture, uint32_t link);

/* Pieces of pictures in characters, for draw() of a family (ascii.c). */
int picture_digits(uint32_t number); /* how many decimal digits it has */
void picture_put_spaces(int count, FILE *out);
/* A switch or node by its number, in brackets if the route passes. */
void picture_put_number(uint32_t number, int width, bool is_marked, FILE *out);
/* The name of a switch and its nodes, in columns. */
void picture_put_switch(const struct topo_picture *picture, uint32_t at, FILE *out);

#endif
