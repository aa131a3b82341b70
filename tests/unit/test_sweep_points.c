/* The sweep of an experiment file: the points that it makes, and the messages about a wrong one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sweep/definition.h"

static char said[16384];

static void collect_messages(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s", message);
}

static int start_listening(void **state)
{
    (void)state;
    said[0] = '\0';
    diag_set_sink(collect_messages, NULL);
    return 0;
}

static int stop_collecting(void **state)
{
    (void)state;
    diag_set_sink(NULL, NULL);
    return 0;
}

static enum status read_text(struct definition *definition, struct config **config, const char *text)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    *config = config_open(tables, count);
    assert_non_null(*config);
    return definition_read_text(definition, *config, "s.yaml", text, strlen(text));
}

/* The labels of all points, one per line. */
static void expect_points(const char *text, const char *expected)
{
    struct definition definition;
    struct config *config;
    struct sweep_point *points;
    size_t count;
    char got[4096] = "";
    if (read_text(&definition, &config, text) != STATUS_OK)
        fail_msg("%s", said);
    assert_int_equal(definition_points(&definition, config, &points, &count), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        char *label = sweep_label(&points[i]);
        assert_true(strlen(got) + strlen(label) + 2 < sizeof got);
        strcat(strcat(got, label), "\n");
        free(label);
        struct config *whole = sweep_config(&points[i]);
        assert_non_null(whole);
        config_close(whole);
    }
    assert_string_equal(got, expected);
    definition_free(&definition);
    config_close(config);
}

static void axes_multiply_the_last_one_fastest(void **state)
{
    (void)state;
    expect_points(
        "fabric: [packet, fmu]\nsweep:\n  fmu.count: [8, 0016]\n  packet: {latency: [1 us, 0.002 ms]}\n",
        "packet, fmu.count=8, packet.latency=1 us\nfmu, fmu.count=8, packet.latency=1 us\n"
        "packet, fmu.count=8, packet.latency=2 us\nfmu, fmu.count=8, packet.latency=2 us\n"
        "packet, fmu.count=16, packet.latency=1 us\nfmu, fmu.count=16, packet.latency=1 us\n"
        "packet, fmu.count=16, packet.latency=2 us\nfmu, fmu.count=16, packet.latency=2 us\n");
}

static void a_list_of_values_is_an_axis(void **state)
{
    (void)state;
    expect_points(
        "fabric: packet\nsweep:\n  list:\n    - {fabric: fmu, fmu: {count: 8}}\n    - fabric: ideal\n"
        "    - {packet.latency: 3 us}\n  mpi.bcast: [binomial, linear]\n",
        "fmu, fmu.count=8, mpi.bcast=binomial\nfmu, fmu.count=8, mpi.bcast=linear\n"
        "ideal, mpi.bcast=binomial\nideal, mpi.bcast=linear\n"
        "packet, packet.latency=3 us, mpi.bcast=binomial\npacket, packet.latency=3 us, mpi.bcast=linear\n");
}

static void repeated_seeds_count_up_from_the_first(void **state)
{
    (void)state;
    expect_points("seeds: 3\nseed: 7\nfabric: [ideal]\n", "ideal, seed=7\nideal, seed=8\nideal, seed=9\n");
}

static void a_file_without_a_sweep_is_a_point_for_each_fabric(void **state)
{
    (void)state;
    expect_points("fabric: packet, fmu\n", "packet\nfmu\n");
}

static void the_baseline_is_among_the_points(void **state)
{
    (void)state;
    expect_points("fabric: fmu\nsweep: {fmu.count: [8, 16]}\nbaseline: packet\n",
                  "fmu, fmu.count=8\nfmu, fmu.count=16\npacket, fmu.count=8\npacket, fmu.count=16\n");
    expect_points("fabric: fmu\nsweep: {fmu.count: [8, 16]}\nbaseline: {fmu: {count: 4}}\n",
                  "fmu, fmu.count=8\nfmu, fmu.count=16\nfmu, fmu.count=4\nfmu, fmu.count=4\n");
    expect_points("fabric: fmu\nbaseline: {seed: 5}\nseeds: 2\n", "fmu, seed=1\nfmu, seed=2\nfmu, seed=5\n");
}

