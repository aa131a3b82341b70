#include <heliograph.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "support/sanitizer.h"

/* Tests libheliograph through its public header alone. */

static struct heliograph *experiment_of(const char *workload, const char *fabric)
{
    struct heliograph *experiment = heliograph_new();
    assert_non_null(experiment);
    assert_int_equal(heliograph_set(experiment, "workload", workload), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "fabric", fabric), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "machine", "as-published"), HELIOGRAPH_OK);
    return experiment;
}

/* A run goes on with what nothing reads, and says so. */
static void test_warnings(void **state)
{
    (void)state;
    struct heliograph *experiment = experiment_of("pingpong", "hockney");
    assert_int_equal(heliograph_set(experiment, "fmu.count", "3"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_string_equal(heliograph_last_error(),
                        "helio: warning: fmu.count has no effect: nothing in this experiment reads it\n");
    assert_int_equal(heliograph_set(experiment, "fabric", "hockney,fmu"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_string_equal(heliograph_last_error(), "");
    heliograph_free(experiment);
}

/* Hockney's model by hand: one message each way, each 8 us and 1 MiB at 12.5 GB/s. */
static void test_run(void **state)
{
    (void)state;
    struct heliograph *experiment = experiment_of("pingpong:bytes=1MiB", "hockney,packet");
    assert_int_equal(heliograph_run_count(experiment), 0);
    assert_null(heliograph_json(experiment));
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_string_equal(heliograph_last_error(), "");
    assert_int_equal(heliograph_run_count(experiment), 2);
    assert_string_equal(heliograph_run_fabric(experiment, 0), "hockney");
    assert_int_equal(heliograph_makespan_ps(experiment, 0), 2 * (8000000 + 1048576 * 80));
    assert_int_equal(heliograph_messages(experiment, 0), 2);
    assert_int_equal(heliograph_bytes(experiment, 0), 2 * 1048576);
    assert_int_equal(heliograph_ranks(experiment, 0), 2);
    assert_int_equal(heliograph_rank_finish_ps(experiment, 0, 0), heliograph_makespan_ps(experiment, 0));
    assert_int_equal(heliograph_rank_compute_ps(experiment, 0, 0), 0);
    assert_int_equal(heliograph_rank_idle_ps(experiment, 0, 0), heliograph_makespan_ps(experiment, 0));
    assert_float_equal(heliograph_idle_fraction(experiment, 0), 1, 0);

    double flows = 0;
    assert_true(heliograph_metric(experiment, 1, "flows", &flows));
    assert_float_equal(flows, 2, 0);
    assert_false(heliograph_metric(experiment, 1, "no_such", &flows));
    assert_false(heliograph_metric(experiment, 0, "flows", &flows));
    assert_non_null(strstr(heliograph_json(experiment), "\"makespan_s\": 0.00018377216"));
    heliograph_free(experiment);
}

static void test_no_such_run(void **state)
{
    (void)state;
    struct heliograph *experiment = experiment_of("pingpong", "ideal");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_null(heliograph_run_fabric(experiment, 1));
    assert_int_equal(heliograph_makespan_ps(experiment, 1), 0);
    assert_int_equal(heliograph_ranks(experiment, 1), 0);
    assert_int_equal(heliograph_rank_finish_ps(experiment, 0, 2), 0);
    assert_int_equal(heliograph_rank_finish_ps(experiment, 1, 0), 0);
    heliograph_free(experiment);
    heliograph_free(NULL);
}

static void test_parameters(void **state)
{
    (void)state;
    struct heliograph *experiment = heliograph_new();
    assert_string_equal(heliograph_get(experiment, "packet.latency"), "8 us");
    assert_int_equal(heliograph_load_text(experiment, "here", "packet: {latency: 0.5 us}\n"), HELIOGRAPH_OK);
    assert_string_equal(heliograph_get(experiment, "packet.latency"), "500 ns");
    assert_int_equal(heliograph_set(experiment, "packet.latency", "2000 ns"), HELIOGRAPH_OK);
    assert_string_equal(heliograph_get(experiment, "packet.latency"), "2 us");
    assert_null(heliograph_get(experiment, "trace"));
    assert_null(heliograph_get(experiment, "no.such"));
    assert_int_equal(heliograph_has(experiment, "trace"), 1);
    assert_int_equal(heliograph_has(experiment, "no.such"), 0);
    assert_int_equal(heliograph_has(experiment, "packet"), 0);
    heliograph_free(experiment);
}

static void assert_said(enum heliograph_status got, enum heliograph_status expected, const char *part)
{
    assert_int_equal(got, expected);
    if (!strstr(heliograph_last_error(), part))
        fail_msg("'%s' is not in: %s", part, heliograph_last_error());
}

static void test_errors(void **state)
{
    (void)state;
    struct heliograph *experiment = heliograph_new();
    assert_said(heliograph_set(experiment, "fmu.cuont", "8"), HELIOGRAPH_BAD_INPUT,
                "did you mean 'fmu.count'?");
    assert_said(heliograph_set(experiment, "packet.latency", "8"), HELIOGRAPH_BAD_INPUT,
                "a time needs a unit");
    assert_said(heliograph_load_text(experiment, "here", "seed: 1\npacket: {latncy: 1 us}\n"),
                HELIOGRAPH_BAD_INPUT, "here:2:10: error:");
    assert_said(heliograph_load_text(experiment, "here", "seed: 1\nsweep: {fmu.count: [1, 2]}\n"),
                HELIOGRAPH_BAD_INPUT, "here:2:1: error: sweep is for helio sweep");
    assert_said(heliograph_load(experiment, "no-such.yaml"), HELIOGRAPH_BAD_INPUT,
                "cannot read no-such.yaml");
    assert_said(heliograph_run(experiment), HELIOGRAPH_BAD_INPUT, "nothing to run");
    assert_int_equal(heliograph_set(experiment, "workload", "pingpong"), HELIOGRAPH_OK);
    assert_string_equal(heliograph_last_error(), "");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "fabric", "ideal,pakcet"), HELIOGRAPH_OK);
    assert_said(heliograph_run(experiment), HELIOGRAPH_BAD_INPUT, "did you mean 'packet'?");
    assert_int_equal(heliograph_run_count(experiment), 0);
    assert_null(heliograph_json(experiment));
    heliograph_free(experiment);
}

/* ---------------------------------------------------- fabrics of one's own */

static int begun, ended;

static void *begin(void *self, const struct heliograph_fabric_setup *setup)
{
    assert_int_equal(setup->nodes, 2);
    assert_int_equal(setup->seed, 1);
    begun++;
    return self;
}

/* Every message takes 3 us. The sender is occupied for the first of them. */
static void transfer(void *self, const struct heliograph_message *message,
                     struct heliograph_transfer *transfer)
{
    assert_string_equal(self, "itself");
    assert_int_not_equal(message->source, message->destination);
    assert_int_equal(message->bytes, 64);
    transfer->visible_ps = message->now_ps + 2000000;
    transfer->sender_done_ps = message->now_ps + 1000000;
    transfer->delivered_ps = message->now_ps + 3000000;
}

static void end(void *self)
{
    assert_string_equal(self, "itself");
    ended++;
}

static void test_fabric(void **state)
{
    (void)state;
    char self[] = "itself";
    const struct heliograph_fabric fabric = {.struct_size = sizeof fabric,
                                             .name = "steady",
                                             .doc = "3 us",
                                             .self = self,
                                             .begin = begin,
                                             .transfer = transfer,
                                             .end = end};
    assert_int_equal(heliograph_register_fabric(&fabric), HELIOGRAPH_OK);
    struct heliograph *experiment = experiment_of("pingpong:bytes=64B,iterations=5", "steady");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_makespan_ps(experiment, 0), 5 * 2 * 3000000);
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    heliograph_free(experiment);
    assert_said(heliograph_register_fabric(&fabric), HELIOGRAPH_BAD_INPUT,
                "there is a fabric steady already");
}

static void arrive_before(void *self, const struct heliograph_message *message,
                          struct heliograph_transfer *transfer)
{
    (void)self;
    transfer->delivered_ps = message->now_ps - 1;
}

static void *begin_never(void *self, const struct heliograph_fabric_setup *setup)
{
    (void)self;
    (void)setup;
    return NULL;
}

static void test_impossible_fabrics(void **state)
{
    (void)state;
    const struct heliograph_fabric early = {
        .struct_size = sizeof early, .name = "early", .doc = "before it left", .transfer = arrive_before};
    const struct heliograph_fabric never = {.struct_size = sizeof never,
                                            .name = "never",
                                            .doc = "for no nodes",
                                            .begin = begin_never,
                                            .transfer = arrive_before};
    const struct heliograph_fabric named_badly = {
        .struct_size = sizeof named_badly, .name = "a,b", .doc = "two", .transfer = arrive_before};
    const struct heliograph_fabric idle = {
        .struct_size = sizeof idle, .name = "idle", .doc = "moves nothing"};
    assert_int_equal(heliograph_register_fabric(&early), HELIOGRAPH_OK);
    assert_int_equal(heliograph_register_fabric(&never), HELIOGRAPH_OK);
    assert_said(heliograph_register_fabric(&named_badly), HELIOGRAPH_BAD_INPUT,
                "a fabric needs a name of a-z");
    assert_said(heliograph_register_fabric(&idle), HELIOGRAPH_BAD_INPUT, "has no function transfer");
    struct heliograph_fabric unsized = early;
    unsized.struct_size = 0;
    assert_said(heliograph_register_fabric(&unsized), HELIOGRAPH_BAD_INPUT, "set it to sizeof the struct");
    struct heliograph *experiment = experiment_of("pingpong", "early");
    assert_said(heliograph_run(experiment), HELIOGRAPH_FAILED, "the fabric early says");
    assert_int_equal(heliograph_set(experiment, "fabric", "ideal,never"), HELIOGRAPH_OK);
    assert_said(heliograph_run(experiment), HELIOGRAPH_FAILED, "never cannot be set up for 2 nodes");
    heliograph_free(experiment);
}

/* ---------------------------------------------------- progress, cancelling */

struct seen_progress {
    unsigned times, most; /* number of calls of the progress callback; the run continues below this number */
    uint64_t calls, total_calls;
    int64_t now_ps;
    char fabric[16];
};

static int on_progress(void *self, const struct heliograph_progress *progress)
{
    struct seen_progress *seen = self;
    assert_true(progress->now_ps >= seen->now_ps);
    assert_true(progress->calls >= seen->calls);
    seen->calls = progress->calls;
    seen->total_calls = progress->total_calls;
    seen->now_ps = progress->now_ps;
    snprintf(seen->fabric, sizeof seen->fabric, "%s", progress->fabric);
    return ++seen->times >= seen->most;
}

/* Two million messages: in many calls, in one call of each rank, and without ranks. */
static const char *const long_programs[] = {"pingpong:iterations=1000000", "alltoall:ranks=1500,bytes=1B",
                                            "uniform:nodes=16,messages=100000"};

static const uint64_t calls_of[] = {4000000, 1500, 1600000};

static void test_progress(void **state)
{
    (void)state;
    for (size_t i = HAS_SANITIZER; i < 3; i++) {
        struct seen_progress seen = {.most = 1000000};
        struct heliograph *experiment = experiment_of(long_programs[i], "ideal");
        heliograph_on_progress(experiment, on_progress, &seen);
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
        assert_true(seen.times >= 2);
        assert_string_equal(seen.fabric, "ideal");
        assert_int_equal(seen.total_calls, calls_of[i]);
        heliograph_free(experiment);
    }
}

/* A cancelled experiment has no results and can run again. */
static void test_cancel(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct seen_progress seen = {.most = 1};
        struct heliograph *experiment = experiment_of(long_programs[i], "ideal");
        heliograph_on_progress(experiment, on_progress, &seen);
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_CANCELLED);
        assert_int_equal(seen.times, 1);
        assert_int_equal(heliograph_run_count(experiment), 0);
        assert_null(heliograph_json(experiment));
        assert_string_equal(heliograph_last_error(), "");
        heliograph_on_progress(experiment, NULL, NULL);
        assert_int_equal(heliograph_set(experiment, "workload", "pingpong"), HELIOGRAPH_OK);
        assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
        heliograph_free(experiment);
    }
}

