#include "schedule/collective/configuration.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define IS_RING (UINT32_C(1) << 31)

/* ------------------------------------------------------------------- chains */

/* Gives the ranks of the chain that begins at `rank` their places, from `place` on; returns the next place.
 */
static uint32_t walk(struct collective_configuration *self, size_t base, uint32_t rank, uint32_t place,
                     bool is_ring)
{
    uint32_t first = place, at = rank;
    do {
        self->place[base + at] = place++;
        self->first[base + at] = first;
        at = self->next[base + at];
    } while (at != CIRCUIT_UNSET && at != rank);
    at = rank;
    for (uint32_t i = first; i < place; i++, at = self->next[base + at])
        self->ranks[base + at] = (place - first) | (is_ring ? IS_RING : 0);
    return place;
}

static void find_chains(struct collective_configuration *self, uint32_t ranks, size_t base,
                        bool *has_previous)
{
    uint32_t place = 0;
    memset(has_previous, 0, ranks * sizeof *has_previous);
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (self->next[base + rank] != CIRCUIT_UNSET)
            has_previous[self->next[base + rank]] = true;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!has_previous[rank])
            place = walk(self, base, rank, place, false);
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!self->ranks[base + rank])
            place = walk(self, base, rank, place, true);
}

/* The distance that all circuits of a switch have; 0: there is none. */
static uint32_t shift_of(const uint32_t *next, uint32_t ranks)
{
    uint32_t shift = next[0];
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (next[rank] == CIRCUIT_UNSET || next[rank] != (rank + shift) % ranks)
            return 0;
    return shift;
}

/* The bits in which the ranks of each circuit differ; 0: not all the same. */
static uint32_t difference_of(const uint32_t *next, uint32_t ranks)
{
    uint32_t bits = next[0];
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (next[rank] == CIRCUIT_UNSET || next[rank] != (rank ^ bits))
            return 0;
    return bits;
}

static void name_one(const uint32_t *next, uint32_t ranks, char *name, size_t size)
{
    uint32_t shift = shift_of(next, ranks), bits = difference_of(next, ranks), circuits = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        circuits += next[rank] != CIRCUIT_UNSET;
    if (shift == 1)
        snprintf(name, size, "ring");
    else if (shift && 2 * shift <= ranks)
        snprintf(name, size, "r + %u", shift);
    else if (shift)
        snprintf(name, size, "r - %u", ranks - shift);
    else if (bits)
        snprintf(name, size, "r xor %u", bits);
    else
        snprintf(name, size, "%u circuits", circuits);
}

/* The circuits of the switches, those of equal ones once, as far as there is room. */
static void name(struct collective_configuration *self, uint32_t ranks, uint32_t switches)
{
    size_t used = 0;
    for (uint32_t i = 0; i < switches; i++) {
        char one[24];
        bool is_new = true;
        for (uint32_t j = 0; j < i && is_new; j++)
            is_new = memcmp(self->next + (size_t)i * ranks, self->next + (size_t)j * ranks,
                            ranks * sizeof *self->next) != 0;
        if (!is_new)
            continue;
        name_one(self->next + (size_t)i * ranks, ranks, one, sizeof one);
        if (used + strlen(one) + 8 > sizeof self->name) {
            snprintf(self->name + used, sizeof self->name - used, " ...");
            return;
        }
        used += (size_t)snprintf(self->name + used, sizeof self->name - used, "%s%s", used ? ", " : "", one);
    }
}

void collective_configuration_init(struct collective_configuration *configuration, uint32_t ranks,
                                   uint32_t switches, uint32_t *next)
{
    size_t cells = (size_t)ranks * switches;
    *configuration = (struct collective_configuration){
        .next = next,
        .place = mem_alloc(cells, sizeof(uint32_t), "circuits"),
        .first = mem_alloc(cells, sizeof(uint32_t), "circuits"),
        .ranks = mem_alloc(cells, sizeof(uint32_t), "circuits"),
        .shift = switches == 1 ? shift_of(next, ranks) : 0,
    };
    bool *has_previous = mem_alloc(ranks, sizeof *has_previous, "circuits");
    for (uint32_t i = 0; i < switches; i++)
        find_chains(configuration, ranks, (size_t)i * ranks, has_previous);
    free(has_previous);
    for (size_t i = 0; i < cells; i++)
        configuration->hash = hash_add(configuration->hash, next[i]);
    name(configuration, ranks, switches);
}

