/* Topologies: ids, links and facts against definitions and closed forms. For every pair of nodes in small
 * networks, the route is compared hop by hop with a breadth-first search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/sanitizer.h"
#include "topo/topo.h"

static const char *const small_networks[] = {
    "mesh:4x4",
    "mesh:5x3x2",
    "mesh:1x6x1",
    "linear:8",
    "linear:1",
    "ring:8",
    "ring:7",
    "ring:2",
    "torus:4x4",
    "torus:8x8",
    "torus:2x2x2x2",
    "torus:5x4x3",
    "torus:6x1x2",
    "torus:8x4,order=last",
    "torus:4x6,tie=plus",
    "torus:4x6,tie=reverse",
    "torus:4x4,order=last,tie=either",
    "mesh:3x4,order=last",
    "fattree:2x4",
    "fattree:3x3",
    "fattree:5x2",
    "fattree:6x1",
    "crossbar:9",
    "crossbar:1",
    "dragonfly:2x4x2",
    "dragonfly:1x3x2x4",
    "dragonfly:2x1x5",
    "dragonfly:2x4x3x3",
    "dragonfly:1x4x4x2",
    "dragonfly:3x2x3x6",
    "xgft:4x1",
    "xgft:3x2x1x1",
    "xgft:2x3x2x1x2x2",
    "xgft:2x2x3x1x3x1,routing=lowest",
    "leafspine:4x2x3",
    "leafspine:3x2x2x2",
    "leafspine:3x2x2x2,routing=hash,seed=3",
    "tapered:4x2x2",
    "tapered:2x3x2",
    "tapered:4x3x4",
    "hyperx:2x3x4",
    "hyperx:1x4,order=last",
    "hyperx:2x2x3x2,order=last",
    "hyperx:3x1",
    "slimfly:3",
    "slimfly:5x1",
    "slimfly:7x1,routing=lowest",
    "jellyfish:10x3x2",
    "jellyfish:9x3x1x7",
    "jellyfish:12x5x2x3,routing=hash",
    "dragonflyplus:2x2x2x1",
    "dragonflyplus:1x2x3x2x4",
    "megafly:1x3x2x2,routing=hash,seed=9",
    "slimfly:4x1",
    "slimfly:8x1",
    "slimfly:9x1,routing=hash",
    "rails:2x2x2x2",
    "rails:3x2x1x2,relay=spine",
    "rails:3x3x2x1,relay=either",
    "rails:4x1x1x1",
    "rails:1x3x2x2,routing=lowest",
    "cubes:4x8x4,order=last",
    "twisted:4x4x8",
    "twisted:8x4x4,routing=hash,seed=2",
    "leafspine:3x2x2,planes=2",
    "leafspine:2x2x2x2,planes=3,routing=lowest",
    "tapered:4x2x2,planes=2",
    "xgft:2x2x2x1x2x1,planes=2,routing=hash",
    "xgft:4x1,planes=4",
};

enum { SMALL = sizeof small_networks / sizeof *small_networks };

static struct topo parse(const char *text)
{
    struct topo topo;
    assert_int_equal(topo_parse("test", text, &topo), STATUS_OK);
    return topo;
}

/* The group of a switch; 0 if the family has none. The coordinates of a dragonfly are group and router. */
static uint32_t group_of(const struct topo *topo, uint32_t at)
{
    uint32_t coordinates[TOPO_COORDINATES];
    if (strcmp(topo->ops->name, "dragonfly") != 0)
        return 0;
    topo_coordinates(topo, at, coordinates);
    return coordinates[0];
}

/* Ids of nodes, then of switches. */
static uint32_t vertex(const struct topo *topo, struct topo_end end)
{
    assert_true(end.id < (end.is_node ? topo->nodes : topo->switches));
    return end.is_node ? end.id : topo->nodes + end.id;
}

/* ------------------------------------------------------------------- links */

static void count_link(const struct topo *topo, uint32_t link, uint32_t *between)
{
    struct topo_ends ends = topo_link_ends(topo, link);
    uint32_t vertices = topo->nodes + topo->switches;
    assert_int_equal(topo_is_injection(topo, link), ends.from.is_node);
    assert_int_equal(topo_is_ejection(topo, link), ends.to.is_node);
    assert_int_equal(topo_is_network(topo, link), !ends.from.is_node && !ends.to.is_node);
    if (!ends.to.is_node)
        assert_int_equal(topo_link_to(topo, link), ends.to.id);
    between[vertex(topo, ends.from) * vertices + vertex(topo, ends.to)]++;

    struct topo_ends back = topo_link_ends(topo, topo_link_reverse(topo, link));
    assert_memory_equal(&back.from, &ends.to, sizeof ends.to);
    assert_memory_equal(&back.to, &ends.from, sizeof ends.from);
    assert_int_equal(topo_link_reverse(topo, topo_link_reverse(topo, link)), link);
}

/* True if these two nodes or switches may have several links: the owners of global links in a dragonfly, the
 * spines of a dragonfly+, and leaf and spine. */
static bool may_have_several(const struct topo *topo, size_t from, size_t to)
{
    bool any = !strcmp(topo->ops->name, "leafspine") || !strcmp(topo->ops->name, "dragonflyplus");
    if (any)
        return from >= topo->nodes && to >= topo->nodes;
    return from >= topo->nodes && to >= topo->nodes &&
           group_of(topo, (uint32_t)from - topo->nodes) != group_of(topo, (uint32_t)to - topo->nodes);
}

