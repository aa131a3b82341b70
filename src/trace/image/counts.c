#include "trace/image/counts.h"

#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

void counts_init(struct counts *counts)
{
    *counts = (struct counts){.count = 1};
    counts->bytes = mem_grow(counts->bytes, &counts->capacity, counts->count, "vectors of counts");
    counts->bytes[0] = 0;
}

void counts_free(struct counts *counts)
{
    free(counts->bytes);
    free(counts->at);
    hashmap_free(&counts->index);
    *counts = (struct counts){0};
}

static uint64_t append(struct counts *counts, const uint64_t *values, size_t length)
{
    uint64_t at = counts->count;
    counts->bytes = mem_grow(counts->bytes, &counts->capacity, counts->count + length, "vectors of counts");
    memcpy(counts->bytes + at, values, length * sizeof *values);
    counts->count += length;
    return at;
}

uint64_t counts_intern(struct counts *counts, const uint64_t *values, size_t length)
{
    uint32_t *known = hashmap_slot(&counts->index, XXH3_64bits(values, length * sizeof *values));
    if (*known) {
        uint64_t at = counts->at[*known - 1];
        bool equal = !memcmp(counts->bytes + at, values, length * sizeof *values);
        /* Two vectors have one hash: the second is stored each time. */
        return equal ? at : append(counts, values, length);
    }
    counts->at = mem_grow(counts->at, &counts->at_capacity, counts->at_count + 1, "vectors of counts");
    counts->at[counts->at_count++] = append(counts, values, length);
    *known = (uint32_t)counts->at_count;
    return counts->at[counts->at_count - 1];
}
