/* Circles of links that wait for each other, and up and down routes: against brute force on small networks,
 * and what is known of rings, meshes, trees and dragonflies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/deadlock.h"
#include "topo/faults.h"
#include "topo/network_file.h"
#include "topo/updown.h"

enum { LINKS_MOST = 512 };

static struct topo parse(const char *text)
{
    struct topo topo;
    assert_int_equal(topo_parse("test", text, &topo), STATUS_OK);
    return topo;
}

static struct topo with_faults(const char *text, double share, uint64_t seed)
{
    struct topo base = parse(text), topo;
    struct fault_request request = {.slow_rate = 0.5, .seed = seed};
    struct fault_problem problem;
    request.of[FAULT_LINKS].share = share;
    assert_true(faults_add(&base, &request, &topo, &problem));
    return topo;
}

/* ------------------------------------------------------------- brute force */

/* Which link follows which on some way from `at` to the destination: every way is tried. */
static void try_all(const struct topo *topo, uint32_t before, uint32_t at, uint32_t destination,
                    bool (*follows)[LINKS_MOST])
{
    struct topo_choice choice = topo_choose(topo, at, destination);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        if (!topo_is_network(topo, link))
            continue;
        if (before)
            follows[before][link] = true;
        try_all(topo, link, topo_link_to(topo, link), destination, follows);
    }
}

static void follow_pairs(const struct topo *topo, enum deadlock_routes routes, bool (*follows)[LINKS_MOST])
{
    uint32_t links[64];
    for (uint32_t source = 0; source < topo->nodes; source++)
        for (uint32_t destination = 0; destination < topo->nodes; destination++) {
            if (!topo_reaches(topo, source, destination))
                continue;
            if (routes == DEADLOCK_ANY) {
                try_all(topo, 0, topo_switch_of(topo, source), destination, follows);
                continue;
            }
            uint32_t count = topo_route(topo, source, destination, links);
            for (uint32_t i = 1; i + 2 < count; i++)
                follows[links[i]][links[i + 1]] = true;
        }
}

/* Whether some link reaches itself (Warshall). */
static bool has_circle(const struct topo *topo, bool (*follows)[LINKS_MOST])
{
    static bool reaches[LINKS_MOST][LINKS_MOST];
    memcpy(reaches, follows, sizeof reaches);
    for (uint32_t k = 0; k < topo->links; k++)
        for (uint32_t i = 0; i < topo->links; i++)
            for (uint32_t j = 0; reaches[i][k] && j < topo->links; j++)
                reaches[i][j] |= reaches[k][j];
    for (uint32_t i = 0; i < topo->links; i++)
        if (reaches[i][i])
            return true;
    return false;
}

/* Returns whether there is a circle, in which each link depends on the one before it. */
static bool compare(const struct topo *topo, enum deadlock_routes routes)
{
    static bool follows[LINKS_MOST][LINKS_MOST];
    struct link_circle deadlock;
    uint64_t count = 0;
    assert_in_range(topo->links, 1, LINKS_MOST);
    memset(follows, 0, sizeof follows);
    follow_pairs(topo, routes, follows);
    for (uint32_t i = 0; i < topo->links; i++)
        for (uint32_t j = 0; j < topo->links; j++)
            count += follows[i][j];
    assert_true(deadlock_find(topo, routes, &deadlock));
    assert_int_equal(deadlock.dependencies, count);
    bool has = deadlock.length > 0;
    assert_int_equal(has, has_circle(topo, follows));
    for (uint32_t i = 0; i < deadlock.length; i++)
        assert_true(follows[deadlock.links[i]][deadlock.links[(i + 1) % deadlock.length]]);
    free(deadlock.links);
    return has;
}

struct known {
    const char *text;
    bool fixed, any; /* whether there is a circle */
};