/* Each link joins one pair of neighbours. Only pairs of groups in a dragonfly may have several. */
static void test_links(void **state)
{
    (void)state;
    for (size_t i = 0; i < SMALL; i++) {
        struct topo topo = parse(small_networks[i]);
        size_t vertices = topo.nodes + topo.switches;
        uint32_t *between = calloc(vertices * vertices, sizeof *between);
        for (uint32_t link = 0; link < topo.links; link++)
            count_link(&topo, link, between);
        uint32_t found = 0;
        for (size_t pair = 0; pair < vertices * vertices; pair++) {
            found += between[pair];
            assert_true(between[pair] <= 1 || may_have_several(&topo, pair / vertices, pair % vertices));
            assert_int_equal(between[pair], between[pair % vertices * vertices + pair / vertices]);
        }
        assert_int_equal(found, topo.links);
        for (uint32_t node = 0; node < topo.nodes; node++) {
            assert_int_equal(topo_link_ends(&topo, topo_injection(&topo, node)).from.id, node);
            assert_int_equal(topo_link_ends(&topo, topo_ejection(&topo, node)).to.id, node);
            assert_int_equal(topo_link_to(&topo, topo_injection(&topo, node)), topo_switch_of(&topo, node));
        }
        free(between);
    }
}

/* ----------------------------------------------------------------- routing */

/* Hops from every switch to one, backwards over links. In a dragonfly a route has one global link at most:
 * the paper's minimal route may be one hop longer than a route through a third group. */
static void search(const struct topo *topo, uint32_t to, uint32_t *hops)
{
    for (uint32_t i = 0; i < topo->switches; i++)
        hops[i] = UINT32_MAX;
    hops[to] = 0;
    for (uint32_t far = 0, changed = 1; changed; far++) {
        changed = 0;
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_ends ends = topo_link_ends(topo, link);
            uint32_t to_group = group_of(topo, ends.to.id);
            if (group_of(topo, ends.from.id) != to_group && to_group != group_of(topo, to))
                continue;
            if (hops[ends.to.id] == far && hops[ends.from.id] == UINT32_MAX) {
                hops[ends.from.id] = far + 1;
                changed = 1;
            }
        }
    }
}

/* Every candidate is a link from this switch to one that is a hop nearer. No candidate is named twice. */
static void check_candidates(const struct topo *topo, uint32_t from, uint32_t destination,
                             const uint32_t *hops)
{
    struct topo_choice choice = topo_choose(topo, from, destination);
    assert_true(choice.count >= 1 && choice.preferred < choice.count);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        assert_true(link < topo->links);
        struct topo_ends ends = topo_link_ends(topo, link);
        assert_true(!ends.from.is_node && ends.from.id == from);
        if (hops[from] == 0)
            assert_int_equal(link, topo_ejection(topo, destination));
        else
            assert_int_equal(hops[ends.to.id], hops[from] - 1);
        assert_true(i == 0 || link != topo_candidate(choice, i - 1));
    }
}

static void check_route(const struct topo *topo, uint32_t source, uint32_t destination, const uint32_t *hops)
{
    uint32_t links[64], count = topo_route(topo, source, destination, links);
    uint32_t at = topo_switch_of(topo, source);
    assert_true(count <= topo_route_limit(topo));
    assert_int_equal(count, hops[at] + 2);
    assert_int_equal(topo_distance(topo, source, destination), hops[at]);
    assert_int_equal(topo_distance(topo, destination, source), hops[at]);
    assert_int_equal(links[0], topo_injection(topo, source));
    for (uint32_t i = 1; i < count; i++) {
        assert_int_equal(links[i], topo_next(topo, at, destination));
        check_candidates(topo, at, destination, hops);
        if (i + 1 < count)
            at = topo_link_to(topo, links[i]);
    }
    assert_int_equal(links[count - 1], topo_ejection(topo, destination));
}

static void test_all_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SMALL; i++) {
        struct topo topo = parse(small_networks[i]);
        uint32_t *hops = calloc(topo.switches, sizeof *hops), most = 0;
        uint64_t sum = 0;
        for (uint32_t destination = 0; destination < topo.nodes; destination++) {
            search(&topo, topo_switch_of(&topo, destination), hops);
            for (uint32_t source = 0; source < topo.nodes; source++) {
                check_route(&topo, source, destination, hops);
                uint32_t distance = hops[topo_switch_of(&topo, source)];
                sum += distance;
                most = distance > most ? distance : most;
            }
        }
        double pairs = (double)topo.nodes * (topo.nodes - 1);
        assert_int_equal(most, topo.diameter);
        assert_true(topo_mean_distance(&topo) == (pairs > 0 ? (double)sum / pairs : 0));
        free(hops);
    }
}

