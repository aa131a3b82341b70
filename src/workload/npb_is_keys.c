#include "workload/npb_is_keys.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "output/cache.h"

enum { NUMBERS_PER_KEY = 4, KEY_BYTES = 4 };

/* The sequence is kept in the upper 46 bits of a word, so that the word's overflow is the modulus. */
#define SEQUENCE_BITS  46
#define SEQUENCE_SHIFT (64 - SEQUENCE_BITS)
#define SEQUENCE_START (UINT64_C(314159265) << SEQUENCE_SHIFT)
#define MULTIPLIER     UINT64_C(1220703125) /* 5^13 */

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

/* The four numbers of a key, each going on by four from key to key. */
struct sequence {
    uint64_t numbers[NUMBERS_PER_KEY];
};

static struct sequence sequence_at(uint64_t key)
{
    struct sequence sequence;
    uint64_t number = SEQUENCE_START * power(MULTIPLIER, NUMBERS_PER_KEY * key);
    for (int i = 0; i < NUMBERS_PER_KEY; i++)
        sequence.numbers[i] = number *= MULTIPLIER;
    return sequence;
}

/* The upper `bits` bits of a key. A key is a sum of four numbers below 1, so its maximum is 4. */
static inline uint64_t sequence_bits(const struct sequence *sequence, uint32_t bits)
{
    const uint64_t *numbers = sequence->numbers;
    return ((numbers[0] >> 2) + (numbers[1] >> 2) + (numbers[2] >> 2) + (numbers[3] >> 2)) >> (64 - bits);
}

static void count_keys(const struct is_problem *problem, uint32_t rank, uint64_t *buckets)
{
    uint64_t keys = problem->keys / problem->ranks;
    struct sequence sequence = sequence_at(rank * keys);
    const uint64_t stride = power(MULTIPLIER, NUMBERS_PER_KEY);
    for (uint64_t i = 0; i < keys; i++) {
        buckets[sequence_bits(&sequence, problem->bucket_bits)]++;
        for (int k = 0; k < NUMBERS_PER_KEY; k++)
            sequence.numbers[k] *= stride;
    }
}

/* Whether each rank has its share of the keys. A file of the cache may hold anything. */
static bool are_complete(const struct is_problem *problem, const uint64_t *buckets)
{
    size_t per_rank = (size_t)1 << problem->bucket_bits;
    uint64_t share = problem->keys / problem->ranks;
    for (uint32_t rank = 0; rank < problem->ranks; rank++, buckets += per_rank) {
        uint64_t left = share;
        for (size_t i = 0; i < per_rank; i++) {
            if (buckets[i] > left)
                return false;
            left -= buckets[i];
        }
        if (left)
            return false;
    }
    return true;
}

/* Below this many keys, counting is faster than reading a file. */
enum { KEYS_TO_KEEP = 1 << 25 };

/* Counts all keys by rank and bucket, or takes the counts from the cache, which saves seconds in class D. */
static void count_all_keys(const struct is_problem *problem, uint64_t *buckets)
{
    size_t per_rank = (size_t)1 << problem->bucket_bits, size = problem->ranks * per_rank * sizeof *buckets;
    bool is_kept = problem->keys >= KEYS_TO_KEEP;
    char name[96];
    snprintf(name, sizeof name, "npb-is.%" PRIu64 "-keys.%" PRIu32 "-buckets.%" PRIu32 "-ranks.v1",
             problem->keys, UINT32_C(1) << problem->bucket_bits, problem->ranks);
    if (is_kept && cache_load(name, buckets, size) && are_complete(problem, buckets))
        return;
    memset(buckets, 0, size);
    for (uint32_t rank = 0; rank < problem->ranks; rank++)
        count_keys(problem, rank, buckets + rank * per_rank);
    if (is_kept)
        cache_keep(name, buckets, size);
}

/* Before iteration i (from 1) rank 0 sets its keys i and i + 10 to i and the greatest key less i. */
static void change_keys(const struct is_problem *problem, uint32_t iteration, uint64_t *buckets)
{
    uint32_t shift = problem->key_bits - problem->bucket_bits;
    uint64_t keys[] = {iteration, (UINT64_C(1) << problem->key_bits) - iteration};
    for (int i = 0; i < 2; i++) {
        struct sequence old = sequence_at(iteration + (uint64_t)i * IS_ITERATIONS);
        buckets[sequence_bits(&old, problem->bucket_bits)]--;
        buckets[keys[i] >> shift]++;
    }
}

/* ------------------------------------------------------------ who gets what */

struct counting {
    const struct is_problem *problem;
    uint64_t *buckets; /* rank by rank */
    uint64_t *totals;  /* of the buckets, scratch */
    uint32_t *owners;  /* of the buckets */
    uint64_t *sent;    /* bytes, sender by sender */
    uint64_t *vector;  /* one of them, scratch */
    uint64_t *counts;
    size_t used, capacity;
};

