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
        .is_shift = true,
    };
    bool *has_previous = mem_alloc(ranks, sizeof *has_previous, "circuits");
    for (uint32_t i = 0; i < switches; i++) {
        find_chains(configuration, ranks, (size_t)i * ranks, has_previous);
        configuration->shifts[i] = shift_of(next + (size_t)i * ranks, ranks);
        configuration->is_shift = configuration->is_shift && configuration->shifts[i];
    }
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

/* The switches with the shortest path; hops[i] is that of switch i, or 0. */
struct shortest {
    uint32_t hops[COLLECTIVE_MOST_SWITCHES], least, parts;
};

static void add_switch(struct shortest *way, uint32_t index, uint32_t hops)
{
    way->hops[index] = hops;
    if (hops && (!way->least || hops < way->least)) {
        way->least = hops;
        way->parts = 0;
    }
    way->parts += hops && hops == way->least;
}

static uint64_t share_of(const struct shortest *way, uint64_t bytes)
{
    return bytes / way->parts + (bytes % way->parts != 0);
}

static struct shortest way_of(const struct collective_configuration *self,
                              const struct collective_steps *steps, const struct collective_message *message)
{
    struct shortest way = {.least = 0};
    for (uint32_t i = 0; i < steps->switches; i++)
        add_switch(&way, i, hops_of(self, (size_t)i * steps->ranks, message->source, message->destination));
    return way;
}

/* The x with 0 <= x < n and a x = b modulo n, where a and n have no common divisor. */
static uint32_t divide(uint32_t b, uint32_t a, uint32_t n)
{
    int64_t x = 0, next_x = 1, rest = n, next = a % n;
    while (next) {
        int64_t quotient = rest / next, left = rest - quotient * next, left_x = x - quotient * next_x;
        rest = next;
        next = left;
        x = next_x;
        next_x = left_x;
    }
    return (uint32_t)((x % n + n) % n * (b % n) % n);
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

/* How many circuits of distance `circuit` lead to the rank `step` after; 0: none do. */
static uint32_t hops_of_shift(uint32_t ranks, uint32_t circuit, uint32_t step)
{
    uint32_t common = common_divisor(circuit, ranks);
    return step % common ? 0 : divide(step / common, circuit / common, ranks / common);
}

/* All ranks send alike and have alike circuits: each circuit of a switch carries as many messages of a
 * matching as there are hops. */
static struct collective_load load_of_shifts(const struct collective_configuration *configuration,
                                             const struct collective_steps *steps,
                                             const struct collective_step *step)
{
    struct collective_load load = {0, 0};
    uint64_t sums[COLLECTIVE_MOST_SWITCHES] = {0};
    for (uint32_t k = 0; k < step->matchings; k++) {
        struct shortest way = {.least = 0};
        for (uint32_t i = 0; i < steps->switches; i++)
            add_switch(&way, i, hops_of_shift(steps->ranks, configuration->shifts[i], step->shifts[k]));
        if (!way.least)
            return (struct collective_load){0, 0};
        load.hops = way.least > load.hops ? way.least : load.hops;
        for (uint32_t i = 0; i < steps->switches; i++)
            if (way.hops[i] == way.least)
                sums[i] += share_of(&way, step->bytes[k]) * way.least;
    }
    for (uint32_t i = 0; i < steps->switches; i++)
        load.bytes = sums[i] > load.bytes ? sums[i] : load.bytes;
    return load;
}

static uint64_t most_of(const struct collective_steps *steps, const uint64_t *room)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < steps->switches; i++) {
        uint64_t sum = 0;
        for (uint32_t place = 0; place < steps->ranks; place++) {
            sum += room[(size_t)i * (steps->ranks + 1) + place];
            most = sum > most ? sum : most;
        }
    }
    return most;
}

struct collective_load collective_load_of(const struct collective_configuration *configuration,
                                          const struct collective_steps *steps,
                                          const struct collective_step *step, uint64_t *room)
{
    const struct collective_message *messages = steps->messages + step->first;
    if (configuration->is_shift && step->is_shift)
        return load_of_shifts(configuration, steps, step);
    /* Often the first message has no path, or is the only one. */
    struct shortest way = way_of(configuration, steps, messages);
    if (!way.least)
        return (struct collective_load){0, 0};
    struct collective_load load = {way.least, share_of(&way, messages->bytes)};
    if (step->count == 1)
        return load;
    memset(room, 0, (size_t)steps->switches * (steps->ranks + 1) * sizeof *room);
    for (size_t i = 0; i < step->count; i++) {
        way = way_of(configuration, steps, &messages[i]);
        if (!way.least)
            return (struct collective_load){0, 0};
        load.hops = way.least > load.hops ? way.least : load.hops;
        for (uint32_t k = 0; k < steps->switches; k++)
            if (way.hops[k] == way.least)
                add_load(configuration, (size_t)k * steps->ranks, messages[i].source, way.least,
                         share_of(&way, messages[i].bytes), room + (size_t)k * (steps->ranks + 1));
    }
    load.bytes = most_of(steps, room);
    return load;
}

ps_t collective_step_ps(const struct collective_network *network, struct collective_load load)
{
    if (!load.hops)
        return PS_NEVER;
    return ps_add(ps_times(network->latency_ps, load.hops),
                  service_ps(load.bytes, network->rate_bytes_per_s));
}
