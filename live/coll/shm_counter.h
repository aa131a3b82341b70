#ifndef HELIO_LIVE_COLL_SHM_COUNTER_H
#define HELIO_LIVE_COLL_SHM_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/coll/backoff.h"

/* A number in shared memory that only rises and that ranks of a node wait for: a barrier or a flag. A rank
 * that waits long sleeps on a futex; a rank that raises the counter makes the system call that wakes sleepers
 * only if there are any. 64 bits never wrap. The futex compares the lower 32, which every raise changes. */
struct shm_counter {
    _Alignas(64) _Atomic uint64_t value;
    _Atomic uint32_t sleepers;
};

static inline bool shm_counter_reached(const struct shm_counter *counter, uint64_t value)
{
    return atomic_load_explicit(&((struct shm_counter *)counter)->value, memory_order_acquire) >= value;
}

/* Returns true when the counter is at `value` or above. What the rank that raised it wrote before is then
 * visible. Returns false when backoff->progress says that to wait is in vain.
 * The waiting rank calls `progress` now and then while it has a core: messages of this rank may be under way
 * that only its own calls to the MPI move, and the rank that is to raise the counter may, directly or through
 * others, wait for those messages. */
bool shm_counter_await(struct shm_counter *counter, uint64_t value, struct backoff *backoff);

/* Sets the counter to `value`; it must be below. */
void shm_counter_raise(struct shm_counter *counter, uint64_t value);

/* Adds one. Wakes sleepers if the counter is then at `value`: those who wait, wait for that value. */
void shm_counter_add(struct shm_counter *counter, uint64_t value);

#endif
