#ifndef HELIO_SIM_TOP_LIST_H
#define HELIO_SIM_TOP_LIST_H

#include <stddef.h>
#include <string.h>

/* A sorted list of the best that were seen, at most `most` of them, of `size` bytes each. Makes room for one
 * more at the place `at`, which is below `most`: what is behind moves on, and the last one falls out of a
 * full list. Returns how many there are then. */
static inline size_t top_list_open(void *list, size_t size, size_t count, size_t most, size_t at)
{
    char *place = (char *)list + at * size;
    count += count < most;
    memmove(place + size, place, (count - 1 - at) * size);
    return count;
}

#endif
