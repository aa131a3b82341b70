#ifndef HELIO_ALLTOALL_SHM_COUNTER_H
#define HELIO_ALLTOALL_SHM_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/alltoall/backoff.h"

/* Numbers in shared memory that only rise, and that ranks of a node wait for: barriers and flags. Whoever
 * waits long sleeps, and whoever raises wakes only if somebody sleeps. 64 bits never wrap; a futex looks at
 * the lower half, which every raise changes. */
struct shm_counter {
    _Alignas(64) _Atomic uint64_t value;
    _Atomic uint32_t sleepers;
};

static inline bool shm_counter_reached(const struct shm_counter *counter, uint64_t value)
{
    return atomic_load_explicit(&((struct shm_counter *)counter)->value, memory_order_acquire) >= value;
}

/* Returns when the word is at `value` or above; what its raiser wrote before is then visible. Whoever waits
 * calls `progress` now and then (patience.h), as far as it has a core: the MPI may have messages of this rank
 * under way that only its own calls move, and somebody else's waiting for the word's raiser may depend on
 * them. */
void shm_counter_await(struct shm_counter *counter, uint64_t value, struct backoff *backoff);

/* The word must be below `value`. */
void shm_counter_raise(struct shm_counter *counter, uint64_t value);

/* Adds one; wakes those who wait for `value` if that is it. */
void shm_counter_add(struct shm_counter *counter, uint64_t value);

#endif
