#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"
#include "place/place.h"

/* -------------------------------------------------------------------- state */

void place_state_open(struct place_state *state, const struct place_traffic *traffic,
                      const struct place_machine *machine)
{
    *state = (struct place_state){
        .traffic = traffic,
        .machine = machine,
        .place_of = mem_alloc(traffic->ranks, sizeof *state->place_of, "places of ranks"),
        .rank_at = mem_alloc(machine->places, sizeof *state->rank_at, "places of ranks")};
}

void place_state_close(struct place_state *state)
{
    free(state->place_of);
    free(state->rank_at);
}

/* The first place of a node. */
static uint32_t first_place(const struct place_machine *machine, uint32_t node)
{
    uint32_t low = 0, high = machine->places;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (machine->node_at[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void place_state_set(struct place_state *state, const uint32_t *node_of)
{
    memset(state->rank_at, UINT8_MAX, state->machine->places * sizeof *state->rank_at);
    for (uint32_t rank = 0; rank < state->traffic->ranks; rank++) {
        uint32_t place = first_place(state->machine, node_of[rank]);
        while (state->rank_at[place] != PLACE_EMPTY)
            place++;
        state->place_of[rank] = place;
        state->rank_at[place] = rank;
    }
    state->cost = place_cost(state->traffic, state->machine, node_of);
}

void place_state_get(const struct place_state *state, uint32_t *node_of)
{
    for (uint32_t rank = 0; rank < state->traffic->ranks; rank++)
        node_of[rank] = state->machine->node_at[state->place_of[rank]];
}

/* What the messages of a rank cost more if it moves from a node to another. The rank `but` is left out. */
static sum_t delta_of(const struct place_state *state, uint32_t rank, uint32_t old, uint32_t new,
                      uint32_t but, uint64_t *visited)
{
    const struct place_traffic *traffic = state->traffic;
    const struct place_machine *machine = state->machine;
    sum_t delta = 0;
    if (rank == PLACE_EMPTY)
        return 0;
    for (size_t i = traffic->first[rank]; i < traffic->first[rank + 1]; i++) {
        const struct place_peer *peer = &traffic->peers[i];
        const uint32_t node = machine->node_at[state->place_of[peer->rank]];
        if (peer->rank == but)
            continue;
        delta +=
            (sum_t)peer->to * ((int)place_hops(machine, new, node) - (int)place_hops(machine, old, node));
        delta +=
            (sum_t)peer->from * ((int)place_hops(machine, node, new) - (int)place_hops(machine, node, old));
    }
    *visited += traffic->first[rank + 1] - traffic->first[rank] + 1;
    return delta;
}

/* What two ranks send each other, if they change places: it matters where the ways there and back differ. */
static sum_t delta_between(const struct place_state *state, uint32_t rank, uint32_t other, uint32_t old,
                           uint32_t new)
{
    const struct place_traffic *traffic = state->traffic;
    const int there = (int)place_hops(state->machine, old, new),
              back = (int)place_hops(state->machine, new, old);
    sum_t delta = 0;
    if (there == back || rank == PLACE_EMPTY || other == PLACE_EMPTY)
        return 0;
    for (size_t i = traffic->first[rank]; i < traffic->first[rank + 1]; i++)
        if (traffic->peers[i].rank == other)
            delta =
                (sum_t)traffic->peers[i].to * (back - there) + (sum_t)traffic->peers[i].from * (there - back);
    return delta;
}

sum_t place_delta(const struct place_state *state, uint32_t left, uint32_t right, uint64_t *visited)
{
    const uint32_t old = state->machine->node_at[left], new = state->machine->node_at[right];
    const uint32_t rank = state->rank_at[left], other = state->rank_at[right];
    ++*visited;
    if (old == new || rank == other)
        return 0;
    return delta_of(state, rank, old, new, other, visited) + delta_of(state, other, new, old, rank, visited) +
           delta_between(state, rank, other, old, new);
}

void place_swap(struct place_state *state, uint32_t left, uint32_t right, sum_t delta)
{
    const uint32_t rank = state->rank_at[left], other = state->rank_at[right];
    state->rank_at[left] = other;
    state->rank_at[right] = rank;
    if (rank != PLACE_EMPTY)
        state->place_of[rank] = right;
    if (other != PLACE_EMPTY)
        state->place_of[other] = left;
    state->cost += delta;
}

/* ------------------------------------------------------------------- search */

struct place_climb {
    struct place_state state;
    struct rng rng;
    uint64_t visited, most; /* peers */
};

static bool is_at_its_end(const struct place_climb *walk)
{
    return walk->visited >= walk->most;
}

/* Swaps of a rank's place with others, as long as one lowers the cost. */
static void descend(struct place_climb *walk)
{
    struct place_state *state = &walk->state;
    const uint32_t ranks = state->traffic->ranks, places = state->machine->places;
    for (uint32_t quiet = 0, rank = 0; quiet < ranks && !is_at_its_end(walk);
         quiet++, rank = rank + 1 < ranks ? rank + 1 : 0) {
        uint32_t best = PLACE_EMPTY;
        sum_t least = 0;
        for (uint32_t place = 0; place < places; place++) {
            const sum_t delta = place_delta(state, state->place_of[rank], place, &walk->visited);
            if (delta < least) {
                least = delta;
                best = place;
            }
        }
        if (best != PLACE_EMPTY) {
            place_swap(state, state->place_of[rank], best, least);
            quiet = 0;
        }
        progress_step();
    }
}

/* The places of a random rank and another one. */
static void draw(struct place_climb *walk, uint32_t *left, uint32_t *right)
{
    const struct place_state *state = &walk->state;
    *left = state->place_of[rng_below(&walk->rng, state->traffic->ranks)];
    *right = (uint32_t)rng_below(&walk->rng, state->machine->places);
}

static void swap_at_random(struct place_climb *walk, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        uint32_t left, right;
        draw(walk, &left, &right);
        place_swap(&walk->state, left, right, place_delta(&walk->state, left, right, &walk->visited));
    }
}

/* The mean size of the change that a random swap makes. */
static sum_t mean_change(struct place_climb *walk)
{
    enum { SAMPLES = 64 };
    sum_t sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t left, right;
        draw(walk, &left, &right);
        const sum_t delta = place_delta(&walk->state, left, right, &walk->visited);
        sum += delta < 0 ? -delta : delta;
    }
    return sum / SAMPLES;
}

/* Threshold accepting (Dueck and Scheuer, 1990): random swaps are taken if they cost less than a threshold,
 * which falls to 0. */
static void anneal(struct place_climb *walk)
{
    enum { STEPS_OF_RANK = 2000 };
    const uint64_t steps = (uint64_t)STEPS_OF_RANK * walk->state.traffic->ranks;
    const sum_t first = mean_change(walk) / 4;
    for (uint64_t i = 0; i < steps && !is_at_its_end(walk); i++) {
        uint32_t left, right;
        draw(walk, &left, &right);
        const sum_t delta = place_delta(&walk->state, left, right, &walk->visited);
        if (delta <= first * (sum_t)(steps - i) / (sum_t)steps)
            place_swap(&walk->state, left, right, delta);
    }
    progress_step();
}

/* What a rank that is not placed has to do with those that are. */
struct growth {
    uint64_t bytes;
    uint32_t since; /* how many were placed when the first of its peers was; 0: none is */
};

/* The rank that has the most bytes with placed ranks. Of equals the one that has had some for longest: so all
 * peers of a rank are placed around it before those farther away, which then have one best place. */
static uint32_t next_rank(const struct growth *growth, const bool *placed, uint32_t ranks)
{
    uint32_t best = PLACE_EMPTY;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (placed[rank])
            continue;
        if (best == PLACE_EMPTY || growth[rank].bytes > growth[best].bytes ||
            (growth[rank].bytes == growth[best].bytes && growth[rank].since < growth[best].since))
            best = rank;
    }
    return best;
}

