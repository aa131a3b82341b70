/* Failed links: who reaches whom, distances and routes against union-find and a breadth-first search of its
 * own, over the ends of intact links alone; shares; names; what is cut off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory_stream.h"
#include "topo/faults.h"
#include "topo/network_file.h"

static const char *const networks[] = {
    "mesh:4x4",
    "torus:4x4",
    "torus:5x4x3",
    "torus:8x4,order=last",
    "torus:4x6,tie=plus",
    "torus:4x4,tie=either",
    "ring:7",
    "fattree:2x4",
    "fattree:3x3",
    "crossbar:5",
    "dragonfly:2x4x2",
    "dragonfly:1x3x2x4",
    "dragonfly:2x4x3x3",
    "dragonfly:1x4x4x2",
    "xgft:2x3x2x1x2x2",
    "xgft:2x2x3x1x3x1,routing=lowest",
    "leafspine:4x2x3",
    "leafspine:3x2x2x2,routing=hash,seed=3",
    "tapered:4x3x4",
    "hyperx:2x3x4",
    "slimfly:5x1",
    "jellyfish:10x3x2",
    "dragonflyplus:2x2x2x1",
    "tests/networks/uneven.yaml",
    "tests/networks/gpus.yaml",
    "tests/networks/servers.txt",
};

enum { NETWORKS = sizeof networks / sizeof *networks, FAR = 1 << 20 };

static struct topo parse(const char *text)
{
    struct topo topo;
    assert_int_equal(topo_parse("test", text, &topo), STATUS_OK);
    return topo;
}

static struct topo with(const struct topo *base, const struct fault_request *request)
{
    struct topo topo;
    struct fault_problem problem = {.problem = {.text = ""}};
    if (!faults_add(base, request, &topo, &problem))
        fail_msg("%s", problem.problem.text);
    return topo;
}

static struct topo with_share(const struct topo *base, double share, uint64_t seed)
{
    return with(base,
                &(struct fault_request){.of = {[FAULT_LINKS] = {NULL, share}}, .slow_rate = 1, .seed = seed});
}

static struct topo with_names(const struct topo *base, enum fault_kind kind, const char *names)
{
    struct fault_request request = {.slow_rate = 0.25, .seed = 1};
    request.of[kind].names = names;
    return with(base, &request);
}

/* ----------------------------------------------- a search of the test's own */

/* In these two files nodes have several links, and the switch that stands for a node passes nothing on. */
static bool has_ends(const struct topo *topo)
{
    return topo->path && !strstr(topo->path, "uneven");
}

static bool is_end(const struct topo *topo, uint32_t at)
{
    char name[TOPO_TEXT];
    topo_end_name(topo, (struct topo_end){.id = at}, name, sizeof name);
    return has_ends(topo) && (strncmp(name, "gpu", 3) == 0 || strncmp(name, "host", 4) == 0);
}

/* Hops from each switch to each, over the intact links. */
static uint32_t *all_hops(const struct topo *topo)
{
    size_t n = topo->switches;
    uint32_t *hops = malloc(n * n * sizeof *hops);
    for (size_t i = 0; i < n * n; i++)
        hops[i] = i / n == i % n ? 0 : FAR;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        if (!faults_has_failed(topo, link))
            hops[ends.from.id * n + ends.to.id] = 1;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n && !is_end(topo, (uint32_t)k); i++)
            for (size_t j = 0; j < n; j++)
                if (hops[i * n + k] + hops[k * n + j] < hops[i * n + j])
                    hops[i * n + j] = hops[i * n + k] + hops[k * n + j];
    return hops;
}

static uint32_t find(uint32_t *parents, uint32_t at)
{
    return parents[at] == at ? at : (parents[at] = find(parents, parents[at]));
}

