#ifndef HELIO_TOPO_GRID_H
#define HELIO_TOPO_GRID_H

#include "topo/topo.h"

/* What mesh and torus share: a node on every switch, dimension-order routing, pictures. The family's data are
 * a struct topo_grid; the functions are those of its ops. */

bool grid_build(struct topo *topo, bool is_torus, struct param_problem *problem);
struct topo_hop grid_ends(const struct topo *topo, uint32_t link);
struct topo_choice grid_choose(const struct topo *topo, uint32_t from, uint32_t destination);
bool grid_has_choices(const struct topo *topo);
uint32_t grid_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);
uint32_t grid_distance(const struct topo *topo, uint32_t source, uint32_t destination);
struct topo_distances grid_distances(const struct topo *topo);
uint64_t grid_bisection(const struct topo *topo);
/* The least of the cuts between halves of the layers, without failed links: across the longest dimension and
 * those of even sizes, at each position. */
uint64_t grid_least_cut(const struct topo *topo);
const struct topo_grid *grid_shape(const struct topo *topo);
uint32_t grid_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates);
void grid_place(const struct topo *topo, struct topo_layout *layout);
void grid_draw(const struct topo_picture *picture, FILE *out);

/* The link from a switch to the next higher one in a dimension; false where there is none. */
bool grid_link_above(const struct topo *topo, uint32_t d, uint32_t from, uint32_t *link);

#endif