static void circles_are_those_of_brute_force(void **state)
{
    (void)state;
    static const struct known known[] = {
        {"mesh:4x4", false, false}, /* dimension order has no circle (Dally and Seitz) */
        {"mesh:3x3x2,order=last", false, false},
        {"ring:3", false, false}, /* no route has two links */
        {"ring:4,tie=plus", true, true},
        {"ring:4", false, false}, /* at half of the ring only two of four go up */
        {"ring:5", true, true},
        {"torus:4x4,tie=either", true, true},
        {"torus:5x3", true, true},
        {"fattree:2x3", false, false}, /* up, then down */
        {"tapered:4x2x2", false, false},
        {"leafspine:3x2x2x2", false, false},
        {"leafspine:3x2x2,planes=2", false, false},
        {"hyperx:1x3x3", false, false},  /* a hop in each dimension, in one order */
        {"dragonfly:1x2x1", true, true}, /* local, global, local: a ring of three groups */
        {"dragonfly:2x4x2", true, true}, /* the paper has two virtual channels */
        {"slimfly:3x1", true, true},
        {"jellyfish:10x3x1", true, true},
        {"rails:2x2x2x2,relay=spine", false, false}, /* up, then down */
        {"rails:3x3x1x2", false, false},             /* over NVLink first, always */
        {"crossbar:5", false, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct topo topo = parse(known[i].text);
        bool fixed = compare(&topo, DEADLOCK_FIXED), any = compare(&topo, DEADLOCK_ANY);
        if (fixed != known[i].fixed || any != known[i].any)
            fail_msg("%s: fixed %d, any %d", known[i].text, fixed, any);
    }
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct topo tree = with_faults("leafspine:4x3x2", 0.4, seed),
                    mesh = with_faults("mesh:4x4", 0.2, seed);
        compare(&tree, DEADLOCK_ANY);
        compare(&mesh, DEADLOCK_FIXED);
        compare(&mesh, DEADLOCK_ANY);
    }
    topo_forget();
}

/* ----------------------------------------------------------------- up, down */

enum { STATES = 256 };

/* Fewest hops from `from` over links up, then down, by states of a switch and whether the message has gone
 * down. With `only_down` the first link leads down. */
static void find_fewest(const struct topo *topo, uint32_t from, bool only_down, uint32_t hops[STATES])
{
    assert_true(2 * topo->switches <= STATES);
    memset(hops, 0xff, STATES * sizeof *hops);
    hops[2 * from + only_down] = 0;
    for (uint32_t round = 0; round < 2 * topo->switches; round++)
        for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
            struct topo_ends ends = topo_link_ends(topo, link);
            if (faults_has_failed(topo, link))
                continue;
            for (uint32_t down = 0; down < 2; down++) {
                uint32_t here = hops[2 * ends.from.id + down], is_up = updown_is_up(topo, link);
                uint32_t *there = &hops[2 * ends.to.id + !is_up];
                if (here != UINT32_MAX && !(down && is_up) && here + 1 < *there)
                    *there = here + 1;
            }
        }
}

static uint32_t fewest(const uint32_t hops[STATES], uint32_t to)
{
    return hops[2 * to] < hops[2 * to + 1] ? hops[2 * to] : hops[2 * to + 1];
}

/* Every route, also of those that a fabric could choose, is links up and then links down. It is at least as
 * long as the shortest of this kind, and no longer than that where it goes down only. Returns how many pairs
 * have no way. */