/* Any choice on the way up leads to the destination, on a shortest route. */
static void test_adaptive_up(void **state)
{
    (void)state;
    struct topo topo = parse("fattree:3x4");
    uint32_t random = 1;
    for (uint32_t source = 0; source < topo.nodes; source++)
        for (uint32_t destination = 0; destination < topo.nodes; destination++) {
            uint32_t at = topo_switch_of(&topo, source), hops = 0, link;
            for (;; hops++) {
                struct topo_choice choice = topo_choose(&topo, at, destination);
                random = random * 1664525 + 1013904223;
                link = topo_candidate(choice, (random >> 16) % choice.count);
                assert_true(choice.count == 1 || choice.count == 3);
                if (topo_is_ejection(&topo, link))
                    break;
                at = topo_link_to(&topo, link);
            }
            assert_int_equal(link, topo_ejection(&topo, destination));
            assert_int_equal(hops, topo_distance(&topo, source, destination));
        }
}

static void load_all_to_all(const struct topo *topo, uint32_t *loads)
{
    uint32_t links[64];
    for (uint32_t source = 0; source < topo->nodes; source++)
        for (uint32_t destination = 0; destination < topo->nodes; destination++)
            for (uint32_t i = 0, count = topo_route(topo, source, destination, links); i < count; i++)
                loads[links[i]]++;
}

/* The deterministic rules balance the load. If all send to all, every link of one dimension of a torus
 * carries the same, and every link of one level of a tree. With tie=plus the links in the plus direction
 * carry more. */
static void test_rules_are_fair(void **state)
{
    (void)state;
    struct topo torus = parse("torus:8x4");
    uint32_t loads[2048] = {0};
    load_all_to_all(&torus, loads);
    for (uint32_t link = 2 * torus.nodes; link < torus.links; link++) {
        uint32_t first = link < 4 * torus.nodes ? 2 * torus.nodes : 4 * torus.nodes;
        assert_int_equal(loads[link], loads[first]);
    }
    torus.tie = TOPO_TIE_REVERSE;
    memset(loads, 0, sizeof loads);
    load_all_to_all(&torus, loads);
    for (uint32_t link = 2 * torus.nodes; link < torus.links; link++) {
        uint32_t first = link < 4 * torus.nodes ? 2 * torus.nodes : 4 * torus.nodes;
        assert_int_equal(loads[link], loads[first]);
    }
    torus.tie = TOPO_TIE_PLUS;
    memset(loads, 0, sizeof loads);
    load_all_to_all(&torus, loads);
    assert_true(loads[2 * torus.nodes] > loads[2 * torus.nodes + 1]);

    struct topo tree = parse("fattree:4x3");
    memset(loads, 0, sizeof loads);
    load_all_to_all(&tree, loads);
    for (uint32_t link = 2 * tree.nodes; link < tree.links; link++)
        assert_int_equal(loads[link], loads[link / (2 * tree.nodes) * 2 * tree.nodes]);
}

/* Figure 3 of Duro et al.: the route from 0 to 15 of a 4x4 mesh is 3, 7, 11. Yuan et al. route the high digit
 * first. At half of the ring, odd coordinates go up and even ones down. */
static void test_published_routes(void **state)
{
    (void)state;
    struct topo mesh = parse("mesh:4x4"), torus = parse("torus:8x8,order=last");
    uint32_t links[16], count = topo_route(&mesh, 0, 15, links);
    static const uint32_t on_mesh[] = {0, 1, 2, 3, 7, 11, 15};
    assert_int_equal(count, 8);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(topo_link_to(&mesh, links[i]), on_mesh[i]);

    assert_int_equal(topo_route(&torus, 8 * 1 + 2, 8 * 5 + 6, links), 10);
    static const uint32_t on_torus[] = {10, 18, 26, 34, 42, 41, 40, 47, 46};
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(topo_link_to(&torus, links[i]), on_torus[i]);
}

/* ------------------------------------------------------------------- facts */

struct fact {
    const char *text;
    uint32_t nodes, switches, links, diameter;
    double mean; /* average hops from one node to all others, times nodes - 1 */
    uint64_t bisection;
};

