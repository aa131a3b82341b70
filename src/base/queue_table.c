#include "base/queue_table.h"

#include "base/estimate.h"
#include "base/hash.h"

enum { FIRST_SIZE = 64 };

static uint64_t hash_of(struct queue_key key)
{
    return hash_key(key.high ^ (key.low * HASH_ODD));
}

static bool match(const void *entries, size_t at, const void *wanted)
{
    const struct queue_table_entry *entry = (const struct queue_table_entry *)entries + at;
    const struct queue_key *key = wanted;
    return queue_is_empty(&entry->queue) || (entry->key.high == key->high && entry->key.low == key->low);
}

static struct queue_table_entry *new_entries(size_t count)
{
    struct queue_table_entry *entries = mem_alloc(count, sizeof *entries, "the matching table");
    for (size_t i = 0; i < count; i++)
        queue_init(&entries[i].queue);
    return entries;
}

void queue_table_init(struct queue_table *table)
{
    *table = (struct queue_table){.entries = new_entries(FIRST_SIZE), .mask = FIRST_SIZE - 1};
}

void queue_table_free(struct queue_table *table)
{
    free(table->entries);
    table->entries = NULL;
}

size_t queue_table_bytes(const struct queue_table *table)
{
    return (table->mask + 1) * sizeof *table->entries;
}

double queue_table_estimate(double keys)
{
    return estimate_power(keys * 8 / 5, FIRST_SIZE) * (double)sizeof(struct queue_table_entry);
}

static struct queue_table_entry *search(const struct queue_table *table, struct queue_key key)
{
    return &table->entries[hash_search(table->entries, table->mask, hash_of(key), match, &key)];
}

static void grow(struct queue_table *table)
{
    struct queue_table larger = {.entries = new_entries((table->mask + 1) * 2), .mask = table->mask * 2 + 1};
    larger.used = table->used;
    for (size_t i = 0; i <= table->mask; i++)
        if (!queue_is_empty(&table->entries[i].queue))
            *search(&larger, table->entries[i].key) = table->entries[i];
    free(table->entries);
    *table = larger;
}

struct queue_table_entry *queue_table_at(struct queue_table *table, struct queue_key key)
{
    struct queue_table_entry *entry = search(table, key);
    if (!queue_is_empty(&entry->queue))
        return entry;
    if (table->used * 8 >= table->mask * 5) {
        grow(table);
        entry = search(table, key);
    }
    table->used++;
    entry->key = key;
    return entry;
}

struct queue_table_entry *queue_table_find(const struct queue_table *table, struct queue_key key)
{
    struct queue_table_entry *entry = search(table, key);
    return queue_is_empty(&entry->queue) ? NULL : entry;
}

/* A search ends at the first free entry, so the hole must not separate an entry from its home. Each entry
 * behind the hole whose home is not behind it moves into the hole, and leaves the next hole. */
void queue_table_remove(struct queue_table *table, struct queue_table_entry *entry)
{
    size_t hole = (size_t)(entry - table->entries);
    size_t i = hole;
    table->used--;
    for (;;) {
        i = (i + 1) & table->mask;
        struct queue_table_entry *next = &table->entries[i];
        if (queue_is_empty(&next->queue))
            break;
        size_t distance_home = (i - (size_t)hash_of(next->key)) & table->mask;
        size_t distance_hole = (i - hole) & table->mask;
        if (distance_home < distance_hole)
            continue;
        table->entries[hole] = *next;
        hole = i;
    }
    queue_init(&table->entries[hole].queue);
}