static uint32_t check_updown(const struct topo *topo)
{
    uint32_t links[64], most = 0, cut = 0, hops[STATES], down_hops[STATES];
    uint64_t sum = 0, pairs = 0;
    for (uint32_t source = 0; source < topo->nodes; source++) {
        find_fewest(topo, topo_switch_of(topo, source), false, hops);
        find_fewest(topo, topo_switch_of(topo, source), true, down_hops);
        for (uint32_t destination = 0; destination < topo->nodes; destination++) {
            if (!topo_reaches(topo, source, destination)) {
                cut++;
                continue;
            }
            uint32_t count = topo_route(topo, source, destination, links), at = topo_switch_of(topo, source);
            uint32_t to = topo_switch_of(topo, destination);
            assert_int_equal(count, topo_distance(topo, source, destination) + 2);
            assert_true(count <= topo_route_limit(topo));
            bool down = false;
            for (uint32_t i = 1; i + 1 < count; i++) {
                assert_true(topo_is_network(topo, links[i]) && !faults_has_failed(topo, links[i]));
                assert_int_equal(topo_link_ends(topo, links[i]).from.id, at);
                bool is_up = updown_is_up(topo, links[i]);
                assert_false(down && is_up);
                down |= !is_up;
                at = topo_link_to(topo, links[i]);
            }
            assert_int_equal(at, to);
            uint32_t alone = fewest(down_hops, to);
            assert_true(count - 2 >= fewest(hops, to));
            if (alone != UINT32_MAX)
                assert_int_equal(count - 2, alone);
            most = count - 2 > most ? count - 2 : most;
            sum += count - 2;
            pairs += source != destination;
        }
    }
    assert_int_equal(topo->diameter, most);
    assert_true(topo_mean_distance(topo) == (pairs ? (double)sum / (double)pairs : 0));
    assert_false(compare(topo, DEADLOCK_FIXED));
    assert_false(compare(topo, DEADLOCK_ANY));
    return cut;
}

static void updown_is_free_of_deadlock(void **state)
{
    (void)state;
    static const char *const texts[] = {"torus:4x4",        "torus:5x3,order=last",
                                        "ring:7",           "dragonfly:2x4x2",
                                        "hyperx:1x3x4",     "slimfly:3x1,routing=hash",
                                        "slimfly:5x1",      "jellyfish:12x3x2x4",
                                        "jellyfish:20x4x1", "fattree:2x4",
                                        "tapered:4x2x2",    "leafspine:4x3x2x2",
                                        "crossbar:4",       "dragonflyplus:1x2x3x2x4",
                                        "mesh:3x4",         "rails:3x2x2x2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[TOPO_TEXT], again[TOPO_TEXT];
        snprintf(text, sizeof text, "%s,routes=updown", texts[i]);
        struct topo topo = parse(text);
        assert_int_equal(check_updown(&topo), 0);
        struct topo same = parse(topo_print(&topo, again, sizeof again));
        assert_ptr_equal(same.updown, topo.updown); /* one table */
    }
    topo_forget();
}

/* In a tree, where each level is above the one below it, they are the tree's own routes. */
static void updown_of_a_tree_is_its_own(void **state)
{
    (void)state;
    static const char *const texts[] = {"fattree:3x3",       "tapered:4x3x2",     "leafspine:4x3x2",
                                        "leafspine:4x2x4x2", "leafspine:3x2x6x3", "xgft:2x2x3x1x3x1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[TOPO_TEXT];
        snprintf(text, sizeof text, "%s,routes=updown", texts[i]);
        struct topo own = parse(texts[i]), topo = parse(text);
        uint32_t links[2][16];
        for (uint32_t pair = 0; pair < own.nodes * own.nodes; pair++) {
            uint32_t count = topo_route(&own, pair / own.nodes, pair % own.nodes, links[0]);
            assert_int_equal(topo_route(&topo, pair / own.nodes, pair % own.nodes, links[1]), count);
            assert_memory_equal(links[0], links[1], count * sizeof **links);
        }
    }
    topo_forget();
}

/* Around failed links the order is that of the network that is left: nodes are cut off only where no way is
 * left at all. */
static void updown_goes_around_failed_links(void **state)
{
    (void)state;
    static const char *const texts[] = {"leafspine:4x3x2", "fattree:2x3", "torus:4x4", "jellyfish:12x4x1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            char text[TOPO_TEXT];
            snprintf(text, sizeof text, "%s,routes=updown", texts[i]);
            double share = 0.1 * (double)(1 + seed % 4);
            struct topo own = with_faults(texts[i], share, seed), topo = with_faults(text, share, seed);
            uint32_t cut = 0;
            for (uint32_t pair = 0; pair < own.nodes * own.nodes; pair++)
                cut += !topo_reaches(&own, pair / own.nodes, pair % own.nodes);
            assert_int_equal(check_updown(&topo), cut);
        }
    topo_forget();
}

