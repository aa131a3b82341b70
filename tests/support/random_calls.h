#ifndef TESTS_SUPPORT_RANDOM_CALLS_H
#define TESTS_SUPPORT_RANDOM_CALLS_H

#include "support/script.h"

/* Programs of random calls that end: messages, collectives, computation. */
enum { RANDOM_RANKS = 9, RANDOM_CALLS = 400 };

struct random_calls {
    struct call calls[RANDOM_RANKS][RANDOM_CALLS];
    const struct call *lists[RANDOM_RANKS];
    uint32_t count[RANDOM_RANKS];
    uint32_t slots[RANDOM_RANKS];
    uint32_t computed[RANDOM_RANKS];
    uint32_t ranks;
};

/* The caller frees it. `untied`: no two ranks send at the same time, since each computes for a random time
 * before each message; then there are no collectives. */
struct random_calls *random_calls_make(uint64_t seed, bool untied);

#endif