/* How many parts the nodes are in. */
static uint32_t count_parts(const struct topo *topo)
{
    uint32_t vertices = topo->nodes + topo->switches, parts = 0,
             *parents = malloc(vertices * sizeof *parents);
    for (uint32_t i = 0; i < vertices; i++)
        parents[i] = i;
    for (uint32_t link = 0; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        uint32_t from = ends.from.id + (ends.from.is_node ? 0 : topo->nodes);
        uint32_t to = ends.to.id + (ends.to.is_node ? 0 : topo->nodes);
        if (!faults_has_failed(topo, link))
            parents[find(parents, from)] = find(parents, to);
    }
    for (uint32_t node = 0; node < topo->nodes; node++) {
        bool is_new = true;
        for (uint32_t other = 0; other < node; other++)
            is_new &= find(parents, other) != find(parents, node);
        parts += is_new;
    }
    free(parents);
    return parts;
}

/* ------------------------------------------------------------------- routes */

/* Every link that a message to the node may take at the switch is intact, and one hop nearer. */
static void check_choice(const struct topo *topo, uint32_t at, uint32_t node, uint32_t hops)
{
    struct topo_choice choice = topo_choose(topo, at, node);
    assert_in_range(choice.preferred, 0, choice.count - 1);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        assert_false(faults_has_failed(topo, link));
        assert_int_equal(topo_link_ends(topo, link).from.id, at);
        if (hops == 0) {
            assert_int_equal(link, topo_ejection(topo, node));
            continue;
        }
        assert_true(topo_is_network(topo, link));
        check_choice(topo, topo_link_to(topo, link), node, hops - 1);
    }
}

/* Whether the topology's own rules lead from the switch to the node over intact links. */
static bool is_whole_for(const struct topo *base, const struct topo *topo, uint32_t at, uint32_t node)
{
    struct topo_choice choice = topo_choose(base, at, node);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        if (topo_is_ejection(base, link) ||
            (!faults_has_failed(topo, link) && is_whole_for(base, topo, topo_link_to(base, link), node)))
            return true;
    }
    return false;
}

/* Then all links that may be taken are among those of the rules. */
static void check_rules(const struct topo *base, const struct topo *topo, uint32_t at, uint32_t node)
{
    struct topo_choice before = topo_choose(base, at, node), after = topo_choose(topo, at, node);
    if (!is_whole_for(base, topo, at, node))
        return;
    for (uint32_t i = 0; i < after.count; i++) {
        bool is_allowed = false;
        for (uint32_t k = 0; k < before.count; k++)
            is_allowed |= topo_candidate(before, k) == topo_candidate(after, i);
        assert_true(is_allowed);
    }
}

/* The route stays where no fault touches it. Of all the families, only a dragonfly has routes that are not
 * the shortest ones. */
static void check_pair(const struct topo *base, const struct topo *topo, uint32_t source,
                       uint32_t destination, uint32_t shortest, bool is_dragonfly)
{
    uint32_t before[64], after[64], distance = topo_distance(topo, source, destination);
    uint32_t count = topo_route(base, source, destination, before);
    bool is_whole = true;
    for (uint32_t i = 0; i < count; i++)
        is_whole &= !faults_has_failed(topo, before[i]);
    if (is_dragonfly)
        assert_true(distance >= shortest);
    else
        assert_int_equal(distance, shortest);
    assert_true(distance + 2 <= topo_route_limit(topo));
    assert_int_equal(topo_route(topo, source, destination, after), distance + 2);
    check_choice(topo, topo_switch_of(topo, source), destination, distance);
    check_rules(base, topo, topo_switch_of(topo, source), destination);
    if (is_whole) {
        assert_int_equal(distance + 2, count);
        assert_memory_equal(before, after, count * sizeof *before);
    }
}

