/* Network files of other simulators: htsim's fat trees against our families, link by link; the hosts of ns-3
 * and SimAI against a search over the links that goes through no host; and each error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/rng.h"
#include "support/network_text.h"
#include "topo/graph.h"
#include "topo/network_file.h"

static struct topo network(const char *text)
{
    return network_named("net", text);
}

static void refused(const char *text, const char *message)
{
    network_refused("net", text, message);
}

/* ------------------------------------------------------------------- htsim */

static const char three_tiers[] = "# a comment\nNodes 24\nTiers 3\npodsize 12\n\n"
                                  "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 4\n"
                                  "Downlink_Latency_ns 300\nSwitch_Latency_ns 100\nQueue_Up 90000\n"
                                  "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 6\nRadix_Up 3\nBundle 2\n"
                                  "Oversubscribed 2\nDownlink_Latency_ns 500\nSwitch_Latency_ns 200\n"
                                  "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 700\n";

/* The routes of all pairs go over switches of the same numbers. */
static void has_routes_of(const struct topo *topo, const char *family)
{
    struct topo other;
    uint32_t ours[16], theirs[16];
    assert_int_equal(topo_parse("test", family, &other), STATUS_OK);
    assert_int_equal(topo->nodes, other.nodes);
    assert_int_equal(topo->switches, other.switches);
    assert_int_equal(topo->links, other.links);
    for (uint32_t i = 0; i < topo->nodes * topo->nodes; i++) {
        uint32_t count = topo_route(topo, i / topo->nodes, i % topo->nodes, ours);
        assert_int_equal(count, topo_route(&other, i / topo->nodes, i % topo->nodes, theirs));
        for (uint32_t hop = 0; hop < count; hop++) {
            struct topo_ends a = topo_link_ends(topo, ours[hop]), b = topo_link_ends(&other, theirs[hop]);
            assert_int_equal(a.from.id, b.from.id);
            assert_int_equal(a.to.id, b.to.id);
        }
    }
}

static void htsim_wires_the_trees_that_we_have(void **state)
{
    (void)state;
    struct topo topo = network("Nodes 32\nTiers 2\nPodsize 32\n"
                               "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
                               "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n"
                               "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000");
    has_routes_of(&topo, "leafspine:4x2x8");
    assert_int_equal(topo_link_rate(&topo, 0, 0), UINT64_C(12500000000));
    topo = network("Nodes 8\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n"
                   "Downlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n"
                   "Downlink_Latency_ns 1000\nTier 2\nDownlink_speed_Gbps 200\nRadix_Down 2\n"
                   "Downlink_Latency_ns 1000\n");
    has_routes_of(&topo, "xgft:2x2x2x1x2x2");
}

/* 6 ToRs of 4 nodes; 2 switches of tier 1 a pod, twice linked to each ToR; cores p and p + 2, by one link
 * each: Radix_Up 3 needs 6 of them, of which each has 2 links down. */
static void htsim_bundles_links_and_adds_latencies(void **state)
{
    (void)state;
    struct topo topo = network(three_tiers);
    char name[TOPO_TEXT];
    uint32_t links[16];
    assert_int_equal(topo.switches, 6 + 4 + 6);
    assert_int_equal(topo.links, 2 * (24 + 6 * 4 + 4 * 3));
    assert_int_equal(topo_route(&topo, 0, 23, links), 6);
    /* Both ToRs, both switches of tier 1; the core has no latency. */
    ps_t expected = 2 * (300 + 500 + 700) * PS_PER_NS + 2 * (100 + 200) * PS_PER_NS;
    assert_int_equal(topo_route_latency(&topo, 0, 23, 0, 0), expected);
    assert_int_equal(topo_route_latency(&topo, 0, 3, 0, 0), (2 * 300 + 100) * PS_PER_NS);
    assert_int_equal(topo_route_latency(&topo, 0, 4, 0, 0), (2 * (300 + 500) + 2 * 100 + 200) * PS_PER_NS);
    for (uint32_t link = 2 * (24 + 24); link < topo.links; link += 2) {
        struct topo_ends ends = topo_link_ends(&topo, link);
        assert_int_equal((ends.to.id - 10) % 2, (ends.from.id - 6) % 2); /* cores p, p + 2, ... */
    }
    assert_string_equal(topo_end_name(&topo, (struct topo_end){.id = 6}, name, sizeof name), "agg0");
    assert_string_equal(topo_end_name(&topo, (struct topo_end){.id = 10}, name, sizeof name), "core0");
    assert_non_null(strstr(topo.no_effect, "Queue_Up"));
}