/* The rank is the count-th that is placed. */
static void grow(struct growth *growth, const struct place_traffic *traffic, uint32_t rank, uint32_t count)
{
    for (size_t i = traffic->first[rank]; i < traffic->first[rank + 1]; i++) {
        const struct place_peer *peer = &traffic->peers[i];
        struct growth *grown = &growth[peer->rank];
        grown->bytes += peer->to / 2 + peer->from / 2 + 1;
        grown->since = grown->since ? grown->since : count;
    }
}

/* The free place where the rank's messages with placed ranks cost least; a random one of equals. */
static uint32_t best_place(struct place_climb *walk, uint32_t rank, const bool *placed)
{
    const struct place_state *state = &walk->state;
    const struct place_traffic *traffic = state->traffic;
    const struct place_machine *machine = state->machine;
    uint32_t best = PLACE_EMPTY, ties = 0, last = PLACE_EMPTY;
    sum_t least = 0;
    for (uint32_t place = 0; place < machine->places; place++) {
        const uint32_t node = machine->node_at[place];
        sum_t cost = 0;
        if (state->rank_at[place] != PLACE_EMPTY || node == last)
            continue;
        last = node;
        for (size_t i = traffic->first[rank]; i < traffic->first[rank + 1]; i++) {
            const struct place_peer *peer = &traffic->peers[i];
            if (!placed[peer->rank])
                continue;
            const uint32_t there = machine->node_at[state->place_of[peer->rank]];
            cost += (sum_t)peer->to * place_hops(machine, node, there) +
                    (sum_t)peer->from * place_hops(machine, there, node);
        }
        walk->visited += traffic->first[rank + 1] - traffic->first[rank] + 1;
        ties = best == PLACE_EMPTY || cost < least ? 1 : ties + (cost == least);
        if (best == PLACE_EMPTY || cost < least || (cost == least && rng_below(&walk->rng, ties) == 0)) {
            best = place;
            least = cost;
        }
    }
    return best;
}

