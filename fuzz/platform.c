/* Any bytes as a SimGrid platform: refused, or read, with a route between any two hosts that has each link
 * once; drawn, and run with a program on its hosts on some fabric. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz_network.h"
#include "topo/deadlock.h"
#include "topo/platform.h"

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

/* The way of a circuit has the links of the route that there are. Where switches are known, it leads from
 * link to link to its end. */
static void check_way(const struct topo *topo, uint32_t from, uint32_t to)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR], count = topo_way(topo, from, to, links);
    uint32_t at = topo_switch_of(topo, from);
    fuzz_must(count && count == topo_way_length(topo, from, to), "a way from %u to %u has no links", from,
              to);
    for (uint32_t i = 0; i < count; i++)
        at = topo_behind(topo, at, links[i]);
    fuzz_must(topo->no_ends || at == topo_switch_of(topo, to), "a way from %u leads to another node than %u",
              from, to);
}

static void check_routes(const struct topo *topo)
{
    fuzz_must(topo->diameter <= platform_longest(graph_of(topo)->platform),
              "a route is longer than routes can be");
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
        if (from != to)
            check_way(topo, from, to);
    }
}

/* Links that wait for each other in a circle are held by one message each. */
static void check_circle(const struct topo *topo)
{
    struct link_circle circle;
    if (!deadlock_find(topo, DEADLOCK_FIXED, &circle))
        return;
    for (uint32_t i = 0; i < circle.length; i++)
        fuzz_must(topo_is_held(topo, circle.links[i]), "messages wait for a link that holds any number");
    free(circle.links);
}

/* A slot that fits all links takes 1 ms, and nodes wait long before they try again. Some probes go hop by
 * hop, and in some runs links fail, which may cut hosts off. */
static bool run_some(const struct topo *topo, const char *path, size_t size)
{
    static const char *const fabrics[] = {"packet",  "circuit",      "packetised",
                                          "segment", "tdm-compiled", "tdm-dynamic"};
    uint64_t least = UINT64_C(1000000000);
    for (uint32_t link = 0; link < topo->links; link++)
        if (topo_link_kind(topo, link) != TOPO_LINK_FREE && topo_link_rate(topo, link, least) < least)
            least = topo_link_rate(topo, link, least);
    char *slot = mem_format("tdm.slot_bytes=%" PRIu64 "B", least / 1000 ? least / 1000 : 1);
    bool is_literal = size / 6 % 4 == 1;
    const char *fabric = topo->has_pair_latencies ? "packet" : fabrics[size % 6];
    bool is_packet = strcmp(fabric, "packet") == 0, has_faults = size / 24 % 2;
    const char *const settings[] = {slot,
                                    "tdm.slot_time=1ms",
                                    "tdm.control_time=1ms",
                                    "tdm.control_links=all",
                                    "tdm.retry=200",
                                    "photonic.channels=1",
                                    is_literal   ? "photonic.reservation=hop-by-hop"
                                    : has_faults ? "faults.link_share=0.1"
                                                 : NULL,
                                    !is_packet      ? NULL
                                    : size / 48 % 2 ? "packet.step=3us"
                                                    : "faults.at=20us",
                                    NULL};
    if (topo->no_ends && strcmp(fabric, "segment") == 0)
        fabric = "circuit";
    bool has_ended = fuzz_network_use(topo, path, fabric, settings);
    free(slot);
    return has_ended || has_faults;
}

static bool use(const char *path, size_t size)
{
    enum { MOST = 128 };
    struct topo topo;
    struct param_problem problem;
    if (!topo_read(path, &topo, &problem))
        return false;
    fuzz_is_too_large = topo.nodes > MOST || topo.switches > MOST;
    if (fuzz_is_too_large)
        return false;
    check_routes(&topo);
    check_circle(&topo);
    fuzz_network_faults(&topo, size);
    return run_some(&topo, path, size);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    return fuzz_network_file(data, size, is_large, use);
}
