#include "schedule/aapc.h"

#include "base/mem.h"
#include "schedule/schedule.h"

enum { MULTIPLE = 8, LARGEST = 1024 };

bool tdm_ring_phases_exist(uint32_t size)
{
    return size >= MULTIPLE && size % MULTIPLE == 0 && size <= LARGEST;
}

static void put(struct tdm_ring_phases *ring, uint32_t from, uint32_t to, uint32_t group, uint32_t index)
{
    ring->group[from * ring->size + to] = group;
    ring->index[from * ring->size + to] = index;
}

/* The cycle of a pair of residues: four messages that together pass every link of one direction once. */
static void put_cycle(struct tdm_ring_phases *ring, const uint32_t pair[2], bool clockwise, uint32_t group,
                      uint32_t index)
{
    uint32_t half = ring->size / 2;
    uint32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] + pair[1] - low;
    uint32_t nodes[4] = {low, high, low + half, high + half};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t next = (i + 1) % 4;
        put(ring, nodes[clockwise ? i : next], nodes[clockwise ? next : i], group, index);
    }
}

/* Pair `i` of round `round` of the 1-factorisation of the complete graph of `count` residues (circle method).
 */
static void factor_pair(uint32_t count, uint32_t round, uint32_t i, uint32_t pair[2])
{
    uint32_t turning = count - 1;
    pair[0] = i == 0 ? turning : (round + i) % turning;
    pair[1] = (round + turning - i) % turning;
}

/* Messages over half the ring: odd nodes clockwise, even nodes counter-clockwise, one pair of each in a
 * phase. Messages of the other nodes to themselves use no link; they complete the permutation. */
static void put_swaps(struct tdm_ring_phases *ring, uint32_t group, uint32_t part)
{
    uint32_t half = ring->size / 2, phases = ring->size / MULTIPLE;
    for (uint32_t index = 0; index < phases; index++)
        for (uint32_t parity = 0; parity < 2; parity++) {
            uint32_t swapped = 2 * (part * phases + index) + parity;
            uint32_t idle = 2 * ((1 - part) * phases + index) + parity;
            put(ring, swapped, swapped + half, group, index);
            put(ring, swapped + half, swapped, group, index);
            put(ring, idle, idle, group, index);
            put(ring, idle + half, idle + half, group, index);
        }
}

void tdm_ring_phases_init(struct tdm_ring_phases *ring, uint32_t size)
{
    size_t pairs = (size_t)size * size;
    *ring = (struct tdm_ring_phases){.size = size};
    ring->group = mem_alloc(pairs, sizeof *ring->group, "phases of a ring");
    ring->index = mem_alloc(pairs, sizeof *ring->index, "phases of a ring");
    uint32_t residues = size / 2, group = 0;
    for (uint32_t round = 0; round + 1 < residues; round++)
        for (uint32_t turned = 0; turned < 2; turned++, group++)
            for (uint32_t i = 0; i < residues / 2; i++) {
                uint32_t pair[2];
                factor_pair(residues, round, i, pair);
                put_cycle(ring, pair, i % 2 == turned, group, i / 2);
            }
    put_swaps(ring, group, 0);
    put_swaps(ring, group + 1, 1);
}

void tdm_ring_phases_free(struct tdm_ring_phases *ring)
{
    free(ring->group);
    free(ring->index);
    *ring = (struct tdm_ring_phases){0};
}

uint32_t tdm_torus_phase(const struct tdm_ring_phases *ring, uint32_t source, uint32_t destination)
{
    uint32_t size = ring->size, group_phases = size / MULTIPLE;
    uint32_t high = source / size * size + destination / size,
             low = source % size * size + destination % size;
    uint32_t difference = (ring->index[high] + group_phases - ring->index[low]) % group_phases;
    return (ring->group[high] * size + ring->group[low]) * group_phases + difference;
}

/* ------------------------------------------------------------------ ordered */

struct phase_rank {
    uint64_t length; /* links that its requests use */
    uint32_t phase, tie;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct phase_rank *left = a, *right = b;
    if (left->length != right->length)
        return left->length < right->length ? 1 : -1;
    return left->tie < right->tie ? -1 : left->tie > right->tie;
}

void tdm_ordered_aapc(const struct tdm_problem *problem, const struct tdm_phases *phases,
                      struct tdm_schedule *schedule)
{
    uint32_t count = phases->count;
    const uint32_t *phase = phases->of;
    struct phase_rank *ranks = mem_alloc((size_t)count + 1, sizeof *ranks, "ranks of phases");
    uint32_t *next = mem_alloc((size_t)count + 1, sizeof *next, "ranks of phases");
    uint32_t *order = mem_alloc((size_t)problem->requests + 1, sizeof *order, "an order of requests");
    for (uint32_t i = 0; i < count; i++) {
        ranks[i].phase = i;
        ranks[i].tie = phases->ties ? phases->ties[i] : i;
    }
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t links;
        tdm_route(problem, problem->first_route[request], &links);
        ranks[phase[request]].length += links;
        next[phase[request]]++;
    }
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t members = next[ranks[i].phase];
        next[ranks[i].phase] = sum;
        sum += members;
    }
    for (uint32_t request = 0; request < problem->requests; request++)
        order[next[phase[request]]++] = request;
    tdm_greedy(problem, order, schedule);
    free(ranks);
    free(next);
    free(order);
}