/* The text with its first `from` replaced. */
static char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return mem_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void htsim_says_what_is_wrong(void **state)
{
    static const char *const cases[][3] = {
        {"Nodes 24", "Nodes 0", "net:2:7: error: Nodes is a whole number from 1 to 65536"},
        {"Nodes 24", "Nodes 24 1", "net:2:10: error: a line has one number"},
        {"Nodes 24", "Nodes 25", "net:4:9: error: 25 is no multiple of 12"},
        {"podsize 12\n", "", "Podsize is missing"},
        {"podsize 12", "podsize 12\npodsize 12", "net:5:1: error: Podsize is said twice"},
        {"podsize 12", "podsize 12\nPods 2", "net:5:1: error: Nodes, Tiers, Podsize or Tier is expected"},
        {"Tiers 3", "Tiers 4", "net:3:7: error: Tiers is a whole number from 2 to 3"},
        {"Tiers 3", "Tiers 2", "net:16:10: error: tier 1 is the top, which has no links up"},
        {"Tier 2", "Tier 1", "net:21:6: error: tier 1 is said twice"},
        {"Radix_Down 4", "Radix_Down 5", "net:8:12: error: 12 is no multiple of 5"},
        {"Radix_Down 4", "Radix_Dwon 4", "net:8:1: error: a tier has Downlink_speed_Gbps, Radix_Down"},
        {"Radix_Up 4", "Radix_Up 2", "no such oversubscription: htsim wants Radix_Down / Radix_Up"},
        {"Radix_Up 4\n", "", "net:6:6: error: tier 0 has no Radix_Up"},
        {"Radix_Up 3", "Radix_Up 2", "does not have 2 links up"},
        {"Bundle 2", "Bundle 3", "does not have 4 links up"},
        {"Downlink_Latency_ns 500", "Downlink_Latency_ns", "net:19:1: error: Downlink_Latency_ns needs a"},
        {"Downlink_speed_Gbps 100", "Downlink_speed_Gbps 12.5", "of digits alone"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(three_tiers, cases[i][0], cases[i][1]);
        refused(text, cases[i][2]);
        free(text);
    }
}

/* -------------------------------------------------------------------- ns-3 */

/* Two servers of two GPUs. All are on the ToR 6, and those of a server also on an NVSwitch. */
static const char servers[] = "8 2 2 2 10 A100\n4 5 6 7\n"
                              "0 4 2400Gbps 0.000025ms 0\n1 4 2400Gbps 0.000025ms 0\n"
                              "2 5 2400Gbps 0.000025ms 0\n3 5 2400Gbps 0.000025ms 0\n"
                              "0 6 100Gbps 0.0005ms 0\n1 6 100Gbps 0.0005ms 0\n"
                              "2 6 100Gbps 0.0005ms 0\n3 7 100Gbps 0.0005ms 0\n"
                              "6 7 400Gbps 0.0005ms 0\n2 7 100Gbps 0.0005ms 0\n";

static void names_route(const struct topo *topo, uint32_t from, uint32_t to, const char *expected)
{
    char text[256] = "", name[TOPO_TEXT];
    uint32_t links[16], count = topo_route(topo, from, to, links);
    for (uint32_t i = 0; i < count; i++) {
        topo_end_name(topo, topo_link_ends(topo, links[i]).to, name, sizeof name);
        strncat(text, i ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, name, sizeof text - strlen(text) - 1);
    }
    assert_string_equal(text, expected);
}

static void hosts_pass_nothing_on_and_nvswitches_come_first(void **state)
{
    (void)state;
    struct topo topo = network(servers);
    assert_int_equal(topo.nodes, 4);
    assert_int_equal(topo.switches, 8); /* the hosts too: each has several links */
    assert_int_equal(topo.nodes_per_server, 2);
    names_route(&topo, 0, 1, "host0 nvswitch4 host1 1");
    names_route(&topo, 0, 2, "host0 switch6 host2 2"); /* and not over 2's server */
    names_route(&topo, 0, 3, "host0 switch6 switch7 host3 3");
    names_route(&topo, 2, 3, "host2 nvswitch5 host3 3"); /* switch7 is as near */
    assert_int_equal(topo_link_rate(&topo, topo_injection(&topo, 0), 0), UINT64_C(312500000000));
    assert_int_equal(topo_route_rate(&topo, 0, 3, 0), UINT64_C(12500000000));
    assert_int_equal(topo_route_latency(&topo, 0, 1, 0, 0), 50 * PS_PER_NS);
    assert_int_equal(topo_route_latency(&topo, 0, 3, 0, 0), 1500 * PS_PER_NS);
}

/* The fewest links from host to host over switches alone. */
static uint32_t fewest(const struct topo *topo, uint32_t from, uint32_t to)
{
    uint32_t hops[64] = {0}, queue[64], count = 1, start = topo_switch_of(topo, from);
    queue[0] = start;
    hops[start] = 1;
    for (uint32_t at = 0; at < count; at++) {
        char name[TOPO_TEXT];
        topo_end_name(topo, (struct topo_end){.id = queue[at]}, name, sizeof name);
        if (at && strncmp(name, "host", 4) == 0)
            continue;
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_hop ends = topo->ops->ends(topo, link);
            if (ends.from == queue[at] && !hops[ends.to]) {
                hops[ends.to] = hops[queue[at]] + 1;
                queue[count++] = ends.to;
            }
        }
    }
    return hops[topo_switch_of(topo, to)] - 1;
}

