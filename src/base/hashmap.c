#include "base/hashmap.h"

#include <string.h>

#include "base/mem.h"

enum { SMALLEST = 64 };

void hashmap_grow(struct hashmap *map)
{
    struct hashmap old = *map;
    size_t size = old.entries ? (old.mask + 1) * 2 : SMALLEST;
    map->entries = mem_alloc(size, sizeof *map->entries, "a hash map");
    map->mask = size - 1;
    map->count = 0;
    for (size_t i = 0; old.entries && i <= old.mask; i++)
        if (old.entries[i].value)
            *hashmap_slot(map, old.entries[i].key) = old.entries[i].value;
    free(old.entries);
}

void hashmap_clear(struct hashmap *map)
{
    /* A large table is freed, not cleared: after one large use, each of a thousand small ones would clear it
     * whole. */
    if (map->entries && map->mask > 8 * map->count + SMALLEST)
        hashmap_free(map);
    else if (map->count)
        memset(map->entries, 0, (map->mask + 1) * sizeof *map->entries);
    map->count = 0;
}

void hashmap_free(struct hashmap *map)
{
    free(map->entries);
    *map = (struct hashmap){0};
}
