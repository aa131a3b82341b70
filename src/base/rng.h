#ifndef HELIO_BASE_RNG_H
#define HELIO_BASE_RNG_H

#include <stdint.h>

/* Random streams. Each component has a stream of its own, which (seed, component) names, so the draws of one
 * component do not change those of another. xoshiro256** (Blackman and Vigna, 2021), seeded by splitmix64. A
 * stream is a value: a copy continues with the same numbers. */
struct rng {
    uint64_t state[4];
};

struct rng rng_init(uint64_t seed, const char *component);

uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t bound); /* 0 ... bound - 1, without bias; bound is at least 1 */
double rng_share(struct rng *rng);                   /* [0, 1), 53 bits */
double rng_exponential(struct rng *rng, double mean);

#endif
