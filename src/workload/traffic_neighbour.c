#include "workload/traffic.h"

/* One step in a random direction. The ends of a line have one direction only. */
static uint32_t destination_of(const struct openloop_scene *scene, struct rng *rng, uint32_t node)
{
    if (!scene->is_grid)
        return (uint32_t)((node + (rng_below(rng, 2) ? 1 : scene->nodes - 1)) % scene->nodes);
    uint32_t coordinates[TOPO_COORDINATES], ways[2 * TOPO_COORDINATES], way_count = 0;
    const struct topo_grid *grid = topo_grid(&scene->topo);
    uint32_t count = topo_coordinates(&scene->topo, node, coordinates);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = grid->dimension[i].size;
        if (size > 1 && (grid->is_torus || coordinates[i] + 1 < size))
            ways[way_count++] = 2 * i;
        if (size > 1 && (grid->is_torus || coordinates[i] > 0))
            ways[way_count++] = 2 * i + 1;
    }
    if (!way_count)
        return node;
    uint32_t way = ways[rng_below(rng, way_count)], size = grid->dimension[way / 2].size;
    coordinates[way / 2] = (coordinates[way / 2] + (way % 2 ? size - 1 : 1)) % size;
    return topo_grid_switch(grid, coordinates);
}

static const struct openloop_pattern neighbour_pattern = {.destination = destination_of};

OPENLOOP_WORKLOAD(neighbour, openloop_params, "traffic to nearest neighbours: neighbour:messages=100");