static void test_facts(void **state)
{
    (void)state;
    static const struct fact facts[] = {
        {"torus:12x12x12", 1728, 1728, 8 * 1728, 18, 9.0 * 1728, 2 * 144},
        {"fattree:12x3", 1728, 432, 6 * 1728, 4, 4.0 * (1728 - 144) + 2.0 * (144 - 12), 864},
        {"torus:8x8", 64, 64, 6 * 64, 8, 4.0 * 64, 16},
        {"mesh:4x4", 16, 16, 2 * 16 + 48, 6, 2 * 1.25 * 16, 4},
        {"linear:8", 8, 8, 16 + 14, 7, 21, 1},
        {"ring:8", 8, 8, 32, 4, 16, 2},
        {"ring:7", 7, 7, 28, 3, 12, 2},
        {"crossbar:64", 64, 1, 128, 0, 0, 32},
        {"torus:32x32x32", 32768, 32768, 8 * 32768, 48, 24.0 * 32768, 2048},
        {"dragonfly:2x4x2", 72, 36, 144 + 36 * 3 + 72, 3, 2 * 3 + 2 * 8 * 10.0, 20},
        /* half of the links up, and half of the bisection, of fattree:8x3 */
        {"tapered:8x3x2", 512, 64 + 32 + 32, 1024 + 2 * (256 + 256), 4, 4 * 448 + 2 * 56, 128},
        {"tapered:8x3x1", 512, 3 * 64, 6 * 512, 4, 4 * 448 + 2 * 56, 256},
        {"xgft:4x4x2x1x2x2", 32, 8 + 4 + 4, 64 + 2 * (16 + 8), 4, 4 * 16 + 2 * 12, 4},
        {"leafspine:8x4x16", 128, 12, 256 + 2 * 32, 2, 2 * 112, 16},
        {"leafspine:8x4x16x3", 128, 12, 256 + 6 * 32, 2, 2 * 112, 48},
        /* in each plane the links and switches of the tree; a route begins and ends with a link to a port */
        {"tapered:8x3x2,planes=2", 512, 512 + 2 * 128, 1024 + 2 * (1024 + 2 * (256 + 256)), 6,
         6 * 448 + 4 * 56 + 2 * 7, 2 * 128},
        {"leafspine:8x4x16,planes=4", 128, 128 + 4 * 12, 256 + 2 * 4 * (128 + 32), 4, 4 * 112 + 2 * 15, 64},
        {"xgft:16x1,planes=8", 16, 16 + 8, 32 + 2 * 128, 2, 2 * 15, 64},
        {"slimfly:4x1", 32, 32, 64 + 32 * 6, 2, 6 + 2 * 25, 16},
        {"slimfly:8x1", 128, 128, 256 + 128 * 12, 2, 12 + 2 * 115, 64},
        {"slimfly:9x1", 162, 162, 324 + 162 * 13, 2, 13 + 2 * 148, 81},
        {"slimfly:16x2", 1024, 512, 2048 + 512 * 24, 2, 2 * (24 + 2 * 487), 512},
        {"slimfly:25x1", 1250, 1250, 2500 + 1250 * 37, 2, 37 + 2 * 1212, 625},
        {"slimfly:27x1", 1458, 1458, 2916 + 1458 * 41, 2, 41 + 2 * 1416, 729},
        {"slimfly:32x1", 2048, 2048, 4096 + 2048 * 48, 2, 48 + 2 * 1999, 1024},
        /* two hops to the server and to the rail of the pod, four to the others */
        {"rails:8x4x2x4", 64, 64 + 8 + 16 + 4, 128 + 2 * (64 + 64 + 16 * 4), 4, 2 * 10 + 4 * 53, 32},
        {"rails:8x32x4x16", 1024, 1024 + 128 + 32 + 16, 2048 + 2 * (2048 + 32 * 16), 4,
         2 * (7 + 31) + 4 * (1023 - 38), 256},
        {"rails:8x4x1x2", 32, 32 + 4 + 8 + 2, 64 + 2 * (64 + 8 * 2), 4, 2 * 10 + 4 * 21, 16},
        {"cubes:16x16x16", 4096, 4096, 8 * 4096, 24, 12.0 * 4096, 512},
        {"cubes:4x4x8", 128, 128, 8 * 128, 8, 4.0 * 128, 32},
        {"hyperx:4x6x6", 144, 36, 288 + 36 * 10, 2, 2 * 120, 54},
        {"hyperx:1x3x4x8", 96, 96, 192 + 96 * (2 + 3 + 7), 3, 64 + 72 + 84, 96},
        /* (3 q - delta) / 2 links of a switch; all others are two hops away */
        {"slimfly:5x4", 200, 50, 400 + 50 * 7, 2, 4 * (7 + 2 * 42), 100},
        {"slimfly:7x6", 588, 98, 1176 + 98 * 11, 2, 6 * (11 + 2 * 86), 294},
        {"slimfly:11x1", 242, 242, 484 + 242 * 17, 2, 17 + 2 * 224, 121},
        {"slimfly:13x1", 338, 338, 676 + 338 * 19, 2, 19 + 2 * 318, 169},
        {"slimfly:17x1", 578, 578, 1156 + 578 * 25, 2, 25 + 2 * 552, 289},
        {"dragonflyplus:2x4x4x2", 72, 72, 144 + 2 * (9 * 16 + 36), 3, 2 * 6 + 3 * 64, 20},
        {"megafly:2x2x2x2x3", 12, 12, 24 + 2 * (3 * 4 + 6), 3, 2 * 2 + 3 * 8, 4},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (HAS_SANITIZER && facts[i].nodes > 600)
            continue;
        struct topo topo = parse(facts[i].text);
        assert_int_equal(topo.nodes, facts[i].nodes);
        assert_int_equal(topo.switches, facts[i].switches);
        assert_int_equal(topo.links, facts[i].links);
        assert_int_equal(topo.diameter, facts[i].diameter);
        double deviation = topo_mean_distance(&topo) * (topo.nodes - 1) - facts[i].mean;
        assert_true(deviation < 1e-6 && deviation > -1e-6);
        assert_int_equal(topo_bisection(&topo), facts[i].bisection);
    }
}

/* The smallest cut: over all halves of the nodes and all assignments of switches to a half. */
static uint32_t least_cut(const struct topo *topo)
{
    bool is_grid = topo_grid(topo) != NULL;
    uint32_t own = is_grid ? 0 : topo->switches, least = UINT32_MAX;
    for (uint32_t half = 0; half < 1u << topo->nodes; half++) {
        if ((uint32_t)__builtin_popcount(half) != topo->nodes / 2)
            continue;
        for (uint32_t side = 0; side < 1u << own; side++) {
            uint32_t cut = 0, switches = is_grid ? half : side;
            for (uint32_t link = 0; link < topo->links; link++) {
                struct topo_ends ends = topo_link_ends(topo, link);
                bool from = (ends.from.is_node ? half : switches) >> ends.from.id & 1;
                bool to = (ends.to.is_node ? half : switches) >> ends.to.id & 1;
                cut += from && !to;
            }
            least = cut < least ? cut : least;
        }
    }
    return least;
}