static void a_range_is_as_its_values(void **state)
{
    (void)state;
    expect_points("fabric: fmu\nsweep: {fmu.count: [3, 8..32 x2, 100], fmu.t_switch: 0..1us +500ns}\n"
                  "baseline: {fmu.count: 1}\n",
                  "fmu, fmu.count=3, fmu.t_switch=0 ps\nfmu, fmu.count=3, fmu.t_switch=500 ns\n"
                  "fmu, fmu.count=3, fmu.t_switch=1 us\nfmu, fmu.count=8, fmu.t_switch=0 ps\n"
                  "fmu, fmu.count=8, fmu.t_switch=500 ns\nfmu, fmu.count=8, fmu.t_switch=1 us\n"
                  "fmu, fmu.count=16, fmu.t_switch=0 ps\nfmu, fmu.count=16, fmu.t_switch=500 ns\n"
                  "fmu, fmu.count=16, fmu.t_switch=1 us\nfmu, fmu.count=32, fmu.t_switch=0 ps\n"
                  "fmu, fmu.count=32, fmu.t_switch=500 ns\nfmu, fmu.count=32, fmu.t_switch=1 us\n"
                  "fmu, fmu.count=100, fmu.t_switch=0 ps\nfmu, fmu.count=100, fmu.t_switch=500 ns\n"
                  "fmu, fmu.count=100, fmu.t_switch=1 us\n"
                  "fmu, fmu.t_switch=0 ps, fmu.count=1\nfmu, fmu.t_switch=500 ns, fmu.count=1\n"
                  "fmu, fmu.t_switch=1 us, fmu.count=1\nfmu, fmu.t_switch=0 ps, fmu.count=1\n"
                  "fmu, fmu.t_switch=500 ns, fmu.count=1\nfmu, fmu.t_switch=1 us, fmu.count=1\n"
                  "fmu, fmu.t_switch=0 ps, fmu.count=1\nfmu, fmu.t_switch=500 ns, fmu.count=1\n"
                  "fmu, fmu.t_switch=1 us, fmu.count=1\nfmu, fmu.t_switch=0 ps, fmu.count=1\n"
                  "fmu, fmu.t_switch=500 ns, fmu.count=1\nfmu, fmu.t_switch=1 us, fmu.count=1\n"
                  "fmu, fmu.t_switch=0 ps, fmu.count=1\nfmu, fmu.t_switch=500 ns, fmu.count=1\n"
                  "fmu, fmu.t_switch=1 us, fmu.count=1\n");
}

static void parameters_of_workloads_vary(void **state)
{
    (void)state;
    expect_points("fabric: packet\nsweep:\n  alltoall: {bytes: 1KiB..2KiB x2, ranks: [8, 4]}\n"
                  "workload: 'alltoall:bytes=7 B,iterations=2'\n",
                  "packet, workload=alltoall:ranks=8,bytes=1KiB,iterations=2\n"
                  "packet, workload=alltoall:ranks=4,bytes=1KiB,iterations=2\n"
                  "packet, workload=alltoall:ranks=8,bytes=2KiB,iterations=2\n"
                  "packet, workload=alltoall:ranks=4,bytes=2KiB,iterations=2\n");
    expect_points("fabric: packet\nsweep: {'npb:lu.class': [A, B]}\nworkload: npb:lu\n",
                  "packet, workload=npb:lu:class=A\npacket, workload=npb:lu:class=B\n");
}

/* A parameter of one workload does not concern the others. */
static void a_list_of_workloads_has_parameters_of_each(void **state)
{
    (void)state;
    expect_points("fabric: packet\nsweep:\n  workload: [alltoall, pingpong, 'alltoall:ranks=4']\n"
                  "  alltoall.bytes: [1 KiB]\n",
                  "packet, workload=alltoall:bytes=1KiB\npacket, workload=pingpong\n"
                  "packet, workload=alltoall:ranks=4,bytes=1KiB\n");
}

static void a_baseline_may_name_a_parameter_of_the_workload(void **state)
{
    (void)state;
    expect_points("workload: alltoall\nfabric: packet\nsweep: {alltoall.bytes: [1 B, 2 B]}\n"
                  "baseline: {alltoall.ranks: 2}\n",
                  "packet, workload=alltoall:bytes=1B\npacket, workload=alltoall:bytes=2B\n"
                  "packet, workload=alltoall:ranks=2,bytes=1B\n"
                  "packet, workload=alltoall:ranks=2,bytes=2B\n");
}

/* ------------------------------------------------------------------ errors */

static void expect_error(const char *text, const char *expected)
{
    struct definition definition;
    struct config *config;
    said[0] = '\0';
    assert_int_equal(read_text(&definition, &config, text), STATUS_BAD_INPUT);
    if (!strstr(said, expected))
        fail_msg("expected: %s\nsaid: %s", expected, said);
    definition_free(&definition);
    config_close(config);
}

