#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/circuit/port_sides.h"
#include "schedule/path/two_hops.h"

/* The bounds of docs/models/paths.md. */

enum { ROUNDS = 60 };
static const uint64_t least_weight = UINT64_C(1) << 20, most_weight = UINT64_C(1) << 44;

/* What a link has to do in any schedule: the entries all of whose routes pass it. `passes` is 0 for all
 * links, before and after. Counts an entry, or, once there is room, adds its time. */
static void add_needed(const struct path_problem *problem, uint32_t entry, uint32_t *passes,
                       struct port_side *loads)
{
    const struct tdm_problem *routes = &problem->routes;
    uint32_t first = routes->first_route[entry], end = routes->first_route[entry + 1];
    const uint32_t *begin = routes->route_links + routes->first_link[first];
    const uint32_t *behind = routes->route_links + routes->first_link[end];
    for (const uint32_t *link = begin; link < behind; link++) {
        struct port_side *load = &loads[*link];
        if (++passes[*link] != end - first)
            continue;
        if (load->times_ps)
            load->times_ps[load->count] = problem->entries[entry].time_ps;
        load->sum_ps += problem->entries[entry].time_ps;
        load->count++;
    }
    for (const uint32_t *link = begin; link < behind; link++)
        passes[*link] = 0;
}

/* Times of links descend, as in port_sides. *times_ps: where they are. */
static struct port_side *needed_loads(const struct path_problem *problem, ps_t **times_ps)
{
    size_t links = problem->topo.links, count = 0;
    struct port_side *loads = mem_alloc(links + 1, sizeof *loads, "loads of links");
    uint32_t *passes = mem_alloc(links + 1, sizeof *passes, "loads of links");
    for (uint32_t entry = 0; entry < problem->count; entry++)
        add_needed(problem, entry, passes, loads);
    for (size_t link = 0; link < links; link++)
        count += loads[link].count;
    *times_ps = mem_alloc(count + 1, sizeof **times_ps, "loads of links");
    count = 0;
    for (size_t link = 0; link < links; link++) {
        size_t its = loads[link].count;
        loads[link] = (struct port_side){.times_ps = *times_ps + count};
        count += its;
    }
    for (uint32_t entry = 0; entry < problem->count; entry++)
        add_needed(problem, entry, passes, loads);
    for (size_t link = 0; link < links; link++)
        qsort(loads[link].times_ps, loads[link].count, sizeof(ps_t), port_longest_first);
    free(passes);
    return loads;
}

/* The least time in which the planes together have this much. They have a set-up each at least: a link that
 * is used in k < K planes takes time / k + delta there, and that is at least (time + K delta) / K. */
static ps_t share_of_planes(const struct path_problem *problem, sum_t time_ps, uint32_t setups)
{
    uint32_t planes = problem->planes, least = setups && setups < planes ? planes : setups;
    return (ps_t)((time_ps + (sum_t)least * problem->delta_ps + planes - 1) / planes);
}

static void count_links(const struct path_problem *problem, const struct port_side *loads,
                        struct path_bounds *bounds)
{
    for (uint32_t link = 0; link < problem->topo.links; link++) {
        const struct port_side *load = &loads[link];
        if (!load->count)
            continue;
        ps_t busy_ps =
            port_side_bound(load, problem->planes, problem->delta_ps, load->sum_ps, problem->planes);
        bounds->rho_ps = ps_max(bounds->rho_ps, (ps_t)load->sum_ps);
        bounds->degree = load->count > bounds->degree ? load->count : bounds->degree;
        bounds->link_ps = ps_max(bounds->link_ps, busy_ps);
    }
}

/* ----------------------------------------------------------------- all-stop */

/* A connection of a switch that some entry needs. */
struct joint {
    uint32_t from, to; /* links */
};