static void test_bisection_is_least(void **state)
{
    (void)state;
    static const char *const texts[] = {"ring:8",
                                        "linear:6",
                                        "mesh:4x3",
                                        "torus:4x3",
                                        "mesh:2x2x2",
                                        "fattree:2x2",
                                        "fattree:2x3",
                                        "fattree:4x1",
                                        "crossbar:6",
                                        "tapered:2x2x2",
                                        "tapered:2x3x2",
                                        "leafspine:2x2x3",
                                        "leafspine:4x1x2x2",
                                        "xgft:2x2x2x1x1x2",
                                        "xgft:3x2x1x2",
                                        "leafspine:2x1x2,planes=2",
                                        "rails:2x1x2x1",
                                        "rails:2x2x1x1",
                                        "rails:4x1x1x1",
                                        "dragonflyplus:3x1x1x1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = parse(texts[i]);
        assert_int_equal(topo_bisection(&topo), least_cut(&topo));
    }
    /* A node has one link, so the cut can be at the nodes. */
    static const char *const dense[] = {"hyperx:1x4", "hyperx:1x2x3", "hyperx:2x4", "leafspine:2x4x2"};
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        struct topo topo = parse(dense[i]);
        uint64_t cut = topo_bisection(&topo), at_nodes = topo.nodes / 2;
        assert_int_equal(cut < at_nodes ? cut : at_nodes, least_cut(&topo));
    }
}

/* Every switch of a Jellyfish has r links to r others, but for one if s r is odd. The seed decides which. */
static void test_jellyfish(void **state)
{
    (void)state;
    uint32_t different = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        char text[64];
        uint32_t degree[2][16] = {{0}}, others[2] = {0, 0};
        for (uint32_t odd = 0; odd < 2; odd++) {
            snprintf(text, sizeof text, "jellyfish:%ux%ux1x%u", 16 - odd, odd ? 5 : 4, seed);
            struct topo topo = parse(text), again = parse(text);
            for (uint32_t link = 2 * topo.nodes; link < topo.links; link++) {
                struct topo_ends ends = topo_link_ends(&topo, link), same = topo_link_ends(&again, link);
                assert_memory_equal(&ends, &same, sizeof ends);
                degree[odd][ends.from.id]++;
                others[odd] += ends.to.id * link;
            }
            uint32_t short_of = 0;
            for (uint32_t at = 0; at < topo.switches; at++)
                short_of += (odd ? 5 : 4) - degree[odd][at];
            assert_int_equal(short_of, odd);
        }
        struct topo first = parse("jellyfish:16x4x1x1");
        uint32_t of_first = 0;
        for (uint32_t link = 2 * first.nodes; link < first.links; link++)
            of_first += topo_link_ends(&first, link).to.id * link;
        different += of_first != others[0];
    }
    assert_int_equal(different, 19);
}

/* D-mod-k loads all links of a level alike, also in tapered trees. */
static void test_trees_are_fair(void **state)
{
    (void)state;
    static const char *const texts[] = {"tapered:4x3x2", "leafspine:4x4x4", "xgft:4x4x4x1x2x4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo tree = parse(texts[i]);
        uint32_t *loads = calloc(tree.links, sizeof *loads), most[TOPO_LEVELS] = {0};
        load_all_to_all(&tree, loads);
        for (uint32_t link = 2 * tree.nodes; link < tree.links; link += 2) {
            uint32_t level = topo_level(&tree, topo_link_ends(&tree, link).from.id);
            most[level] = most[level] ? most[level] : loads[link];
            assert_int_equal(loads[link], most[level]);
            assert_int_equal(loads[link + 1], most[level]);
        }
        free(loads);
    }
}

/* The rate of the class that the ends of a link are in, by definitions of its own. */
static uint64_t expected_rate(const struct topo *topo, uint32_t link)
{
    static const uint64_t rates[] = {1000, 2000, 3000};
    struct topo_ends ends = topo_link_ends(topo, link);
    uint32_t from[TOPO_COORDINATES], to[TOPO_COORDINATES], class = 0;
    if (ends.from.is_node || ends.to.is_node)
        return rates[0];
    topo_coordinates(topo, ends.from.id, from);
    topo_coordinates(topo, ends.to.id, to);
    if (topo->levels)
        class = from[0] < to[0] ? from[0] : to[0];
    else if (!strncmp(topo->ops->name, "dragonfly", strlen("dragonfly")))
        class = from[0] != to[0];
    else
        while (from[class] == to[class])
            class ++;
    return rates[class + 1 < 2 ? class + 1 : 2];
}

/* The classes of a topology are those of its links; only a dimension of size 1 has no link. */
static void test_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SMALL; i++) {
        struct topo topo = parse(small_networks[i]);
        uint32_t most = 0, expected = topo_link_classes(&topo);
        for (uint32_t link = 0; link < topo.links; link++)
            most = topo_link_class(&topo, link) > most ? topo_link_class(&topo, link) : most;
        assert_true(most < expected);
        for (uint32_t n = 0; n < topo.number_count; n++)
            if (topo.numbers[n] == 1 && (topo.ops->rules & TOPO_RULE_ORDER))
                expected = most + 1;
        if (most + 1 != expected)
            fail_msg("%s: %u classes, not %u", small_networks[i], most + 1, expected);
    }
    topo_forget();
}

