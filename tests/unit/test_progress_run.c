/* Runs and sweeps tell how far they are: their totals are known, and are reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "support/tasks.h"
#include "sweep/sweep.h"
#include "workload/messages.h"

static struct config *config_of_run(const char *workload, const char *setting)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_non_null(config);
    assert_int_equal(config_assign(config, "workload", workload, "test"), STATUS_OK);
    assert_int_equal(config_assign(config, "fabric", "packet", "test"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(config, setting), STATUS_OK);
    return config;
}

static void assert_run_reaches_its_total(const char *workload, const char *setting, double least_share,
                                         double most_share)
{
    struct config *config = config_of_run(workload, setting);
    struct experiment experiment;
    struct result result = {0};
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    tasks_record();
    assert_int_equal(experiment_run(&experiment, 0, &(struct experiment_watch){0}, &result), STATUS_OK);
    tasks_stop();
    tasks_assert_reached("packet", least_share, most_share);
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
}

/* In many calls, in one call of each rank, in calls whose root has all messages, without ranks. What is told
 * at last may be some thousand parts behind. */
static void runs_reach_their_total(void **state)
{
    (void)state;
    assert_run_reaches_its_total("pingpong:iterations=100000", NULL, 0.99, 1);
    assert_run_reaches_its_total("alltoall:ranks=400,bytes=1B", NULL, 0.95, 1);
    assert_run_reaches_its_total("alltoall:ranks=400,bytes=1B", "mpi.alltoall=bruck", 0.7, 1);
    assert_run_reaches_its_total("npb:ft:class=S,ranks=64", NULL, 0.9, 1.1);
    assert_run_reaches_its_total("npb:lu:class=S,ranks=16", NULL, 0.9, 1.1);
    assert_run_reaches_its_total("uniform:nodes=16,messages=10000", NULL, 0.95, 1);
    assert_run_reaches_its_total("pingpong:iterations=100000", "compat=simplecomm", 0.95, 1);
}

static uint64_t estimate(const char *workload)
{
    struct config *config = config_of_run(workload, NULL);
    struct experiment experiment;
    const struct patterns_options options = {.ranks_per_node = 1};
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    uint64_t messages = program_estimate(experiment.program, &options).messages;
    experiment_free(&experiment);
    config_close(config);
    return messages;
}

/* Between nodes of so many ranks. */
static double estimate_bytes(const char *workload, uint32_t ranks_per_node, double *messages)
{
    struct config *config = config_of_run(workload, NULL);
    struct experiment experiment;
    const struct patterns_options options = {.ranks_per_node = ranks_per_node};
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    const struct program_estimate about = program_estimate(experiment.program, &options);
    experiment_free(&experiment);
    config_close(config);
    *messages = about.between_nodes;
    return about.bytes;
}

static void bytes_between_nodes_are_estimated(void **state)
{
    (void)state;
    double messages;
    assert_true(estimate_bytes("alltoall:ranks=6,bytes=1000B", 1, &messages) == 30 * 1000);
    assert_true(messages == 30);
    assert_true(estimate_bytes("alltoall:ranks=6,bytes=1000B", 2, &messages) == 6 * 4 * 1000);
    assert_true(messages == 6 * 4);
    assert_true(estimate_bytes("alltoall:ranks=6,bytes=1000B", 6, &messages) == 0 && messages == 0);
    assert_true(estimate_bytes("pingpong:bytes=7B,iterations=5", 1, &messages) == 2 * 5 * 7);
}

static void messages_are_estimated(void **state)
{
    (void)state;
    assert_int_equal(estimate("alltoall:ranks=2,bytes=1B"), 2);
    assert_int_equal(estimate("alltoall:ranks=1000,bytes=1B"), 999000);
    assert_int_equal(estimate("pingpong:iterations=10"), 20);
    assert_int_equal(estimate("alltoall:ranks=100000000,bytes=1B"), 0); /* it would take too long */
}

enum { POINTS = 3 };

static void sweeps_reach_their_total(void **state)
{
    (void)state;
    struct config *config = config_of_run("pingpong", NULL);
    struct sweep_point points[POINTS];
    const struct sweep_setting settings[POINTS] = {{.name = "packet.latency", .value = "1 us"},
                                                   {.name = "packet.latency", .value = "2 us"},
                                                   {.name = "packet.latency", .value = "3 us"}};
    struct store *store;
    for (size_t i = 0; i < POINTS; i++)
        points[i] =
            (struct sweep_point){.base = config, .fabric = "packet", .settings = &settings[i], .count = 1};
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    tasks_record();
    assert_int_equal(
        sweep_run(store, points, POINTS, &(struct sweep_options){.jobs = 2, .title = "here"}, NULL),
        STATUS_OK);
    tasks_stop();
    tasks_assert_reached("planning the runs", 1, 1);
    tasks_assert_reached("here, 3 of 3 runs", 1, 1);
    store_close(store);
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_reach_their_total),
        cmocka_unit_test(messages_are_estimated),
        cmocka_unit_test(bytes_between_nodes_are_estimated),
        cmocka_unit_test(sweeps_reach_their_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