static void routes_are_the_shortest_over_switches(void **state)
{
    static const char *const texts[] = {
        servers,
        "8 4 8\n4 5 6 7\n0 4 10Gbps 1us 0.000000\n1 4 10Gbps 1us 0\n2 5 10Gbps 1us 0\n3 5 10Gbps 1us 0\n"
        "4 6 40Gbps 1us 0\n4 7 40Gbps 1us 0\n5 6 40Gbps 1us 0\n5 7 40Gb/s 1us 0\n\nFirst line: total node #",
        "6 2 7\n4 5\n0 1 10Gbps 1us 0\n1 4 10Gbps 1us 0\n0 4 10Gbps 1us 0\n2 4 1GBps 1us 0\n2 5 1GBps 1us 0\n"
        "3 5 1KiBps 0.001ms 0\n4 5 1Tbps 0 0\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = network(texts[i]);
        for (uint32_t pair = 0; pair < topo.nodes * topo.nodes; pair++)
            assert_int_equal(topo_distance(&topo, pair / topo.nodes, pair % topo.nodes),
                             fewest(&topo, pair / topo.nodes, pair % topo.nodes));
    }
}

enum { MOST = 64 };

/* Hops from each switch to one, through no host; 0 there, and where there is no way. */
static void search(const struct topo *topo, uint32_t to, uint32_t *hops)
{
    const uint8_t *kinds = graph_of(topo)->kinds;
    uint32_t queue[MOST] = {to}, count = 1;
    memset(hops, 0, MOST * sizeof *hops);
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_hop ends = topo->ops->ends(topo, link);
            if (ends.to != queue[at] || hops[ends.from] || ends.from == to ||
                (at && kinds[ends.to] == GRAPH_ENDS))
                continue;
            hops[ends.from] = hops[ends.to] + 1;
            queue[count++] = ends.from;
        }
}

