#include "coll/rank_sets.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static uint64_t *bits_of(const struct rank_sets *sets, uint32_t set)
{
    return sets->bits + (size_t)set * sets->words;
}

static bool holds(const struct rank_sets *sets, uint32_t set, uint32_t rank)
{
    return bits_of(sets, set)[rank / 64] >> (rank % 64) & 1;
}

static uint64_t hash_of(const uint64_t *bits, uint32_t words)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < words; i++)
        hash = hash_add(hash, bits[i]);
    return hash_key(hash);
}

static bool match(const void *table, size_t at, const void *bits)
{
    const struct rank_sets *sets = table;
    uint32_t set = sets->table[at];
    return set == RANK_SET_NONE || memcmp(bits_of(sets, set), bits, sets->words * sizeof(uint64_t)) == 0;
}

/* The place of this set in the table, or the free place where it belongs. */
static uint32_t *slot_of(const struct rank_sets *sets, const uint64_t *bits)
{
    uint64_t hash = hash_of(bits, sets->words);
    return &sets->table[hash_search(sets, sets->table_size - 1, hash, match, bits)];
}

static void grow_table(struct rank_sets *sets)
{
    free(sets->table);
    sets->table_size = sets->table_size > 0 ? 2 * sets->table_size : 64;
    sets->table = mem_alloc(sets->table_size, sizeof *sets->table, "sets of ranks");
    for (uint32_t set = 1; set < sets->count; set++)
        *slot_of(sets, bits_of(sets, set)) = set;
}

/* An empty set after the last one. intern_set() makes it one of the sets. */
static uint64_t *fresh(struct rank_sets *sets)
{
    sets->bits =
        mem_grow(sets->bits, &sets->bits_capacity, ((size_t)sets->count + 1) * sets->words, "sets of ranks");
    uint64_t *bits = bits_of(sets, sets->count);
    memset(bits, 0, sets->words * sizeof *bits);
    return bits;
}

static uint32_t intern_set(struct rank_sets *sets)
{
    if (2 * (sets->count + 1) > sets->table_size)
        grow_table(sets);
    uint32_t *slot = slot_of(sets, bits_of(sets, sets->count));
    if (*slot == RANK_SET_NONE)
        *slot = sets->count++;
    return *slot;
}

void rank_sets_init(struct rank_sets *sets, uint32_t ranks)
{
    *sets = (struct rank_sets){.ranks = ranks, .words = (ranks + 63) / 64};
    fresh(sets);
    sets->count = 1; /* the empty set, which the table does not hold */
    for (uint32_t rank = 0; rank < ranks; rank++) {
        fresh(sets)[rank / 64] |= UINT64_C(1) << (rank % 64);
        intern_set(sets);
    }
}

void rank_sets_free(struct rank_sets *sets)
{
    free(sets->bits);
    free(sets->table);
    *sets = (struct rank_sets){0};
}

uint32_t rank_sets_first(struct rank_sets *sets, uint32_t count)
{
    if (count == 0)
        return RANK_SET_NONE;
    uint64_t *bits = fresh(sets);
    for (uint32_t rank = 0; rank < count; rank++)
        bits[rank / 64] |= UINT64_C(1) << (rank % 64);
    return intern_set(sets);
}

uint32_t rank_sets_join(struct rank_sets *sets, uint32_t a, uint32_t b)
{
    if (a == sets->last_a && b == sets->last_b)
        return sets->last_union;
    sets->last_a = a;
    sets->last_b = b;
    sets->last_union = RANK_SET_NONE;
    if (a == RANK_SET_NONE || b == RANK_SET_NONE || rank_sets_common(sets, a, b) != UINT32_MAX)
        return RANK_SET_NONE;
    uint64_t *bits = fresh(sets);
    for (uint32_t i = 0; i < sets->words; i++)
        bits[i] = bits_of(sets, a)[i] | bits_of(sets, b)[i];
    sets->last_union = intern_set(sets);
    return sets->last_union;
}

uint32_t rank_sets_common(const struct rank_sets *sets, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < sets->words; i++) {
        uint64_t both = bits_of(sets, a)[i] & bits_of(sets, b)[i];
        if (both)
            return i * 64 + (uint32_t)__builtin_ctzll(both);
    }
    return UINT32_MAX;
}

const char *rank_sets_print(const struct rank_sets *sets, uint32_t set, char *buffer, size_t size)
{
    const char *separator = set != RANK_SET_NONE && set <= sets->ranks ? "of rank " : "of ranks ";
    size_t length = 0;
    for (uint32_t rank = 0; rank < sets->ranks && length < size; rank++) {
        if (!holds(sets, set, rank))
            continue;
        uint32_t last = rank;
        while (last + 1 < sets->ranks && holds(sets, set, last + 1))
            last++;
        length += (size_t)snprintf(buffer + length, size - length, "%s%u", separator, rank);
        if (last > rank && length < size)
            length += (size_t)snprintf(buffer + length, size - length, "-%u", last);
        separator = ", ";
        rank = last;
    }
    return buffer;
}
