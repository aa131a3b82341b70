#include "topo/link_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

uint32_t *link_sets_begin(struct link_sets *sets, size_t most)
{
    sets->items = mem_grow(sets->items, &sets->capacity, sets->count + most + 1, "routes");
    return sets->items + sets->count;
}

uint32_t link_sets_end(struct link_sets *sets)
{
    const uint32_t *set = sets->items + sets->count;
    size_t at = sets->count, size = (size_t)*set + 1;
    uint64_t key = 0;
    for (size_t i = 0; i < size; i++)
        key = hash_add(key, set[i]);
    for (uint32_t *slot;; key++) {
        slot = hashmap_slot(&sets->known, key);
        if (!*slot) {
            *slot = (uint32_t)at + 1;
            sets->count = at + size;
            return (uint32_t)at;
        }
        const uint32_t *other = sets->items + *slot - 1;
        if (*other == *set && memcmp(other, set, size * sizeof *set) == 0)
            return *slot - 1;
    }
}

void link_sets_finish(struct link_sets *sets)
{
    hashmap_free(&sets->known);
    sets->known = (struct hashmap){.count = 0};
}

void link_sets_free(struct link_sets *sets)
{
    hashmap_free(&sets->known);
    free(sets->items);
}