/* The links from a switch that the rule allows: a hop nearer, through no host, over NVSwitches where some
 * are. */
static uint32_t allowed(const struct topo *topo, uint32_t from, uint32_t to, const uint32_t *hops,
                        uint32_t *links)
{
    const uint8_t *kinds = graph_of(topo)->kinds;
    uint32_t count = 0;
    for (int preferred = 1; preferred >= 0 && !count; preferred--)
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_hop ends = topo->ops->ends(topo, link);
            bool leads_on = ends.to == to ? hops[from] == 1
                                          : hops[ends.to] && hops[ends.to] + 1 == hops[from] &&
                                                kinds[ends.to] != GRAPH_ENDS;
            if (ends.from == from && leads_on && (!preferred || kinds[ends.to] == GRAPH_PREFERRED))
                links[count++] = link;
        }
    return count;
}

/* A text of ns-3 with hosts of one to four links, some to other hosts, switches that are joined more or less,
 * and NVSwitches. */
static char *random_network(struct rng *rng)
{
    uint32_t hosts = 2 + (uint32_t)rng_below(rng, 9), nvswitches = (uint32_t)rng_below(rng, 4);
    uint32_t switches = 1 + (uint32_t)rng_below(rng, 5), count = hosts + nvswitches + switches, links = 0;
    bool has[MOST][MOST] = {{false}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t degree = i < hosts ? 1 + (uint32_t)rng_below(rng, 4) : i < hosts + nvswitches ? 1 : 2;
        for (uint32_t k = 0; k < degree; k++) {
            bool to_any = i >= hosts || rng_below(rng, 12) == 0, to_own = i >= hosts + nvswitches;
            uint32_t to = to_own   ? hosts + nvswitches + (uint32_t)rng_below(rng, switches)
                          : to_any ? (uint32_t)rng_below(rng, hosts)
                                   : hosts + (uint32_t)rng_below(rng, nvswitches + switches);
            uint32_t low = i < to ? i : to, high = i < to ? to : i;
            links += low != high && !has[low][high];
            has[low][high] |= low != high;
        }
    }
    char *text = mem_format("%u 1 %u %u %u X\n", count, nvswitches, switches, links), *longer;
    for (uint32_t i = hosts; i < count; i++, free(text), text = longer)
        longer = mem_format("%s%u ", text, i);
    for (uint32_t i = 0; i < count * count; i++)
        if (has[i / count][i % count]) {
            longer = mem_format("%s\n%u %u 100Gbps 1us 0", text, i / count, i % count);
            free(text);
            text = longer;
        }
    return text;
}

static void the_links_that_lead_on_are_those_of_the_rule(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "networks");
    uint32_t good = 0, choices = 0;
    for (int i = 0; i < 1000; i++) {
        char *text = random_network(&rng);
        struct topo topo;
        struct param_problem problem;
        bool is_read = network_text_read("net", text, strlen(text), &topo, &problem);
        free(text);
        if (!is_read)
            continue;
        good++;
        for (uint32_t node = 0; node < topo.nodes; node++) {
            uint32_t to = topo_switch_of(&topo, node), hops[MOST], links[MOST];
            search(&topo, to, hops);
            for (uint32_t other = 0; other < topo.nodes; other++)
                assert_int_equal(topo_distance(&topo, other, node), hops[topo_switch_of(&topo, other)]);
            for (uint32_t from = 0; from < topo.switches; from++) {
                uint32_t count = hops[from] ? allowed(&topo, from, to, hops, links) : 0;
                struct topo_choice choice = topo_choose(&topo, from, node);
                if (from == to)
                    continue;
                assert_int_equal(choice.count, count);
                for (uint32_t k = 0; k < count; k++)
                    assert_int_equal(topo_candidate(choice, k), links[k]);
                choices += count > 1;
            }
        }
    }
    if (good < 100 || choices < 500)
        fail_msg("%u networks, %u choices", good, choices);
}