static void test_rates(void **state)
{
    (void)state;
    static const char *const texts[] = {"fattree:3x4",       "tapered:4x3x2",         "leafspine:4x2x3x2",
                                        "xgft:2x2x2x1x2x3",  "torus:4x3x5",           "mesh:3x4x2",
                                        "hyperx:2x3x4x2",    "dragonfly:2x4x2",       "dragonfly:2x4x3x3",
                                        "crossbar:5",        "dragonflyplus:2x2x2x2", "slimfly:3x2",
                                        "jellyfish:10x3x2x4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[TOPO_TEXT], again[TOPO_TEXT];
        static const char *const rates[] = {"1000B/s", "1000B/s+2000B/s", "1000B/s+2000B/s+3kB/s"};
        struct topo plain = parse(texts[i]);
        uint32_t classes = topo_link_classes(&plain);
        snprintf(text, sizeof text, "%s,rates=%s", texts[i], rates[classes < 3 ? classes - 1 : 2]);
        struct topo topo = parse(text);
        bool is_plain = !strcmp(topo.ops->name, "slimfly") || !strcmp(topo.ops->name, "jellyfish");
        for (uint32_t link = 0; link < topo.links; link++) {
            uint64_t expected =
                is_plain ? (topo_is_network(&topo, link) ? 2000 : 1000) : expected_rate(&topo, link);
            assert_int_equal(topo_link_rate(&topo, link, 7), expected);
        }
        struct topo same = parse(topo_print(&topo, again, sizeof again));
        assert_ptr_equal(same.rates, topo.rates);
    }
    topo_forget();
}

/* Every cube has 16 links out of each of its six faces, over optical switches, and 3 x 48 inside. */
static void test_cubes(void **state)
{
    (void)state;
    static const char *const texts[] = {"cubes:4x4x4", "cubes:8x8x8", "cubes:4x8x12", "twisted:4x4x8",
                                        "twisted:8x4x8"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = parse(texts[i]);
        uint32_t cubes = topo.nodes / 64, counts[3] = {0};
        for (uint32_t link = 2 * topo.nodes; link < topo.links; link++)
            counts[topo_link_class(&topo, link)]++;
        assert_int_equal(counts[1], cubes * 2 * 3 * 48);
        assert_int_equal(counts[2], cubes * 6 * 16);
    }
    topo_forget();
}

/* What each link carries if all send to all by all minimal ways in equal parts, in units of what a node
 * sends. */
static double most_loaded(const struct topo *topo)
{
    double *loads = calloc(topo->links, sizeof *loads), *inflow = calloc(topo->switches, sizeof *inflow),
           most = 0;
    uint32_t *queue = calloc(topo->switches, sizeof *queue);
    for (uint32_t pair = 0; pair < topo->nodes * topo->nodes; pair++) {
        uint32_t source = pair / topo->nodes, destination = pair % topo->nodes, count = 0;
        queue[count++] = topo_switch_of(topo, source);
        inflow[queue[0]] = 1.0 / topo->nodes;
        for (uint32_t i = 0; i < count; i++) {
            struct topo_choice choice = topo_choose(topo, queue[i], destination);
            double part = inflow[queue[i]] / choice.count;
            inflow[queue[i]] = 0;
            for (uint32_t k = 0; k < choice.count; k++) {
                uint32_t link = topo_candidate(choice, k);
                if (!topo_is_network(topo, link))
                    continue;
                uint32_t to = topo_link_to(topo, link);
                loads[link] += part;
                if (inflow[to] == 0)
                    queue[count++] = to;
                inflow[to] += part;
            }
        }
    }
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        most = loads[link] > most ? loads[link] : most;
    free(loads);
    free(inflow);
    free(queue);
    return most;
}

/* Jouppi et al., ISCA 2023, measure 1.63 times the all-to-all throughput of a torus on a twisted torus of 4 x
 * 4 x 8 chips, and 1.31 times on 4 x 8 x 8. With all shortest ways in equal parts, all links of a twisted
 * torus carry the same: its mean distance over its six links a chip. A torus is as fast as its longest
 * dimension. */
static void test_twisted_throughput(void **state)
{
    (void)state;
    static const struct {
        const char *plain, *twisted;
        double gain, measured;
    } pairs[] = {{"cubes:4x4x8", "twisted:4x4x8", 96.0 / 55, 1.63},
                 {"cubes:4x8x8", "twisted:4x8x8", 32.0 / 23, 1.31}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct topo plain = parse(pairs[i].plain), twisted = parse(pairs[i].twisted);
        double of_plain = most_loaded(&plain), of_twisted = most_loaded(&twisted), n = twisted.nodes;
        assert_true(fabs(of_plain - 8.0 / 4 / 2) < 1e-9);
        assert_true(fabs(of_twisted - topo_mean_distance(&twisted) * (n - 1) / n / 6) < 1e-9);
        assert_true(fabs(of_plain / of_twisted - pairs[i].gain) < 1e-9);
        assert_true(pairs[i].gain > pairs[i].measured);
        assert_int_equal(twisted.diameter, 6);
        assert_int_equal(plain.diameter, i ? 10 : 8);
    }
    topo_forget();
}

