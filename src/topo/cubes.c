#include <stdio.h>

#include "topo/graph.h"
#include "topo/grid.h"

/* Three-dimensional tori of optical cubes (Jouppi et al., TPU v4: an optically reconfigurable supercomputer
 * for machine learning with hardware support for embeddings, ISCA 2023): cubes of 4 x 4 x 4 chips with
 * electrical links inside. The links out of the faces of cubes, 16 of each, go to optical circuit switches,
 * which join cubes to tori of x x y x z chips, x, y and z multiples of 4. The switches pass light and are no
 * switches of the topology: a link over one is a link between two chips.
 *
 * cubes: the torus. twisted: the twisted torus of k x k x 2k or k x 2k x 2k chips (Camara et al., Twisted
 * torus topologies for enhanced interconnection networks, IEEE Trans. Parallel Distrib. Syst. 2010): the
 * links around a dimension of k lead k further in each dimension of 2k. */

enum { CUBE = 4, DIMENSIONS = 3 };

static bool check_sizes(const struct topo *topo, struct param_problem *problem)
{
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        if (topo->numbers[d] % CUBE)
            return param_fail(problem, d, "a multiple of %d: cubes have %d chips in each dimension", CUBE,
                              CUBE);
    return true;
}

static bool cubes_build(struct topo *topo, struct param_problem *problem)
{
    return check_sizes(topo, problem) && grid_build(topo, true, problem);
}

/* 1 within a cube, 2 over an optical switch: the ends are neighbours in one dimension, within a cube unless
 * the higher one begins a cube. */
static uint32_t cubes_class(const struct topo *topo, uint32_t link)
{
    struct topo_hop hop = topo->ops->ends(topo, link);
    uint32_t stride = 1, differences = 0;
    for (uint32_t d = 0; d < DIMENSIONS; stride *= topo->numbers[d++]) {
        uint32_t from = hop.from / stride % topo->numbers[d], to = hop.to / stride % topo->numbers[d];
        uint32_t low = from < to ? from : to, high = from < to ? to : from;
        if (low == high)
            continue;
        if (high != low + 1 || high % CUBE == 0 || differences++)
            return 2;
    }
    return 1;
}

/* ----------------------------------------------------------------- twisted */

static uint32_t number_of(const struct topo *topo, const uint32_t *at)
{
    return at[0] + topo->numbers[0] * (at[1] + topo->numbers[1] * at[2]);
}

/* The chip behind this one in dimension d, where the short dimensions have the size `least`. */
static uint32_t behind(const struct topo *topo, uint32_t from, uint32_t d, uint32_t least)
{
    uint32_t at[DIMENSIONS] = {from % topo->numbers[0], from / topo->numbers[0] % topo->numbers[1],
                               from / topo->numbers[0] / topo->numbers[1]};
    at[d] = (at[d] + 1) % topo->numbers[d];
    for (uint32_t k = 0; at[d] == 0 && topo->numbers[d] == least && k < DIMENSIONS; k++)
        if (topo->numbers[k] != least)
            at[k] = (at[k] + least) % topo->numbers[k];
    return number_of(topo, at);
}

static struct topo_graph *twisted_fill(const struct topo *topo)
{
    uint32_t chips = topo->numbers[0] * topo->numbers[1] * topo->numbers[2], least = UINT32_MAX;
    struct topo_graph *graph = graph_new(chips, chips);
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        least = topo->numbers[d] < least ? topo->numbers[d] : least;
    for (uint32_t chip = 0; chip < chips; chip++)
        graph_set_node(graph, chip, chip);
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        for (uint32_t chip = 0; chip < chips; chip++)
            graph_add_link(graph, chip, behind(topo, chip, d, least));
    return graph;
}

static bool twisted_build(struct topo *topo, struct param_problem *problem)
{
    const uint32_t *size = topo->numbers;
    uint32_t least = UINT32_MAX, twice = 0, once = 0;
    if (!check_sizes(topo, problem))
        return false;
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        least = size[d] < least ? size[d] : least;
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        once += size[d] == least;
        twice += size[d] == 2 * least;
    }
    if (!twice || once + twice != DIMENSIONS)
        return param_fail(problem, 0,
                          "k x k x 2k or k x 2k x 2k, in any order: one or two dimensions are twisted");
    uint64_t chips = (uint64_t)size[0] * size[1] > TOPO_NODES_LIMIT ? TOPO_NODES_LIMIT
                                                                    : (uint64_t)size[0] * size[1] * size[2];
    return graph_fits(chips, chips, chips, DIMENSIONS * chips, problem) &&
           graph_build(topo, twisted_fill, problem);
}

static uint32_t twisted_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    for (uint32_t d = 0; d < DIMENSIONS; at /= topo->numbers[d++])
        coordinates[d] = at % topo->numbers[d];
    return DIMENSIONS;
}

static const struct topo_form cubes_forms[] = {
    {"cubes", 3, 3, "cubes:8x8x8 (chips in each dimension, multiples of 4: a torus of cubes of 4 x 4 x 4)"},
    {.name = NULL},
};

static const struct topo_form twisted_forms[] = {
    {"twisted", 3, 3, "twisted:4x4x8 (chips, k x k x 2k or k x 2k x 2k: a twisted torus of cubes)"},
    {.name = NULL},
};

const struct topo_ops cubes_family = {
    .name = "cubes",
    .forms = cubes_forms,
    .rules = TOPO_RULE_ORDER | TOPO_RULE_TIE | TOPO_RULE_RATES,
    .build = cubes_build,
    .ends = grid_ends,
    .link_class = cubes_class,
    .link_classes = 2,
    .choose = grid_choose,
    .has_choices = grid_has_choices,
    .route = grid_route,
    .distance = grid_distance,
    .distances = grid_distances,
    .bisection = grid_bisection,
    .grid = grid_shape,
    .coordinates = grid_coordinates,
    .place = grid_place,
    .draw = grid_draw,
};

const struct topo_ops twisted_family = {
    .name = "twisted",
    .forms = twisted_forms,
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES,
    .build = twisted_build,
    .ends = graph_ends,
    .link_class = cubes_class,
    .link_classes = 2,
    .choose = graph_choose,
    .has_choices = graph_has_choices,
    .distance = graph_distance,
    .distances = graph_distances,
    .bisection = graph_bisection,
    .coordinates = twisted_coordinates,
    .place = graph_place,
};
