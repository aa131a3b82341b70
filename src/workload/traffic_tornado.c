#include "workload/traffic.h"

/* ceil(k / 2) - 1 steps up every dimension of k (Dally and Towles, Principles and Practices of
 * Interconnection Networks, Table 3.1). */
static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    (void)rng;
    if (!scene->is_grid)
        return (node + (scene->nodes - 1) / 2) % scene->nodes;
    const struct topo_grid *grid = topo_grid(&scene->topo);
    uint32_t coordinates[TOPO_COORDINATES], count = topo_coordinates(&scene->topo, node, coordinates);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = grid->dimension[i].size;
        coordinates[i] = (coordinates[i] + (size - 1) / 2) % size;
    }
    return topo_grid_switch(grid, coordinates);
}

static const struct openloop_pattern tornado_pattern = {.destination = destination_of};

OPENLOOP_WORKLOAD(tornado, openloop_params,
                  "traffic nearly half way round each dimension: tornado:messages=100");