/* 4 pods of 384 servers of 8 GPUs, each with an NVSwitch; a ToR switch for each rail of a pod, and 4 spine
 * switches. The tables have the network's rows and its columns, one for each ToR switch, and a cell for each
 * NVSwitch. */
static void a_cluster_by_rails_has_small_tables(void **state)
{
    enum { RAILS = 8, SERVERS = 4 * 384, GPUS = RAILS * SERVERS, TORS = 4 * RAILS, SPINES = 4 };
    enum { LINKS = 2 * GPUS + TORS * SPINES, FIRST_TOR = GPUS + SERVERS, COUNT = FIRST_TOR + TORS + SPINES };
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&text, &length);
    fprintf(memory, "%d %d %d %d %d H100\n", COUNT, RAILS, SERVERS, TORS + SPINES, LINKS);
    for (int i = GPUS; i < COUNT; i++)
        fprintf(memory, "%d ", i);
    for (int i = 0; i < GPUS; i++) {
        int tor = FIRST_TOR + i / (GPUS / 4) * RAILS + i % RAILS;
        fprintf(memory, "\n%d %d 3600Gbps 0.000025ms 0\n%d %d 400Gbps 0.0005ms 0", i, GPUS + i / RAILS, i,
                tor);
    }
    for (int i = 0; i < TORS * SPINES; i++)
        fprintf(memory, "\n%d %d 400Gbps 0.0005ms 0", FIRST_TOR + i / SPINES, FIRST_TOR + TORS + i % SPINES);
    fclose(memory);
    struct topo topo = network(text);
    free(text);
    assert_int_equal(topo.nodes, GPUS);
    assert_int_equal(topo.nodes_per_server, RAILS);
    assert_int_equal(graph_of(&topo)->table.cells, (TORS + SPINES) * TORS + SERVERS);
    struct topo_distances distances = topo.ops->distances(&topo);
    uint64_t near = RAILS - 1 + SERVERS / 4 - 1;
    assert_int_equal(distances.most, 4);
    assert_true(distances.sum == (uint64_t)GPUS * (2 * near + 4 * (GPUS - 1 - near)));
    names_route(&topo, 9, 14, "host9 nvswitch12289 host14 14");
    names_route(&topo, 9, 3065, "host9 switch13825 host3065 3065");
    names_route(&topo, 9, 12287, "host9 switch13825 switch13859 switch13855 host12287 12287");
    assert_int_equal(topo_choose(&topo, FIRST_TOR, GPUS - 1).count, SPINES);
}

static void a_written_network_has_the_same_routes(void **state)
{
    (void)state;
    struct topo topo = network(servers), again;
    char *text = NULL;
    size_t length = 0;
    uint32_t ours[16], theirs[16];
    FILE *memory = memory_stream_open(&text, &length);
    network_file_write(&topo, memory);
    fclose(memory);
    again = network(text);
    for (uint32_t pair = 0; pair < 16; pair++) {
        uint32_t count = topo_route(&topo, pair / 4, pair % 4, ours);
        assert_int_equal(count, topo_route(&again, pair / 4, pair % 4, theirs));
        assert_memory_equal(ours, theirs, count * sizeof *ours);
    }
    free(text);
}