/* -------------------------------------------------------------- memory */

/* A run that is estimated to take more memory than there is does not begin. If it is forced, it fails. The
 * program goes on after both. */
static void test_no_memory(void **state)
{
    (void)state;
    if (HAS_SANITIZER) /* whose own memory is beyond any limit */
        skip();
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = UINT64_C(2) << 30;
    struct heliograph *experiment = experiment_of("dissemination:ranks=1000000000", "ideal");
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    enum heliograph_status status = heliograph_run(experiment);
    assert_said(status, HELIOGRAPH_FAILED, "on fabric ideal needs about");
    heliograph_force(experiment, 1);
    status = heliograph_run(experiment);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_said(status, HELIOGRAPH_FAILED, "out of memory: cannot allocate");
    assert_int_equal(heliograph_run_count(experiment), 0);
    assert_int_equal(heliograph_set(experiment, "workload", "pingpong"), HELIOGRAPH_OK);
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    heliograph_free(experiment);
}

/* -------------------------------------------------- parameters of a fabric */

struct seen_values {
    int64_t latency_ps;
    uint64_t rate, size;
    double factor;
    char text[16];
};

static void *begin_with_values(void *self, const struct heliograph_fabric_setup *setup)
{
    const union heliograph_value *values = setup->values;
    struct seen_values *seen = self;
    seen->latency_ps = values[0].time_ps;
    seen->rate = values[1].count;
    seen->size = values[2].count;
    seen->factor = values[3].number;
    snprintf(seen->text, sizeof seen->text, "%s", values[4].text ? values[4].text : "none");
    return self;
}