static void errors_name_their_places(void **state)
{
    (void)state;
    expect_error("sweep:\n  fmu.cont: [8]\n",
                 "s.yaml:2:3: error: there is no parameter 'fmu.cont'; did you mean 'fmu.count'?");
    expect_error("sweep:\n  fmu: {cont: [8]}\n", "s.yaml:2:9: error: there is no parameter 'fmu.cont'");
    expect_error("sweep:\n  fmu.count: [8, x]\n", "s.yaml:2:18: error: 'x' is not a whole number");
    expect_error("sweep: {packet.latency: [1 us, 4]}\n", "s.yaml:1:32: error: a time needs a unit");
    expect_error("sweep: {fmu.count: []}\n", "s.yaml:1:20: error: a list of values of fmu.count is expected");
    expect_error("sweep: {fmu.count: {a: 1}}\n",
                 "s.yaml:1:20: error: a list of values of fmu.count is expected");
    expect_error("sweep: {fmu.count: [[1]]}\n", "s.yaml:1:21: error: fmu.count is a single value here");
    expect_error("sweep: {fmu.count: [1], fmu.count: [2]}\n", "s.yaml:1:25: error: fmu.count is given twice");
    expect_error("sweep: {fmu.count: [1], fmu: {count: [2]}}\n",
                 "s.yaml:1:31: error: fmu.count is varied twice");
    expect_error("sweep: {fmu.count: [1], list: [{fmu.count: 2}]}\n",
                 "s.yaml:1:32: error: fmu.count is varied twice");
    expect_error("sweep: {list: [{fmu.count: 2, fmu: {count: 3}}]}\n",
                 "s.yaml:1:37: error: fmu.count is given twice");
    expect_error("sweep: {list: 3}\n", "s.yaml:1:15: error: a list of points is expected");
    expect_error("sweep: {list: [3]}\n", "s.yaml:1:16: error: a point is a map of parameters");
    expect_error("sweep: {fabric: [fmu, fnu]}\n",
                 "s.yaml:1:23: error: there is no fabric 'fnu'; did you mean 'fmu'?");
    expect_error("sweep: {fabric: 'fmu,ideal'}\n", "s.yaml:1:18: error: one fabric is expected here");
    expect_error("sweep: [3]\n", "s.yaml:1:8: error: a sweep is a map");
    expect_error("sweep: {}\nsweep: {}\n", "s.yaml:2:1: error: sweep is given twice");
    expect_error("sweep: {seed: [1, 2]}\nseeds: 2\n", "s.yaml:2:1: error: the sweep varies seed already");
    expect_error("seeds: 2\nsweep: {seed: [1, 2]}\n", "s.yaml:2:9: error: seed is varied twice");
    expect_error("sweep: {list: [{seed: 7}]}\nseeds: 2\n",
                 "s.yaml:2:1: error: the sweep varies seed already");
    expect_error("seeds: 2\nsweep: {list: [{seed: 7}]}\n", "s.yaml:2:16: error: seed is varied twice");
    expect_error("seeds: 0\n", "s.yaml:1:8: error: seeds is how often");
    expect_error("seeds: [2]\n", "s.yaml:1:8: error: seeds is how often");
    expect_error("baseline: [fmu]\n", "s.yaml:1:11: error: a baseline is a fabric");
    expect_error("baseline:\n", "a baseline is a fabric");
    expect_error("baseline: {fabric: fmuu}\n", "s.yaml:1:20: error: there is no fabric 'fmuu'");
    expect_error("sweep: {*a : [1]}\n", "s.yaml:1:9: error: aliases are not read");
    expect_error("sweep: {? [a] : [1]}\n", "a name is expected here");
    expect_error("sweep: !set {fmu.count: [1]}\n", "tags are not read");
    expect_error("sweep: {fmu.count: [1\n", "s.yaml:2:1: error:");
}

/* Errors of the points, which are found when the whole file has been read. */
static void expect_error_of_points(const char *text, const char *expected)
{
    struct definition definition;
    struct config *config;
    struct sweep_point *points;
    size_t count;
    said[0] = '\0';
    assert_int_equal(read_text(&definition, &config, text), STATUS_OK);
    assert_int_equal(definition_points(&definition, config, &points, &count), STATUS_BAD_INPUT);
    if (!strstr(said, expected))
        fail_msg("expected: %s\nsaid: %s", expected, said);
    definition_free(&definition);
    config_close(config);
}