static void check_network(const char *text, double share, uint64_t seed)
{
    struct topo base = parse(text), topo = with_share(&base, share, seed);
    bool is_dragonfly = strncmp(text, "dragonfly:", 10) == 0;
    uint32_t *hops = all_hops(&topo), most = 0;
    uint64_t sum = 0, pairs = 0;
    bool all = true;
    for (uint32_t i = 0; i < topo.nodes; i++)
        for (uint32_t j = 0; j < topo.nodes; j++) {
            uint32_t shortest = hops[topo_switch_of(&topo, i) * topo.switches + topo_switch_of(&topo, j)];
            assert_int_equal(topo_reaches(&topo, i, j), shortest < FAR);
            all &= shortest < FAR;
            if (shortest == FAR)
                continue;
            check_pair(&base, &topo, i, j, shortest, is_dragonfly);
            uint32_t distance = topo_distance(&topo, i, j);
            most = distance > most ? distance : most;
            sum += i == j ? 0 : distance;
            pairs += i != j;
        }
    char *cut = faults_describe_cut(&topo, topo.nodes);
    assert_int_equal(cut == NULL, all);
    assert_true(has_ends(&topo) ? !all || count_parts(&topo) == 1 : (count_parts(&topo) == 1) == all);
    assert_int_equal(topo.diameter, most);
    assert_true(fabs(topo_mean_distance(&topo) - (pairs ? (double)sum / (double)pairs : 0)) < 1e-9);
    free(cut);
    free(hops);
}

static void routes_go_around(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.03, 0.1, 0.3, 0.6, 1};
    for (size_t i = 0; i < NETWORKS; i++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            for (uint64_t seed = 1; seed <= 3; seed++)
                check_network(networks[i], shares[k], seed);
}

/* What is left, written as a network file, has the same distances by the code of network files. */
static void what_is_left_is_a_network(void **state)
{
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        struct topo base = parse(networks[i]), topo = with_share(&base, 0.1, 5), again;
        struct param_problem problem;
        char *text = NULL, *cut = faults_describe_cut(&topo, topo.nodes);
        size_t length = 0;
        free(cut);
        if (cut || strncmp(networks[i], "dragonfly:", 10) == 0)
            continue;
        FILE *memory = memory_stream_open(&text, &length);
        network_file_write(&topo, memory);
        fclose(memory);
        assert_true(network_text_read("left.yaml", text, length, &again, &problem));
        assert_int_equal(again.links, topo.links - 2 * faults_count(&topo).links);
        assert_int_equal(again.diameter, topo.diameter);
        assert_true(topo_bisection(&topo) <= topo_bisection(&again)); /* the file has one cut only */
        for (uint32_t a = 0; a < topo.nodes; a++)
            for (uint32_t b = 0; b < topo.nodes; b++)
                assert_int_equal(topo_distance(&again, a, b), topo_distance(&topo, a, b));
        free(text);
    }
}

/* Other rules for order and ties on a copy. */
static void a_copy_may_change_its_rules(void **state)
{
    (void)state;
    struct topo base = parse("torus:4x4"), topo = with_share(&base, 0.2, 3), copy = topo;
    copy.tie = TOPO_TIE_EITHER;
    copy.order = TOPO_ORDER_LAST;
    for (uint32_t a = 0; a < topo.nodes; a++)
        for (uint32_t b = 0; b < topo.nodes; b++)
            if (topo_reaches(&topo, a, b))
                check_choice(&copy, topo_switch_of(&topo, a), b, topo_distance(&topo, a, b));
}

/* A ring without one of its links is a line. */
static void a_cut_ring_goes_the_other_way_round(void **state)
{
    (void)state;
    struct topo base = parse("ring:9"), topo = with_names(&base, FAULT_LINKS, "(0)>(1)");
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = 0; b < 9; b++)
            assert_int_equal(topo_distance(&topo, a, b), abs((int)((a + 8) % 9) - (int)((b + 8) % 9)));
    assert_int_equal(topo.diameter, 8);
    assert_int_equal(topo_bisection(&topo), 1); /* not that of nodes 0-4, which are two pieces of the line */
    topo = with_names(&base, FAULT_LINKS, "(8)>(0)");
    assert_int_equal(topo_bisection(&topo), 1);
}

