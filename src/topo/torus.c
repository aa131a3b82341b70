#include "topo/grid.h"
#include "topo/rates.h"

/* A grid whose lines are rings: ring is the one of one dimension. */

static bool torus_build(struct topo *topo, struct param_problem *problem)
{
    return grid_build(topo, true, problem);
}

static const struct topo_form forms[] = {
    {"ring", 1, 1, "ring:8 (nodes)"},
    {"torus", 1, TOPO_NUMBERS, "torus:12x12x12 (size of each dimension)"},
    {.name = NULL},
};

const struct topo_ops torus_family = {
    .name = "torus",
    .forms = forms,
    .rules = TOPO_RULE_ORDER | TOPO_RULE_TIE | TOPO_RULE_RATES,
    .build = torus_build,
    .ends = grid_ends,
    .link_class = rates_class_by_dimension,
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
