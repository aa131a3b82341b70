#ifndef HELIO_BASE_QUEUE_TABLE_H
#define HELIO_BASE_QUEUE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/queue.h"

/* Queues of records under 128-bit keys, for example the unmatched sends and receives of one envelope. An
 * entry exists only while its queue is not empty, so the size of the table follows the largest number of keys
 * at a time. */
struct queue_key {
    uint64_t high, low;
};

struct queue_table_entry {
    struct queue_key key;
    struct queue queue; /* head POOL_NONE: the entry is free */
};

struct queue_table {
    struct queue_table_entry *entries;
    size_t mask; /* entries - 1, a power of two less one */
    size_t used;
};

void queue_table_init(struct queue_table *table);
void queue_table_free(struct queue_table *table);
size_t queue_table_bytes(const struct queue_table *table);
/* The bytes of a table that has held so many keys at once. */
double queue_table_estimate(double keys);

/* The entry of that key; a new one has an empty queue, which the caller fills before the next call. */
struct queue_table_entry *queue_table_at(struct queue_table *table, struct queue_key key);
/* The entry of that key; NULL: there is none. */
struct queue_table_entry *queue_table_find(const struct queue_table *table, struct queue_key key);
/* Takes out an entry whose queue has become empty. Moves other entries. */
void queue_table_remove(struct queue_table *table, struct queue_table_entry *entry);

#endif
