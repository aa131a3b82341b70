#ifndef HELIO_COLL_RANK_SETS_H
#define HELIO_COLL_RANK_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets of ranks under small numbers: equal sets have equal numbers. The symbols of the prover name the ranks
 * of a sum by such a number. */
struct rank_sets {
    uint32_t ranks;
    uint32_t words; /* of 64 bits, per set */
    uint32_t count;
    uint64_t *bits; /* count * words */
    size_t bits_capacity;
    uint32_t *table; /* open addressing, numbers of sets, RANK_SET_NONE = free */
    uint32_t table_size;
    uint32_t last_a, last_b, last_union; /* the last union: most are asked for many times in a row */
};

/* The number of the empty set. The set of rank r alone has number r + 1. */
enum { RANK_SET_NONE = 0 };

void rank_sets_init(struct rank_sets *sets, uint32_t ranks);
void rank_sets_free(struct rank_sets *sets);

static inline uint32_t rank_sets_one(uint32_t rank)
{
    return rank + 1;
}

/* Ranks 0 ... count - 1. */
uint32_t rank_sets_first(struct rank_sets *sets, uint32_t count);

/* The union of a and b; RANK_SET_NONE if they have a rank in common or one is empty. */
uint32_t rank_sets_join(struct rank_sets *sets, uint32_t a, uint32_t b);

/* The lowest rank in both; UINT32_MAX if there is none. */
uint32_t rank_sets_common(const struct rank_sets *sets, uint32_t a, uint32_t b);

/* "of rank 3", "of ranks 0-3, 5". The set must not be empty. Returns buffer. */
const char *rank_sets_print(const struct rank_sets *sets, uint32_t set, char *buffer, size_t size);

#endif