/* Messages of others do not come through the ports of a node, around failed links either: two nodes reach
 * each other if both are linked to one plane and that plane has a way. */
static void failed_planes_are_left_out(void **state)
{
    (void)state;
    struct topo base = parse("leafspine:2x1x2,planes=2"), own, updown;
    char name[TOPO_TEXT];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        own = with_faults("leafspine:2x1x2,planes=2", 0.25, seed);
        updown = with_faults("leafspine:2x1x2,planes=2,routes=updown", 0.25, seed);
        for (uint32_t a = 0; a < base.nodes; a++)
            for (uint32_t b = 0; b < base.nodes; b++) {
                bool reaches = a == b;
                for (uint32_t plane = 0; plane < 2; plane++) {
                    bool is_whole = true;
                    for (uint32_t link = 2 * base.nodes; link < base.links; link++) {
                        struct topo_hop hop =
                            base.ops->ends(&base, link); /* switches: ports, leaves, spines */
                        bool of_a = hop.from == a && (hop.to - base.nodes) % 2 == plane;
                        bool of_b = hop.from == b && (hop.to - base.nodes) % 2 == plane;
                        bool of_leaf = hop.from >= base.nodes && hop.to >= base.nodes + 4 && a / 2 != b / 2 &&
                                       (hop.from - base.nodes) % 2 == plane;
                        is_whole &= !((of_a || of_b || of_leaf) && faults_has_failed(&own, link));
                    }
                    reaches |= is_whole;
                }
                assert_int_equal(topo_reaches(&own, a, b), reaches);
                assert_int_equal(topo_reaches(&updown, a, b), reaches);
                char *cut = faults_describe_cut(&own, base.nodes);
                assert_true(reaches || cut);
                free(cut);
                for (uint32_t k = 0; reaches && k < 2; k++) {
                    const struct topo *topo = k ? &updown : &own;
                    uint32_t links[16], count = topo_route(topo, a, b, links);
                    for (uint32_t i = 1; i + 2 < count; i++)
                        if (topo_is_port(topo, topo_link_to(topo, links[i])))
                            fail_msg("from %u to %u by %s", a, b,
                                     topo_link_name(topo, links[i], name, sizeof name));
                }
            }
    }
    topo_forget();
}

/* A network file says it, and a topology that is written as a file keeps it. */
static void updown_in_a_network_file(void **state)
{
    (void)state;
    static const char text[] = "nodes: 5\nswitches: {s: 5}\nlinks:\n"
                               "  - {between: [node, s], pairs: blocks}\n"
                               "  - {between: [s0, s1]}\n  - {between: [s1, s2]}\n  - {between: [s2, s3]}\n"
                               "  - {between: [s3, s4]}\n  - {between: [s4, s0]}\nroutes: updown\n";
    char *written;
    size_t length;
    struct topo ring, again;
    struct param_problem problem;
    assert_true(network_text_read("ring.yaml", text, strlen(text), &ring, &problem));
    assert_int_equal(check_updown(&ring), 0);
    assert_int_equal(topo_distance(&ring, 4, 2), 3); /* 4 > 3 leads down and 3 > 2 up: over 0 and 1 instead */
    FILE *out = open_memstream(&written, &length);
    network_file_write(&ring, out);
    fclose(out);
    assert_true(network_text_read("again.yaml", written, length, &again, &problem));
    assert_int_equal(again.routes, TOPO_ROUTES_UPDOWN);
    free(written);
    topo_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_are_those_of_brute_force), cmocka_unit_test(updown_is_free_of_deadlock),
        cmocka_unit_test(updown_of_a_tree_is_its_own),      cmocka_unit_test(updown_goes_around_failed_links),
        cmocka_unit_test(failed_planes_are_left_out),       cmocka_unit_test(updown_in_a_network_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
