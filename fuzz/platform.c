/* Any bytes as a SimGrid platform: refused, or read, with a route between any two hosts that has each link
 * once; drawn, and run with a program on its hosts. */
#include <string.h>

#include "fuzz/fuzz_network.h"

/* Numbers of four digits, which could be sizes. */
static bool is_large(const char *text)
{
    for (const char *at = text; *at; at++) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 3)
            return true;
        at += digits ? digits - 1 : 0;
    }
    return false;
}

static void check_routes(const struct topo *topo)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR];
    for (uint32_t pair = 0; pair < topo->nodes * topo->nodes; pair++) {
        uint32_t from = pair / topo->nodes, to = pair % topo->nodes,
                 count = topo_route(topo, from, to, links);
        fuzz_must(count == topo_distance(topo, from, to) + 2 && count <= topo_route_limit(topo),
                  "the route from %u to %u is not as long as it should be", from, to);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < i; j++)
                fuzz_must(links[i] < topo->links && links[i] != links[j], "a route has link %u twice",
                          links[i]);
        fuzz_must(topo_route_latency(topo, from, to, 0, 0) >= 0, "a latency below 0");
    }
}

static bool use(const char *path, size_t size)
{
    (void)size;
    enum { MOST = 128 };
    struct topo topo;
    struct param_problem problem;
    if (!topo_read(path, &topo, &problem))
        return false;
    fuzz_is_too_large = topo.nodes > MOST || topo.switches > MOST;
    if (fuzz_is_too_large)
        return false;
    check_routes(&topo);
    return fuzz_network_use(&topo, path, "packet");
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    return fuzz_network_file(data, size, is_large, use);
}
