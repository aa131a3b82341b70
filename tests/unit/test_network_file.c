/* Network files: what they are read as, their routes and facts against a search over the links, the file that
 * a topology is written as, and each error. */
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
#include "support/network_text.h"
#include "topo/network_file.h"

static struct topo network(const char *text)
{
    return network_named("net.yaml", text);
}

static const char two_racks[] = "nodes: 8\n"
                                "switches: {leaf: 2, spine: 2}\n"
                                "links:\n"
                                "  - {between: [node, leaf], pairs: blocks, rate: 100 Gb/s}\n"
                                "  - {between: [leaf, spine], rate: 200 Gb/s, latency: 30 ns, count: 2}\n";

/* --------------------------------------------- against a search of its own */

/* Hops between all switches, from the ends of the links alone (Floyd and Warshall). */
static uint32_t *all_hops(const struct topo *topo)
{
    size_t n = topo->switches;
    uint32_t *hops = malloc(n * n * sizeof *hops);
    for (size_t i = 0; i < n * n; i++)
        hops[i] = i / n == i % n ? 0 : 1u << 20;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        hops[ends.from.id * n + ends.to.id] = 1;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n * n; i++) {
            uint32_t through = hops[i / n * n + k] + hops[k * n + i % n];
            hops[i] = through < hops[i] ? through : hops[i];
        }
    return hops;
}

/* Every candidate leads a hop nearer, and a route follows the preferred ones. */
static void check_route(const struct topo *topo, const uint32_t *hops, uint32_t source, uint32_t destination)
{
    uint32_t links[64], n = topo->switches, at = topo_switch_of(topo, source);
    uint32_t to = topo_switch_of(topo, destination), distance = hops[at * n + to];
    uint32_t count = topo_route(topo, source, destination, links);
    assert_int_equal(count, distance + 2);
    assert_int_equal(topo_distance(topo, source, destination), distance);
    assert_int_equal(links[0], topo_injection(topo, source));
    for (uint32_t i = 1; i < count; i++) {
        struct topo_choice choice = topo_choose(topo, at, destination);
        assert_true(choice.preferred < choice.count);
        assert_int_equal(links[i], topo_candidate(choice, choice.preferred));
        uint32_t nearer = 0;
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_ends ends = topo_link_ends(topo, link);
            nearer += ends.from.id == at && hops[ends.to.id * n + to] + 1 == hops[at * n + to];
        }
        assert_int_equal(choice.count, i + 1 < count ? nearer : 1);
        for (uint32_t k = 0; k < choice.count && i + 1 < count; k++) {
            struct topo_ends ends = topo_link_ends(topo, topo_candidate(choice, k));
            assert_int_equal(ends.from.id, at);
            assert_int_equal(hops[ends.to.id * n + to] + 1, hops[at * n + to]);
        }
        at = i + 1 < count ? topo_link_to(topo, links[i]) : at;
    }
    assert_int_equal(links[count - 1], topo_ejection(topo, destination));
}

static void check_links(const struct topo *topo)
{
    for (uint32_t link = 0; link < topo->links; link++) {
        struct topo_ends there = topo_link_ends(topo, link);
        struct topo_ends back = topo_link_ends(topo, topo_link_reverse(topo, link));
        assert_memory_equal(&there.from, &back.to, sizeof there.from);
        assert_memory_equal(&there.to, &back.from, sizeof there.to);
        assert_int_equal(topo_link_rate(topo, link, 7),
                         topo_link_rate(topo, topo_link_reverse(topo, link), 7));
    }
}

static void check_all(const struct topo *topo)
{
    uint32_t *hops = all_hops(topo), most = 0;
    uint64_t sum = 0;
    check_links(topo);
    for (uint32_t source = 0; source < topo->nodes; source++)
        for (uint32_t destination = 0; destination < topo->nodes; destination++) {
            uint32_t distance =
                hops[topo_switch_of(topo, source) * topo->switches + topo_switch_of(topo, destination)];
            check_route(topo, hops, source, destination);
            sum += distance;
            most = distance > most ? distance : most;
        }
    double pairs = (double)topo->nodes * (topo->nodes - 1);
    assert_int_equal(topo->diameter, most);
    assert_true(topo_mean_distance(topo) == (pairs > 0 ? (double)sum / pairs : 0));
    free(hops);
}