static void ns3_says_what_is_wrong(void **state)
{
    static const char *const cases[][3] = {
        {"8 2 2 2 10", "4 2 2 2 10", "net:1:1: error: 4 nodes of which 4 are switches leave no host"},
        {"8 2 2 2 10", "99999999 2 2 2 10", "net:1:1: error: the number of nodes is a whole number from 0"},
        {"8 2 2 2 10", "8 2 2 2 11", "the file ends here; the node that a link begins at is missing"},
        {"8 2 2 2 10", "8 2 2 2 9", "there are more links than the first line says, 9"},
        {"4 5 6 7", "4 5 6 5", "net:2:7: error: there are two switches 5"},
        {"4 5 6 7", "4 5 6 8", "net:2:7: error: the number of a switch is a whole number from 0 to 7"},
        {"0 4 2400Gbps", "0 0 2400Gbps", "net:3:1: error: this links 0 with itself"},
        {"1 6 100Gbps", "6 0 100Gbps", "net:8:1: error: 6 and 0 have a link already"},
        {"0 4 2400Gbps", "0 4 2400Gb", "net:3:5: error: the rate of a link has no unit 'Gb'"},
        {"0 4 2400Gbps", "0 4 2400", "net:3:5: error: the rate of a link needs a unit, as in 12.5GBps"},
        {"0 4 2400Gbps", "0 4 0Gbps", "net:3:5: error: the rate of a link is less than 1 B/s"},
        {"0 4 2400Gbps", "0 4 2400Tbps", "is more than 70 TB/s"},
        {"0 4 2400Gbps", "0 4 nan", "the rate of a link is a number and a unit"},
        {"0.000025ms 0\n1", "0.000025ms 1e-6\n1", "net:3:25: error: no fabric loses packets"},
        {"0.000025ms 0\n1", "1 0\n1", "net:3:14: error: the delay of a link needs a unit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(servers, cases[i][0], cases[i][1]);
        refused(text, cases[i][2]);
        free(text);
    }
    refused("4 2 2\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n", "the network is not connected: no way leads");
    refused("4 2 2\n2 3\n0 2 1Gbps 1us 0\n2 3 1Gbps 1us 0\n", "host 1 has no link");
}

/* ----------------------------------------------------------------- SimGrid */

#define HEAD                                                                                                 \
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"                \
    "<platform version='4.1'>\n"
#define TWO_HOSTS                                                                                            \
    HEAD "<zone id='z' routing='Full'>\n<host id='a' speed='1Gf'/>\n<host id='b' speed='2Gf' core='4'/>\n"
#define END "</zone>\n</platform>\n"

static const char mixed[] =
    TWO_HOSTS "<host id='c' speed='1Gf'/>\n"
              "<link id='s' bandwidth='1MBps' latency='1us' sharing_policy='SPLITDUPLEX'/>\n"
              "<link id='h' bandwidth='8Mbps' latency='2us'/>\n"
              "<link id='f' bandwidth='3MBps' latency='0' sharing_policy='FATPIPE'/>\n"
              "<route src='a' dst='b'><link_ctn id='s' direction='UP'/><link_ctn id='h'/></route>\n"
              "<route src='a' dst='c' symmetrical='NO'><link_ctn id='h'/><link_ctn id='f'/></route>\n"
              "<route src='c' dst='a' symmetrical='NO'><link_ctn id='f'/></route>\n"
              "<route src='b' dst='c'><link_ctn id='s' direction='DOWN'/></route>\n" END;

/* Links 6 and 7 are the two directions of s, 8 is h and 9 is f. */
static void routes_of_a_platform_are_those_that_it_says(void **state)
{
    static const uint32_t expected[][6] = {{0, 1, 2, 6, 8}, {1, 0, 2, 8, 7}, {0, 2, 2, 8, 9},
                                           {2, 0, 1, 9},    {1, 2, 1, 7},    {2, 1, 1, 6}};
    (void)state;
    struct topo topo = network(mixed);
    assert_int_equal(topo.nodes, 3);
    assert_int_equal(topo.links, 10);
    assert_string_equal(topo.ops->host_name(&topo, 1), "b");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t links[TOPO_ROUTE_OF_PAIR], count = topo_route(&topo, expected[i][0], expected[i][1], links);
        assert_int_equal(count, expected[i][2] + 2);
        assert_int_equal(topo_distance(&topo, expected[i][0], expected[i][1]), expected[i][2]);
        assert_memory_equal(links + 1, expected[i] + 3, expected[i][2] * sizeof *links);
    }
    assert_int_equal(topo_link_reverse(&topo, 6), 7);
    assert_int_equal(topo_link_reverse(&topo, 8), 8);
    assert_int_equal(topo_link_kind(&topo, 9), TOPO_LINK_WHOLE);
    assert_int_equal(topo_link_kind(&topo, 0), TOPO_LINK_FREE);
    assert_int_equal(topo_route_rate(&topo, 0, 1, 5), 1000000);
    assert_int_equal(topo_route_rate(&topo, 2, 0, 5), 3000000);
    assert_int_equal(topo_route_latency(&topo, 0, 1, 7, 7), 3 * (1000 * PS_PER_NS));
    assert_non_null(strstr(topo.no_effect, "speeds of hosts, from 1 to 2"));
}