/* The only time in this fabric is its latency. */
static void take_latency(void *self, const struct heliograph_message *message,
                         struct heliograph_transfer *times)
{
    const struct seen_values *seen = self;
    times->visible_ps = times->sender_done_ps = times->delivered_ps = message->now_ps + seen->latency_ps;
}

static const struct heliograph_parameter valued_parameters[] = {
    {.name = "L", .type = HELIOGRAPH_TIME, .default_value = "3 us", .min = "0 ps", .doc = "latency"},
    {.name = "rate", .type = HELIOGRAPH_RATE, .default_value = "12.5 GB/s", .doc = "rate"},
    {.name = "size", .type = HELIOGRAPH_SIZE, .default_value = "4 KiB", .doc = "size"},
    {.name = "factor", .type = HELIOGRAPH_NUMBER, .default_value = "0.5", .max = "1", .doc = "factor"},
    {.name = "text", .type = HELIOGRAPH_TEXT, .doc = "text"},
};

/* An experiment that was created before the fabric was added knows its parameters as well. */
static void test_parameters_of_a_fabric(void **state)
{
    (void)state;
    struct seen_values seen = {0};
    const struct heliograph_fabric fabric = {.struct_size = sizeof fabric,
                                             .name = "valued",
                                             .doc = "a latency",
                                             .self = &seen,
                                             .parameters = valued_parameters,
                                             .parameter_count = 5,
                                             .begin = begin_with_values,
                                             .transfer = take_latency};
    struct heliograph *experiment = heliograph_new();
    assert_int_equal(heliograph_register_fabric(&fabric), HELIOGRAPH_OK);
    assert_int_equal(heliograph_load_text(experiment, "here",
                                          "workload: pingpong\nfabric: valued\nmachine: as-published\n"
                                          "valued: {size: 8 KiB}\n"),
                     HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "valued.L", "2 us"), HELIOGRAPH_OK);
    assert_string_equal(heliograph_get(experiment, "valued.rate"), "12.5 GB/s");
    assert_said(heliograph_set(experiment, "valued.factor", "2"), HELIOGRAPH_BAD_INPUT, "at most 1");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_makespan_ps(experiment, 0), 2 * 2000000);
    assert_int_equal(seen.latency_ps, 2000000);
    assert_int_equal(seen.rate, 12500000000);
    assert_int_equal(seen.size, 8192);
    assert_float_equal(seen.factor, 0.5, 0);
    assert_string_equal(seen.text, "none");
    assert_non_null(strstr(heliograph_json(experiment), "\"valued.L\": \"2 us\""));
    heliograph_free(experiment);
}

