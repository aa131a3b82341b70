#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "schedule/schedule.h"

/* Weights of links are whole numbers, so that a bound is an exact quotient, which rounding cannot make too
 * large. The weights come from rounds of multiplicative weights: a link gains by the load of the cheapest
 * routes. */
enum { WEIGHT_AT_FIRST = 1 << 16, ROUNDS = 60, GAIN_SHIFT = 5 };

static uint64_t route_weight(const struct tdm_problem *problem, uint32_t route, const uint64_t *weights)
{
    uint32_t count;
    const uint32_t *links = tdm_route(problem, route, &count);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[links[i]];
    return sum;
}

/* The bound that these weights prove; fills loads[] of the cheapest routes. Every request takes one of its
 * routes, and K slots offer each link K times, so that K * sum of weights is at least the sum of the weights
 * of the cheapest routes. */
static uint32_t bound_of(const struct tdm_problem *problem, const uint64_t *weights, uint32_t *loads)
{
    unsigned __int128 needed = 0, offered = 0;
    memset(loads, 0, problem->links * sizeof *loads);
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint64_t least = UINT64_MAX;
        uint32_t cheapest = 0, count;
        for (uint32_t route = problem->first_route[request]; route < problem->first_route[request + 1];
             route++) {
            uint64_t weight = route_weight(problem, route, weights);
            if (weight < least) {
                least = weight;
                cheapest = route;
            }
        }
        needed += least;
        const uint32_t *links = tdm_route(problem, cheapest, &count);
        for (uint32_t i = 0; i < count; i++)
            loads[links[i]]++;
    }
    for (uint32_t link = 0; link < problem->links; link++)
        offered += weights[link];
    return offered ? (uint32_t)((needed + offered - 1) / offered) : 0;
}

/* Raises the weights of loaded links by up to 1 / 2^GAIN_SHIFT, and scales all down before they overflow. */
static void raise_weights(const struct tdm_problem *problem, const uint32_t *loads, uint64_t *weights)
{
    uint64_t heaviest = 1, most = 1;
    for (uint32_t link = 0; link < problem->links; link++)
        most = loads[link] > most ? loads[link] : most;
    for (uint32_t link = 0; link < problem->links; link++) {
        weights[link] += (weights[link] * loads[link] / most) >> GAIN_SHIFT;
        heaviest = weights[link] > heaviest ? weights[link] : heaviest;
    }
    while (heaviest >> 32) {
        heaviest >>= 1;
        for (uint32_t link = 0; link < problem->links; link++)
            weights[link] >>= 1;
    }
}

/* The largest load of the links that a request has on every route: at least its first and last one. */
static uint32_t common_load(const struct tdm_problem *problem)
{
    uint32_t *loads = mem_alloc((size_t)problem->links + 1, sizeof *loads, "the loads of links"), largest = 0;
    uint32_t *uses = mem_alloc((size_t)problem->links + 1, sizeof *uses, "the loads of links");
    for (uint32_t request = 0; request < problem->requests; request++) {
        uint32_t first = problem->first_route[request], end = problem->first_route[request + 1], count;
        for (uint32_t route = first; route < end; route++) {
            const uint32_t *links = tdm_route(problem, route, &count);
            for (uint32_t i = 0; i < count; i++)
                if (++uses[links[i]] == end - first && ++loads[links[i]] > largest)
                    largest = loads[links[i]];
        }
        for (uint32_t route = first; route < end; route++) {
            const uint32_t *links = tdm_route(problem, route, &count);
            for (uint32_t i = 0; i < count; i++)
                uses[links[i]] = 0;
        }
    }
    free(loads);
    free(uses);
    return largest;
}

uint32_t tdm_lower_bound(const struct tdm_problem *problem)
{
    uint32_t best = common_load(problem);
    if (problem->routes ==
        problem->requests) /* one route each: this is the largest load, and weights prove no more */
        return best;
    uint64_t *weights = mem_alloc((size_t)problem->links + 1, sizeof *weights, "weights of links");
    uint32_t *loads = mem_alloc((size_t)problem->links + 1, sizeof *loads, "the loads of links");
    for (uint32_t link = 0; link < problem->links; link++)
        weights[link] = WEIGHT_AT_FIRST;
    progress_begin("the lower bound", ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
        progress_tell((uint64_t)round);
        uint32_t bound = bound_of(problem, weights, loads);
        best = bound > best ? bound : best;
        raise_weights(problem, loads, weights);
    }
    progress_end();
    free(weights);
    free(loads);
    return best;
}