void collective_configuration_free(struct collective_configuration *configuration)
{
    free(configuration->next);
    free(configuration->place);
    free(configuration->first);
    free(configuration->ranks);
}

/* -------------------------------------------------------------------- loads */

/* The hops from source to destination on the switch whose ranks begin at `base`; 0: there is no path. */
static uint32_t hops_of(const struct collective_configuration *self, size_t base, uint32_t source,
                        uint32_t destination)
{
    uint32_t from = self->place[base + source], to = self->place[base + destination];
    uint32_t ranks = self->ranks[base + source];
    if (self->first[base + source] != self->first[base + destination])
        return 0;
    if (to > from)
        return to - from;
    return ranks & IS_RING ? to + (ranks & ~IS_RING) - from : 0;
}

/* Adds to the places of the circuits on the path, as differences: place i has the sum of room[0 ... i]. */
static void add_load(const struct collective_configuration *self, size_t base, uint32_t source, uint32_t hops,
                     uint64_t bytes, uint64_t *room)
{
    uint32_t from = self->place[base + source], end = from + hops;
    uint32_t behind = self->first[base + source] + (self->ranks[base + source] & ~IS_RING);
    room[from] += bytes;
    if (end > behind) {
        room[behind] -= bytes;
        room[self->first[base + source]] += bytes;
        end -= behind - self->first[base + source];
    }
    room[end] -= bytes;
}

/* Sends the message over the switches with the shortest path; returns its hops. */
static uint32_t route(const struct collective_configuration *self, const struct collective_steps *steps,
                      const struct collective_message *message, uint64_t *room)
{
    uint32_t hops[COLLECTIVE_MOST_SWITCHES], least = 0, parts = 0;
    for (uint32_t i = 0; i < steps->switches; i++) {
        hops[i] = hops_of(self, (size_t)i * steps->ranks, message->source, message->destination);
        if (hops[i] && (!least || hops[i] < least)) {
            least = hops[i];
            parts = 0;
        }
        parts += hops[i] && hops[i] == least;
    }
    uint64_t share = parts ? message->bytes / parts + (message->bytes % parts != 0) : 0;
    for (uint32_t i = 0; i < steps->switches && parts; i++)
        if (hops[i] == least)
            add_load(self, (size_t)i * steps->ranks, message->source, least, share,
                     room + (size_t)i * (steps->ranks + 1));
    return least;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* All ranks send as much to the rank `step` after them, on circuits that lead `circuit` on: each circuit
 * carries the bytes of as many messages as there are hops. */
static struct collective_load load_of_shift(uint32_t ranks, uint32_t circuit, uint32_t step, uint64_t bytes)
{
    struct collective_load load = {0, 0};
    if (step % common_divisor(circuit, ranks))
        return load;
    uint32_t at = 0;
    do {
        at = (at + circuit) % ranks;
        load.hops++;
    } while (at != step);
    load.bytes = bytes * load.hops;
    return load;
}

struct collective_load collective_load_of(const struct collective_configuration *configuration,
                                          const struct collective_steps *steps,
                                          const struct collective_step *step, uint64_t *room)
{
    struct collective_load load = {0, 0};
    const struct collective_message *messages = steps->messages + step->first;
    if (configuration->shift && step->shift)
        return load_of_shift(steps->ranks, configuration->shift, step->shift, messages->bytes);
    memset(room, 0, (size_t)steps->switches * (steps->ranks + 1) * sizeof *room);
    for (size_t i = 0; i < step->count; i++) {
        uint32_t hops = route(configuration, steps, &messages[i], room);
        if (!hops)
            return (struct collective_load){0, 0};
        load.hops = hops > load.hops ? hops : load.hops;
    }
    for (uint32_t i = 0; i < steps->switches; i++) {
        uint64_t sum = 0;
        for (uint32_t place = 0; place < steps->ranks; place++) {
            sum += room[(size_t)i * (steps->ranks + 1) + place];
            load.bytes = sum > load.bytes ? sum : load.bytes;
        }
    }
    return load;
}

ps_t collective_step_ps(const struct collective_network *network, struct collective_load load)
{
    if (!load.hops)
        return PS_NEVER;
    return ps_add(ps_times(network->latency_ps, load.hops),
                  service_ps(load.bytes, network->rate_bytes_per_s));
}
