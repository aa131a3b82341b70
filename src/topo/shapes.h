#ifndef HELIO_TOPO_SHAPES_H
#define HELIO_TOPO_SHAPES_H

#include "topo/topo.h"

/* What each shape computes from ids: grid (mesh, torus), tree (k-ary n-tree, crossbar), dragonfly. Links here
 * are network links; injection and ejection are the same everywhere (topo.c). */

/* Between switches; `from` and `to` are their ids. */
struct switch_pair {
    uint32_t from, to;
};

/* Every hop between two nodes, summed over all ordered pairs of nodes, and the most of one pair. */
struct distances {
    unsigned __int128 sum;
    uint32_t most;
};

/* The builders fill the fields of their shape, nodes, switches and links, from fields that have been checked:
 * sizes, arity and levels, p a h g. */
void topo_build(struct topo *topo); /* of any shape, and its diameter */
void grid_build(struct topo *topo);
struct switch_pair grid_ends(const struct topo *topo, uint32_t link);
struct topo_choice grid_choose(const struct topo *topo, uint32_t from, uint32_t destination);
uint32_t grid_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links);
uint32_t grid_distance(const struct topo *topo, uint32_t source, uint32_t destination);
struct distances grid_distances(const struct topo *topo);
uint64_t grid_bisection(const struct topo *topo);
/* The link from a switch to the next higher one in a dimension; false where there is none. */
bool grid_link_above(const struct topo *topo, uint32_t d, uint32_t from, uint32_t *link);

void tree_build(struct topo *topo);
struct switch_pair tree_ends(const struct topo *topo, uint32_t link);
struct topo_choice tree_choose(const struct topo *topo, uint32_t from, uint32_t destination);
uint32_t tree_distance(const struct topo *topo, uint32_t source, uint32_t destination);
struct distances tree_distances(const struct topo *topo);

void dragonfly_build(struct topo *topo);
struct switch_pair dragonfly_ends(const struct topo *topo, uint32_t link);
uint32_t dragonfly_reverse(const struct topo *topo, uint32_t link);
struct topo_choice dragonfly_choose(const struct topo *topo, uint32_t from, uint32_t destination);
uint32_t dragonfly_distance(const struct topo *topo, uint32_t source, uint32_t destination);
struct distances dragonfly_distances(const struct topo *topo);

/* The choice that is none: the only way on. */
static inline struct topo_choice only(uint32_t link)
{
    return (struct topo_choice){.first = link, .count = 1};
}

#endif
