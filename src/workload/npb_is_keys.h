#ifndef HELIO_WORKLOAD_NPB_IS_KEYS_H
#define HELIO_WORKLOAD_NPB_IS_KEYS_H

#include <stdint.h>

/* The keys of IS, and the ranks that they are sent to. Let x be the sequence x = 5^13 x mod 2^46 from
 * 314159265. Key i, counted over all ranks in order, is the sum of the numbers 4i+1 ... 4i+4 of x, each
 * divided by 2^46, times a quarter of the greatest key. The bucket of a key is its upper bits. */
struct is_problem {
    uint64_t keys; /* of all ranks */
    uint32_t key_bits, bucket_bits;
    uint32_t ranks; /* a power of two */
};

enum { IS_ITERATIONS = 10 };

/* Vectors of bytes per peer, as struct program has them: entry 0 is unused. The vectors of a rank in an
 * iteration (from 0) begin at sends[iteration * ranks + rank] and receives[...]. */
struct is_exchange {
    uint64_t *counts;
    uint64_t *sends, *receives;
};

/* Counts every key, at about 4 cycles of the processor each; class D has 2^31 keys. From class B on the keys
 * per bucket are kept in the cache (output/cache.h). */
void is_exchange_count(struct is_exchange *exchange, const struct is_problem *problem);
/* The same number from each rank to each, which is within a few percent of the exact counts. */
void is_exchange_uniform(struct is_exchange *exchange, const struct is_problem *problem);
void is_exchange_free(struct is_exchange *exchange);

#endif
