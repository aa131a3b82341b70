#include "extrapolate/peer.h"

#include <stdbool.h>
#include <stdlib.h>

#include "call/call.h"

static int64_t modulo(int64_t value, int64_t n)
{
    return ((value % n) + n) % n;
}

static int64_t neighbour(const struct peer_rule *rule, const struct grid *grid, uint32_t rank)
{
    int64_t at[GRID_DIMENSIONS];
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        at[d] += rule->a[d];
        if (rule->kind == PEER_WRAP)
            at[d] = modulo(at[d], grid->size[d]);
        else if (at[d] < 0 || at[d] >= grid->size[d])
            return PEER_NONE;
    }
    return grid_rank(grid, at);
}

/* The bit that the rule flips on this grid; -1: there is none. */
static int64_t flipped_bit(const struct peer_rule *rule, const struct grid *grid, uint32_t stage)
{
    uint32_t row, all;
    if (!grid_log2(grid->size[0], &row) || !grid_log2(grid->ranks, &all))
        return -1;
    const int64_t first[] = {
        [PEER_LOWEST] = rule->a[0],
        [PEER_ROW_TOP] = (int64_t)row - 1 - rule->a[0],
        [PEER_ROW_END] = (int64_t)row + rule->a[0],
        [PEER_TOP] = (int64_t)all - 1 - rule->a[0],
    };
    int64_t bit = first[rule->base] + (int64_t)rule->step * stage;
    return bit < (int64_t)all ? bit : -1;
}

static int64_t transposed(const struct grid *grid, uint32_t rank)
{
    uint32_t pair = grid->size[0] == 2 * grid->size[1] ? 2 : 1; /* ranks that stay together */
    uint32_t side = grid->size[1];
    if (grid->size[0] != pair * side || grid->size[2] != 1)
        return PEER_INVALID;
    uint32_t cell = rank / pair;
    return (int64_t)pair * (cell % side * side + cell / side) + rank % pair;
}

int64_t peer_of(const struct peer_rule *rule, const struct grid *grid, uint32_t rank, uint32_t stage)
{
    int64_t shift = rule->a[0] + (int64_t)rule->step * stage, peer = PEER_INVALID;
    switch ((enum peer_kind)rule->kind) {
    case PEER_OFFSET:
    case PEER_WRAP:
        return neighbour(rule, grid, rank);
    case PEER_XOR_BIT:
        shift = flipped_bit(rule, grid, stage);
        peer = shift < 0 ? PEER_INVALID : (int64_t)(rank ^ (1U << shift));
        break;
    case PEER_TRANSPOSE:
        return transposed(grid, rank);
    case PEER_RING:
        return modulo(rank + shift, grid->ranks);
    case PEER_RING_POWER:
        return stage < 32 ? modulo(rank + rule->a[0] * ((int64_t)1 << stage), grid->ranks) : PEER_INVALID;
    case PEER_XOR_COUNT:
        peer = shift < 0 ? PEER_INVALID : (int64_t)rank ^ shift;
        break;
    case PEER_RANK:
        peer = shift;
        break;
    case PEER_FROM_END:
        peer = (int64_t)grid->ranks - 1 - shift;
        break;
    case PEER_WILDCARD:
        return CALL_ANY_SOURCE;
    }
    return peer >= 0 && peer < grid->ranks ? peer : PEER_INVALID;
}

/* ------------------------------------------------- which rules may be meant */

struct guesses {
    const struct grid *grid;
    uint32_t rank;
    const int32_t *peers;
    uint32_t stages;
    struct peer_rule *rules;
    size_t count;
};

static void guess(struct guesses *guesses, struct peer_rule rule)
{
    if (guesses->count == PEER_RULES)
        return;
    for (uint32_t stage = 0; stage < guesses->stages; stage++)
        if (peer_of(&rule, guesses->grid, guesses->rank, stage) != guesses->peers[stage])
            return;
    guesses->rules[guesses->count++] = rule;
}

