#ifndef HELIO_TRACE_DUMPI_LISTS_H
#define HELIO_TRACE_DUMPI_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/* Lists of numbers, each stored once: the ranks of groups are the same on most ranks. List 0 is empty. */
struct dumpi_lists {
    uint32_t *items;
    size_t item_count, item_capacity;
    struct dumpi_span {
        size_t first;
        uint32_t count;
    } * spans;
    size_t count, capacity;
    struct hashmap index; /* by the hash of the items */
};

void dumpi_lists_init(struct dumpi_lists *lists);
void dumpi_lists_free(struct dumpi_lists *lists);

/* The number of the list with these items, which are not in `lists` themselves. */
uint32_t dumpi_lists_add(struct dumpi_lists *lists, const uint32_t *items, uint32_t count);

static inline uint32_t dumpi_lists_count(const struct dumpi_lists *lists, uint32_t list)
{
    return lists->spans[list].count;
}

/* Valid until the next list is added. */
static inline const uint32_t *dumpi_lists_items(const struct dumpi_lists *lists, uint32_t list)
{
    return lists->items + lists->spans[list].first;
}

#endif