/* One rank after another to the place that is best for it, the first one anywhere. */
static void build(struct place_climb *walk)
{
    struct place_state *state = &walk->state;
    const struct place_traffic *traffic = state->traffic;
    bool *placed = mem_alloc(traffic->ranks, sizeof *placed, "places of ranks");
    struct growth *growth = mem_alloc(traffic->ranks, sizeof *growth, "places of ranks");
    uint32_t *node_of = mem_alloc(traffic->ranks, sizeof *node_of, "places of ranks");
    memset(state->rank_at, UINT8_MAX, state->machine->places * sizeof *state->rank_at);
    uint32_t rank = (uint32_t)rng_below(&walk->rng, traffic->ranks);
    for (uint32_t count = 0; count < traffic->ranks; count++) {
        const uint32_t place = best_place(walk, rank, placed);
        placed[rank] = true;
        state->place_of[rank] = place;
        state->rank_at[place] = rank;
        grow(growth, traffic, rank, count + 1);
        rank = next_rank(growth, placed, traffic->ranks);
        progress_step();
    }
    place_state_get(state, node_of);
    state->cost = place_cost(traffic, state->machine, node_of);
    free(placed);
    free(growth);
    free(node_of);
}

static void begin_anew(struct place_climb *walk, uint64_t number, const uint32_t *best)
{
    const uint32_t ranks = walk->state.traffic->ranks;
    switch (number % 3) {
    case 0:
        build(walk);
        return;
    case 1:
        swap_at_random(walk, ranks);
        anneal(walk);
        return;
    default:
        place_state_set(&walk->state, best);
        swap_at_random(walk, 2 + ranks / 8);
    }
}

void place_search(const struct place_traffic *traffic, const struct place_machine *machine,
                  const struct place_effort *effort, sum_t bound, uint32_t *node_of)
{
    struct place_climb walk = {.rng = rng_init(effort->seed, "place"), .most = effort->visits};
    sum_t least = place_cost(traffic, machine, node_of);
    place_state_open(&walk.state, traffic, machine);
    place_state_set(&walk.state, node_of);
    descend(&walk);
    for (uint64_t i = 0;; i++) {
        if (walk.state.cost < least) {
            least = walk.state.cost;
            place_state_get(&walk.state, node_of);
        }
        if (i >= effort->restarts || least <= bound || is_at_its_end(&walk))
            break;
        begin_anew(&walk, i, node_of);
        descend(&walk);
    }
    place_state_close(&walk.state);
}