/* A rank takes further buckets until the keys in all taken buckets are at least its share and the shares of
 * the ranks before it. The last bucket is never empty, since rank 0 has a key there, so it has an owner.
 * Counts from the cache may be any: no rank follows the last. */
static void assign_buckets(struct counting *counting)
{
    const struct is_problem *problem = counting->problem;
    uint32_t buckets = UINT32_C(1) << problem->bucket_bits;
    uint64_t share = problem->keys / problem->ranks, taken = 0;
    memset(counting->totals, 0, buckets * sizeof *counting->totals);
    for (uint32_t rank = 0; rank < problem->ranks; rank++)
        for (uint32_t i = 0; i < buckets; i++)
            counting->totals[i] += counting->buckets[(size_t)rank * buckets + i];
    for (uint32_t i = 0, owner = 0; i < buckets; i++) {
        counting->owners[i] = owner;
        taken += counting->totals[i];
        owner += owner + 1 < problem->ranks && taken >= (owner + 1) * share;
    }
    memset(counting->sent, 0, (size_t)problem->ranks * problem->ranks * sizeof *counting->sent);
    for (uint32_t rank = 0; rank < problem->ranks; rank++)
        for (uint32_t i = 0; i < buckets; i++)
            counting->sent[(size_t)rank * problem->ranks + counting->owners[i]] +=
                KEY_BYTES * counting->buckets[(size_t)rank * buckets + i];
}

/* The place of the vector that begins at sent[first] with this stride. It is the earlier place if the vector
 * is the same as before. */
static uint64_t keep(struct counting *counting, size_t first, size_t stride, uint64_t before)
{
    uint32_t ranks = counting->problem->ranks;
    for (uint32_t i = 0; i < ranks; i++)
        counting->vector[i] = counting->sent[first + i * stride];
    if (before && !memcmp(counting->counts + before, counting->vector, ranks * sizeof *counting->vector))
        return before;
    uint64_t at = counting->used;
    counting->counts =
        mem_grow(counting->counts, &counting->capacity, at + ranks, "the counts of an alltoallv");
    memcpy(counting->counts + at, counting->vector, ranks * sizeof *counting->vector);
    counting->used += ranks;
    return at;
}

static void keep_iteration(struct counting *counting, uint32_t iteration, struct is_exchange *exchange)
{
    size_t ranks = counting->problem->ranks;
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t now = iteration * ranks + rank;
        bool is_first = iteration == 0;
        exchange->sends[now] = keep(counting, rank * ranks, 1, is_first ? 0 : exchange->sends[now - ranks]);
        exchange->receives[now] = keep(counting, rank, ranks, is_first ? 0 : exchange->receives[now - ranks]);
    }
}

static void allocate(struct is_exchange *exchange, const struct is_problem *problem)
{
    size_t vectors = (size_t)IS_ITERATIONS * problem->ranks;
    exchange->sends = mem_alloc(vectors, sizeof *exchange->sends, "the vectors of ranks");
    exchange->receives = mem_alloc(vectors, sizeof *exchange->receives, "the vectors of ranks");
}

void is_exchange_count(struct is_exchange *exchange, const struct is_problem *problem)
{
    size_t ranks = problem->ranks, buckets = (size_t)1 << problem->bucket_bits;
    struct counting counting = {.problem = problem, .used = 1};
    counting.buckets = mem_alloc(ranks * buckets, sizeof *counting.buckets, "keys per bucket");
    counting.totals = mem_alloc(buckets, sizeof *counting.totals, "keys per bucket");
    counting.owners = mem_alloc(buckets, sizeof *counting.owners, "owners of buckets");
    counting.sent = mem_alloc(ranks * ranks, sizeof *counting.sent, "keys from rank to rank");
    counting.vector = mem_alloc(ranks, sizeof *counting.vector, "keys from rank to rank");
    allocate(exchange, problem);
    count_all_keys(problem, counting.buckets);
    for (uint32_t iteration = 0; iteration < IS_ITERATIONS; iteration++) {
        change_keys(problem, iteration + 1, counting.buckets);
        assign_buckets(&counting);
        keep_iteration(&counting, iteration, exchange);
    }
    exchange->counts = counting.counts;
    exchange->counts[0] = 0;
    free(counting.buckets);
    free(counting.totals);
    free(counting.owners);
    free(counting.sent);
    free(counting.vector);
}

void is_exchange_uniform(struct is_exchange *exchange, const struct is_problem *problem)
{
    allocate(exchange, problem);
    exchange->counts = mem_alloc((size_t)problem->ranks + 1, sizeof *exchange->counts, "keys to a rank");
    for (uint32_t i = 0; i < problem->ranks; i++)
        exchange->counts[i + 1] = KEY_BYTES * (problem->keys / problem->ranks / problem->ranks);
    for (size_t i = 0; i < (size_t)IS_ITERATIONS * problem->ranks; i++)
        exchange->sends[i] = exchange->receives[i] = 1;
}

void is_exchange_free(struct is_exchange *exchange)
{
    free(exchange->counts);
    free(exchange->sends);
    free(exchange->receives);
}
