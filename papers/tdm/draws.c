#include "papers/tdm/draws.h"

#include <stdlib.h>

#include "base/mem.h"

enum { NODES = 64 };

/* ----------------------------------------------------------- random numbers */

struct tdm_dice tdm_dice_of(struct reproduction *reproduction, uint32_t seed, const char *component)
{
    struct tdm_dice dice = {.rng = rng_init(seed, component), .state = seed};
    dice.dropped = reproduction_chooses(reproduction, "generator", "rand-8")    ? 8
                   : reproduction_chooses(reproduction, "generator", "rand-16") ? 16
                                                                                : 0;
    return dice;
}

uint32_t tdm_dice_below(struct tdm_dice *dice, uint32_t limit)
{
    const uint32_t factor = 1103515245, added = 12345, mask = 0x7fffffff;
    if (!dice->dropped)
        return (uint32_t)rng_below(&dice->rng, limit);
    dice->state = (dice->state * factor + added) & mask;
    return (dice->state >> dice->dropped) % limit;
}

/* -------------------------------------------------------------------- pairs */

/* A destination of the source that is not taken, by the rule of the configuration; NODES: another pair has to
 * be drawn. */
static uint32_t free_destination(struct reproduction *reproduction, struct tdm_dice *dice, const bool *taken,
                                 uint32_t source, uint32_t destination)
{
    bool is_next = reproduction_chooses(reproduction, "random_pairs", "next-destination");
    bool is_new = reproduction_chooses(reproduction, "random_pairs", "new-destination");
    uint32_t left = 0;
    for (uint32_t node = 0; node < NODES; node++)
        left += !taken[node] && node != source;
    if (!left || (!is_next && !is_new))
        return NODES;
    while (taken[destination] || destination == source)
        destination = is_next ? (destination + 1) % NODES : tdm_dice_below(dice, NODES);
    return destination;
}

void tdm_draw_random(struct reproduction *reproduction, unsigned connections, uint32_t seed,
                     struct tdm_pattern *pattern)
{
    struct tdm_dice dice = tdm_dice_of(reproduction, seed, "tdm.pattern");
    bool(*taken)[NODES] = mem_alloc(NODES, sizeof *taken, "a random pattern");
    bool may_repeat = reproduction_chooses(reproduction, "random_pairs", "replacement");
    *pattern = (struct tdm_pattern){.count = 0};
    while (pattern->count < connections) {
        uint32_t source = tdm_dice_below(&dice, NODES), destination = tdm_dice_below(&dice, NODES);
        if (source == destination)
            continue;
        if (taken[source][destination] && !may_repeat)
            destination = free_destination(reproduction, &dice, taken[source], source, destination);
        if (destination == NODES)
            continue;
        taken[source][destination] = true;
        tdm_pattern_add(pattern, source, destination);
    }
    free(taken);
}

/* ---------------------------------------------------------- redistributions */

enum { LOG_NODES = 6, LOG_ELEMENTS = 6, DIMENSIONS = 3 };

/* How many times the processors of each dimension double. */
static void draw_processors(struct reproduction *reproduction, struct tdm_dice *dice,
                            unsigned logs[static DIMENSIONS])
{
    if (reproduction_chooses(reproduction, "processors", "uniform")) {
        do {
            for (int d = 0; d < DIMENSIONS; d++)
                logs[d] = tdm_dice_below(dice, LOG_NODES + 1);
        } while (logs[0] + logs[1] + logs[2] != LOG_NODES);
        return;
    }
    logs[0] = tdm_dice_below(dice, LOG_NODES + 1);
    logs[1] = tdm_dice_below(dice, LOG_NODES + 1 - logs[0]);
    logs[2] = LOG_NODES - logs[0] - logs[1];
    if (!reproduction_chooses(reproduction, "processors", "shuffled"))
        return;
    for (uint32_t d = DIMENSIONS - 1; d > 0; d--) {
        uint32_t other = tdm_dice_below(dice, d + 1);
        unsigned log = logs[d];
        logs[d] = logs[other];
        logs[other] = log;
    }
}

static struct tdm_distribution draw_distribution(struct reproduction *reproduction, struct tdm_dice *dice)
{
    struct tdm_distribution distribution;
    unsigned logs[DIMENSIONS];
    bool is_any = reproduction_chooses(reproduction, "blocks", "any");
    draw_processors(reproduction, dice, logs);
    for (int d = 0; d < DIMENSIONS; d++) {
        unsigned room = LOG_ELEMENTS - logs[d];
        distribution.processors[d] = 1u << logs[d];
        distribution.block[d] =
            is_any ? 1 + tdm_dice_below(dice, 1u << room) : 1u << tdm_dice_below(dice, room + 1);
    }
    return distribution;
}

void tdm_draw_redistribution(struct reproduction *reproduction, struct tdm_dice *dice,
                             struct tdm_pattern *pattern)
{
    static const uint32_t elements[DIMENSIONS] = {64, 64, 64};
    struct tdm_distribution from = draw_distribution(reproduction, dice),
                            to = draw_distribution(reproduction, dice);
    *pattern = (struct tdm_pattern){.count = 0};
    tdm_pattern_redistribute(elements, &from, &to, pattern);
}
