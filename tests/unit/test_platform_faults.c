/* Failed links of SimGrid's platforms: for all sets of failed links of small platforms, which pairs of hosts
 * are cut and which routes lead around, beside a search of its own; and the same properties on all other
 * platforms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "topo/faults.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool add_faults(const struct topo *base, const char *names, struct topo *topo,
                       struct fault_problem *problem)
{
    struct fault_request request = {.slow_rate = 1, .of[FAULT_LINKS].names = names};
    return faults_add(base, &request, topo, problem);
}

static struct topo with_failed(const struct topo *base, const char *names)
{
    struct topo topo;
    struct fault_problem problem;
    if (!add_faults(base, names, &topo, &problem))
        fail_msg("%s: %s", names, problem.problem.text);
    return topo;
}

static bool are_intact(const struct topo *topo, const uint32_t *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (faults_has_failed(topo, links[i]))
            return false;
    return true;
}

/* A route whose links are intact stays. Where a way is left, its links are intact and none is twice on it. */
static void check_pair(const struct topo *base, const struct topo *topo, uint32_t from, uint32_t to)
{
    uint32_t before[TOPO_ROUTE_OF_PAIR], after[TOPO_ROUTE_OF_PAIR];
    uint32_t count = topo_route(base, from, to, before), now = topo_route(topo, from, to, after);
    bool was_intact = are_intact(topo, before, count), is_intact = are_intact(topo, after, now);
    assert_int_equal(now, topo_distance(topo, from, to) + 2);
    assert_true(now <= topo_route_limit(topo));
    assert_int_equal(topo_reaches(topo, from, to), is_intact);
    if (was_intact || !is_intact) {
        assert_int_equal(count, now);
        assert_memory_equal(before, after, count * sizeof *before);
    }
    for (uint32_t i = 0; i < now; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(after[i], after[k]);
}

/* Counts of all pairs that reach each other, as the mean distance has them. */
static void check_all(const struct topo *base, const struct topo *topo)
{
    uint64_t pairs = 0, sum = 0;
    for (uint32_t from = 0; from < base->nodes; from++)
        for (uint32_t to = 0; to < base->nodes; to++) {
            if (from == to)
                continue;
            check_pair(base, topo, from, to);
            if (topo_reaches(topo, from, to)) {
                pairs++;
                sum += topo_distance(topo, from, to);
            }
        }
    double mean = pairs ? (double)sum / (double)pairs : 0;
    assert_true(topo_mean_distance(topo) > mean - 1e-9 && topo_mean_distance(topo) < mean + 1e-9);
    char *cut = faults_describe_cut(topo, topo->nodes);
    assert_int_equal(cut != NULL, pairs < (uint64_t)base->nodes * (base->nodes - 1));
    free(cut);
}

/* ------------------------------------------------------- all sets, by hand */

enum { HOSTS = 4, POINTS = 7, EDGES = 7, LINKS = 8, NEVER = 99 };

/* ways.xml: the points a, b, c, d, r1, r2, r3, and the links l1 to l7 between two of them; l8 is the bypass
 * from a to b. */
static const int edges[EDGES][2] = {{0, 4}, {1, 4}, {2, 5}, {3, 6}, {4, 5}, {5, 6}, {6, 4}};

/* The fewest links between points over those that have not failed. */
static void search(unsigned failed, int distances[POINTS][POINTS])
{
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < POINTS; k++)
            distances[i][k] = i == k ? 0 : NEVER;
    for (int edge = 0; edge < EDGES; edge++)
        if (!(failed >> edge & 1))
            distances[edges[edge][0]][edges[edge][1]] = distances[edges[edge][1]][edges[edge][0]] = 1;
    for (int via = 0; via < POINTS; via++)
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < POINTS; k++)
                if (distances[i][via] + distances[via][k] < distances[i][k])
                    distances[i][k] = distances[i][via] + distances[via][k];
}