/* Hops between hosts of clusters, in closed form. */
static void clusters_have_the_hops_of_their_shape(void **state)
{
    (void)state;
    struct topo topo =
        network(HEAD "<cluster id='c' prefix='n' suffix='' radical='0-29' speed='1Gf' bw='1GBps' "
                     "lat='1us' topology='TORUS' topo_parameters='5,3,2'/></platform>");
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t j = 0; j < 30; j++) {
            int x = abs((int)(i % 5) - (int)(j % 5)), y = i / 5 % 3 != j / 5 % 3, z = i / 15 != j / 15;
            assert_int_equal(topo_distance(&topo, i, j), (x > 2 ? 5 - x : x) + y + z);
        }
    topo =
        network(HEAD "<cluster id='c' prefix='n' suffix='' radical='0-17' speed='1Gf' bw='1GBps' lat='1us' "
                     "topology='FAT_TREE' topo_parameters='2;3,6;1,2;1,1'/></platform>");
    assert_int_equal(topo.switches, 6 + 2);
    for (uint32_t i = 0; i < 18; i++)
        for (uint32_t j = 0; j < 18; j++)
            assert_int_equal(topo_distance(&topo, i, j), i / 3 == j / 3 ? 0 : 2);
    topo = network(HEAD
                   "<cluster id='c' prefix='n' suffix='.x' radical='3,5-7' speed='1Gf' bw='1GBps' lat='1us' "
                   "bb_bw='2GBps' bb_lat='3us'/></platform>");
    assert_string_equal(topo.ops->host_name(&topo, 3), "n7.x");
    assert_int_equal(topo_distance(&topo, 0, 3), 1);
    assert_int_equal(topo_route_latency(&topo, 0, 3, 0, 0), 5 * (1000 * PS_PER_NS));
}

