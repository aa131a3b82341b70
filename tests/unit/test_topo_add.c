/* A family that is added at run time: its topologies are read, printed, routed and drawn like those of the
 * list. A name that is taken is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/picture.h"

/* complete:SxT: S switches, each linked to every other, with T nodes each. It has no optional functions. */
static bool complete_build(struct topo *topo, struct param_problem *problem)
{
    uint64_t switches = topo->numbers[0], per_switch = topo->numbers[1];
    if (!topo_fits(switches * per_switch, 2 * switches * per_switch + switches * switches, problem))
        return false;
    if (switches < 2) {
        problem->at = 0;
        snprintf(problem->text, sizeof problem->text, "at least 2 switches");
        return false;
    }
    topo->switches = (uint32_t)switches;
    topo->nodes_per_switch = (uint32_t)per_switch;
    topo->nodes = topo->switches * topo->nodes_per_switch;
    topo->links = 2 * topo->nodes + topo->switches * (topo->switches - 1);
    return true;
}

static struct topo_hop complete_ends(const struct topo *topo, uint32_t link)
{
    uint32_t nth = link - 2 * topo->nodes, others = topo->switches - 1;
    uint32_t from = nth / others, to = nth % others;
    return (struct topo_hop){from, to + (to >= from)};
}

static uint32_t link_between(const struct topo *topo, uint32_t from, uint32_t to)
{
    return 2 * topo->nodes + from * (topo->switches - 1) + to - (to > from);
}

static uint32_t complete_reverse(const struct topo *topo, uint32_t link)
{
    struct topo_hop hop = complete_ends(topo, link);
    return link_between(topo, hop.to, hop.from);
}

static struct topo_choice complete_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    uint32_t to = topo_switch_of(topo, destination);
    return topo_only(from == to ? topo_ejection(topo, destination) : link_between(topo, from, to));
}

static uint32_t complete_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    return topo_switch_of(topo, source) != topo_switch_of(topo, destination);
}

static struct topo_distances complete_distances(const struct topo *topo)
{
    uint64_t elsewhere = topo->nodes - topo->nodes_per_switch;
    return (struct topo_distances){.sum = (unsigned __int128)topo->nodes * elsewhere, .most = 1};
}

static uint64_t complete_bisection(const struct topo *topo)
{
    uint64_t half = topo->switches / 2;
    return half * (topo->switches - half);
}

static const struct topo_form complete_forms[] = {
    {"complete", 2, 2, "complete:4x2, switches and nodes of each"}, {.name = NULL}};

static const struct topo_ops complete_family = {
    .name = "complete",
    .forms = complete_forms,
    .build = complete_build,
    .ends = complete_ends,
    .reverse = complete_reverse,
    .choose = complete_choose,
    .distance = complete_distance,
    .distances = complete_distances,
    .bisection = complete_bisection,
};

static void test_added_family(void **state)
{
    (void)state;
    struct topo topo;
    struct param_problem problem;
    uint32_t links[3];
    char text[TOPO_TEXT];
    assert_false(topo_read("complete:4x2", &topo, &problem));
    assert_int_equal(topo_add(&complete_family), STATUS_OK);
    assert_int_equal(topo_parse("test", "complete:4x2", &topo), STATUS_OK);
    assert_string_equal(topo_print(&topo, text, sizeof text), "complete:4x2");
    assert_int_equal(topo.diameter, 1);
    assert_int_equal(topo_bisection(&topo), 4);
    assert_int_equal(topo_route(&topo, 1, 6, links), 3);
    assert_string_equal(topo_link_name(&topo, links[1], text, sizeof text), "(0)>(3)");
    assert_int_equal(topo_link_reverse(&topo, topo_link_reverse(&topo, links[1])), links[1]);
    assert_true(topo_mean_distance(&topo) == 6.0 / 7);
    assert_null(topo_grid(&topo));
    assert_false(topo_has_choices(&topo));
    assert_int_equal(topo_level(&topo, 3), 0);
}

static void test_its_problems(void **state)
{
    (void)state;
    struct topo topo;
    struct param_problem problem;
    assert_false(topo_read("complete:1x2", &topo, &problem));
    assert_int_equal(problem.at, 9);
    assert_string_equal(problem.text, "at least 2 switches");
    assert_false(topo_read("complete:100000x1", &topo, &problem));
    assert_non_null(strstr(problem.text, "too large"));
    assert_false(topo_read("complete:4x2,tie=plus", &topo, &problem));
    assert_string_equal(problem.text, "complete has no 'tie'");
    assert_false(topo_read("nothing:4", &topo, &problem));
    assert_string_equal(problem.text,
                        "there is no topology 'nothing'; there are complete, crossbar, cubes, dragonfly, "
                        "dragonflyplus, fattree, hyperx, jellyfish, leafspine, linear, megafly, mesh, rails, "
                        "ring, slimfly, tapered, torus, twisted and xgft; the path of a network file has a "
                        "slash, as ./FILE");
}

/* The pictures of a family without drawing functions. */
static void test_default_pictures(void **state)
{
    (void)state;
    struct topo topo;
    assert_int_equal(topo_parse("test", "complete:2x2", &topo), STATUS_OK);
    uint32_t links[3], count = topo_route(&topo, 0, 3, links);
    struct topo_picture picture = {&topo, links, count};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    topo_draw_ascii(&picture, out);
    fclose(out);
    assert_string_equal(text, "[(0)]       [0] 1    >>(1)\n"
                              "[(1)]        2 [3]   >(0)\n");
    free(text);
    out = open_memstream(&text, &size);
    topo_draw_svg(&picture, out);
    fclose(out);
    assert_non_null(strstr(text, "(0) to (1)"));
    free(text);
}

static void test_taken_names(void **state)
{
    (void)state;
    static const struct topo_form forms[] = {
        {"whole", 1, 1, "whole:4"}, {"ring", 1, 1, "ring:4"}, {.name = NULL}};
    struct topo_ops other = complete_family;
    assert_int_equal(topo_add(&complete_family), STATUS_BAD_INPUT);
    other.name = "whole";
    other.forms = forms;
    assert_int_equal(topo_add(&other), STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_family),
        cmocka_unit_test(test_its_problems),
        cmocka_unit_test(test_default_pictures),
        cmocka_unit_test(test_taken_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
