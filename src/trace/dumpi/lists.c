#include "trace/dumpi/lists.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

static uint32_t append(struct dumpi_lists *lists, const uint32_t *items, uint32_t count)
{
    lists->items =
        mem_grow(lists->items, &lists->item_capacity, lists->item_count + count + 1, "lists of ranks");
    lists->spans = mem_grow(lists->spans, &lists->capacity, lists->count + 1, "lists of ranks");
    if (count)
        memcpy(lists->items + lists->item_count, items, count * sizeof *items);
    lists->spans[lists->count] = (struct dumpi_span){lists->item_count, count};
    lists->item_count += count;
    return (uint32_t)lists->count++;
}

void dumpi_lists_init(struct dumpi_lists *lists)
{
    *lists = (struct dumpi_lists){.items = NULL};
    append(lists, NULL, 0);
}

void dumpi_lists_free(struct dumpi_lists *lists)
{
    free(lists->items);
    free(lists->spans);
    hashmap_free(&lists->index);
    *lists = (struct dumpi_lists){.items = NULL};
}

uint32_t dumpi_lists_add(struct dumpi_lists *lists, const uint32_t *items, uint32_t count)
{
    if (!count)
        return 0;
    for (uint64_t hash = XXH3_64bits(items, count * sizeof *items);; hash++) {
        uint32_t *known = hashmap_slot(&lists->index, hash);
        if (!*known) {
            *known = (uint32_t)lists->count + 1;
            return append(lists, items, count);
        }
        const struct dumpi_span *span = &lists->spans[*known - 1];
        if (span->count == count && !memcmp(lists->items + span->first, items, count * sizeof *items))
            return *known - 1;
    }
}