static int compare_joints(const void *a, const void *b)
{
    const struct joint *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

/* The distinct joints of all entries, which have one route each. */
static struct joint *joints_of(const struct path_problem *problem, size_t *count)
{
    const struct tdm_problem *routes = &problem->routes;
    size_t kept = 0;
    struct joint *joints =
        mem_alloc((size_t)routes->first_link[routes->routes] + 1, sizeof *joints, "connections of switches");
    *count = 0;
    for (uint32_t route = 0; route < routes->routes; route++) {
        uint32_t links;
        const uint32_t *link = tdm_route(routes, route, &links);
        for (uint32_t at = 1; at < links; at++)
            joints[(*count)++] = (struct joint){link[at - 1], link[at]};
    }
    if (*count)
        qsort(joints, *count, sizeof *joints, compare_joints);
    for (size_t i = 0; i < *count; i++)
        if (!kept || compare_joints(&joints[i], &joints[kept - 1]) != 0)
            joints[kept++] = joints[i];
    *count = kept;
    return joints;
}

/* What a switch has to do: the largest sum of one of its links, and the most connections of one. */
struct switch_load {
    sum_t rho_ps;
    uint32_t setups;
};

static void count_joint(struct switch_load *load, const struct port_side *link, uint32_t connections)
{
    load->rho_ps = link->sum_ps > load->rho_ps ? link->sum_ps : load->rho_ps;
    load->setups = connections > load->setups ? connections : load->setups;
}

/* If all entries of a link have different connections of the switch, each further piece is a set-up more. */
static ps_t link_at_switch(const struct path_problem *problem, const struct switch_load *at,
                           const struct port_side *link, uint32_t connections)
{
    uint32_t setups = at->setups > problem->planes ? at->setups : problem->planes;
    return link->count && connections == link->count
               ? port_side_bound(link, problem->planes, problem->delta_ps, at->rho_ps, setups)
               : 0;
}

/* A link of an all-stop switch is idle in all of its set-ups, and each connection of another link takes one.
 */
static ps_t all_stop_bound(const struct path_problem *problem, const struct port_side *loads)
{
    size_t count;
    ps_t most_ps = 0;
    struct joint *joints = joints_of(problem, &count);
    uint32_t *begin = mem_alloc((size_t)problem->topo.links + 1, sizeof *begin, "connections of links");
    uint32_t *end = mem_alloc((size_t)problem->topo.links + 1, sizeof *end, "connections of links");
    struct switch_load *switches = mem_alloc(problem->topo.switches, sizeof *switches, "switches");
    for (size_t i = 0; i < count; i++) {
        struct switch_load *at = &switches[topo_link_to(&problem->topo, joints[i].from)];
        count_joint(at, &loads[joints[i].from], ++begin[joints[i].from]);
        count_joint(at, &loads[joints[i].to], ++end[joints[i].to]);
    }
    for (uint32_t at = 0; at < problem->topo.switches; at++) {
        ps_t bound_ps = share_of_planes(problem, switches[at].rho_ps, switches[at].setups);
        most_ps = ps_max(most_ps, bound_ps);
    }
    for (size_t i = 0; i < count && problem->planes > 1; i++) {
        uint32_t from = joints[i].from, to = joints[i].to;
        const struct switch_load *at = &switches[topo_link_to(&problem->topo, from)];
        most_ps = ps_max(most_ps, link_at_switch(problem, at, &loads[from], begin[from]));
        most_ps = ps_max(most_ps, link_at_switch(problem, at, &loads[to], end[to]));
        begin[from] = end[to] = 0; /* once for each link */
    }
    free(joints);
    free(begin);
    free(end);
    free(switches);
    return most_ps;
}

/* -------------------------------------------------------------- free routes */

/* For weights w of the links, T x planes x sum of w is at least the sum over entries of (d + delta) x the
 * least weight of a route: an entry in parts has a set-up on each link that it uses. Weights grow on the
 * links of the lightest routes (multiplicative weights), and each round gives a bound. Sums of times are
 * below 2^59, and weights of a route below 2^60. */
struct weighing {
    const struct path_problem *problem;
    uint64_t *weight;
    sum_t *load_ps;
};

static uint32_t lightest(const struct weighing *weighing, uint32_t entry, uint64_t *weight)
{
    const struct tdm_problem *routes = &weighing->problem->routes;
    uint32_t best = routes->first_route[entry];
    *weight = UINT64_MAX;
    for (uint32_t route = best; route < routes->first_route[entry + 1]; route++) {
        uint32_t count;
        uint64_t sum = 0;
        const uint32_t *links = tdm_route(routes, route, &count);
        for (uint32_t i = 0; i < count; i++)
            sum += weighing->weight[links[i]];
        if (sum < *weight) {
            *weight = sum;
            best = route;
        }
    }
    return best;
}

/* The bound of the weights as they are; adds up what each link has if every entry takes its lightest route.
 */
static ps_t bound_of_weights(struct weighing *weighing)
{
    const struct path_problem *problem = weighing->problem;
    sum_t work = 0, sum = 0;
    memset(weighing->load_ps, 0, problem->topo.links * sizeof *weighing->load_ps);
    for (uint32_t entry = 0; entry < problem->count; entry++) {
        uint64_t weight;
        uint32_t count, route = lightest(weighing, entry, &weight);
        const uint32_t *links = tdm_route(&problem->routes, route, &count);
        sum_t time_ps = (sum_t)problem->entries[entry].time_ps + problem->delta_ps;
        work += weight * time_ps;
        for (uint32_t i = 0; i < count; i++)
            weighing->load_ps[links[i]] += time_ps;
    }
    for (uint32_t link = 0; link < problem->topo.links; link++)
        sum += weighing->weight[link];
    sum *= problem->planes;
    return (ps_t)((work + sum - 1) / sum);
}

static void grow_weights(struct weighing *weighing)
{
    sum_t most_ps = 1;
    uint64_t most = 0;
    uint32_t links = weighing->problem->topo.links;
    for (uint32_t link = 0; link < links; link++)
        most_ps = weighing->load_ps[link] > most_ps ? weighing->load_ps[link] : most_ps;
    for (uint32_t link = 0; link < links; link++) {
        double share = (double)weighing->load_ps[link] / (double)most_ps;
        weighing->weight[link] += (uint64_t)((double)weighing->weight[link] * share / 4);
        most = weighing->weight[link] > most ? weighing->weight[link] : most;
    }
    for (uint32_t link = 0; link < links && most > most_weight; link++)
        weighing->weight[link] >>= 16;
}

static ps_t weighted_bound(const struct path_problem *problem)
{
    uint32_t links = problem->topo.links;
    ps_t bound_ps = 0;
    struct weighing weighing = {.problem = problem};
    weighing.weight = mem_alloc((size_t)links + 1, sizeof *weighing.weight, "weights of links");
    weighing.load_ps = mem_alloc((size_t)links + 1, sizeof *weighing.load_ps, "loads of links");
    for (uint32_t link = 0; link < links; link++)
        weighing.weight[link] = least_weight;
    for (int round = 0; round < ROUNDS; round++) {
        bound_ps = ps_max(bound_ps, bound_of_weights(&weighing));
        grow_weights(&weighing);
    }
    free(weighing.weight);
    free(weighing.load_ps);
    return bound_ps;
}

struct path_bounds path_bounds_of(const struct path_problem *problem)
{
    struct path_bounds bounds = {.degree = 0};
    ps_t *times_ps;
    struct port_side *loads = needed_loads(problem, &times_ps);
    count_links(problem, loads, &bounds);
    if (problem->routes.routes == problem->routes.requests)
        bounds.all_stop_ps = all_stop_bound(problem, loads);
    else
        bounds.link_ps = ps_max(bounds.link_ps, weighted_bound(problem));
    bounds.best_ps = problem->all_stop ? ps_max(bounds.all_stop_ps, bounds.link_ps) : bounds.link_ps;
    free(loads);
    free(times_ps);
    if (problem->hops > 1)
        bounds.two_hop_ps = bounds.best_ps = path_two_hops_bound(problem);
    return bounds;
}
