/* Parameters that are set and that nothing reads. The witness is a real run: what it reads of a config is
 * among the tables that count as read, for every fabric and every engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "fabric/list.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/unused.h"

static char said[4096];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self;
    if (level == DIAG_WARNING)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s", message);
}

static struct config *config_with(const char *const *settings, size_t count)
{
    size_t tables;
    const struct param_table *const *params = components_params(&tables);
    struct config *config = config_open(params, tables);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    return config;
}

static bool is_read(const struct unused_params *unused, const struct param_table *table)
{
    for (size_t i = 0; i < unused->read_count; i++)
        if (unused->read[i] == table)
            return true;
    return false;
}

static void check_run(const char *const *settings, size_t setting_count)
{
    struct config *config = config_with(settings, setting_count);
    struct experiment experiment;
    struct unused_params unused = {.set_count = 0};
    struct result result;
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    unused_params_add(&unused, config, &experiment);
    config_forget_reads(experiment.config);
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        if (config_was_read(experiment.config, tables[i]) && !is_read(&unused, tables[i]))
            fail_msg("%s with %s reads the parameters of %s, which do not count as read",
                     experiment.fabrics[0]->name, settings[0], tables[i]->component);
    result_free(&result);
    unused_params_free(&unused);
    experiment_free(&experiment);
    config_close(config);
}

static void what_a_run_reads_counts_as_read(void **state)
{
    (void)state;
    static const char *const machines[] = {"machine=infiniband-ndr", "machine=as-published"};
    for (size_t i = 0; fabrics[i]; i++)
        for (size_t j = 0; j < sizeof machines / sizeof *machines; j++) {
            char fabric[64];
            snprintf(fabric, sizeof fabric, "fabric=%s", fabrics[i]->name);
            check_run((const char *[]){"workload=alltoall:ranks=4,bytes=256KiB", fabric, machines[j]}, 3);
            if (!fabrics[i]->wants_traffic)
                check_run((const char *[]){"workload=uniform:nodes=4,messages=3", fabric, machines[j]}, 3);
        }
}

/* What is said of the last of the settings. */
static void expect(const char *const *settings, size_t count, const char *expected)
{
    struct config *config = config_with(settings, count);
    struct experiment experiment;
    struct unused_params unused = {.set_count = 0};
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    unused_params_add(&unused, config, &experiment);
    said[0] = '\0';
    unused_params_warn(&unused);
    if (expected)
        assert_non_null(strstr(said, expected));
    else
        assert_string_equal(said, "");
    unused_params_free(&unused);
    experiment_free(&experiment);
    config_close(config);
}

#define ALLTOALL "workload=alltoall:ranks=4"

static void a_parameter_of_nothing_is_said(void **state)
{
    (void)state;
    expect((const char *[]){ALLTOALL, "fabric=hockney", "packet.bandwidth=25GB/s"}, 3,
           "helio: warning: packet.bandwidth has no effect: nothing in this experiment reads it\n");
    expect((const char *[]){ALLTOALL, "fabric=hockney", "fmu.count=3", "packet.bandwidth=25GB/s"}, 4,
           "packet.bandwidth, fmu.count have no effect: nothing in this experiment reads them\n");
    expect((const char *[]){ALLTOALL, "fabric=packet", "topology=torus:1x2", "fmu.count=3"}, 4,
           "helio: warning: fmu.count has no effect");
    expect((const char *[]){ALLTOALL, "fabric=packet", "fmu.count=3"}, 3, "fmu.count has no effect");
    expect((const char *[]){ALLTOALL, "fabric=packet", "rnic.queue_pairs=7"}, 3, "rnic.queue_pairs has no");
    expect((const char *[]){ALLTOALL, "fabric=packet", "simplecomm.booster_factor=2"}, 3,
           "simplecomm.booster_factor has no effect");
    expect((const char *[]){"workload=uniform:nodes=4,messages=3", "fabric=packet", "mpi.bcast=linear"}, 3,
           "mpi.bcast has no effect");
}

