#ifndef HELIO_BASE_KEYTABLE_H
#define HELIO_BASE_KEYTABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* Queues of records under 128-bit keys, for what meets by name: sends and receives that no channel fixes,
 * ranks that enter the same collective. Open addressing with linear probing; an entry exists only while its
 * queue is not empty, so the table is as large as what is outstanding at its peak. */
struct queue {
    uint32_t head, tail; /* records of a pool, linked by the user; POOL_NONE = empty */
};

struct key {
    uint64_t high, low;
};

struct key_entry {
    struct key key;
    struct queue queue; /* head POOL_NONE: the entry is free */
};

struct keytable {
    struct key_entry *entries;
    size_t mask; /* entries - 1, a power of two less one */
    size_t used;
};

void keytable_init(struct keytable *table);
void keytable_free(struct keytable *table);
size_t keytable_bytes(const struct keytable *table);

/* The entry of that key; a new one has an empty queue, which the caller fills before the next call. */
struct key_entry *keytable_at(struct keytable *table, struct key key);
/* Takes out an entry whose queue has become empty. Moves other entries. */
void keytable_remove(struct keytable *table, struct key_entry *entry);

#endif
