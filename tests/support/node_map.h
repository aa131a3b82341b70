#ifndef TESTS_SUPPORT_NODE_MAP_H
#define TESTS_SUPPORT_NODE_MAP_H

/* Node maps of small groups, in several placements. */

#include "coll/nodes.h"

enum { NODE_MAP_RANKS = 64 };

struct node_map {
    struct coll_nodes nodes;
    uint32_t size;
    uint32_t words[4 * NODE_MAP_RANKS + 1];
};

static inline void node_map_make(struct node_map *map, uint32_t size, const uint32_t *place_of)
{
    map->size = size;
    coll_nodes_init(&map->nodes, size, place_of, map->words);
}

enum placement { BLOCKS, ROUND_ROBIN, SCRAMBLED, PLACEMENTS };

/* `nodes` nodes with about `ranks` ranks each. If uneven, node i has 1 + i mod `ranks`. */
static inline void node_map_place(struct node_map *map, uint32_t nodes, uint32_t ranks, bool uneven,
                                  enum placement placement)
{
    uint32_t place_of[NODE_MAP_RANKS], size = 0, left[NODE_MAP_RANKS];
    for (uint32_t node = 0; node < nodes; node++)
        size += left[node] = uneven ? 1 + node % ranks : ranks;
    for (uint32_t rank = 0, node = 0; rank < size; rank++) {
        while (left[node] == 0)
            node = (node + 1) % nodes;
        left[node]--;
        place_of[rank] = nodes - 1 - node;
        if (placement != BLOCKS)
            node = (node + 1) % nodes;
    }
    for (uint32_t i = 0; placement == SCRAMBLED && i < size; i++) {
        uint32_t other = (i * 7 + 3) % size, kept = place_of[i];
        place_of[i] = place_of[other];
        place_of[other] = kept;
    }
    node_map_make(map, size, place_of);
}

/* Calls `use` with every map of so many nodes and ranks of a node at most, even and uneven, in each
 * placement. */
static inline void node_map_each(uint32_t most_nodes, uint32_t most_ranks,
                                 void (*use)(const struct node_map *map))
{
    struct node_map map;
    for (uint32_t nodes = 1; nodes <= most_nodes; nodes++)
        for (uint32_t ranks = 1; ranks <= most_ranks; ranks++)
            for (int uneven = 0; uneven <= 1; uneven++)
                for (enum placement placement = BLOCKS; placement < PLACEMENTS; placement++) {
                    node_map_place(&map, nodes, ranks, uneven, placement);
                    use(&map);
                }
}

#endif