static void every_set_of_links_fails(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/networks/platforms/ways.xml",
                                        "tests/networks/platforms/ways_dijkstra.xml"};
    for (size_t file = 0; file < COUNT(paths); file++) {
        struct topo base;
        assert_int_equal(topo_parse("test", paths[file], &base), STATUS_OK);
        for (unsigned failed = 1; failed < 1u << LINKS; failed++) {
            char names[64] = "";
            int distances[POINTS][POINTS];
            for (int link = 0; link < LINKS; link++)
                if (failed >> link & 1)
                    snprintf(names + strlen(names), sizeof names - strlen(names), "%sl%d", *names ? "," : "",
                             link + 1);
            struct topo topo = with_failed(&base, names);
            search(failed, distances);
            check_all(&base, &topo);
            for (uint32_t pair = 0; pair < HOSTS * HOSTS; pair++) {
                uint32_t from = pair / HOSTS, to = pair % HOSTS;
                bool is_bypass = from == 0 && to == 1;
                bool has_way = is_bypass ? !(failed >> 7 & 1) : distances[from][to] < NEVER;
                if (from == to)
                    continue;
                assert_int_equal(topo_reaches(&topo, from, to), has_way);
                if (has_way && !is_bypass)
                    assert_int_equal(topo_distance(&topo, from, to), distances[from][to]);
            }
        }
    }
}

/* ------------------------------------------------------------ all platforms */

/* One link that fails, and two of them; also the links of nodes. */
static void one_and_two_links_fail_on_each_platform(void **state)
{
    (void)state;
    static const char *const names[] = {"backbone",     "fat_tree", "fat_tree_3", "gateway",
                                        "peers",        "routes",   "shared",     "torus",
                                        "torus_shared", "zones",    "dragonfly"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct topo base;
        char *path = mem_format("tests/networks/platforms/%s.xml", names[i]);
        assert_int_equal(topo_parse("test", path, &base), STATUS_OK);
        uint32_t step = 1 + base.links / 40;
        for (uint32_t link = 0; link < base.links; link += step)
            for (uint32_t other = link; other < base.links; other += 5 * step) {
                char *text = mem_format("%u,%u", link, other);
                struct topo topo = with_failed(&base, text);
                check_all(&base, &topo);
                free(text);
            }
        free(path);
    }
}

/* ------------------------------------------------------------------- names */

static void links_have_names_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        uint32_t links;
    } cases[] = {{"le", 1},  {"le_UP", 1}, {"le_DOWN", 1},        {"c1>re (w13)", 1},
                 {"w13", 1}, {"w12", 1},   {"w13, w12,short", 3}, {"re>e", 1}};
    struct topo base, topo;
    struct fault_problem problem;
    assert_int_equal(topo_parse("test", "tests/networks/platforms/zones.xml", &base), STATUS_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        topo = with_failed(&base, cases[i].names);
        assert_int_equal(faults_count(&topo).links, cases[i].links);
    }
    assert_false(add_faults(&base, "w13, w99", &topo, &problem));
    assert_int_equal(problem.kind, FAULT_LINKS);
    assert_int_equal(problem.problem.at, 5);
    topo = with_failed(&base, "w13");
    char *list = faults_list_links(&topo, false), *pair = faults_describe_pair(&topo, 0, 6);
    assert_string_equal(list, "c1>re (w13)");
    assert_string_equal(
        pair, "there is no way from n0.c1 (node 0) to e (node 6), since these links of its route have "
              "failed: c1>re (w13)");
    free(list);
    free(pair);
}

/* Switches fail where the file says which links they have. */
static void switches_fail_with_their_links(void **state)
{
    (void)state;
    struct fault_request request = {.slow_rate = 1, .of[FAULT_SWITCHES].names = "r1"};
    struct topo base, topo;
    struct fault_problem problem;
    assert_int_equal(topo_parse("test", "tests/networks/platforms/ways.xml", &base), STATUS_OK);
    assert_true(faults_add(&base, &request, &topo, &problem));
    assert_int_equal(faults_count(&topo).links, 4); /* l1, l2, l5, l7 */
    assert_true(topo_reaches(&topo, 2, 3));
    assert_false(topo_reaches(&topo, 1, 0));
    assert_true(topo_reaches(&topo, 0, 1)); /* by the bypass */
    assert_int_equal(topo_parse("test", "tests/networks/platforms/dragonfly.xml", &base), STATUS_OK);
    request.of[FAULT_SWITCHES].names = "c_r1";
    assert_false(faults_add(&base, &request, &topo, &problem));
    assert_non_null(strstr(problem.problem.text, "does not say which links switches have"));
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
        cmocka_unit_test(every_set_of_links_fails),
        cmocka_unit_test(one_and_two_links_fail_on_each_platform),
        cmocka_unit_test(links_have_names_of_the_file),
        cmocka_unit_test(switches_fail_with_their_links),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}