static const char *const networks[] = {
    two_racks,
    /* nodes in an order of their own, a switch without nodes that is on no route, several routings */
    "nodes: 5\nswitches: [b, a, c, far]\nlinks:\n  - {between: [[node3, node0], a]}\n"
    "  - {between: [node1-2, b]}\n  - {between: [node4, c]}\n  - {between: [[a, b], c]}\n"
    "  - {between: [c, far]}\nrouting: lowest\n",
    "nodes: 6\nswitches: {s: 6}\nlinks:\n  - {between: [node, s], pairs: blocks}\n"
    "  - {between: [s0-4, s1-5], pairs: blocks, count: 3}\n  - {between: [s0, s5]}\n"
    "routing: hash\nseed: 12\n",
    "nodes: 1\nswitches: [only]\nlinks: [{between: [only, node]}]\n",
};

static void routes_are_shortest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topo topo = network(networks[i]);
        check_all(&topo);
    }
    topo_forget();
}

/* The fewest links between two halves of the nodes, over all ways to give each switch to a half. */
static uint64_t least_cut(const struct topo *topo)
{
    uint64_t least = UINT64_MAX;
    uint32_t half = topo->nodes - topo->nodes / 2;
    for (uint32_t sides = 0; sides < 1u << topo->switches; sides++) {
        uint64_t cut = 0;
        for (uint32_t link = 0; link < topo->links; link++) {
            struct topo_ends ends = topo_link_ends(topo, link);
            uint32_t from = ends.from.is_node ? ends.from.id >= half : sides >> ends.from.id & 1;
            uint32_t to = ends.to.is_node ? ends.to.id >= half : sides >> ends.to.id & 1;
            cut += from < to;
        }
        least = cut < least ? cut : least;
    }
    return least;
}

static void bisection_is_the_least_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topo topo = network(networks[i]);
        assert_int_equal(topo_bisection(&topo), least_cut(&topo));
    }
    topo_forget();
}

/* ----------------------------------------------------------- the file form */

static char *file_form(const struct topo *topo, const char *more)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream_open(&text, &length);
    network_file_write(topo, memory);
    fputs(more, memory);
    fclose(memory);
    return text;
}

struct family_form {
    const char *text, *more; /* lines behind the file */
    bool same_routes;
};

/* A written family has the same links by number, and under these rules the same routes: D-mod-k is that of
 * the k-ary n-tree; the lowest link is the first dimension's, whose ties do not exist in odd rings. */
