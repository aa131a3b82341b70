#include "sim/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* The calls of one size with one algorithm: `from_bytes` is `to_bytes`. */
static bool is_of(const struct result_collective *entry, const struct tap_collective *call)
{
    return entry->kind == call->kind && entry->ranks == call->ranks && entry->from_bytes == call->bytes &&
           entry->algorithm == call->algorithm;
}

static uint64_t hash_of(uint32_t kind, uint32_t ranks, uint64_t bytes, const char *algorithm)
{
    const uint64_t who = (uint64_t)kind << 32 | ranks;
    return hash_add(hash_add(hash_add(0, who), bytes), (uint64_t)(uintptr_t)algorithm);
}

static bool match(const void *table, size_t at, const void *key)
{
    const struct result_collectives *collectives = table;
    const uint32_t entry = collectives->index[at];
    return !entry || is_of(&collectives->entries[entry - 1], key);
}

static void grow_index(struct result_collectives *collectives)
{
    const size_t size = collectives->index ? 2 * (collectives->mask + 1) : 64;
    free(collectives->index);
    collectives->index = mem_alloc(size, sizeof *collectives->index, "collectives");
    collectives->mask = size - 1;
    for (uint32_t i = 0; i < collectives->count; i++) {
        const struct result_collective *entry = &collectives->entries[i];
        size_t at = (size_t)hash_of(entry->kind, entry->ranks, entry->from_bytes, entry->algorithm);
        while (collectives->index[at & collectives->mask])
            at++;
        collectives->index[at & collectives->mask] = i + 1;
    }
}

static struct result_collective *entry_of(struct result_collectives *collectives,
                                          const struct tap_collective *call)
{
    if (collectives->count * 2 >= collectives->mask)
        grow_index(collectives);
    const size_t at =
        hash_search(collectives, collectives->mask,
                    hash_of(call->kind, call->ranks, call->bytes, call->algorithm), match, call);
    if (collectives->index[at])
        return &collectives->entries[collectives->index[at] - 1];
    collectives->entries =
        mem_grow(collectives->entries, &collectives->capacity, collectives->count + 1, "collectives");
    struct result_collective *entry = &collectives->entries[collectives->count++];
    *entry = (struct result_collective){.kind = call->kind,
                                        .operation = call->operation,
                                        .algorithm = call->algorithm,
                                        .ranks = call->ranks,
                                        .has_size = call->has_size,
                                        .from_bytes = call->bytes,
                                        .to_bytes = call->bytes};
    collectives->index[at] = (uint32_t)collectives->count;
    return entry;
}

static void collect(void *self, const struct tap_record *record)
{
    struct result *result = self;
    entry_of(&result->collectives, record->collective)->calls++;
}

void collectives_collect(struct result *result, struct tap *tap)
{
    tap_handle(tap, TAP_BIT(TAP_COLLECTIVE), collect, result);
}

static int by_size(const void *a, const void *b)
{
    const struct result_collective *first = a, *second = b;
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    if (first->ranks != second->ranks)
        return first->ranks < second->ranks ? -1 : 1;
    if (first->from_bytes != second->from_bytes)
        return first->from_bytes < second->from_bytes ? -1 : 1;
    return strcmp(first->algorithm, second->algorithm);
}

void collectives_join(struct result *result)
{
    struct result_collectives *collectives = &result->collectives;
    size_t joined = 0;
    if (collectives->count)
        qsort(collectives->entries, collectives->count, sizeof *collectives->entries, by_size);
    for (size_t i = 0; i < collectives->count; i++) {
        const struct result_collective *entry = &collectives->entries[i];
        struct result_collective *last = joined ? &collectives->entries[joined - 1] : NULL;
        if (last && last->kind == entry->kind && last->ranks == entry->ranks &&
            last->algorithm == entry->algorithm) {
            last->to_bytes = entry->to_bytes;
            last->calls += entry->calls;
        } else {
            collectives->entries[joined++] = *entry;
        }
    }
    collectives->count = joined;
    free(collectives->index);
    collectives->index = NULL;
    collectives->mask = 0;
}

void collectives_free(struct result_collectives *collectives)
{
    free(collectives->entries);
    free(collectives->index);
}

json_t *collectives_json(const struct result_collectives *collectives)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < collectives->count; i++) {
        const struct result_collective *entry = &collectives->entries[i];
        json_t *object = json_make_object();
        json_put_text(object, "operation", entry->operation);
        json_put_text(object, "algorithm", entry->algorithm);
        json_put_count(object, "ranks", entry->ranks);
        if (entry->has_size)
            json_put_count(object, "from_bytes", entry->from_bytes);
        if (entry->has_size)
            json_put_count(object, "to_bytes", entry->to_bytes);
        json_put_count(object, "calls", entry->calls);
        json_add(list, object);
    }
    return list;
}
