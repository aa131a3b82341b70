/* A user's family of topologies, through the public header alone: it is read and routed like others. A family
 * with wrong links or routes is refused. */
#include <heliograph.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* line:N: switches in a row. `self` says what is wrong with the family. */
enum fault {
    RIGHT,
    LINKS_OUT_OF_ORDER,
    LINK_TOO_LARGE,
    ROUTE_BACKWARDS,
    NO_NODES,
    ODD_LINKS,
    TOO_MANY_SWITCHES,
    FAR_FROM_ITSELF,
    NEARER_THAN_IT_IS,
    REFUSED
};

static int line_build(void *self, struct heliograph_shape *shape, uint32_t *index, char *problem, size_t size)
{
    enum fault fault = *(const enum fault *)self;
    if (fault == REFUSED)
        return 0;
    shape->switches = fault == TOO_MANY_SWITCHES ? 5000 : shape->numbers[0];
    if (shape->switches < 2) {
        *index = 0;
        snprintf(problem, size, "a line has two ends");
        return 0;
    }
    shape->nodes = fault == NO_NODES ? 0 : shape->switches;
    shape->nodes_per_switch = 1;
    shape->links = 2 * (shape->switches - 1) + (fault == ODD_LINKS);
    return 1;
}

static void line_ends(void *self, const struct heliograph_shape *shape, uint32_t link, uint32_t *from,
                      uint32_t *to)
{
    enum fault fault = *(const enum fault *)self;
    (void)shape;
    *from = link / 2 + link % 2;
    *to = link / 2 + 1 - link % 2;
    if (fault == LINKS_OUT_OF_ORDER && link == 3)
        *to = 0;
}

static uint32_t line_next(void *self, const struct heliograph_shape *shape, uint32_t from, uint32_t to)
{
    enum fault fault = *(const enum fault *)self;
    if (fault == LINK_TOO_LARGE)
        return shape->links;
    if (fault == ROUTE_BACKWARDS && from > 0 && from + 1 < shape->switches)
        return from > to ? 2 * from : 2 * from - 1;
    return from < to ? 2 * from : 2 * from - 1;
}

static uint32_t line_distance(void *self, const struct heliograph_shape *shape, uint32_t from, uint32_t to)
{
    enum fault fault = *(const enum fault *)self;
    (void)shape;
    return (from > to ? from - to : to - from) + (fault == FAR_FROM_ITSELF ? 1000000000 : 0);
}

/* Fabrics have room for routes of this length. */
static void line_distances(void *self, const struct heliograph_shape *shape, uint64_t *sum, uint32_t *most)
{
    (void)self, (void)shape;
    *sum = 1;
    *most = 1;
}

static uint64_t line_bisection(void *self, const struct heliograph_shape *shape)
{
    (void)self, (void)shape;
    return 1;
}

static struct heliograph_topology family(const char *name, enum fault *fault)
{
    return (struct heliograph_topology){.struct_size = sizeof(struct heliograph_topology),
                                        .name = name,
                                        .doc = "a line",
                                        .self = fault,
                                        .least_numbers = 1,
                                        .most_numbers = 1,
                                        .example = "line:4",
                                        .build = line_build,
                                        .ends = line_ends,
                                        .next = line_next,
                                        .distance = line_distance,
                                        .bisection = line_bisection};
}

static void assert_refused(enum heliograph_status status, const char *part)
{
    assert_int_equal(status, HELIOGRAPH_BAD_INPUT);
    if (!strstr(heliograph_last_error(), part))
        fail_msg("'%s' is not in: %s", part, heliograph_last_error());
}

/* line:8 takes the same time as Heliograph's own linear:8. */
static void test_a_line_is_linear(void **state)
{
    (void)state;
    static enum fault right = RIGHT;
    const struct heliograph_topology line = family("line", &right);
    assert_int_equal(heliograph_register_topology(&line), HELIOGRAPH_OK);
    assert_refused(heliograph_register_topology(&line), "there is a topology 'line' already");
    struct heliograph *experiment = heliograph_new();
    assert_int_equal(heliograph_set(experiment, "workload", "alltoall:ranks=8,bytes=64KiB"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "fabric", "packet"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "packet.hop_latency", "100 ns"), HELIOGRAPH_OK);
    int64_t makespan_ps[2];
    const char *const topologies[] = {"line:8", "linear:8"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(heliograph_set(experiment, "topology", topologies[i]), HELIOGRAPH_OK);
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
        makespan_ps[i] = heliograph_makespan_ps(experiment, 0);
    }
    assert_int_equal(makespan_ps[0], makespan_ps[1]);
    assert_refused(heliograph_set(experiment, "topology", "line:1"), "a line has two ends");
    assert_refused(heliograph_set(experiment, "topology", "line:2x2"), "line");
    heliograph_free(experiment);
}

static void test_wrong_families_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum fault fault;
        const char *part;
    } cases[] = {
        {"disordered", LINKS_OUT_OF_ORDER, "links 2 and 3 of disordered do not join the same two switches"},
        {"larger", LINK_TOO_LARGE, "the route of larger from switch 0 to switch 1"},
        {"backwards", ROUTE_BACKWARDS, "the route of backwards from switch 1"},
        {"empty", NO_NODES, "empty builds 0 nodes"},
        {"odd", ODD_LINKS, "an even number of links"},
        {"vast", TOO_MANY_SWITCHES, "at most 4096 switches"},
        {"far", FAR_FROM_ITSELF, "the distance of far from switch 0 to switch 0 is 1000000000"},
        {"near", NEARER_THAN_IT_IS, "the distance of near from switch 0 to switch 2 is 2; it is 0"},
        {"silent", REFUSED, "silent refuses this number"}};
    static enum fault faults[sizeof cases / sizeof *cases];
    struct heliograph *experiment = heliograph_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        faults[i] = cases[i].fault;
        struct heliograph_topology wrong = family(cases[i].name, &faults[i]);
        if (faults[i] == NEARER_THAN_IT_IS)
            wrong.distances = line_distances;
        assert_int_equal(heliograph_register_topology(&wrong), HELIOGRAPH_OK);
        snprintf(text, sizeof text, "%s:8", cases[i].name);
        assert_refused(heliograph_set(experiment, "topology", text), cases[i].part);
    }
    heliograph_free(experiment);
}

static void test_incomplete_families_are_refused(void **state)
{
    (void)state;
    static enum fault right = RIGHT;
    struct heliograph_topology incomplete = family("incomplete", &right);
    incomplete.next = NULL;
    assert_refused(heliograph_register_topology(&incomplete), "the functions build, ends, next");
    incomplete = family("incomplete", &right);
    incomplete.most_numbers = HELIOGRAPH_NUMBERS + 1;
    assert_refused(heliograph_register_topology(&incomplete), "1 to 16 numbers");
    incomplete = family("incomplete", &right);
    incomplete.struct_size = 8;
    assert_refused(heliograph_register_topology(&incomplete), "set it to sizeof the struct");
    incomplete = family("in complete", &right);
    assert_refused(heliograph_register_topology(&incomplete), "a name of a-z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_line_is_linear),
                                       cmocka_unit_test(test_wrong_families_are_refused),
                                       cmocka_unit_test(test_incomplete_families_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
