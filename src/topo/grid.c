#include "topo/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "topo/faults.h"

/* Edge e is the pair of links 2 nodes + 2 e, towards the higher coordinate, and 2 nodes + 2 e + 1, back. It
 * belongs to the switch at its lower end. Edges of a dimension are numbered in the order of these switches'
 * numbers, so that where all switches have one (a ring) it is the switch's own number. */

_Static_assert(sizeof(struct topo_grid) <= TOPO_DATA, "a grid fits a topology's data");

const struct topo_grid *grid_shape(const struct topo *topo)
{
    return (const void *)topo->data;
}

bool grid_build(struct topo *topo, bool is_torus, struct param_problem *problem)
{
    struct topo_grid *grid = (void *)topo->data;
    uint64_t nodes = 1;
    uint32_t edges = 0, stride = 1;
    *grid = (struct topo_grid){.is_torus = is_torus, .dimensions = topo->number_count};
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        uint32_t size = topo->numbers[d];
        bool wraps = is_torus && size > 2;
        nodes *= size;
        if (!topo_fits(nodes, nodes * 2 * (d + 2), problem))
            return false;
        grid->dimension[d] = (struct topo_dimension){
            .size = size, .stride = stride, .edges = wraps ? size : size - 1, .wraps = wraps};
        stride *= size;
    }
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        struct topo_dimension *dimension = &grid->dimension[d];
        dimension->first_edge = edges;
        edges += (uint32_t)nodes / dimension->size * dimension->edges;
    }
    topo->nodes = topo->switches = (uint32_t)nodes;
    topo->nodes_per_switch = 1;
    topo->links = 2 * topo->nodes + 2 * edges;
    return true;
}

uint32_t grid_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    const struct topo_grid *grid = grid_shape(topo);
    for (uint32_t d = 0; d < grid->dimensions; at /= grid->dimension[d++].size)
        coordinates[d] = at % grid->dimension[d].size;
    return grid->dimensions;
}

static uint32_t coordinate(const struct topo_dimension *dimension, uint32_t from)
{
    return from / dimension->stride % dimension->size;
}

/* The edge between the switch and the one above it. */
static uint32_t edge_above(const struct topo_dimension *dimension, uint32_t from)
{
    uint32_t block = from / (dimension->stride * dimension->size);
    uint32_t gaps = block * dimension->stride * (dimension->size - dimension->edges);
    return dimension->first_edge + from - gaps;
}

/* The next switch up or down; `at` is the coordinate of this one. */
static uint32_t neighbour(const struct topo_dimension *dimension, uint32_t from, uint32_t at, bool up)
{
    uint32_t span = dimension->stride * (dimension->size - 1);
    if (up)
        return at + 1 < dimension->size ? from + dimension->stride : from - span;
    return at ? from - dimension->stride : from + span;
}

static uint32_t link_up(const struct topo *topo, const struct topo_dimension *dimension, uint32_t from)
{
    return 2 * topo->nodes + 2 * edge_above(dimension, from);
}

static uint32_t link_down(const struct topo *topo, const struct topo_dimension *dimension, uint32_t from)
{
    uint32_t lower = neighbour(dimension, from, coordinate(dimension, from), false);
    return 2 * topo->nodes + 2 * edge_above(dimension, lower) + 1;
}

bool grid_link_above(const struct topo *topo, uint32_t d, uint32_t from, uint32_t *link)
{
    const struct topo_grid *grid = grid_shape(topo);
    const struct topo_dimension *dimension = &grid->dimension[d];
    *link = link_up(topo, dimension, from);
    return coordinate(dimension, from) < dimension->edges;
}

struct topo_hop grid_ends(const struct topo *topo, uint32_t link)
{
    const struct topo_grid *grid = grid_shape(topo);
    uint32_t edge = (link - 2 * topo->nodes) / 2, d = grid->dimensions - 1;
    while (edge < grid->dimension[d].first_edge)
        d--;
    const struct topo_dimension *dimension = &grid->dimension[d];
    uint32_t nth = edge - dimension->first_edge;
    uint32_t gaps = nth / (dimension->stride * dimension->edges) * dimension->stride *
                    (dimension->size - dimension->edges);
    uint32_t lower = nth + gaps;
    uint32_t upper = neighbour(dimension, lower, coordinate(dimension, lower), true);
    return link & 1 ? (struct topo_hop){upper, lower} : (struct topo_hop){lower, upper};
}

/* A walk along one dimension. */
struct grid_walk {
    bool up, tie;
    uint32_t hops;
};

static struct grid_walk walk_between(const struct topo *topo, const struct topo_dimension *dimension,
                                     uint32_t at, uint32_t to)
{
    if (!dimension->wraps)
        return to > at ? (struct grid_walk){.up = true, .hops = to - at}
                       : (struct grid_walk){.hops = at - to};
    uint32_t up = to >= at ? to - at : to + dimension->size - at, down = dimension->size - up;
    if (up != down)
        return up < down ? (struct grid_walk){.up = true, .hops = up} : (struct grid_walk){.hops = down};
    bool goes_up = topo->tie == TOPO_TIE_PARITY    ? at % 2 == 1
                   : topo->tie == TOPO_TIE_REVERSE ? at % 2 == 0
                                                   : true;
    return (struct grid_walk){.up = goes_up, .tie = true, .hops = up};
}

/* The dimension that is routed as number `nth`. */
static const struct topo_dimension *routed(const struct topo *topo, uint32_t nth)
{
    const struct topo_grid *grid = grid_shape(topo);
    return &grid->dimension[topo->order == TOPO_ORDER_FIRST ? nth : grid->dimensions - 1 - nth];
}

