#include <heliograph.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* libheliograph, through nothing but its header. */

static struct heliograph *experiment_of(const char *workload, const char *fabric)
{
    struct heliograph *experiment = heliograph_new();
    assert_non_null(experiment);
    assert_int_equal(heliograph_set(experiment, "workload", workload), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "fabric", fabric), HELIOGRAPH_OK);
    return experiment;
}

/* Hockney's model by hand: there and back, each 8 us and 1 MiB at 12.5 GB/s. */
static void test_run(void **state)
{
    (void)state;
    struct heliograph *experiment = experiment_of("pingpong:bytes=1MiB", "hockney,packet");
    assert_int_equal(heliograph_runs(experiment), 0);
    assert_null(heliograph_json(experiment));
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_string_equal(heliograph_said(), "");
    assert_int_equal(heliograph_runs(experiment), 2);
    assert_string_equal(heliograph_fabric(experiment, 0), "hockney");
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
    assert_null(heliograph_fabric(experiment, 1));
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
    heliograph_free(experiment);
}

static void assert_said(enum heliograph_status got, enum heliograph_status expected, const char *part)
{
    assert_int_equal(got, expected);
    if (!strstr(heliograph_said(), part))
        fail_msg("'%s' is not in: %s", part, heliograph_said());
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
    assert_said(heliograph_load(experiment, "no-such.yaml"), HELIOGRAPH_BAD_INPUT,
                "cannot read no-such.yaml");
    assert_said(heliograph_run(experiment), HELIOGRAPH_BAD_INPUT, "nothing to run");
    assert_int_equal(heliograph_set(experiment, "workload", "pingpong"), HELIOGRAPH_OK);
    assert_string_equal(heliograph_said(), "");
    assert_int_equal(heliograph_run(experiment), HELIOGRAPH_OK);
    assert_int_equal(heliograph_set(experiment, "fabric", "ideal,pakcet"), HELIOGRAPH_OK);
    assert_said(heliograph_run(experiment), HELIOGRAPH_BAD_INPUT, "did you mean 'packet'?");
    assert_int_equal(heliograph_runs(experiment), 0);
    assert_null(heliograph_json(experiment));
    heliograph_free(experiment);
}

/* -------------------------------------------------------------------------------- fabrics from outside */

static int begun, ended;

static void *begin(void *self, uint32_t nodes)
{
    assert_int_equal(nodes, 2);
    begun++;
    return self;
}

/* 3 us for every message, of which the sender is kept for 1. */
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
    const struct heliograph_fabric fabric = {
        .name = "steady", .doc = "3 us", .self = self, .begin = begin, .transfer = transfer, .end = end};
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

static void *begin_never(void *self, uint32_t nodes)
{
    (void)self;
    (void)nodes;
    return NULL;
}

static void test_impossible_fabrics(void **state)
{
    (void)state;
    const struct heliograph_fabric early = {
        .name = "early", .doc = "before it left", .transfer = arrive_before};
    const struct heliograph_fabric never = {
        .name = "never", .doc = "for no nodes", .begin = begin_never, .transfer = arrive_before};
    const struct heliograph_fabric named_badly = {.name = "a,b", .doc = "two", .transfer = arrive_before};
    const struct heliograph_fabric idle = {.name = "idle", .doc = "moves nothing"};
    assert_int_equal(heliograph_register_fabric(&early), HELIOGRAPH_OK);
    assert_int_equal(heliograph_register_fabric(&never), HELIOGRAPH_OK);
    assert_said(heliograph_register_fabric(&named_badly), HELIOGRAPH_BAD_INPUT, "a fabric needs a name");
    assert_said(heliograph_register_fabric(&idle), HELIOGRAPH_BAD_INPUT, "a function that transfers");
    struct heliograph *experiment = experiment_of("pingpong", "early");
    assert_said(heliograph_run(experiment), HELIOGRAPH_FAILED, "the fabric early says");
    assert_int_equal(heliograph_set(experiment, "fabric", "ideal,never"), HELIOGRAPH_OK);
    assert_said(heliograph_run(experiment), HELIOGRAPH_FAILED, "never cannot be set up for 2 nodes");
    heliograph_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),        cmocka_unit_test(test_no_such_run),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_fabric),     cmocka_unit_test(test_impossible_fabrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
