#include "base/mem.h"
#include "schedule/circuit/two_hops.h"

/* The bounds of docs/models/circuits.md. A port has a link to each of K switches. It carries the sum of its
 * times and at least max(degree, K) set-ups over the K links, or uses only p < K of them, which takes at
 * least as long as sum / p + delta. */

struct port_load {
    sum_t time_ps;
    uint32_t degree;
};

static ps_t share(sum_t work_ps, uint32_t links)
{
    return (ps_t)((work_ps + links - 1) / links);
}

static void count_port(struct circuit_bounds *bounds, const struct circuit_problem *problem,
                       const struct port_load *load, sum_t *rho_ps)
{
    uint32_t links = problem->switches, setups = load->degree > links ? load->degree : links;
    ps_t port_ps = share(load->time_ps + (sum_t)setups * problem->delta_ps, links);
    *rho_ps = load->time_ps > *rho_ps ? load->time_ps : *rho_ps;
    bounds->degree = load->degree > bounds->degree ? load->degree : bounds->degree;
    bounds->port_ps = ps_max(bounds->port_ps, port_ps);
}

struct circuit_bounds circuit_bounds_of(const struct circuit_problem *problem)
{
    struct circuit_bounds bounds = {.degree = 0};
    sum_t rho_ps = 0;
    uint32_t ports = problem->senders + problem->receivers;
    struct port_load *loads = mem_alloc((size_t)ports + 1, sizeof *loads, "loads of ports");
    for (uint32_t i = 0; i < problem->count; i++) {
        const struct circuit_entry *entry = &problem->entries[i];
        struct port_load *sender = &loads[entry->sender];
        struct port_load *receiver = &loads[problem->senders + entry->receiver];
        sender->time_ps += entry->time_ps;
        receiver->time_ps += entry->time_ps;
        sender->degree++;
        receiver->degree++;
    }
    for (uint32_t port = 0; port < ports; port++)
        count_port(&bounds, problem, &loads[port], &rho_ps);
    free(loads);
    uint32_t links = problem->switches, setups = bounds.degree > links ? bounds.degree : links;
    bounds.rho_ps = (ps_t)rho_ps;
    bounds.all_stop_ps = share(rho_ps + (sum_t)setups * problem->delta_ps, links);
    if (problem->hops > 1) {
        bounds.two_hop_ps = bounds.best_ps = two_hops_bound(problem);
        return bounds;
    }
    bounds.best_ps = problem->all_stop ? ps_max(bounds.all_stop_ps, bounds.port_ps) : bounds.port_ps;
    return bounds;
}