static void a_parameter_of_one_of_them_is_not(void **state)
{
    (void)state;
    expect((const char *[]){ALLTOALL, "fabric=hockney,packet", "packet.bandwidth=25GB/s"}, 3, NULL);
    expect((const char *[]){ALLTOALL, "fabric=hybrid", "packet.bandwidth=25GB/s", "fmu.count=3"}, 4, NULL);
    expect((const char *[]){ALLTOALL, "fabric=circuit", "photonic.channels=3"}, 3, NULL);
    expect((const char *[]){ALLTOALL, "fabric=tdm-dynamic", "tdm.slot_time=2us"}, 3, NULL);
    expect((const char *[]){ALLTOALL, "fabric=rotor", "rotor.slot=2us"}, 3, NULL);
    expect((const char *[]){ALLTOALL, "fabric=packet", "mpi.bcast=linear", "nic.latency=1us"}, 4, NULL);
    /* Its default, as in a file that sets all parameters. */
    expect((const char *[]){ALLTOALL, "fabric=hockney", "packet.latency=8us"}, 3, NULL);
    expect((const char *[]){ALLTOALL, "fabric=fmu", "compat=simplecomm", "packet.latency=1us"}, 4, NULL);
    /* Each network says this itself. */
    expect((const char *[]){ALLTOALL, "fabric=hockney", "topology=torus:2x2"}, 3, NULL);
}

/* What is said of a sweep over the last of the settings, of which each `other` is one more point. */
static void expect_of_points(const char *const *settings, size_t count, const char *const *others,
                             const char *expected)
{
    struct unused_params unused = {.set_count = 0};
    for (size_t point = 0; point == 0 || others[point - 1]; point++) {
        struct config *config = config_with(settings, count);
        struct experiment experiment;
        if (point)
            assert_int_equal(config_set(config, others[point - 1]), STATUS_OK);
        assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
        unused_params_add(&unused, config, &experiment);
        experiment_free(&experiment);
        config_close(config);
    }
    said[0] = '\0';
    unused_params_warn_of_points(&unused);
    if (expected)
        assert_non_null(strstr(said, expected));
    else
        assert_string_equal(said, "");
    unused_params_free(&unused);
}

#define OTHERS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_parameter_that_every_point_ignores_is_said(void **state)
{
    (void)state;
    const char *const window[] = {ALLTOALL, "fabric=packet", "packet.window=1MiB"};
    expect_of_points(window, 3, OTHERS("packet.window=2MiB"),
                     "helio: warning: packet.window has no effect: nothing in this experiment reads it\n");
    expect_of_points(window, 3, OTHERS("fabric=hockney"), "packet.window has no effect");
    expect_of_points(window, 3, OTHERS("packet.congestion=window"), NULL);
    /* That point has the default. */
    const char *const congestion[] = {ALLTOALL, "fabric=packet", "packet.congestion=window"};
    expect_of_points(congestion, 3, OTHERS("packet.window=64KiB"), NULL);
    const char *const published[] = {ALLTOALL, "fabric=fmu", "machine=as-published", "packet.window=1MiB"};
    expect_of_points(published, 4, OTHERS("compat=simplecomm"), NULL);
    const char *const faults[] = {ALLTOALL, "fabric=segment", "faults.slow_rate=0.1"};
    expect_of_points(faults, 3, OTHERS("faults.seed=3"), "faults.slow_rate, faults.seed have no effect");
    expect_of_points(faults, 3, OTHERS("faults.slow_links=3>crossbar"), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_run_reads_counts_as_read),
        cmocka_unit_test(a_parameter_of_nothing_is_said),
        cmocka_unit_test(a_parameter_of_one_of_them_is_not),
        cmocka_unit_test(a_parameter_that_every_point_ignores_is_said),
    };
    diag_set_sink(keep, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