static void errors_of_workload_parameters_name_their_places(void **state)
{
    (void)state;
    expect_error("sweep: {alltoall.byts: [1 B]}\n",
                 "s.yaml:1:9: error: the workload alltoall has no parameter 'byts'; did you mean 'bytes'?");
    expect_error("sweep: {alltoal.bytes: [1 B]}\n",
                 "s.yaml:1:9: error: there is no parameter 'alltoal.bytes'; did you mean 'alltoall.bytes'?");
    expect_error("sweep: {alltoall: 3}\n", "s.yaml:1:9: error: alltoall is a map of parameters");
    expect_error("sweep: {alltoall.bytes: [1 KiB, 4]}\n", "s.yaml:1:33: error: a size needs a unit");
    expect_error("sweep: {alltoall.ranks: [4, 0]}\n", "s.yaml:1:29: error: ranks is at least 1, not 0");
    expect_error("sweep: {alltoall.ranks: [4, 8..2000000000 x2]}\n",
                 "s.yaml:1:32: error: ranks is at most 1000000000");
    expect_error("sweep: {pattern.name: ['a,b']}\n",
                 "s.yaml:1:25: error: a value of pattern.name has no commas");
    expect_error("sweep: {alltoall.bytes: [1 B], alltoall: {bytes: [2 B]}}\n",
                 "s.yaml:1:43: error: alltoall.bytes is varied twice");
    expect_error_of_points("sweep: {alltoall.bytes: [1 B]}\nworkload: pingpong\n",
                           "s.yaml:1:9: error: alltoall.bytes is a parameter of the workload alltoall, but "
                           "this experiment runs pingpong\n 1 | sweep: {alltoall.bytes: [1 B]}\n");
    expect_error_of_points("sweep: {alltoall.bytes: [1 B]}\ntrace: t\n", "this experiment has no workload");
    expect_error_of_points("sweep: {workload: [alltoall]}\nbaseline: {pingpong.bytes: 1 B}\n",
                           "s.yaml:2:12: error: pingpong.bytes is a parameter of the workload pingpong");
}

static void errors_of_ranges_name_their_places(void **state)
{
    (void)state;
    expect_error("sweep: {fmu.count: 8..32}\n", "s.yaml:1:25: error: a range needs a step");
    expect_error("sweep: {fmu.count: [1, 8..x x2]}\n", "s.yaml:1:27: error: fmu.count needs a value");
    expect_error("sweep: {list: [{fmu.count: 8..32 x2}]}\n",
                 "s.yaml:1:28: error: fmu.count is a single value here; a range is an axis of its own");
    expect_error("sweep:\n  seed: [1..100000 +1, 1..100000 +1, 1..100000 +1, 1..100000 +1, 1..100000 +1,\n"
                 "    1..100000 +1, 1..100000 +1, 1..100000 +1, 1..100000 +1, 1..100000 +1, 7]\n",
                 "s.yaml:3:75: error: this sweep has more than 1000000 values");
}

static void a_sweep_has_a_limit(void **state)
{
    (void)state;
    char text[4096] = "sweep:\n";
    static const char *const names[] = {"fmu.count", "hybrid.pivot", "packet.latency", "hockney.latency"};
    for (size_t i = 0; i < 4; i++) {
        strcat(strcat(strcat(text, "  "), names[i]), ": [");
        for (int j = 1; j <= 40; j++)
            sprintf(text + strlen(text), "%d%s%s", j,
                    i == 0   ? ""
                    : i == 1 ? " B"
                             : " us",
                    j < 40 ? "," : "]\n");
    }
    struct definition definition;
    struct config *config;
    struct sweep_point *points;
    size_t count;
    if (read_text(&definition, &config, text) != STATUS_OK)
        fail_msg("%s", said);
    assert_int_equal(definition_points(&definition, config, &points, &count), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "more than 1000000 points"));
    definition_free(&definition);
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_multiply_the_last_one_fastest),
        cmocka_unit_test(a_list_of_values_is_an_axis),
        cmocka_unit_test(repeated_seeds_count_up_from_the_first),
        cmocka_unit_test(a_file_without_a_sweep_is_a_point_for_each_fabric),
        cmocka_unit_test(the_baseline_is_among_the_points),
        cmocka_unit_test(a_range_is_as_its_values),
        cmocka_unit_test(parameters_of_workloads_vary),
        cmocka_unit_test(a_list_of_workloads_has_parameters_of_each),
        cmocka_unit_test(a_baseline_may_name_a_parameter_of_the_workload),
        cmocka_unit_test(errors_name_their_places),
        cmocka_unit_test(errors_of_workload_parameters_name_their_places),
        cmocka_unit_test(errors_of_ranges_name_their_places),
        cmocka_unit_test(a_sweep_has_a_limit),
    };
    return cmocka_run_group_tests(tests, start_listening, stop_collecting);
}