/* The bisection is one of some cuts: with a failed link it is never above that of the intact topology. */
static void a_failed_link_raises_no_bisection(void **state)
{
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        struct topo base = parse(networks[i]);
        assert_false(topo_bisection_is_bound(&base));
        for (uint32_t link = 0; link < base.links; link++) {
            char name[16];
            snprintf(name, sizeof name, "%u", link);
            struct topo topo = with_names(&base, FAULT_LINKS, name);
            assert_true(topo_bisection_is_bound(&topo));
            assert_true(topo_bisection(&topo) <= topo_bisection(&base));
            topo_forget();
            base = parse(networks[i]);
        }
    }
}

static void a_bisection_is_what_is_left_of_a_cut(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *links;
        uint64_t bisection;
    } cases[] = {
        {"mesh:8x2", "(0,0)>(1,0)", 2},
        {"mesh:8x2", "(3,1)>(4,1)", 1},
        {"mesh:5x1", "(2,0)>(3,0)", 0}, /* halves of 2 and 3, or of 3 and 2 */
        {"torus:8x4", "(0,0)>(1,0)", 7},
        {"torus:8x4", "(0,0)>(1,0),(5,3)>(4,3)", 6},
        {"torus:8x4", "(7,0)>(0,0),(3,0)>(4,0)", 6},
        {"torus:4x4", "(1,0)>(2,0),(1,1)>(2,1),(1,2)>(2,2),(1,3)>(2,3)", 4},
        {"torus:4x4", "(0,1)>(0,2),(1,1)>(1,2),(2,1)>(2,2),(3,1)>(3,2)", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo base = parse(cases[i].topology), topo = with_names(&base, FAULT_LINKS, cases[i].links);
        assert_int_equal(topo_bisection(&topo), cases[i].bisection);
    }
}

/* The destinations of the failed link are spread evenly over the three others. */
static void up_links_take_over_evenly(void **state)
{
    (void)state;
    struct topo base = parse("leafspine:2x4x12"), topo = with_names(&base, FAULT_LINKS, "0:0>1:3");
    uint32_t before[4] = {0}, after[4] = {0};
    for (uint32_t node = 12; node < 24; node++) {
        before[topo_link_to(&base, topo_next(&base, 0, node)) - 2]++;
        after[topo_link_to(&topo, topo_next(&topo, 0, node)) - 2]++;
    }
    assert_memory_equal(before, ((uint32_t[]){3, 3, 3, 3}), sizeof before);
    assert_memory_equal(after, ((uint32_t[]){4, 4, 4, 0}), sizeof after);
    assert_int_equal(topo_bisection(&topo), 3);

    base = parse("leafspine:2x4x16");
    topo = with_names(&base, FAULT_LINKS, "0:0>1:1,0:0>1:3");
    memset(after, 0, sizeof after);
    for (uint32_t node = 16; node < 32; node++)
        after[topo_link_to(&topo, topo_next(&topo, 0, node)) - 2]++;
    assert_memory_equal(after, ((uint32_t[]){8, 0, 8, 0}), sizeof after);
}

/* --------------------------------------------------------- shares and names */

static void shares_are_counts_and_nested(void **state)
{
    (void)state;
    struct topo base = parse("torus:8x8");
    assert_null(with_share(&base, 0, 1).faults);
    assert_null(with_share(&base, 0.003, 1).faults); /* 0.384 of 128 */
    for (uint32_t percent = 1; percent <= 100; percent++) {
        struct topo less = with_share(&base, (percent - 1) / 100.0, 7),
                    more = with_share(&base, percent / 100.0, 7);
        assert_int_equal(faults_count(&more).links, (uint32_t)(percent * 1.28 + 0.5));
        for (uint32_t link = 0; link < base.links; link++) {
            assert_true(!faults_has_failed(&less, link) || faults_has_failed(&more, link));
            assert_int_equal(faults_has_failed(&more, link),
                             faults_has_failed(&more, topo_link_reverse(&more, link)));
        }
    }
    struct topo one = with_share(&base, 0.1, 1), two = with_share(&base, 0.1, 2);
    uint32_t differ = 0;
    for (uint32_t link = 0; link < base.links; link++)
        differ += faults_has_failed(&one, link) != faults_has_failed(&two, link);
    assert_true(differ > 0);
}

