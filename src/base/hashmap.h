#ifndef HELIO_BASE_HASHMAP_H
#define HELIO_BASE_HASHMAP_H

#include <stddef.h>
#include <stdint.h>

/* A hash map from 64-bit keys to 32-bit values, for the compiler's tables: it only grows, and is emptied at
 * once. */
struct hashmap_entry {
    uint64_t key;
    uint32_t value; /* plus 1; 0 = empty */
};

struct hashmap {
    struct hashmap_entry *entries;
    size_t mask; /* entries - 1, a power of two less one */
    size_t count;
};

void hashmap_grow(struct hashmap *map);
void hashmap_clear(struct hashmap *map);
void hashmap_free(struct hashmap *map);

/* Compute amounts differ in their upper bits, line and slot numbers in their lower ones: the product carries
 * the lower bits up, the fold brings the upper ones down. */
static inline size_t hashmap_home(const struct hashmap *map, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((uint64_t)(product >> 64) ^ (uint64_t)product) & map->mask;
}

/* Where the key's value plus 1 is kept: 0 when the key is new, and the caller sets it. Valid until the next
 * key is added. */
static inline uint32_t *hashmap_slot(struct hashmap *map, uint64_t key)
{
    if (map->count * 2 >= map->mask)
        hashmap_grow(map);
    size_t at = hashmap_home(map, key);
    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & map->mask;
    if (!map->entries[at].value) {
        map->entries[at].key = key;
        map->count++;
    }
    return &map->entries[at].value;
}

#endif
