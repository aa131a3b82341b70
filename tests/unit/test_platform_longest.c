/* The bound on the hops of a platform's routes, beside the routes of all pairs of hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/network_text.h"
#include "topo/platform.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TORUS        "TORUS\" topo_parameters=\""
#define FAT_TREE     "FAT_TREE\" topo_parameters=\""
#define DRAGONFLY    "DRAGONFLY\" topo_parameters=\""
#define SPLIT        " sharing_policy=\"SPLITDUPLEX\""
#define SHARED       " sharing_policy=\"SHARED\""
#define LIMITER      " limiter_link=\"1GBps\""

static struct topo cluster(unsigned hosts, const char *shape, const char *more)
{
    char *text =
        mem_format("<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-%u\" "
                   "speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" topology=\"%s\"%s/></platform>",
                   hosts - 1, shape, more);
    struct topo topo = network_named("cluster.xml", text);
    free(text);
    return topo;
}

static uint32_t bound_of(const struct topo *topo)
{
    return platform_longest(graph_of(topo)->platform);
}

static uint32_t longest_of(const struct topo *topo)
{
    uint32_t longest = 0;
    for (uint32_t from = 0; from < topo->nodes; from++)
        for (uint32_t to = 0; to < topo->nodes; to++) {
            uint32_t hops = topo_distance(topo, from, to);
            longest = hops > longest ? hops : longest;
        }
    return longest;
}

static void a_torus_and_a_fat_tree_have_a_route_as_long_as_the_bound(void **state)
{
    (void)state;
    static const struct {
        unsigned hosts;
        const char *shape;
        uint32_t links;
    } cases[] = {
        {2, TORUS "2", 1},
        {3, TORUS "3", 1},
        {7, TORUS "7", 3},
        {20, TORUS "4,5", 4},
        {36, TORUS "6,2,3", 5},
        {16, FAT_TREE "2;4,4;1,4;1,1", 4},
        {24, FAT_TREE "3;2,3,4;1,2,2;2,1,2", 6},
        {600, TORUS "30,20", 25},
        {600, FAT_TREE "2;30,20;1,4;1,1", 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct topo topo = cluster(cases[i].hosts, cases[i].shape, SHARED);
        assert_int_equal(bound_of(&topo), cases[i].links);
        assert_int_equal(longest_of(&topo), cases[i].links);
        topo = cluster(cases[i].hosts, cases[i].shape, SHARED LIMITER);
        assert_int_equal(bound_of(&topo), 2 * cases[i].links + 1);
        assert_int_equal(longest_of(&topo), 2 * cases[i].links + 1);
    }
}

/* The links of hosts that nobody else uses are no hops. */
static void links_of_hosts_alone_do_not_count(void **state)
{
    (void)state;
    struct topo topo = cluster(600, FAT_TREE "2;30,20;1,4;1,1", SPLIT);
    assert_int_equal(bound_of(&topo), 2);
    assert_int_equal(longest_of(&topo), 2);
    assert_int_equal(topo.diameter, 2);
}

static void no_route_of_a_dragonfly_is_longer(void **state)
{
    (void)state;
    static const char *const shapes[] = {"2,1;2,1;2,1;2", "3,4;4,3;5,1;2", "4,1;1,1;4,1;1", "3,1;3,1;3,1;3"};
    static const unsigned hosts[] = {16, 120, 16, 81};
    static const char *const more[] = {SHARED, SPLIT, SHARED LIMITER, SPLIT LIMITER};
    static const uint32_t bounds[] = {7, 5, 15, 13};
    uint32_t longest[COUNT(more)] = {0};
    for (size_t i = 0; i < COUNT(shapes) * COUNT(more); i++) {
        char *shape = mem_format(DRAGONFLY "%s", shapes[i / COUNT(more)]);
        struct topo topo = cluster(hosts[i / COUNT(more)], shape, more[i % COUNT(more)]);
        assert_int_equal(bound_of(&topo), bounds[i % COUNT(more)]);
        uint32_t hops = longest_of(&topo);
        assert_true(hops <= bounds[i % COUNT(more)]);
        longest[i % COUNT(more)] = hops > longest[i % COUNT(more)] ? hops : longest[i % COUNT(more)];
        free(shape);
    }
    for (size_t i = 0; i < COUNT(more); i++)
        assert_int_equal(longest[i], bounds[i]);
}

/* A chain: the shortest way from end to end has all its links. */
static void shortest_ways_are_counted_link_by_link(void **state)
{
    (void)state;
    static const char *const rules[] = {"Floyd", "Dijkstra"};
    for (size_t i = 0; i < COUNT(rules); i++) {
        char *text = mem_format(
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"%s\"><host id=\"a\" speed=\"1Gf\"/><host "
            "id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/><host id=\"d\" speed=\"1Gf\"/><link "
            "id=\"1\" bandwidth=\"1GBps\" latency=\"0\"/><link id=\"2\" bandwidth=\"1GBps\" "
            "latency=\"0\"/><link id=\"3\" bandwidth=\"1GBps\" latency=\"0\"/><link id=\"4\" "
            "bandwidth=\"1GBps\" latency=\"0\"/><route src=\"a\" dst=\"b\"><link_ctn "
            "id=\"1\"/></route><route "
            "src=\"b\" dst=\"c\"><link_ctn id=\"2\"/><link_ctn id=\"3\"/></route><route src=\"c\" "
            "dst=\"d\"><link_ctn id=\"4\"/></route></zone></platform>",
            rules[i]);
        struct topo topo = network_named("chain.xml", text);
        assert_int_equal(bound_of(&topo), 4);
        assert_int_equal(longest_of(&topo), 4);
        free(text);
    }
}

static void no_route_of_the_sample_platforms_is_longer(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t longest, bound;
    } samples[] = {{"backbone", 3, 4},     {"dragonfly", 13, 13},  {"fat_tree", 2, 2}, {"fat_tree_3", 6, 6},
                   {"gateway", 2, 3},      {"peers", 0, 0},        {"routes", 3, 3},   {"shared", 3, 4},
                   {"torus", 9, 9},        {"torus_shared", 3, 3}, {"ways", 3, 3},     {"zones", 5, 9},
                   {"ways_dijkstra", 3, 3}};
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct topo topo;
        char *path = mem_format("tests/networks/platforms/%s.xml", samples[i].name);
        assert_int_equal(topo_parse("test", path, &topo), STATUS_OK);
        assert_int_equal(longest_of(&topo), samples[i].longest);
        assert_int_equal(bound_of(&topo), samples[i].bound);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torus_and_a_fat_tree_have_a_route_as_long_as_the_bound),
        cmocka_unit_test(links_of_hosts_alone_do_not_count),
        cmocka_unit_test(no_route_of_a_dragonfly_is_longer),
        cmocka_unit_test(shortest_ways_are_counted_link_by_link),
        cmocka_unit_test(no_route_of_the_sample_platforms_is_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
