#include "schedule/circuit/port_sides.h"
#include "schedule/circuit/two_hops.h"

/* The bounds of docs/models/circuits.md. A port has a link to each of K switches. It carries the sum of its
 * times and at least max(degree, K) set-ups over the K links, or uses only p < K of them, which takes at
 * least as long as sum / p + delta. */

struct circuit_bounds circuit_bounds_of(const struct circuit_problem *problem)
{
    struct circuit_bounds bounds = {.degree = 0};
    struct port_sides sides;
    sum_t rho_ps = 0;
    uint32_t links = problem->switches;
    ps_t delta_ps = problem->delta_ps;
    port_sides_init(&sides, problem);
    for (uint32_t i = 0; i < sides.count; i++) {
        const struct port_side *side = &sides.list[i];
        ps_t port_ps = port_side_bound(side, links, delta_ps, side->sum_ps, links);
        rho_ps = side->sum_ps > rho_ps ? side->sum_ps : rho_ps;
        bounds.degree = side->count > bounds.degree ? side->count : bounds.degree;
        bounds.port_ps = ps_max(bounds.port_ps, port_ps);
    }
    uint32_t setups = bounds.degree > links ? bounds.degree : links;
    for (uint32_t i = 0; i < sides.count; i++) {
        ps_t all_stop_ps = port_side_bound(&sides.list[i], links, delta_ps, rho_ps, setups);
        bounds.all_stop_ps = ps_max(bounds.all_stop_ps, all_stop_ps);
    }
    port_sides_free(&sides);
    bounds.rho_ps = (ps_t)rho_ps;
    if (problem->hops > 1) {
        bounds.two_hop_ps = bounds.best_ps = two_hops_bound(problem);
        return bounds;
    }
    bounds.best_ps = problem->all_stop ? ps_max(bounds.all_stop_ps, bounds.port_ps) : bounds.port_ps;
    return bounds;
}
