#include "trace/map.h"

#include <string.h>

#include "base/mem.h"

enum { SMALLEST = 64 };

void map_grow(struct map *map)
{
    struct map old = *map;
    size_t size = old.entries ? (old.mask + 1) * 2 : SMALLEST;
    map->entries = mem_alloc(size, sizeof *map->entries, "a hash map of the trace compiler");
    map->mask = size - 1;
    map->count = 0;
    for (size_t i = 0; old.entries && i <= old.mask; i++)
        if (old.entries[i].value)
            *map_slot(map, old.entries[i].key) = old.entries[i].value;
    free(old.entries);
}

void map_clear(struct map *map)
{
    /* After one large rank, thousands of small ones must not each pay for its table. */
    if (map->entries && map->mask > 8 * map->count + SMALLEST)
        map_free(map);
    else if (map->count)
        memset(map->entries, 0, (map->mask + 1) * sizeof *map->entries);
    map->count = 0;
}

void map_free(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}
