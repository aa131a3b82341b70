#include "base/queue_table.h"

enum { FIRST_SIZE = 64 };

/* Multiplying by odd constants and folding the high half down spreads keys that differ in a few low bits, as
 * ranks and sequence numbers do. */
static size_t home_of(const struct queue_table *table, struct key key)
{
    uint64_t mixed = (key.high ^ (key.low * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(mixed ^ (mixed >> 32)) & table->mask;
}

static struct queue_table_entry *new_entries(size_t count)
{
    struct queue_table_entry *entries = mem_alloc(count, sizeof *entries, "the matching table");
    for (size_t i = 0; i < count; i++)
        entries[i].queue.head = POOL_NONE;
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

static struct queue_table_entry *probe(const struct queue_table *table, struct key key)
{
    size_t i = home_of(table, key);
    for (;; i = (i + 1) & table->mask) {
        struct queue_table_entry *entry = &table->entries[i];
        if (entry->queue.head == POOL_NONE || (entry->key.high == key.high && entry->key.low == key.low))
            return entry;
    }
}

static void grow(struct queue_table *table)
{
    struct queue_table larger = {.entries = new_entries((table->mask + 1) * 2), .mask = table->mask * 2 + 1};
    larger.used = table->used;
    for (size_t i = 0; i <= table->mask; i++)
        if (table->entries[i].queue.head != POOL_NONE)
            *probe(&larger, table->entries[i].key) = table->entries[i];
    free(table->entries);
    *table = larger;
}

struct queue_table_entry *queue_table_at(struct queue_table *table, struct key key)
{
    struct queue_table_entry *entry = probe(table, key);
    if (entry->queue.head != POOL_NONE)
        return entry;
    if (table->used * 8 >= table->mask * 5) {
        grow(table);
        entry = probe(table, key);
    }
    table->used++;
    entry->key = key;
    return entry;
}

/* Entries behind the hole move up as far as their home allows, so that no search ever ends at a hole too
 * early. */
void queue_table_remove(struct queue_table *table, struct queue_table_entry *entry)
{
    size_t hole = (size_t)(entry - table->entries);
    size_t i = hole;
    table->used--;
    for (;;) {
        i = (i + 1) & table->mask;
        struct queue_table_entry *next = &table->entries[i];
        if (next->queue.head == POOL_NONE)
            break;
        size_t distance_home = (i - home_of(table, next->key)) & table->mask;
        size_t distance_hole = (i - hole) & table->mask;
        if (distance_home < distance_hole)
            continue;
        table->entries[hole] = *next;
        hole = i;
    }
    table->entries[hole].queue.head = POOL_NONE;
}
