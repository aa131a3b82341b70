#include <string.h>

#include "base/mem.h"
#include "schedule/circuit/two_hops.h"
#include "schedule/path/one_switch.h"
#include "schedule/path/ports.h"
#include "schedule/path/two_hops.h"

/* The bounds of docs/models/paths.md for two hops: those of crossbars, since circuits that share no node's
 * link are a matching there too; and one of weighted links, which bytes cannot avoid on any way. */

enum { ROUNDS = 24 };
#define MOST_STEPS 2e9
static const uint64_t least_weight = UINT64_C(1) << 20;

struct weigher {
    const struct path_problem *problem;
    uint64_t *weight;   /* [links] */
    uint64_t *distance; /* [nodes x nodes]: of their way */
    sum_t *load_ps;     /* [links]: if every entry takes its lightest way */
};

static uint32_t way_between(const struct path_problem *problem, uint32_t from, uint32_t to)
{
    return from * (problem->way_nodes - 1) + to - (to > from);
}

static void measure(struct weigher *weigher)
{
    const struct path_problem *problem = weigher->problem;
    for (uint32_t from = 0; from < problem->way_nodes; from++)
        for (uint32_t to = 0; to < problem->way_nodes; to++) {
            uint32_t count = 0;
            uint64_t *distance = &weigher->distance[(size_t)from * problem->way_nodes + to];
            const uint32_t *links =
                from == to ? NULL : tdm_route(&problem->ways, way_between(problem, from, to), &count);
            *distance = 0;
            for (uint32_t i = 0; i < count; i++)
                *distance += weigher->weight[links[i]];
        }
}

static void load_route(struct weigher *weigher, const struct tdm_problem *routes, uint32_t route,
                       ps_t time_ps)
{
    uint32_t count;
    const uint32_t *links = tdm_route(routes, route, &count);
    for (uint32_t i = 0; i < count; i++)
        weigher->load_ps[links[i]] += time_ps;
}

/* The lightest way of the entry: one of its routes, or over another node. */
static uint64_t lightest(struct weigher *weigher, uint32_t index)
{
    const struct path_problem *problem = weigher->problem;
    const struct path_entry *entry = &problem->entries[index];
    uint32_t nodes = problem->way_nodes, from = problem->way_index[entry->source],
             to = problem->way_index[entry->destination], via = CIRCUIT_NONE, best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t route = problem->routes.first_route[index]; route < problem->routes.first_route[index + 1];
         route++) {
        uint32_t count;
        uint64_t sum = 0;
        const uint32_t *links = tdm_route(&problem->routes, route, &count);
        for (uint32_t i = 0; i < count; i++)
            sum += weigher->weight[links[i]];
        best = sum < least ? route : best;
        least = sum < least ? sum : least;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        uint64_t sum =
            weigher->distance[(size_t)from * nodes + node] + weigher->distance[(size_t)node * nodes + to];
        if (node == from || node == to || sum >= least)
            continue;
        least = sum;
        via = node;
    }
    if (via == CIRCUIT_NONE) {
        load_route(weigher, &problem->routes, best, entry->time_ps);
        return least;
    }
    load_route(weigher, &problem->ways, way_between(problem, from, via), entry->time_ps);
    load_route(weigher, &problem->ways, way_between(problem, via, to), entry->time_ps);
    return least;
}

/* Every node that sends (receives) has a set-up on its link at least; `is_used` has been cleared. */
static sum_t work_of_setups(const struct weigher *weigher, bool *is_used)
{
    const struct path_problem *problem = weigher->problem;
    sum_t work = 0;
    for (uint32_t i = 0; i < problem->count; i++) {
        const uint32_t ends[] = {topo_injection(&problem->topo, problem->entries[i].source),
                                 topo_ejection(&problem->topo, problem->entries[i].destination)};
        for (int end = 0; end < 2; end++) {
            work += is_used[ends[end]] ? 0 : (sum_t)weigher->weight[ends[end]] * problem->delta_ps;
            is_used[ends[end]] = true;
        }
    }
    return work;
}

static ps_t bound_of_weights(struct weigher *weigher)
{
    const struct path_problem *problem = weigher->problem;
    uint32_t links = problem->topo.links;
    bool *is_used = mem_alloc((size_t)links + 1, sizeof *is_used, "links");
    sum_t work = work_of_setups(weigher, is_used), sum = 0;
    memset(weigher->load_ps, 0, links * sizeof *weigher->load_ps);
    measure(weigher);
    for (uint32_t i = 0; i < problem->count; i++)
        work += (sum_t)lightest(weigher, i) * problem->entries[i].time_ps;
    for (uint32_t link = 0; link < links; link++)
        sum += weigher->weight[link];
    sum *= problem->planes;
    free(is_used);
    return (ps_t)((work + sum - 1) / sum);
}

/* Weights grow on loaded links (multiplicative weights): in all rounds to below 2^20 x 1.5^24 < 2^35. */
static void grow(struct weigher *weigher)
{
    sum_t most_ps = 1;
    uint32_t links = weigher->problem->topo.links;
    for (uint32_t link = 0; link < links; link++)
        most_ps = weigher->load_ps[link] > most_ps ? weigher->load_ps[link] : most_ps;
    for (uint32_t link = 0; link < links; link++) {
        double share = (double)weigher->load_ps[link] / (double)most_ps;
        weigher->weight[link] += (uint64_t)((double)weigher->weight[link] * share / 2);
    }
}

static ps_t weighted_bound(const struct path_problem *problem)
{
    struct weigher weigher = {.problem = problem};
    size_t links = (size_t)problem->topo.links + 1, nodes = problem->way_nodes;
    double steps = (double)problem->count * problem->way_nodes * ROUNDS;
    ps_t bound_ps = 0;
    if (!problem->ways.routes || steps > MOST_STEPS)
        return 0;
    weigher.weight = mem_alloc(links, sizeof *weigher.weight, "weights of links");
    weigher.load_ps = mem_alloc(links, sizeof *weigher.load_ps, "loads of links");
    weigher.distance = mem_alloc(nodes * nodes + 1, sizeof *weigher.distance, "weights of routes");
    for (uint32_t link = 0; link < problem->topo.links; link++)
        weigher.weight[link] = least_weight;
    for (int round = 0; round < ROUNDS; round++) {
        bound_ps = ps_max(bound_ps, bound_of_weights(&weigher));
        grow(&weigher);
    }
    free(weigher.weight);
    free(weigher.load_ps);
    free(weigher.distance);
    return bound_ps;
}

/* Switches of a topology stop each on its own, so that only one switch has the bound of all-stop crossbars.
 */
ps_t path_two_hops_bound(const struct path_problem *problem)
{
    struct circuit_problem ports;
    bool is_crossbar = path_is_crossbar(problem);
    if (!path_ports_init(problem, 2, &ports))
        return 0;
    ports.all_stop = problem->all_stop && is_crossbar;
    ps_t bound_ps = two_hops_bound(&ports);
    circuit_problem_free(&ports);
    return is_crossbar ? bound_ps : ps_max(bound_ps, weighted_bound(problem));
}