static void names_and_numbers(void **state)
{
    (void)state;
    struct topo base = parse("torus:4x4");
    struct topo topo = with_names(&base, FAULT_LINKS, " (0,0)>(1,0) ,(1,2)>(1,1), 3>(3,0),40 ");
    assert_int_equal(faults_count(&topo).links, 3);
    assert_int_equal(faults_count(&topo).node_links, 1);
    assert_true(faults_has_failed(&topo, 3) && faults_has_failed(&topo, 19) && faults_has_failed(&topo, 41));
    assert_false(topo_reaches(&topo, 3, 4));
    char *cut = faults_describe_cut(&topo, 16);
    assert_string_equal(cut, "node 3 has no way to the others, since these links have failed: 3>(3,0)");
    free(cut);
    assert_null(faults_describe_cut(&topo, 3)); /* node 3 is idle */
    topo = with_names(&base, FAULT_SWITCHES, "(0,0),(3,3)");
    assert_int_equal(faults_count(&topo).switches, 2);
    assert_int_equal(faults_count(&topo).links, 8);
    assert_false(topo_reaches(&topo, 0, 1));
    base = parse("leafspine:2x2x2x3"); /* a name is that of all parallel links, a number that of one */
    assert_int_equal(faults_count((topo = with_names(&base, FAULT_LINKS, "0:0>1:1"), &topo)).links, 3);
    assert_int_equal(faults_count((topo = with_names(&base, FAULT_LINKS, "8"), &topo)).links, 1);
    base = parse("tests/networks/uneven.yaml");
    assert_int_equal(faults_count((topo = with_names(&base, FAULT_LINKS, "0>leaf0"), &topo)).node_links, 1);
}

static void refused(const char *network, enum fault_kind kind, const char *names, uint32_t at,
                    const char *what)
{
    struct topo base = parse(network), topo;
    struct fault_problem problem;
    struct fault_request request = {.slow_rate = 1};
    request.of[kind].names = names;
    assert_false(faults_check_names(&base, &request, &problem));
    problem.kind = FAULT_KINDS;
    assert_false(faults_add(&base, &request, &topo, &problem));
    assert_int_equal(problem.kind, kind);
    assert_int_equal(problem.problem.at, at);
    if (!strstr(problem.problem.text, what))
        fail_msg("%s", problem.problem.text);
}

static void what_does_not_exist_is_refused(void **state)
{
    (void)state;
    refused("torus:4x4", FAULT_LINKS, "(0,0)>(2,0)", 0, "torus:4x4 has no link '(0,0)>(2,0)'");
    refused("torus:4x4", FAULT_LINKS, "(0,0)>(1,0), 96", 13, "has no link '96'");
    refused("torus:4x4", FAULT_SLOW_LINKS, "x", 0, "such as (0,0)>(1,0), or by its number, such as 32");
    refused("torus:4x4", FAULT_SLOW_LINKS, "0>(1,0)", 0, "no link");
    refused("torus:4x4", FAULT_LINKS, ">", 0, "no link");
    refused("torus:4x4", FAULT_LINKS, "(0,0", 0, "no link");
    refused("torus:4x4", FAULT_SWITCHES, "(0,0),(4,0)", 6, "no switch '(4,0)'");
    struct topo base = parse("torus:4097x2"), topo;
    struct fault_problem problem;
    struct fault_request request = {.of = {[FAULT_LINKS] = {"(0,0)>(1,0)", 0}}, .slow_rate = 1};
    assert_false(faults_add(&base, &request, &topo, &problem));
    assert_int_equal(problem.kind, FAULT_KINDS);
}

