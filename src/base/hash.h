#ifndef HELIO_BASE_HASH_H
#define HELIO_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hash functions, and the search in a table with open addressing and linear probing. No result may depend on
 * a hash value: tables are searched by it, and never listed in its order.
 *
 * Two tables are built from these, because their entries differ: a hashmap (base/hashmap.h) has small entries
 * that stay until the map is cleared; a queue_table (base/queue_table.h) has long keys, and entries leave
 * it. */

#define HASH_ODD UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */

/* Spreads a key over all bits, so that the lower bits alone are a good index. Compute amounts differ in their
 * upper bits, ranks and line numbers in their lower ones: the product carries the lower bits up, and the fold
 * brings the upper ones down. */
static inline uint64_t hash_key(uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)key * HASH_ODD;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* The hash of a sequence, one value after another: start with any number. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * HASH_ODD;
    return hash ^ hash >> 29;
}

/* The hash of several texts. The end of each text counts, so "ab", "c" is not "a", "bc". */
uint64_t hash_texts(const char *const *texts, size_t count);

/* XXH3-128 of a file's bytes in hexadecimal, by which a result names what it has read; "" for what is no
 * regular file, such as a pipe. False: it cannot be read, and errno says why. */
enum { HASH_FILE_TEXT = 33 };
bool hash_of_file(const char *path, char text[HASH_FILE_TEXT]);

/* True when entry `at` ends the search for `key`: the entry is free, or it has this key. */
typedef bool hash_match(const void *table, size_t at, const void *key);

/* The index of the entry with this key, or of the free entry where it belongs. The table has mask + 1
 * entries, a power of two, and at least one of them is free. Inlined with `match`, it costs what a loop
 * written by hand costs. */
static inline size_t hash_search(const void *table, size_t mask, uint64_t hash, hash_match *match,
                                 const void *key)
{
    size_t at = (size_t)hash & mask;
    while (!match(table, at, key))
        at = (at + 1) & mask;
    return at;
}

#endif
