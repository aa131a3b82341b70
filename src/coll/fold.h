#ifndef HELIO_COLL_FOLD_H
#define HELIO_COLL_FOLD_H

#include "coll/steps.h"

/* Folding: algorithms that exchange along the bits of the rank serve any number of ranks (Thakur,
 * Rabenseifner, Gropp 2005). If there are `rest` ranks more than a power of two, each even rank below 2 *
 * rest hands its data to its odd neighbour, and gets the result from it in the end. */
enum fold_role {
    FOLD_PLAIN,  /* takes part */
    FOLD_HELPER, /* takes part for itself and its partner */
    FOLD_LEAVER, /* hands over its data and waits for the result */
};

struct fold {
    enum fold_role role;
    uint32_t partner; /* of a helper or leaver */
    uint32_t power;   /* power of two: the number of ids */
    uint32_t rounds;  /* log2 of it */
    uint32_t rest;
    uint32_t id; /* of a rank that takes part */
};

static inline struct fold fold_of(uint32_t rank, uint32_t size)
{
    uint32_t rounds = log2_floor(size);
    struct fold fold = {.power = UINT32_C(1) << rounds, .rounds = rounds};
    fold.rest = size - fold.power;
    if (rank >= 2 * fold.rest) {
        fold.id = rank - fold.rest;
        return fold;
    }
    fold.role = rank % 2 ? FOLD_HELPER : FOLD_LEAVER;
    fold.partner = rank ^ 1;
    fold.id = rank / 2;
    return fold;
}

/* The rank that takes part as `id`. */
static inline uint32_t fold_rank(const struct fold *fold, uint32_t id)
{
    return id < fold->rest ? 2 * id + 1 : id + fold->rest;
}

/* The first rank that `id` stands for. Consecutive ids stand for consecutive ranks. */
static inline uint32_t fold_first(const struct fold *fold, uint32_t id)
{
    return id < fold->rest ? 2 * id : id + fold->rest;
}

/* The first id of the range that holds `id`. A range is aligned to its length, a power of two: a half in
 * recursive halving and doubling. */
static inline uint32_t fold_half(uint32_t id, uint32_t length)
{
    return id & ~(length - 1);
}

#endif
