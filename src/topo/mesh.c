#include "topo/grid.h"
#include "topo/rates.h"

/* A grid with ends: linear is the one of one dimension. */

static bool mesh_build(struct topo *topo, struct param_problem *problem)
{
    return grid_build(topo, false, problem);
}

static const struct topo_form forms[] = {
    {"linear", 1, 1, "linear:8 (nodes)"},
    {"mesh", 1, TOPO_NUMBERS, "mesh:4x4 (size of each dimension)"},
    {.name = NULL},
};

const struct topo_ops mesh_family = {
    .name = "mesh",
    .forms = forms,
    .rules = TOPO_RULE_ORDER | TOPO_RULE_RATES,
    .build = mesh_build,
    .ends = grid_ends,
    .link_class = rates_class_by_dimension,
    .choose = grid_choose,
    .route = grid_route,
    .distance = grid_distance,
    .distances = grid_distances,
    .bisection = grid_bisection,
    .grid = grid_shape,
    .coordinates = grid_coordinates,
    .place = grid_place,
    .draw = grid_draw,
};
