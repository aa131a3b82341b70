#ifndef HELIO_TOPO_ROWS_H
#define HELIO_TOPO_ROWS_H

#include "topo/topo.h"

/* Pictures of topologies whose switches stand in levels above the nodes, as many in each: place() and draw()
 * of a family's ops. */
void rows_place(const struct topo *topo, struct topo_layout *layout);
/* place() of those whose levels have different numbers of switches. */
void levels_place(const struct topo *topo, struct topo_layout *layout);
void rows_draw(const struct topo_picture *picture, FILE *out);

#endif