static void assert_parameter_is_refused(const struct heliograph_parameter *parameter, const char *part)
{
    const struct heliograph_fabric fabric = {.struct_size = sizeof fabric,
                                             .name = "refused",
                                             .doc = "never there",
                                             .parameters = parameter,
                                             .parameter_count = 1,
                                             .transfer = take_latency};
    assert_said(heliograph_register_fabric(&fabric), HELIOGRAPH_BAD_INPUT, part);
}

static void test_wrong_parameters(void **state)
{
    (void)state;
    const struct heliograph_parameter wrong[] = {
        {.name = "a b", .type = HELIOGRAPH_TIME, .default_value = "1 us", .doc = "a"},
        {.name = "a", .type = (enum heliograph_type)99, .default_value = "1 us", .doc = "a"},
        {.name = "a", .type = HELIOGRAPH_TIME, .doc = "a"},
        {.name = "a", .type = HELIOGRAPH_TIME, .default_value = "1 us"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_parameter_is_refused(&wrong[i], "parameter 1 of");
    const struct heliograph_parameter bare = {
        .name = "a", .type = HELIOGRAPH_TIME, .default_value = "1", .doc = "a"};
    assert_parameter_is_refused(&bare, "refused.a = '1': a time needs a unit");
    const struct heliograph_parameter bounded = {
        .name = "a", .type = HELIOGRAPH_TIME, .default_value = "1 us", .max = "soon", .doc = "a"};
    assert_parameter_is_refused(&bounded, "refused has a wrong bound of refused.a");
    assert_parameter_is_refused(NULL, "the array of them is NULL");
}

/* Each parameter has one name, and a name is a value or a map. */
static void test_parameters_that_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *names[2], *part;
    } cases[] = {{"double", {"a", "a"}, "double cannot have the parameter double.a: there is double.a"},
                 {"nested", {"a", "a.b"}, "cannot have the parameter nested.a.b: there is nested.a"},
                 {"mpi", {"a", "bcast"}, "cannot have the parameter mpi.bcast: there is mpi.bcast"},
                 {"topology", {"a", "b"}, "cannot have the parameter topology.a: there is topology"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heliograph_parameter parameters[2];
        for (size_t j = 0; j < 2; j++)
            parameters[j] = (struct heliograph_parameter){
                .name = cases[i].names[j], .type = HELIOGRAPH_COUNT, .default_value = "1", .doc = "a"};
        const struct heliograph_fabric fabric = {.struct_size = sizeof fabric,
                                                 .name = cases[i].fabric,
                                                 .doc = "never there",
                                                 .parameters = parameters,
                                                 .parameter_count = 2,
                                                 .transfer = take_latency};
        assert_said(heliograph_register_fabric(&fabric), HELIOGRAPH_BAD_INPUT, cases[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_no_such_run),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_fabric),
        cmocka_unit_test(test_impossible_fabrics),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_parameters_of_a_fabric),
        cmocka_unit_test(test_wrong_parameters),
        cmocka_unit_test(test_parameters_that_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
