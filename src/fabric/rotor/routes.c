#include "fabric/rotor/rotor.h"

void rotor_routes_init(struct rotor_routes *routes, uint32_t nodes)
{
    routes->first = mem_alloc(nodes, sizeof *routes->first, "routes");
    routes->hops = mem_alloc(nodes, sizeof *routes->hops, "routes");
    routes->queue = mem_alloc(nodes, sizeof *routes->queue, "routes");
    routes->valid_until = 0;
}

void rotor_routes_free(struct rotor_routes *routes)
{
    free(routes->first);
    free(routes->hops);
    free(routes->queue);
}

/* Breadth first from distance 0. A path may take its circuits in any order, since distances add up. So the
 * circuit that the search finds last is as good a first one. */
static void search(struct rotor_routes *routes, const struct rotor_plan *plan, ps_t at)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < plan->nodes; i++)
        routes->first[i] = ROTOR_NO_WAY;
    routes->queue[tail++] = 0;
    routes->hops[0] = 0;
    while (head < tail) {
        uint32_t from = routes->queue[head++];
        for (uint32_t s = 0; s < plan->switches; s++) {
            const struct rotor_up *up = rotor_up_at(plan, s, at);
            if (plan->failed[s] || at < up->since)
                continue;
            uint64_t sum = (uint64_t)from + up->matching;
            uint32_t to = (uint32_t)(sum < plan->nodes ? sum : sum - plan->nodes);
            if (to == 0 || routes->first[to] != ROTOR_NO_WAY)
                continue;
            routes->first[to] = s;
            routes->hops[to] = routes->hops[from] + 1;
            routes->queue[tail++] = to;
        }
    }
}

void rotor_routes_at(struct rotor_routes *routes, const struct rotor_plan *plan, ps_t at)
{
    if (at < routes->valid_until)
        return;
    routes->valid_until = PS_NEVER;
    for (uint32_t s = 0; s < plan->switches; s++) {
        const struct rotor_up *up = rotor_up_at(plan, s, at);
        ps_t change = at < up->since ? up->since : up->until;
        if (!plan->failed[s] && change < routes->valid_until)
            routes->valid_until = change;
    }
    search(routes, plan, at);
}