static void a_family_is_its_file(void **state)
{
    (void)state;
    static const struct family_form forms[] = {
        {"fattree:2x4", "", true},
        {"fattree:3x3", "", true},
        {"fattree:5x2", "", true},
        {"mesh:4x4", "routing: lowest\n", true},
        {"mesh:5x3x2", "routing: lowest\n", true},
        {"torus:5x3", "routing: lowest\n", true},
        {"torus:3x5x3", "routing: lowest\n", true},
        {"torus:4x4", "", false},
        {"crossbar:9", "", true},
        {"crossbar:1", "", true},
        {"dragonfly:2x4x2", "", false},
        {"dragonfly:1x4x4x2", "", false},
        {"tapered:4x3x2", "", true},
        {"xgft:3x2x2x1x2x3", "", true},
        {"leafspine:4x3x4", "", true},
        {"hyperx:2x3x4", "", false},
        {"slimfly:3x2", "", true},
        {"jellyfish:12x4x2", "", true},
        {"jellyfish:12x4x2,routing=hash,seed=4", "", true},
        {"dragonflyplus:2x2x2x1", "", true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct topo family;
        assert_int_equal(topo_parse("test", forms[i].text, &family), STATUS_OK);
        char *text = file_form(&family, forms[i].more);
        struct topo file = network(text);
        assert_int_equal(file.nodes, family.nodes);
        assert_int_equal(file.switches, family.switches);
        assert_int_equal(file.links, family.links);
        check_all(&file);
        uint32_t pairs = forms[i].same_routes ? family.nodes * family.nodes : 0, links[2][64];
        for (uint32_t k = 0; k < pairs; k++) {
            uint32_t source = k / family.nodes, destination = k % family.nodes;
            uint32_t count = topo_route(&family, source, destination, links[0]);
            assert_int_equal(topo_route(&file, source, destination, links[1]), count);
            assert_memory_equal(links[0], links[1], count * sizeof **links);
        }
        free(text);
        topo_forget();
    }
}

/* A file that is written again is the same text, but for its first line. */
static void a_file_is_its_file(void **state)
{
    (void)state;
    struct topo topo = network(two_racks);
    char *once = file_form(&topo, "");
    struct topo again = network(once);
    char *twice = file_form(&again, "");
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    topo_forget();
}

/* --------------------------------------------------- what it says of links */

static void rates_and_latencies(void **state)
{
    (void)state;
    struct topo topo = network(two_racks);
    assert_int_equal(topo_link_rate(&topo, topo_injection(&topo, 3), 1), UINT64_C(12500000000));
    assert_int_equal(topo_link_rate(&topo, topo_ejection(&topo, 3), 1), UINT64_C(12500000000));
    assert_int_equal(topo_link_rate(&topo, 16, 1), UINT64_C(25000000000));
    assert_int_equal(topo_link_latency(&topo, 16, 5), 30000);
    assert_int_equal(topo_link_latency(&topo, 0, 5), 5);
    assert_int_equal(topo_route_rate(&topo, 0, 7, 1), UINT64_C(12500000000));
    assert_int_equal(topo_route_latency(&topo, 0, 7, 9, 4), 2 * 30000 + 2 * 4);
    assert_int_equal(topo_route_latency(&topo, 0, 1, 9, 4), 2 * 4);
    assert_int_equal(topo.levels, 2);
    assert_int_equal(topo_level(&topo, 1), 0);
    assert_int_equal(topo_level(&topo, 2), 1);
    topo_forget();
    topo = network(networks[1]);
    assert_null(topo.link_rates);
    assert_null(topo.link_latencies);
    assert_int_equal(topo.levels, 0); /* a and b are both linked to c, which has a node */
    assert_int_equal(topo_switch_of(&topo, 3), 1);
    assert_int_equal(topo_switch_of(&topo, 0), 1);
    assert_int_equal(topo_switch_of(&topo, 1), 0);
    topo_forget();
}

/* D-mod-k spreads the destinations of a leaf over the links up; the seed moves the choices of a hash. */
static void rules_choose(void **state)
{
    (void)state;
    struct topo topo = network(two_racks);
    for (uint32_t destination = 4; destination < 8; destination++)
        assert_int_equal(topo_next(&topo, 0, destination), 16 + 2 * (destination % 4));
    char text[512];
    uint32_t chosen[2] = {0, 0}, different = 0;
    struct topo hashed[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%srouting: hash\nseed: %d\n", two_racks, i);
        hashed[i] = network(text);
    }
    for (uint32_t destination = 4; destination < 8; destination++) {
        for (int i = 0; i < 2; i++)
            chosen[i] = topo_next(&hashed[i], 0, destination);
        different += chosen[0] != chosen[1];
    }
    assert_true(different > 0);
    assert_null(hashed[1].no_effect);
    snprintf(text, sizeof text, "%sseed: 3\n", two_racks);
    topo = network(text);
    assert_string_equal(topo.no_effect, "seed, which is that of routing: hash");
    topo_forget();
}

/* If all send to all, each link between switches carries as many messages as the others of its level and
 * direction; a bundle does not leave all of a leaf's messages to one of its links. */
static void bundles_are_loaded_evenly(void **state)
{
    (void)state;
    static const char three_levels[] =
        "nodes: 16\nswitches: {leaf: 4, mid: 4, top: 2}\nlinks:\n"
        "  - {between: [node, leaf], pairs: blocks}\n"
        "  - {between: [leaf0-1, mid0-1], count: 2}\n  - {between: [leaf2-3, mid2-3], count: 2}\n"
        "  - {between: [[mid0, mid2], top0], count: 2}\n  - {between: [[mid1, mid3], top1], count: 2}\n";
    static const char *const texts[] = {two_racks, three_levels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = network(texts[i]);
        uint32_t carried[256] = {0}, of_level[4][2] = {{0}}, route[8];
        assert_true(topo.links <= 256);
        for (uint32_t pair = 0; pair < topo.nodes * topo.nodes; pair++)
            for (uint32_t k = topo_route(&topo, pair / topo.nodes, pair % topo.nodes, route); k-- > 0;)
                carried[route[k]]++;
        for (uint32_t link = 2 * topo.nodes; link < topo.links; link++) {
            struct topo_ends ends = topo_link_ends(&topo, link);
            uint32_t from = topo_level(&topo, ends.from.id), to = topo_level(&topo, ends.to.id);
            uint32_t *expected = &of_level[from < to ? from : to][from < to];
            *expected = *expected ? *expected : carried[link];
            assert_int_equal(carried[link], *expected);
        }
        topo_forget();
    }
}

/* The same file is one network; one that has changed is another. */
static void a_changed_file_is_another_network(void **state)
{
    (void)state;
    struct topo first = network(two_racks), second = network(two_racks);
    assert_ptr_equal(first.node_switch, second.node_switch);
    struct topo other = network(networks[1]);
    assert_ptr_not_equal(first.node_switch, other.node_switch);
    assert_int_equal(first.nodes, 8);
    assert_int_equal(topo_switch_of(&first, 7), 1);
    topo_forget();
}

static void texts_that_are_paths(void **state)
{
    (void)state;
    assert_true(topo_is_path("net.yaml"));
    assert_true(topo_is_path("a.b/net"));
    assert_true(topo_is_path("net.yml"));
    assert_false(topo_is_path("torus:8x8"));
    assert_false(topo_is_path("torus:8.8"));
    assert_false(topo_is_path("crossbar"));
}

/* ------------------------------------------------------------------ errors */

#define START "nodes: 4\nswitches: {leaf: 2, spine: 1}\nlinks:\n"
#define NODES START "  - {between: [node, leaf], pairs: blocks}\n"

static void errors_name_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *message;
    } errors[] = {
        {NODES, "net.yaml:3:1", "not connected: no way leads from leaf1 to leaf0"},
        {NODES "  - {between: [leaf, spine], rate: 0 GB/s}\n", "net.yaml:5:36", "carries nothing"},
        {NODES "  - {between: [leaf, spine], rate: 2}\n", "net.yaml:5:36", "needs a unit"},
        {NODES "  - {between: [leaf, spine], rate: 71 TB/s}\n", "net.yaml:5:36", "at most 70 TB/s"},
        {NODES "  - {between: [leaf, spine], latency: 1001 s}\n", "net.yaml:5:39", "from 0 s to 1000 s"},
        {NODES "  - {between: [leaf, spine], count: 0}\n", "net.yaml:5:37", "a number from 1"},
        {NODES "  - {between: [leaf, spine], count: 200000}\n", "net.yaml:5:15", "at most 262144 links"},
        {NODES "  - {between: [leaf, spine], pairs: some}\n", "net.yaml:5:37", "pairs is all"},
        {NODES "  - {between: [leaf, spine], rat: 1}\n", "net.yaml:5:30", "links have between"},
        {NODES "  - {between: [leaf, spone0]}\n", "net.yaml:5:22", "did you mean 'spine0'"},
        {NODES "  - {between: [leaf, spine4]}\n", "net.yaml:5:22", "no node or switch 'spine4'"},
        {NODES "  - {between: [leaf, spine0-1]}\n", "net.yaml:5:22", "no node or switch 'spine0-1'"},
        {NODES "  - {between: [leaf, leaf1-0]}\n", "net.yaml:5:22", "no node or switch 'leaf1-0'"},
        {NODES "  - {between: [leaf, node4]}\n", "net.yaml:5:22", "nodes are node0 to node3"},
        {NODES "  - {between: [leaf]}\n", "net.yaml:5:15", "two sides"},
        {NODES "  - {pairs: all}\n", "net.yaml:5:5", "between is missing"},
        {NODES "  - leaf\n", "net.yaml:5:5", "a map is expected"},
        {NODES "  - {between: [leaf, spine]}\n  - {between: [spine, leaf]}\n", "net.yaml:6:15",
         "have a link already, net.yaml:5; several links between them are one entry with count"},
        {NODES "  - {between: [leaf, spine]}\n  - {between: [spine0, leaf0], rate: 1 GB/s}\n",
         "net.yaml:6:15", "a link is the same in both directions"},
        {NODES "  - {between: [leaf0, leaf0]}\n", "net.yaml:5:15", "links leaf0 with itself"},
        {NODES "  - {between: [node0, spine0]}\n", "net.yaml:5:15",
         "node0 has a link already, net.yaml:4: a node has one link; give it the rate of all, or a switch"},
        {START "  - {between: [node, leaf]}\n", "net.yaml:4:15",
         "node0 has a link already, net.yaml:4: a node has one link; pairs: blocks divides the nodes"},
        {NODES "  - {between: [node0, node1]}\n", "net.yaml:5:15", "are nodes"},
        {START "  - {between: [node, leaf0], count: 2}\n", "net.yaml:4:15", "node0 has several links"},
        {START "  - {between: [node0-2, leaf], pairs: blocks}\n", "net.yaml:4:15", "no 2 blocks"},
        {START "  - {between: [node0-2, leaf0]}\n", "net.yaml:3:1", "node3 has no link"},
        {"nodes: 4\nswitches: [a, a]\n", "net.yaml:2:15", "two switches 'a'"},
        {"nodes: 4\nswitches: [2x]\n", "net.yaml:2:12", "begins with a letter"},
        {"nodes: 4\nswitches: {node: 3}\n", "net.yaml:2:12", "are nodes"},
        {"nodes: 4\nswitches: {a: 1, a0: 0}\n", "net.yaml:2:22", "a number from 1"},
        {"nodes: 4\nswitches: [a0, a1]\nlinks: 3\n", "net.yaml:3:8", "a list is expected"},
        {"nodes: 4\nswitches: 3\n", "net.yaml:2:11", "switches are a map"},
        {"nodes: 70000\n", "net.yaml:1:8", "from 1 to 65536"},
        {"links: []\nnodes: 4\n", "net.yaml:1:1", "stand before the links"},
        {"nodes: 4\nrouting: best\n", "net.yaml:2:10", "d-mod-k, lowest or hash"},
        {"nodes: 4\nseed: -1\n", "net.yaml:2:7", ""},
        {"nodes: 4\nnode: 4\n", "net.yaml:2:1", "a network file has"},
        {"nodes: 4\nnodes: 4\n", "net.yaml:2:1", "given twice"},
        {"- 4\n", "net.yaml:1:1", "a map of keys"},
        {"nodes: 4\n", "net.yaml: ", "switches is missing"},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct topo topo;
        if (network_read("net.yaml", errors[i].text, &topo) || !strstr(network_said(), errors[i].place) ||
            !strstr(network_said(), errors[i].message))
            fail_msg("%s\nsaid: %s\nexpected: %s %s", errors[i].text, network_said(), errors[i].place,
                     errors[i].message);
    }
}