/* Coordinates identify a switch. Levels count from the nodes. */
static void test_coordinates(void **state)
{
    (void)state;
    uint32_t at[TOPO_COORDINATES];
    struct topo torus = parse("torus:12x8x4"), tree = parse("fattree:3x3");
    for (uint32_t from = 0; from < torus.switches; from++) {
        assert_int_equal(topo_coordinates(&torus, from, at), 3);
        assert_int_equal(at[0] + 12 * (at[1] + 8 * at[2]), from);
        assert_int_equal(topo_grid_switch(topo_grid(&torus), at), from);
        assert_int_equal(topo_level(&torus, from), 0);
    }
    for (uint32_t from = 0; from < tree.switches; from++) {
        assert_int_equal(topo_coordinates(&tree, from, at), 3);
        assert_int_equal(at[0], topo_level(&tree, from));
        assert_int_equal(at[0] * 9 + at[1] + 3 * at[2], from);
    }
    char name[TOPO_TEXT];
    struct topo_end top = {.id = 26};
    assert_string_equal(topo_end_name(&tree, top, name, sizeof name), "2:(2,2)");
    assert_string_equal(topo_link_name(&torus, topo_injection(&torus, 13), name, sizeof name), "13>(1,1,0)");
}

/* -------------------------------------------------------------------- text */

static void test_text(void **state)
{
    (void)state;
    static const char *const same[] = {"torus:12x12x12",
                                       "mesh:4x4,order=last",
                                       "torus:8x8,tie=plus",
                                       "torus:8x8,order=last,tie=either",
                                       "fattree:12x3",
                                       "crossbar:64",
                                       "dragonfly:2x4x2x9",
                                       "xgft:4x4x1x2,routing=hash,seed=5",
                                       "leafspine:4x2x4x1",
                                       "hyperx:2x3x3,order=last",
                                       "slimfly:5x4",
                                       "jellyfish:10x3x2x1,routing=lowest",
                                       "dragonflyplus:2x4x4x2x9",
                                       "tapered:4x2x2,planes=2",
                                       "rails:2x3x2x2,relay=either",
                                       "cubes:8x4x4,tie=plus",
                                       "twisted:4x8x8,routing=lowest",
                                       "torus:4x4,latencies=0ps+100ns,routes=updown",
                                       "tapered:4x2x2"};
    char text[TOPO_TEXT];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct topo topo = parse(same[i]);
        assert_string_equal(topo_print(&topo, text, sizeof text), same[i]);
    }
    struct topo linear = parse("linear:8"), ring = parse("ring:8"), dragonfly = parse("dragonfly:2x4x2");
    assert_string_equal(topo_print(&linear, text, sizeof text), "mesh:8");
    assert_string_equal(topo_print(&ring, text, sizeof text), "torus:8");
    assert_string_equal(topo_print(&dragonfly, text, sizeof text), "dragonfly:2x4x2x9");
}

struct mistake {
    const char *text;
    uint32_t at;
    const char *says;
};

