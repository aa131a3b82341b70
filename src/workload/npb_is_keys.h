#ifndef HELIO_WORKLOAD_NPB_IS_KEYS_H
#define HELIO_WORKLOAD_NPB_IS_KEYS_H

#include <stdint.h>

/* The keys of IS and where they go. Key i of all, in the order of ranks, is the sum of the numbers 4i+1 ...
 * 4i+4 of the sequence x = 5^13 x mod 2^46 from 314159265, each as a share of 1, times a quarter of the
 * greatest key. A bucket is a key's upper bits. */
struct is_problem {
    uint64_t keys; /* of all ranks */
    uint32_t key_bits, bucket_bits;
    uint32_t ranks; /* a power of two */
};

enum { IS_ITERATIONS = 10 };

/* Vectors of bytes per peer, as struct program wants them: entry 0 is unused. Which vector a rank uses in an
 * iteration (from 0) is sends[iteration * ranks + rank], receives[...]. */
struct is_exchange {
    uint64_t *counts;
    uint64_t *sends, *receives;
};

/* Counts every key: some 4 cycles of the processor each, 2^31 keys in class D. From class B on the keys per
 * bucket are kept in the cache (base/cache.h). */
void is_exchange_count(struct is_exchange *exchange, const struct is_problem *problem);
/* The same amount from each rank to each, which is within a few percent of the truth. */
void is_exchange_uniform(struct is_exchange *exchange, const struct is_problem *problem);
void is_exchange_free(struct is_exchange *exchange);

#endif
