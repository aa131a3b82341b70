#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* FNV-1a. It is part of the definition of a stream, so it is not one of the functions of base/hash.h, which
 * may change. */
static uint64_t name_hash(const char *name)
{
    uint64_t value = UINT64_C(0xCBF29CE484222325);
    for (; *name; name++)
        value = (value ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
    return value;
}

struct rng rng_init(uint64_t seed, const char *component)
{
    struct rng rng;
    uint64_t state = seed;
    state = splitmix(&state) ^ name_hash(component);
    for (int i = 0; i < 4; i++)
        rng.state[i] = splitmix(&state);
    return rng;
}

static uint64_t rotate(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state, result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Lemire, Fast Random Integer Generation in an Interval (2019): the upper half of a product. The rare
 * products that would make some values more likely are drawn again. */
uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    unsigned __int128 product = (unsigned __int128)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t favoured = -bound % bound;
        while ((uint64_t)product < favoured)
            product = (unsigned __int128)rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

double rng_share(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_exponential(struct rng *rng, double mean)
{
    return -mean * log1p(-rng_share(rng));
}