/* The pairs of 2^23 ends with 2^23, 2^18 links each, are 2^64 links. */
static void links_are_counted_whole(void **state)
{
    (void)state;
    enum { TIMES = 1024 };
    char as[2 * TIMES], bs[2 * TIMES];
    for (int i = 0; i < TIMES - 1; i++) {
        memcpy(as + (ptrdiff_t)2 * i, "a,", 3);
        memcpy(bs + (ptrdiff_t)2 * i, "b,", 3);
    }
    char *text = mem_format("nodes: 2\nswitches: {a: 8192, b: 8192}\nlinks:\n"
                            "  - {between: [[%sa], [%sb]], count: 262144}\n",
                            as, bs);
    struct topo topo;
    assert_false(network_read("net.yaml", text, &topo));
    assert_non_null(strstr(network_said(), "net.yaml:4:15"));
    assert_non_null(strstr(network_said(), "at most 262144 links"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_shortest),       cmocka_unit_test(bisection_is_the_least_cut),
        cmocka_unit_test(a_family_is_its_file),      cmocka_unit_test(a_file_is_its_file),
        cmocka_unit_test(rates_and_latencies),       cmocka_unit_test(rules_choose),
        cmocka_unit_test(bundles_are_loaded_evenly), cmocka_unit_test(a_changed_file_is_another_network),
        cmocka_unit_test(texts_that_are_paths),      cmocka_unit_test(errors_name_their_places),
        cmocka_unit_test(links_are_counted_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