static void a_cut_is_named(void **state)
{
    (void)state;
    struct topo base = parse("ring:8"), topo = with_names(&base, FAULT_LINKS, "(1)>(2),(4)>(5)");
    char *cut = faults_describe_cut(&topo, 8);
    assert_string_equal(
        cut, "nodes 2-4 have no way to the others, since these links have failed: (1)>(2), (4)>(5)");
    free(cut);
    topo = with_share(&base, 1, 1);
    cut = faults_describe_cut(&topo, 8);
    assert_non_null(strstr(cut, "node 1 has no way to the others"));
    assert_non_null(strstr(cut, "(0)>(1), (1)>(2) (and 6 more parts are cut off)"));
    free(cut);
    base = parse("crossbar:8"); /* no link between switches */
    assert_null(with_share(&base, 1, 1).faults);
}

/* A share of switches is of devices: no node with several links loses its ports by it. */
static void ports_are_not_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t devices;
    } cases[] = {{"rails:4x2x1x2", 8}, {"leafspine:4x2x2,planes=2", 12}, {"tests/networks/gpus.yaml", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo base = parse(cases[i].text);
        assert_int_equal(faults_switches_of(&base), cases[i].devices);
        struct fault_request request = {.of = {[FAULT_SWITCHES] = {NULL, 1}}, .slow_rate = 1};
        struct topo topo = with(&base, &request);
        assert_int_equal(faults_count(&topo).switches, cases[i].devices);
        assert_int_equal(faults_count(&topo).ports, 0);
        for (uint32_t at = 0; at < topo.switches; at++)
            assert_int_equal(faults_has_failed_switch(&topo, at),
                             topo_switch_kind(&topo, at) != TOPO_SWITCH_ENDS);
    }
    struct topo base = parse("rails:4x2x1x2"), topo = with_names(&base, FAULT_SWITCHES, "ports3, spine1");
    assert_int_equal(faults_count(&topo).ports, 1);
    assert_int_equal(faults_count(&topo).switches, 1);
}

static void a_cut_names_switches_and_links(void **state)
{
    (void)state;
    struct topo base = parse("leafspine:4x2x2"), topo = with_names(&base, FAULT_SWITCHES, "1:0, 1:1");
    char *cut = faults_describe_cut(&topo, 8);
    assert_string_equal(cut, "nodes 2-3 have no way to the others, since these links have failed: 0:1>1:0, "
                             "0:1>1:1, with switches 1:0, 1:1 (and 2 more parts are cut off)");
    free(cut);
    topo = with_names(&base, FAULT_SWITCHES, "0:1");
    cut = faults_describe_cut(&topo, 8);
    assert_string_equal(cut, "node 2 has no way to the others, since these links have failed: 2>0:1, with "
                             "switch 0:1 (and 1 more part is cut off)");
    free(cut);
    base = parse("leafspine:2x1x2,planes=2");
    topo = with_names(&base, FAULT_LINKS, "0:0>1:0, 0:3>1:3");
    cut = faults_describe_cut(&topo, 4);
    assert_string_equal(cut,
                        "nodes 0 and 3 have a way in no plane, and no node passes messages on; these links "
                        "have failed: 0:0>1:0, 0:3>1:3");
    free(cut);
}

