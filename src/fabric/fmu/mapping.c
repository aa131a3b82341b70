#include "fabric/fmu/mapping.h"

#include "base/estimate.h"
#include "base/mem.h"

enum { WORD = 64 };

/* --------------------------------------------------------------- tournament */

static void tournament_init(struct fmu_tournament *tournament, uint32_t count)
{
    tournament->size = 1;
    while (tournament->size < count)
        tournament->size *= 2;
    tournament->keys = mem_alloc(tournament->size, sizeof *tournament->keys, "FMU counters");
    tournament->winners =
        mem_alloc(2 * (size_t)tournament->size, sizeof *tournament->winners, "FMU counters");
    for (uint32_t i = 0; i < tournament->size; i++) {
        tournament->keys[i] = i < count ? 0 : UINT64_MAX;
        tournament->winners[tournament->size + i] = i;
    }
    for (uint32_t i = tournament->size; --i > 0;)
        tournament->winners[i] = tournament->winners[2 * i]; /* all equal: the lowest index */
}

static void tournament_set(struct fmu_tournament *tournament, uint32_t index, uint64_t key)
{
    tournament->keys[index] = key;
    for (uint32_t i = (tournament->size + index) / 2; i > 0; i /= 2) {
        uint32_t left = tournament->winners[2 * i], right = tournament->winners[2 * i + 1];
        tournament->winners[i] = tournament->keys[right] < tournament->keys[left] ? right : left;
    }
}

static uint32_t tournament_least(const struct fmu_tournament *tournament)
{
    return tournament->winners[1];
}

/* ----------------------------------------------------------------- counters */

static bool idle_is_tournament(const struct fmu_mapping *mapping)
{
    return mapping->try_idle == TRY_LEAST_S || mapping->try_idle == TRY_LEAST_SR;
}

static bool all_is_tournament(const struct fmu_mapping *mapping)
{
    return mapping->among_all == AMONG_LEAST_S || mapping->among_all == AMONG_LEAST_SR;
}

static bool is_idle(const struct fmu_mapping *mapping, uint32_t fmu)
{
    return mapping->idle[fmu / WORD] >> (fmu % WORD) & 1;
}

/* Brings the tournaments up to date with the counters and the idleness of one FMU. */
static void update(struct fmu_mapping *mapping, uint32_t fmu)
{
    if (idle_is_tournament(mapping)) {
        const uint64_t *counters = mapping->try_idle == TRY_LEAST_S ? mapping->sent : mapping->sent_not_read;
        tournament_set(&mapping->least_idle, fmu, is_idle(mapping, fmu) ? counters[fmu] : UINT64_MAX);
    }
    if (all_is_tournament(mapping)) {
        const uint64_t *counters =
            mapping->among_all == AMONG_LEAST_S ? mapping->sent : mapping->sent_not_read;
        tournament_set(&mapping->least_all, fmu, counters[fmu]);
    }
}

void fmu_mapping_init(struct fmu_mapping *mapping, uint32_t count, enum fmu_try_idle try_idle,
                      enum fmu_among_all among_all, uint64_t seed)
{
    *mapping = (struct fmu_mapping){.count = count, .try_idle = try_idle, .among_all = among_all};
    mapping->random = rng_init(seed, "fmu.mapping");
    mapping->idle = mem_alloc((count + WORD - 1) / WORD, sizeof *mapping->idle, "FMU mapping");
    mapping->sent = mem_alloc(count, sizeof *mapping->sent, "FMU counters");
    mapping->sent_not_read = mem_alloc(count, sizeof *mapping->sent_not_read, "FMU counters");
    if (idle_is_tournament(mapping))
        tournament_init(&mapping->least_idle, count);
    if (all_is_tournament(mapping))
        tournament_init(&mapping->least_all, count);
    for (uint32_t fmu = 0; fmu < count; fmu++)
        fmu_mapping_set_idle(mapping, fmu, true);
}

void fmu_mapping_free(struct fmu_mapping *mapping)
{
    free(mapping->idle);
    free(mapping->sent);
    free(mapping->sent_not_read);
    free(mapping->least_idle.keys);
    free(mapping->least_idle.winners);
    free(mapping->least_all.keys);
    free(mapping->least_all.winners);
}

size_t fmu_mapping_bytes(const struct fmu_mapping *mapping)
{
    size_t per_place = sizeof(uint64_t) + 2 * sizeof(uint32_t);
    return mapping->count * (2 * sizeof(uint64_t)) + mapping->count / 8 +
           (mapping->least_idle.size + (size_t)mapping->least_all.size) * per_place;
}

double fmu_mapping_estimate(double count)
{
    double per_place = sizeof(uint64_t) + 2 * sizeof(uint32_t);
    return count * 2 * sizeof(uint64_t) + count / 8 + 2 * estimate_power(count, 1) * per_place;
}

void fmu_mapping_set_idle(struct fmu_mapping *mapping, uint32_t fmu, bool idle)
{
    if (is_idle(mapping, fmu) == idle)
        return;
    mapping->idle[fmu / WORD] ^= UINT64_C(1) << (fmu % WORD);
    mapping->idle_count += idle ? 1 : UINT32_MAX; /* minus one */
    update(mapping, fmu);
}

void fmu_mapping_read(struct fmu_mapping *mapping, uint32_t fmu, uint64_t bytes)
{
    mapping->sent_not_read[fmu] -= bytes;
    update(mapping, fmu);
}

/* ----------------------------------------------------------------- choosing */

/* The idle FMU with `skip` idle ones before it. */
static uint32_t nth_idle(const struct fmu_mapping *mapping, uint32_t skip)
{
    for (uint32_t word = 0;; word++) {
        uint64_t bits = mapping->idle[word];
        uint32_t here = (uint32_t)__builtin_popcountll(bits);
        if (skip >= here) {
            skip -= here;
            continue;
        }
        for (; skip > 0; skip--)
            bits &= bits - 1;
        return word * WORD + (uint32_t)__builtin_ctzll(bits);
    }
}

static uint32_t among_idle(struct fmu_mapping *mapping)
{
    switch (mapping->try_idle) {
    case TRY_RANDOM:
        return nth_idle(mapping, (uint32_t)rng_below(&mapping->random, mapping->idle_count));
    case TRY_SIMPLE:
        return nth_idle(mapping, 0);
    default:
        return tournament_least(&mapping->least_idle);
    }
}

static uint32_t among_all(struct fmu_mapping *mapping, uint32_t receiver)
{
    switch (mapping->among_all) {
    case AMONG_RANDOM:
        return (uint32_t)rng_below(&mapping->random, mapping->count);
    case AMONG_STATIC:
        return receiver % mapping->count;
    case AMONG_INCREMENTAL:
        return (uint32_t)(mapping->sends % mapping->count);
    default:
        return tournament_least(&mapping->least_all);
    }
}

uint32_t fmu_mapping_choose(struct fmu_mapping *mapping, uint32_t receiver, uint64_t bytes)
{
    bool idle = mapping->try_idle != TRY_NONE && mapping->idle_count > 0;
    uint32_t fmu = idle ? among_idle(mapping) : among_all(mapping, receiver);
    mapping->sends++;
    mapping->sent[fmu] += bytes;
    mapping->sent_not_read[fmu] += bytes;
    update(mapping, fmu);
    return fmu;
}
