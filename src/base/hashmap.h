#ifndef HELIO_BASE_HASHMAP_H
#define HELIO_BASE_HASHMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* A hash map from 64-bit keys to 32-bit values. Keys are added and never removed one by one; hashmap_clear
 * removes all. A map of zeroes is empty. */
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

static inline bool hashmap_match(const void *entries, size_t at, const void *key)
{
    const struct hashmap_entry *entry = (const struct hashmap_entry *)entries + at;
    return !entry->value || entry->key == *(const uint64_t *)key;
}

/* The value of this key plus 1; 0: the map does not have the key. */
static inline uint32_t hashmap_get(const struct hashmap *map, uint64_t key)
{
    if (!map->entries)
        return 0;
    return map->entries[hash_search(map->entries, map->mask, hash_key(key), hashmap_match, &key)].value;
}

/* Where the value of this key plus 1 is kept. 0: the key is new, and the caller sets its value. The pointer
 * is valid until the next key is added. */
static inline uint32_t *hashmap_slot(struct hashmap *map, uint64_t key)
{
    if (map->count * 2 >= map->mask)
        hashmap_grow(map);
    struct hashmap_entry *entry =
        &map->entries[hash_search(map->entries, map->mask, hash_key(key), hashmap_match, &key)];
    if (!entry->value) {
        entry->key = key;
        map->count++;
    }
    return &entry->value;
}

#endif