static void platforms_say_what_is_wrong(void **state)
{
    static const char *const cases[][3] = {
        {"4.1", "3", "net:3:20: error: platforms of version 4 and 4.1 are read"},
        {"routing='Full'", "routing='Ful'", "net:4:23: error: a zone with routing Full, Floyd, Dijkstra"},
        {"routing='Full'", "routing='Wifi'", "a zone with routing Full"},
        {"routing='Full'", "routing='None'", "routes are in zones with routing Full, Floyd or Dijkstra"},
        {"id='b' speed='2Gf'", "id='a' speed='2Gf'", "net:6:11: error: there are two elements 'a'"},
        {"speed='2Gf'", "speed='2Gb'", "net:6:21: error: the speed of a host has no unit 'Gb'"},
        {"speed='2Gf'", "speed='0f'", "a host has a speed above 0"},
        {"speed='2Gf'", "power='2Gf'", "<host> has no attribute 'power'"},
        {"speed='2Gf'", "speed='2Gf' state_file='x'",
         "net:6:38: error: profiles, by which something changes"},
        {"'1MBps'", "'0MBps'", "net:8:25: error: bandwidth is less than 1 B/s"},
        {"'1MBps'", "'99999GBps'", "bandwidth is more than 70 TB/s"},
        {"'1MBps'", "'1MB'", "bandwidth has no unit 'MB'"},
        {"'1MBps'", "'-1MBps'", "bandwidth is a number and a unit"},
        {"latency='2us'", "latency='2000s'", "latency is more than 1000 s"},
        {"id='h' bandwidth", "id='s_UP' bandwidth", "there are two links 's_UP'"},
        {"'FATPIPE'", "'WIFI'", "no fabric has wireless links"},
        {"<link_ctn id='h'/></route>\n<route src='a' dst='c'",
         "<link_ctn id='i'/></route>\n<route src='a' dst='c'", "there is no link 'i'"},
        {" direction='DOWN'", "", "this link is SPLITDUPLEX: it needs direction"},
        {"<link_ctn id='f'/></route>\n<route src='c'",
         "<link_ctn id='f' direction='UP'/></route>\n<route src='c'", "this link has no directions"},
        {"src='b' dst='c'", "src='b' dst='d'", "there is no host, router or zone 'd'"},
        {"src='b' dst='c'", "src='b' dst='z'", "'z' is a zone; a <zoneRoute> joins zones"},
        {"src='b' dst='c'", "src='b' dst='a'", "net:14:1: error: there is a route from b to a already"},
        {"<route src='b' dst='c'><link_ctn id='s' direction='DOWN'/></route>\n", "",
         "there is no way from b to c in zone z: with routing=\"Full\" each pair needs a route"},
        {"<link_ctn id='s' direction='DOWN'/></route>", "</route>", "this route has no link"},
        {"<link_ctn id='s' direction='UP'/><link_ctn id='h'/>", "<link_ctn id='h'/><link_ctn id='h'/>",
         "goes twice over link h;"},
        {"<link id='h'", "<trace id='h'", "<trace> makes something change over time"},
        {"<link id='h'", "<lonk id='h'", "<lonk> is not read in a platform"},
        {"<link id='h'", "<link_ctn id='h'/><link id='h'", "<link_ctn> does not belong here"},
        {"</zone>", "</zone><zone id='y' routing='Full'/>", "a platform has one zone"},
        {"</zone>", "", "this is not well-formed XML: mismatched tag"},
        {"id='b'", "id='&b;'", "net:6:11: error: entities are not read"},
        {"simgrid.dtd\">", "simgrid.dtd\" [<!ENTITY b 'b'>]>",
         "a document type definition in the file is not read"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(mixed, cases[i][0], cases[i][1]);
        refused(text, cases[i][2]);
        free(text);
    }
    refused(HEAD "</platform>", "the platform has no host");
    refused(HEAD "<cluster id='c' prefix='n' suffix='' radical='0-10' speed='1f' bw='1GBps' lat='0' "
                 "topology='TORUS' topo_parameters='3,4'/></platform>",
            "there are 11 hosts; this topology has 12");
    refused(HEAD
            "<cluster id='c' prefix='n' suffix='' radical='5-3' speed='1f' bw='1GBps' lat='0'/></platform>",
            "numbers and ranges of hosts are expected here");
    refused(HEAD "<cluster id='c' prefix='n' suffix='' radical='0-7' speed='1f' bw='1GBps' lat='0' "
                 "topology='DRAGONFLY' topo_parameters='4,1;1,1;2,1;1'/></platform>",
            "4 groups and 2 blades");
    refused("<network/>", "<network> is not read in a platform");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(htsim_wires_the_trees_that_we_have),
        cmocka_unit_test(htsim_bundles_links_and_adds_latencies),
        cmocka_unit_test(htsim_says_what_is_wrong),
        cmocka_unit_test(hosts_pass_nothing_on_and_nvswitches_come_first),
        cmocka_unit_test(routes_are_the_shortest_over_switches),
        cmocka_unit_test(the_links_that_lead_on_are_those_of_the_rule),
        cmocka_unit_test(a_cluster_by_rails_has_small_tables),
        cmocka_unit_test(a_written_network_has_the_same_routes),
        cmocka_unit_test(ns3_says_what_is_wrong),
        cmocka_unit_test(routes_of_a_platform_are_those_that_it_says),
        cmocka_unit_test(clusters_have_the_hops_of_their_shape),
        cmocka_unit_test(platforms_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
