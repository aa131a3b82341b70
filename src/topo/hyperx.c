#include <stdio.h>

#include "topo/rates.h"
#include "topo/topo.h"

/* HyperX (Ahn, Binkert, Davis, McLaren and Schreiber, HyperX: topology, routing, and packaging of efficient
 * large-scale networks, SC 2009): switches are the points of a grid, and each is linked to all others of its
 * line in each dimension, by one link (K = 1). Links are numbered by the switch that they leave, then by
 * dimension, then by the other switch. */

struct hyperx {
    uint32_t terminals, dimensions, degree; /* T; L; links of a switch to others */
    uint32_t size[TOPO_NUMBERS], stride[TOPO_NUMBERS], first[TOPO_NUMBERS]; /* first: link of the dimension */
};

_Static_assert(sizeof(struct hyperx) <= TOPO_DATA, "a HyperX fits a topology's data");

static const struct hyperx *hyperx_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

static bool hyperx_build(struct topo *topo, struct param_problem *problem)
{
    struct hyperx *hyperx = (void *)topo->data;
    uint64_t switches = 1, degree = 0;
    *hyperx = (struct hyperx){.terminals = topo->numbers[0], .dimensions = topo->number_count - 1};
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        hyperx->size[d] = topo->numbers[d + 1];
        hyperx->stride[d] = (uint32_t)switches;
        hyperx->first[d] = (uint32_t)degree;
        switches *= hyperx->size[d];
        degree += hyperx->size[d] - 1;
        if (!topo_fits(switches, 0, problem))
            return false;
    }
    uint64_t nodes = switches * hyperx->terminals;
    if (!topo_fits(nodes, 2 * nodes + switches * degree, problem))
        return false;
    hyperx->degree = (uint32_t)degree;
    topo->nodes = (uint32_t)nodes;
    topo->switches = (uint32_t)switches;
    topo->nodes_per_switch = hyperx->terminals;
    topo->links = (uint32_t)(2 * nodes + switches * degree);
    return true;
}

static uint32_t coordinate(const struct hyperx *hyperx, uint32_t d, uint32_t at)
{
    return at / hyperx->stride[d] % hyperx->size[d];
}

/* The link from a switch to the one whose coordinate `d` is `to`. */
static uint32_t link_to(const struct topo *topo, uint32_t from, uint32_t d, uint32_t to)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    uint32_t place = to < coordinate(hyperx, d, from) ? to : to - 1;
    return 2 * topo->nodes + from * hyperx->degree + hyperx->first[d] + place;
}

static uint32_t dimension_of(const struct hyperx *hyperx, uint32_t nth)
{
    uint32_t d = hyperx->dimensions - 1;
    while (nth < hyperx->first[d])
        d--;
    return d;
}

static struct topo_hop hyperx_ends(const struct topo *topo, uint32_t link)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    uint32_t nth = (link - 2 * topo->nodes) % hyperx->degree,
             from = (link - 2 * topo->nodes) / hyperx->degree;
    uint32_t d = dimension_of(hyperx, nth), self = coordinate(hyperx, d, from);
    uint32_t other = nth - hyperx->first[d];
    other += other >= self;
    return (struct topo_hop){from, from + (other - self) * hyperx->stride[d]};
}

static uint32_t hyperx_reverse(const struct topo *topo, uint32_t link)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    struct topo_hop hop = hyperx_ends(topo, link);
    uint32_t d = dimension_of(hyperx, (link - 2 * topo->nodes) % hyperx->degree);
    return link_to(topo, hop.to, d, coordinate(hyperx, d, hop.from));
}

static struct topo_choice hyperx_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    uint32_t to = destination / hyperx->terminals;
    for (uint32_t i = 0; i < hyperx->dimensions; i++) {
        uint32_t d = topo->order == TOPO_ORDER_FIRST ? i : hyperx->dimensions - 1 - i;
        if (coordinate(hyperx, d, from) != coordinate(hyperx, d, to))
            return topo_only(link_to(topo, from, d, coordinate(hyperx, d, to)));
    }
    return topo_only(topo_ejection(topo, destination));
}

static uint32_t hyperx_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    uint32_t from = source / hyperx->terminals, to = destination / hyperx->terminals, hops = 0;
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        hops += coordinate(hyperx, d, from) != coordinate(hyperx, d, to);
    return hops;
}

/* In each dimension (S - 1) / S of all pairs are a hop apart. */
static struct topo_distances hyperx_distances(const struct topo *topo)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    struct topo_distances distances = {.sum = 0};
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        distances.sum += (unsigned __int128)topo->nodes / hyperx->size[d] * (hyperx->size[d] - 1);
        distances.most += hyperx->size[d] > 1;
    }
    distances.sum *= topo->nodes;
    return distances;
}

/* Across the middle of the dimension where this takes the fewest links, among those of even size; without
 * one, among all whose size is not 1. */
static uint64_t hyperx_bisection(const struct topo *topo)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    uint64_t best[2] = {UINT64_MAX, UINT64_MAX};
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        uint64_t size = hyperx->size[d], links = topo->switches / size * (size / 2) * (size - size / 2);
        if (size > 1 && links < best[size % 2])
            best[size % 2] = links;
    }
    return best[0] != UINT64_MAX ? best[0] : best[1] != UINT64_MAX ? best[1] : topo->nodes / 2;
}

static uint32_t hyperx_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    const struct hyperx *hyperx = hyperx_of(topo);
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        coordinates[d] = coordinate(hyperx, d, at);
    return hyperx->dimensions;
}

static const struct topo_form forms[] = {
    {"hyperx", 2, TOPO_NUMBERS,
     "hyperx:4x6x6 (t x s1 x s2 x ...: nodes of a switch, size of each dimension)"},
    {.name = NULL},
};

const struct topo_ops hyperx_family = {
    .name = "hyperx",
    .forms = forms,
    .rules = TOPO_RULE_ORDER | TOPO_RULE_RATES,
    .build = hyperx_build,
    .ends = hyperx_ends,
    .reverse = hyperx_reverse,
    .link_class = rates_class_by_dimension,
    .choose = hyperx_choose,
    .distance = hyperx_distance,
    .distances = hyperx_distances,
    .bisection = hyperx_bisection,
    .coordinates = hyperx_coordinates,
};