struct topo_choice grid_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct topo_grid *grid = grid_shape(topo);
    for (uint32_t i = 0; i < grid->dimensions; i++) {
        const struct topo_dimension *dimension = routed(topo, i);
        uint32_t at = coordinate(dimension, from), to = coordinate(dimension, destination);
        if (at == to)
            continue;
        struct grid_walk walk = walk_between(topo, dimension, at, to);
        if (walk.tie && topo->tie == TOPO_TIE_EITHER) {
            uint32_t up = link_up(topo, dimension, from);
            return (struct topo_choice){
                .first = up, .step = link_down(topo, dimension, from) - up, .count = 2};
        }
        return topo_only(walk.up ? link_up(topo, dimension, from) : link_down(topo, dimension, from));
    }
    return topo_only(topo_ejection(topo, destination));
}

bool grid_has_choices(const struct topo *topo)
{
    return topo->tie == TOPO_TIE_EITHER;
}

uint32_t grid_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    const struct topo_grid *grid = grid_shape(topo);
    uint32_t count = 0, from = source;
    for (uint32_t i = 0; i < grid->dimensions; i++) {
        const struct topo_dimension *dimension = routed(topo, i);
        uint32_t at = coordinate(dimension, source), to = coordinate(dimension, destination);
        struct grid_walk walk = walk_between(topo, dimension, at, to);
        uint32_t base = 2 * topo->nodes + !walk.up;
        for (; at != to; at = coordinate(dimension, from)) {
            uint32_t next = neighbour(dimension, from, at, walk.up);
            links[count++] = base + 2 * edge_above(dimension, walk.up ? from : next);
            from = next;
        }
    }
    return count;
}

uint32_t grid_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct topo_grid *grid = grid_shape(topo);
    uint32_t hops = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const struct topo_dimension *dimension = &grid->dimension[d];
        hops +=
            walk_between(topo, dimension, coordinate(dimension, source), coordinate(dimension, destination))
                .hops;
    }
    return hops;
}

/* The sum of the distances of all ordered pairs along a line of k is k (k^2 - 1) / 3. Around a ring it is k
 * times the distances from one switch: k^3 / 4, or k (k^2 - 1) / 4 for odd k. */
struct topo_distances grid_distances(const struct topo *topo)
{
    const struct topo_grid *grid = grid_shape(topo);
    struct topo_distances distances = {0};
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const struct topo_dimension *dimension = &grid->dimension[d];
        uint64_t size = dimension->size, others = topo->nodes / size;
        unsigned __int128 sum = (unsigned __int128)size * (size * size - 1) / 3;
        if (dimension->wraps)
            sum = (unsigned __int128)size * (size * size / 4);
        distances.sum += sum * others * others;
        distances.most += (uint32_t)(dimension->wraps ? size / 2 : size - 1);
    }
    return distances;
}

static const struct topo_dimension *longest_of(const struct topo_grid *grid)
{
    const struct topo_dimension *longest = &grid->dimension[0];
    for (uint32_t d = 1; d < grid->dimensions; d++)
        if (grid->dimension[d].size > longest->size)
            longest = &grid->dimension[d];
    return longest;
}

uint64_t grid_bisection(const struct topo *topo)
{
    const struct topo_dimension *longest = longest_of(grid_shape(topo));
    uint64_t lines = topo->switches / longest->size;
    return longest->size == 1 ? 0 : longest->wraps ? 2 * lines : lines;
}

/* The intact links between the layers i and i + 1 of a dimension, in steps[i]. */
static void count_steps(const struct topo *topo, const struct topo_dimension *dimension, uint64_t *steps)
{
    memset(steps, 0, dimension->size * sizeof *steps);
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_hop ends = grid_ends(topo, link);
        uint32_t from = coordinate(dimension, ends.from), to = coordinate(dimension, ends.to);
        if (link > topo_link_reverse(topo, link) || from == to || faults_has_failed(topo, link))
            continue;
        bool is_around = from + 1 != to && to + 1 != from;
        steps[is_around ? dimension->size - 1 : from < to ? from : to]++;
    }
}

/* The least of the cuts between half of the layers and the others. Around a ring the half begins anywhere; on
 * a line it is at one end, and of an odd number of layers either end may have one less. */
static uint64_t least_between(const struct topo_dimension *dimension, const uint64_t *steps)
{
    const uint32_t size = dimension->size, half = size / 2;
    uint64_t least = UINT64_MAX;
    if (!dimension->wraps)
        return steps[half - 1] < steps[size - half - 1] ? steps[half - 1] : steps[size - half - 1];
    for (uint32_t i = 0; i < size; i++) {
        uint64_t cut = steps[i] + steps[(i + half) % size];
        least = cut < least ? cut : least;
    }
    return least;
}

uint64_t grid_least_cut(const struct topo *topo)
{
    const struct topo_grid *grid = grid_shape(topo);
    const uint32_t longest = longest_of(grid)->size;
    uint64_t *steps = mem_alloc(longest, sizeof *steps, "a cut"), least = UINT64_MAX;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const struct topo_dimension *dimension = &grid->dimension[d];
        if (dimension->size == 1 || (dimension->size % 2 && dimension->size != longest))
            continue;
        count_steps(topo, dimension, steps);
        uint64_t cut = least_between(dimension, steps);
        least = cut < least ? cut : least;
    }
    free(steps);
    return least == UINT64_MAX ? 0 : least;
}