/* Across an edge, +1 and 1 - size lead to the same rank. The shorter way is tried first. */
static void guess_wrapped(struct guesses *guesses, const int64_t distance[GRID_DIMENSIONS])
{
    const struct grid *grid = guesses->grid;
    for (unsigned flips = 0; flips < 1U << GRID_DIMENSIONS; flips++) {
        struct peer_rule rule = {.kind = PEER_WRAP};
        bool possible = true;
        for (int d = 0; d < GRID_DIMENSIONS; d++) {
            int64_t forward = modulo(distance[d], grid->size[d]);
            int64_t backward = forward - grid->size[d];
            bool flip = flips >> d & 1;
            possible = possible && (!flip || forward > 0);
            rule.a[d] = (int32_t)((forward <= -backward) != flip ? forward : backward);
        }
        if (possible)
            guess(guesses, rule);
    }
}

static void guess_neighbours(struct guesses *guesses)
{
    int64_t from[GRID_DIMENSIONS], to[GRID_DIMENSIONS], distance[GRID_DIMENSIONS];
    struct peer_rule rule = {.kind = PEER_OFFSET};
    grid_coordinates(guesses->grid, guesses->rank, from);
    grid_coordinates(guesses->grid, (uint32_t)guesses->peers[0], to);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        distance[d] = to[d] - from[d];
        rule.a[d] = (int32_t)distance[d];
    }
    guess(guesses, rule);
    guess_wrapped(guesses, distance);
}

static void guess_bits(struct guesses *guesses, int step)
{
    uint32_t bit, row, all;
    const struct grid *grid = guesses->grid;
    if (!grid_log2(guesses->rank ^ (uint32_t)guesses->peers[0], &bit) || !grid_log2(grid->size[0], &row) ||
        !grid_log2(grid->ranks, &all))
        return;
    int32_t b = (int32_t)bit, from_row = (int32_t)row;
    struct peer_rule rule = {.kind = PEER_XOR_BIT, .step = (int8_t)step};
    const struct peer_rule inner[] = {{.base = PEER_LOWEST, .a = {b}},
                                      {.base = PEER_ROW_TOP, .a = {from_row - 1 - b}}};
    const struct peer_rule outer[] = {{.base = PEER_ROW_END, .a = {b - from_row}},
                                      {.base = PEER_TOP, .a = {(int32_t)all - 1 - b}}};
    const struct peer_rule *likely = b < from_row ? inner : outer;
    for (int i = 0; i < 2; i++) {
        /* Stages that count bits down start at the top, others at the bottom. */
        const struct peer_rule *form = &likely[step < 0 ? 1 - i : i];
        rule.base = form->base;
        rule.a[0] = form->a[0];
        guess(guesses, rule);
    }
}

static void guess_counts(struct guesses *guesses, int step)
{
    int32_t peer = guesses->peers[0], me = (int32_t)guesses->rank, ranks = (int32_t)guesses->grid->ranks;
    int32_t ahead = (int32_t)modulo(peer - me, ranks);
    int8_t by = (int8_t)step;
    guess(guesses, (struct peer_rule){.kind = PEER_RING, .step = by, .a = {ahead}});
    guess(guesses, (struct peer_rule){.kind = PEER_RING, .step = by, .a = {ahead - ranks}});
    guess(guesses, (struct peer_rule){.kind = PEER_XOR_COUNT, .step = by, .a = {peer ^ me}});
    guess(guesses, (struct peer_rule){.kind = PEER_RANK, .step = by, .a = {peer}});
    guess(guesses, (struct peer_rule){.kind = PEER_FROM_END, .step = by, .a = {ranks - 1 - peer}});
}

size_t peer_rules(const struct grid *grid, uint32_t rank, const int32_t *peers, uint32_t stages,
                  struct peer_rule rules[PEER_RULES])
{
    struct guesses guesses = {grid, rank, peers, stages, rules, 0};
    if (peers[0] == CALL_ANY_SOURCE)
        guess(&guesses, (struct peer_rule){.kind = PEER_WILDCARD});
    if (peers[0] < 0)
        return guesses.count;
    guess_neighbours(&guesses);
    for (int32_t sign = 1; stages > 1 && sign >= -1; sign -= 2)
        guess(&guesses, (struct peer_rule){.kind = PEER_RING_POWER, .step = 1, .a = {sign}});
    int first_step = stages > 1 ? -1 : 0, last_step = stages > 1 ? 1 : 0;
    for (int step = first_step; step <= last_step; step += 2)
        guess_bits(&guesses, step);
    guess(&guesses, (struct peer_rule){.kind = PEER_TRANSPOSE});
    for (int step = first_step; step <= last_step; step += 2)
        guess_counts(&guesses, step);
    return guesses.count;
}