static void test_mistakes(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"Dragonfly+:2x4x4x2", 0, "there is no topology 'Dragonfly+'; did you mean 'dragonflyplus'?"},
        {"", 0, "there is no topology ''; there are crossbar"},
        {"tours:4x4", 0, "did you mean 'torus'?"},
        {"torus", 5, "needs its size"},
        {"torus:", 6, "a number is expected"},
        {"torus:4x", 8, "a number is expected"},
        {"torus:4x0", 8, "at least 1"},
        {"torus:4*4", 7, "'*' is not expected"},
        {"torus:4x99999999999999999999", 8, "at most 16777216"},
        {"torus:4096x4097", 6, "too large"},
        {"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 37, "one number too many"},
        {"ring:4x4", 7, "one number too many"},
        {"fattree:4", 9, "too few"},
        {"fattree:1x3", 8, "at least 2"},
        {"fattree:2x25", 10, "at most 24 levels"},
        {"fattree:16x7", 8, "too large"},
        {"dragonfly:2x4x2x10", 10, "at most 9"},
        {"dragonfly:2x4x2x1", 10, "at least 2"},
        {"dragonfly:16777216x16777216x16777216", 10, "too large"},
        {"torus:4x4,tie=up", 14, "tie is one of parity, plus, either, reverse"},
        {"torus:4x4,order=", 16, "order is one of first, last"},
        {"torus:4x4,ties=up", 10, "order=first|last or tie="},
        {"mesh:4x4,tie=plus", 9, "mesh has no 'tie'"},
        {"crossbar:4,so", 11, "rates=10GB/s+20GB/s or latencies=0ns+100ns or routes=own|updown is expected"},
        {"xgft:4x4x1", 9, "as many w as m"},
        {"xgft:4x4x2x2", 9, "w1 is 1"},
        {"xgft:4x1x1x2", 5, "at least 2 children"},
        {"xgft:4096x4097x1x4096", 5, "too large"},
        {"tapered:8x3x3", 12, "t divides k"},
        {"tapered:8x1x2", 10, "2 to 8 levels"},
        {"leafspine:4x4", 13, "too few"},
        {"slimfly:6", 8, "q is a prime"},
        {"slimfly:37", 8, "q is a prime"},
        {"rails:8x4x2", 11, "too few"},
        {"rails:4096x4096x4096x1", 6, "too large"},
        {"rails:2x2x2x2,relay=up", 20, "relay is one of nvlink, spine, either"},
        {"cubes:4x6x4", 8, "a multiple of 4"},
        {"twisted:4x4x4", 8, "k x k x 2k"},
        {"twisted:4x8x16", 8, "k x k x 2k"},
        {"twisted:16x16x32", 8, "too large"},
        {"slimfly:5x2000", 8, "too large"},
        {"jellyfish:4x4x1", 12, "at most 3"},
        {"jellyfish:5x1x1", 10, "not connected"},
        {"dragonflyplus:2x4x4x2x10", 22, "at most 9"},
        {"hyperx:4096x4096x4096", 7, "too large"},
        {"leafspine:4x4x4,rates=", 22, "is not a bandwidth"},
        {"leafspine:4x4x4,rates=1GB/s+2", 28, "needs a unit"},
        {"leafspine:4x4x4,rates=1GB/s+0B/s", 28, "from 1 B/s to 70 TB/s"},
        {"crossbar:4,rates=1GB/s+1GB/s+1GB/s+1GB/s+1GB/s+1GB/s+1GB/s", 53, "at most 6 rates"},
        {"leafspine:4x4x4,seed=x", 21, "seed is a number"},
        {"leafspine:4x4x4,routing=x", 24, "routing is one of d-mod-k, lowest, hash"},
        {"crossbar:4,routes=up", 18, "routes is one of own, updown"},
        {"crossbar:4,latencies=1ns+1s", 25, "from 0 ns to 100 ms"},
        {"torus:4x4,latencies=", 20, "is not a time"},
        {"torus:4x4,planes=2", 10, "torus has no 'planes'"},
        {"leafspine:4x4x4,planes=0", 23, "planes is a number from 1 to 64"},
        {"leafspine:4x4x4,planes=65", 24, "planes is a number from 1 to 64"},
        {"tapered:64x4x2,planes=64", 8, "too large"},
        {"leafspine:4x4x4,planes=2,planes=3", 25, "planes is given twice"},
        {"leafspine:4x4x4,seed=3", 16, "seed is that of routing=hash"},
        {"leafspine:4x4x4,seed=0,routing=lowest", 16, "seed is that of routing=hash"},
        {"crossbar:4,rates=1GB/s+2GB/s", 11, "2 rates, and crossbar has 1 class of links"},
        {"torus:4x4,latencies=1ns+2ns+3ns+4ns", 10, "4 latencies, and torus has 3 classes of links"},
        {"rails:4x2x1x2,rates=1GB/s+2GB/s+3GB/s+4GB/s+5GB/s", 14, "rails has 4 classes"},
        {"dragonfly:2x4x2,rates=1GB/s+2GB/s+3GB/s+4GB/s", 16, "dragonfly has 3 classes"},
        {"hyperx:2x3x4,rates=1GB/s+2GB/s+3GB/s+4GB/s", 13, "hyperx has 3 classes"},
        {"leafspine:4x4x4,rates=1GB/s+2GB/s+3GB/s", 16, "leafspine has 2 classes"},
        {"slimfly:5,rates=1GB/s+2GB/s+3GB/s", 10, "slimfly has 2 classes"},
        {"torus:128x128,routes=updown", 0, "too large for routes=updown"},
        {"crossbar:4,order=last", 11, "crossbar has no 'order'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct topo topo = {.nodes = 12345};
        struct param_problem problem = {.text = ""};
        assert_false(topo_read(mistakes[i].text, &topo, &problem));
        assert_int_equal(problem.at, mistakes[i].at);
        assert_non_null(strstr(problem.text, mistakes[i].says));
        assert_int_equal(topo.nodes, 12345);
    }
}

/* Opening a topology of 32,768 nodes or more is free, and a route takes a few divisions. Tests random pairs
 * in each. */
static void test_large(void **state)
{
    (void)state;
    static const char *const texts[] = {"torus:32x32x32",    "torus:256x256x256",  "fattree:32x3",
                                        "fattree:2x15",      "dragonfly:16x32x16", "mesh:1024x1024",
                                        "crossbar:32768",    "tapered:32x4x4",     "xgft:64x64x64x1x32x64",
                                        "hyperx:16x32x32x32"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo = parse(texts[i]);
        uint32_t *links = malloc(topo_route_limit(&topo) * sizeof *links), random = 7;
        for (int k = 0; k < 200; k++) {
            uint32_t pair[2];
            for (int end = 0; end < 2; end++) {
                random = random * 1664525 + 1013904223;
                pair[end] = (random >> 4) % topo.nodes;
            }
            uint32_t count = topo_route(&topo, pair[0], pair[1], links);
            assert_int_equal(count, topo_distance(&topo, pair[0], pair[1]) + 2);
            for (uint32_t n = 1; n < count; n++)
                assert_int_equal(topo_link_ends(&topo, links[n]).from.id, topo_link_to(&topo, links[n - 1]));
        }
        free(links);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_all_routes),
        cmocka_unit_test(test_adaptive_up),
        cmocka_unit_test(test_rules_are_fair),
        cmocka_unit_test(test_published_routes),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_bisection_is_least),
        cmocka_unit_test(test_jellyfish),
        cmocka_unit_test(test_trees_are_fair),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_twisted_throughput),
        cmocka_unit_test(test_coordinates),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