static void slow_links_keep_their_routes(void **state)
{
    (void)state;
    struct topo base = parse("torus:4x4,rates=10GB/s+20GB/s"),
                topo = with_names(&base, FAULT_SLOW_LINKS, "(0,0)>(1,0),2");
    assert_true(topo_link_rate(&topo, 32, 0) == 5000000000);
    assert_true(topo_link_rate(&topo, 34, 0) == 20000000000);
    assert_true(topo_link_rate(&topo, 2, 0) == 2500000000 && topo_link_rate(&topo, 18, 0) == 2500000000);
    assert_int_equal(topo_distance(&topo, 0, 1), 1);
    base = parse("torus:4x4");
    topo = with_names(&base, FAULT_SLOW_LINKS, "32");
    assert_true(topo_has_rates(&topo) && topo_link_rate(&topo, 32, 1000) == 250);
    assert_true(topo_link_rate(&topo, 33, 1000) == 250 && topo_link_rate(&topo, 34, 1000) == 1000);
    assert_true(topo_link_rate(&topo, 32, 1) == 1);
}

static void channels_are_lost(void **state)
{
    (void)state;
    struct topo base = parse("torus:4x4"), topo, more;
    struct fault_problem problem;
    struct fault_request request = {.slow_rate = 1, .seed = 3, .channels = 5};
    for (uint32_t percent = 10; percent <= 100; percent += 10) {
        uint32_t sum = 0, failed = 0;
        request.channel_share = percent / 100.0;
        assert_true(faults_add(&base, &request, &topo, &problem));
        request.channel_share = (percent - 10) / 100.0;
        assert_true(faults_add(&base, &request, &more, &problem));
        for (uint32_t link = 0; link < base.links; link++) {
            uint32_t lost = faults_channels_lost(&topo, link);
            bool has_none = lost == 5 || faults_channels_lost(&topo, topo_link_reverse(&topo, link)) == 5;
            assert_in_range(lost, faults_channels_lost(&more, link), link < 32 ? 0 : 5);
            assert_int_equal(faults_has_failed(&topo, link), has_none);
            sum += lost;
            failed += has_none;
        }
        assert_int_equal(sum, 64 * 5 * percent / 100);
        assert_int_equal(sum, faults_count(&topo).channels);
        assert_int_equal(failed, 2 * faults_count(&topo).links);
    }
    request.channel_share = 0.5;
    request.channels = UINT32_C(1) << 30;
    assert_false(faults_add(&base, &request, &topo, &problem));
    assert_int_equal(problem.kind, FAULT_KINDS);
}

/* Tables are freed when others are made, but for those that somebody holds. */
static void held_ones_stay(void **state)
{
    (void)state;
    struct topo base = parse("torus:4x4"), topo = with_share(&base, 0.1, 100);
    uint32_t links = faults_count(&topo).links, distance = topo_distance(&topo, 0, 15);
    faults_hold(&topo);
    for (uint64_t seed = 101; seed < 120; seed++)
        (void)with_share(&base, 0.1, seed);
    assert_int_equal(faults_count(&topo).links, links);
    assert_int_equal(topo_distance(&topo, 0, 15), distance);
    assert_ptr_equal(with_share(&base, 0.1, 100).faults, topo.faults);
    faults_release(&topo);
}

static int forget(void **state)
{
    (void)state;
    topo_forget();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_go_around),
        cmocka_unit_test(what_is_left_is_a_network),
        cmocka_unit_test(a_copy_may_change_its_rules),
        cmocka_unit_test(a_cut_ring_goes_the_other_way_round),
        cmocka_unit_test(a_failed_link_raises_no_bisection),
        cmocka_unit_test(a_bisection_is_what_is_left_of_a_cut),
        cmocka_unit_test(up_links_take_over_evenly),
        cmocka_unit_test(shares_are_counts_and_nested),
        cmocka_unit_test(ports_are_not_drawn),
        cmocka_unit_test(a_cut_names_switches_and_links),
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(what_does_not_exist_is_refused),
        cmocka_unit_test(a_cut_is_named),
        cmocka_unit_test(slow_links_keep_their_routes),
        cmocka_unit_test(channels_are_lost),
        cmocka_unit_test(held_ones_stay),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
