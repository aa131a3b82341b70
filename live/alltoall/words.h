#ifndef HELIO_ALLTOALL_WORDS_H
#define HELIO_ALLTOALL_WORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/alltoall/patience.h"

/* Numbers in shared memory that only rise, and that ranks of a node wait for: barriers and flags. Whoever
 * waits long sleeps, and whoever raises wakes only if somebody sleeps. 64 bits never wrap; a futex looks at
 * the lower half, which every raise changes. */
struct word {
    _Alignas(64) _Atomic uint64_t value;
    _Atomic uint32_t sleepers;
};

static inline bool word_reached(const struct word *word, uint64_t value)
{
    return atomic_load_explicit(&((struct word *)word)->value, memory_order_acquire) >= value;
}

/* Returns when the word is at `value` or above; what its raiser wrote before is then visible. Whoever waits
 * calls `progress` now and then (patience.h), as far as it has a core: the MPI may have messages of this rank
 * under way that only its own calls move, and somebody else's waiting for the word's raiser may depend on
 * them. */
void word_await(struct word *word, uint64_t value, struct patience *patience);

/* The word must be below `value`. */
void word_raise(struct word *word, uint64_t value);

/* Adds one; wakes those who wait for `value` if that is it. */
void word_add(struct word *word, uint64_t value);

#endif
