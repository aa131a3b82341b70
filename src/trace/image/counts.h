#ifndef HELIO_TRACE_IMAGE_COUNTS_H
#define HELIO_TRACE_IMAGE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/* The size vectors of a trace's collectives: bytes per peer. Equal vectors are stored once, since all ranks
 * of an allgatherv have the same one. Entry 0 is unused: index 0 means "no vector". */
struct counts {
    uint64_t *bytes;
    size_t count, capacity;
    struct hashmap index; /* by hash; the value counts vectors, in the order of `at` */
    uint64_t *at;
    size_t at_count, at_capacity;
};

void counts_init(struct counts *counts);
void counts_free(struct counts *counts);

/* Where `values` (of `length` entries, the same in every call) start in the pool. */
uint64_t counts_intern(struct counts *counts, const uint64_t *values, size_t length);

#endif
