/* Valid programs that SimpleComm ends by its own checks. Here a warning names the check, and the run goes
 * on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "support/traces.h"

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static enum status run(const char *trace, const char *const *settings, struct result *result)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct experiment_watch watch = {0};
    *result = (struct result){0};
    assert_int_equal(config_set(config, "compat=simplecomm"), STATUS_OK);
    assert_int_equal(config_assign(config, "trace", trace, "--trace"), STATUS_OK);
    for (; *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    enum status status = experiment_init(&experiment, config);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &watch, result);
    experiment_free(&experiment);
    config_close(config);
    return status;
}

/* Runs the trace to its end. The messages must be one warning that names this check of SimpleComm's. */
static struct result go_on(const char *trace, const char *const *settings, const char *check)
{
    struct result result;
    assert_int_equal(run(trace, settings, &result), STATUS_OK);
    const char *said = traces_messages();
    const char *warning = strstr(said, "SimpleComm itself stops here (");
    assert_non_null(warning);
    assert_non_null(strstr(warning, check));
    assert_null(strstr(warning + 1, "helio: "));
    assert_null(strstr(said, "error"));
    return result;
}

static uint64_t count_of(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->metrics->count; i++)
        if (strcmp(result->metrics->metrics[i].name, name) == 0) {
            uint64_t count;
            memcpy(&count, (const char *)result->statistics + result->metrics->metrics[i].offset,
                   sizeof count);
            return count;
        }
    fail_msg("there is no statistic %s", name);
    return 0;
}

static void expect_makespan(struct result *result, double expected_s)
{
    double makespan_s = (double)result->makespan / 1e12;
    if (fabs(makespan_s - expected_s) > 1e-9)
        fail_msg("%.12g s, not %.12g s", makespan_s, expected_s);
    result_free(result);
}

/* An empty message of the finalize barrier over InfiniBand: alone, it takes this long; beside another, its
 * header takes twice as long. */
#define LATENCY 8e-6
#define HEADER  (16 / 12.5e9)

static void simplecomm_ends_a_placement_with_partly_filled_nodes(void **state)
{
    (void)state;
    const char *trace =
        traces_make("nodes", "0 init\n0 send 1 1 76799984 2\n0 finalize\n",
                    "1 init\n1 recv 0 1 76799984 2\n1 finalize\n", "2 init\n2 finalize\n", NULL);
    struct result result =
        go_on(trace, SET("fabric=packet", "ranks_per_node=2"), "a multiple of cores_per_node");
    /* 1 ms within the node. Then the barrier: both ways between rank 0 and the second node, and within the
     * node at the same time. */
    double ends_s = (double)result.makespan / 1e12;
    assert_true(ends_s > 0.001 + LATENCY && ends_s < 0.001 + 2 * LATENCY + 8 * HEADER);
    result_free(&result);
}

/* FMUs of 1 us and 1 GB/s: 2 us + S / 0.5 GB/s is less than 8 us + S / 12.5 GB/s up to 3125 bytes. */
static void simplecomm_ends_fmus_that_are_better_for_small_messages(void **state)
{
    (void)state;
    const char *trace = traces_make("pivot", "0 init\n0 send 1 1 3000 2\n0 send 1 1 3200 2\n0 finalize\n",
                                    "1 init\n1 recv 0 1 3000 2\n1 recv 0 1 3200 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=hybrid", "fmu.bandwidth=1GB/s", "fmu.t_switch=1us"),
                                 "FMU is worse than Network for large messages");
    assert_int_equal(count_of(&result, "pivot_bytes"), 3125);
    assert_int_equal(count_of(&result, "fmu_messages"), 3); /* and two messages of the barrier */
    assert_int_equal(count_of(&result, "network_messages"), 1);
    result_free(&result);
}

/* SimpleComm's bcast also uses tag 4. So the broadcast receives the user's 8 bytes, and the user's receive
 * gets the broadcast. */
static void simplecomm_ends_a_collective_that_takes_a_users_message(void **state)
{
    (void)state;
    const char *trace =
        traces_make("room", "0 init\n0 bcast 8 0 2\n0 isend 1 4 100 2\n0 wait 0 1 4\n0 finalize\n",
                    "1 init\n1 irecv 0 4 100 2\n1 bcast 8 0 2\n1 wait 0 1 4\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet"), "sendrecv.size <= partner.size");
    assert_int_equal(result.bytes, 108);
    result_free(&result);
}

/* Rank 2 sends to rank 0 from the start, which takes 10 ms. SimpleComm releases rank 2 only when rank 3 has
 * received from it. That is after rank 0 has handled the message of rank 1, which came 5 ms later. */
static void simplecomm_ends_a_message_that_ends_in_its_ranks_past(void **state)
{
    (void)state;
    const char *trace =
        traces_make("clock", "0 init\n0 reduce 125000000 0 0 2\n0 finalize\n",
                    "1 init\n1 compute 6e7\n1 reduce 125000000 0 0 2\n1 send 3 1 8 2\n1 finalize\n",
                    "2 init\n2 send 3 1 8 2\n2 reduce 125000000 0 0 2\n2 finalize\n",
                    "3 init\n3 recv 1 1 8 2\n3 recv 2 1 8 2\n3 reduce 125000000 0 0 2\n3 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet", "mpi.reduce=linear"), "\"Rank: cycle\"");
    double large_s = LATENCY + 125000016 / 12.5e9, small_s = LATENCY + 24 / 12.5e9;
    double ends_s = 0.005 + large_s + small_s + large_s;
    double barrier_s = (double)result.makespan / 1e12 - ends_s;
    assert_true(barrier_s > 2 * LATENCY && barrier_s < 2 * LATENCY + 8 * HEADER);
    result_free(&result);
}

/* Both ranks write and both read, in turns. The FMU is not free before the last of these accesses ends. */
static void simplecomm_ends_an_fmu_whose_end_moves_back(void **state)
{
    (void)state;
    const char *trace = traces_make(
        "fmu", "0 init\n0 irecv 1 1 125000000 2\n0 isend 1 1 125000000 2\n0 waitall 2\n0 finalize\n",
        "1 init\n1 irecv 0 1 125000000 2\n1 isend 0 1 125000000 2\n1 waitall 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=fmu", "fmu.count=1"), "\"what?\"");
    assert_true((double)result.makespan / 1e12 > 3 * 125000016 / 76.8e9);
    result_free(&result);
}

static void simplecomm_ends_bytes_within_nodes_counted_at_the_networks_speed(void **state)
{
    (void)state;
    const char *trace = traces_make("sent", "0 init\n0 send 1 1 50000 2\n0 finalize\n",
                                    "1 init\n1 recv 0 1 50000 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet", "ranks_per_node=2", "intranode.bandwidth=5GB/s"),
                                 "checkIfTransmittedDataIsCorrect");
    expect_makespan(&result, 50016 / 5e9 + 2 * 16 / 5e9);
}

/* Both requests of rank 0 are done when it calls waitall. SimpleComm looks at that one step later. At that
 * time rank 1 is blocked and nothing is under way. */
static void simplecomm_ends_a_waitall_of_completed_requests(void **state)
{
    (void)state;
    const char *trace = traces_make(
        "waitall", "0 init\n0 irecv 1 1 8 2\n0 recv 1 2 8 2\n0 waitall 1\n0 send 1 3 8 2\n0 finalize\n",
        "1 init\n1 isend 0 1 8 2\n1 send 0 2 8 2\n1 recv 0 3 8 2\n1 waitall 1\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet"), "\"No valid Match was found\"");
    assert_int_equal(result.messages, 5);
    result_free(&result);
}

/* No rank sends anything, so nothing is under way. */
static void simplecomm_ends_an_alltoallv_without_messages(void **state)
{
    (void)state;
    const char *trace = traces_make("empty", "0 init\n0 alltoallv 0 0 0 0 0 0 2 2\n0 finalize\n",
                                    "1 init\n1 alltoallv 0 0 0 0 0 0 2 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet", "simplecomm.alltoallv=nbc_improved"),
                                 "\"No valid Match was found\"");
    assert_int_equal(result.messages, 2);
    expect_makespan(&result, 2 * (LATENCY + HEADER));
}

/* Two requests are done when the waitall names one. SimpleComm waits until one fewer is done. Two other ranks
 * keep a message under way. */
static void simplecomm_ends_a_waitall_that_names_too_few(void **state)
{
    (void)state;
    const char *trace = traces_make(
        "too-few", "0 init\n0 irecv 1 1 8 2\n0 irecv 1 2 8 2\n0 recv 1 3 8 2\n0 waitall 1\n0 finalize\n",
        "1 init\n1 send 0 1 8 2\n1 send 0 2 8 2\n1 send 0 3 8 2\n1 finalize\n",
        "2 init\n2 send 3 1 1000000 2\n2 finalize\n", "3 init\n3 recv 2 1 1000000 2\n3 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet"), "self.waitall == 0");
    assert_int_equal(result.messages, 4 + 6);
    result_free(&result);
}

/* Eager senders do not wait for their receivers. Both 8-byte messages start at once and share the ports. */
static void simplecomm_ends_eager_sends_to_each_other(void **state)
{
    (void)state;
    const char *trace = traces_make("eager", "0 init\n0 send 1 1 8 2\n0 recv 1 1 8 2\n0 finalize\n",
                                    "1 init\n1 send 0 1 8 2\n1 recv 0 1 8 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet"), "\"No valid Match was found\"");
    assert_int_equal(result.messages, 4);
    expect_makespan(&result, LATENCY + 2 * 24 / 12.5e9 + 2 * (LATENCY + HEADER));
}

/* Senders of messages above the eager limit wait for their receivers, in any MPI. */
static void rendezvous_sends_to_each_other_deadlock(void **state)
{
    (void)state;
    const char *trace =
        traces_make("rendezvous", "0 init\n0 send 1 1 65537 2\n0 recv 1 1 65537 2\n0 finalize\n",
                    "1 init\n1 send 0 1 65537 2\n1 recv 0 1 65537 2\n1 finalize\n", NULL);
    struct result result;
    assert_int_equal(run(trace, SET("fabric=packet"), &result), STATUS_FAILED);
    const char *said = traces_messages();
    assert_non_null(strstr(said, "fabric packet: deadlock: 2 of 2 ranks are blocked"));
    assert_non_null(strstr(said, "rank-1.txt:2: note: rank 0 is blocked here"));
    result_free(&result);
}

static void simplecomm_ends_a_sendrecv(void **state)
{
    (void)state;
    const char *trace = traces_make("sendrecv", "0 init\n0 sendRecv 100 1 200 1 2 2\n0 finalize\n",
                                    "1 init\n1 sendRecv 200 0 100 0 2 2\n1 finalize\n", NULL);
    struct result result = go_on(trace, SET("fabric=packet"), "\"Unknown Operation\"");
    assert_int_equal(result.messages, 4);
    assert_int_equal(result.bytes, 300);
    result_free(&result);
}

static void topologies_are_refused(void **state)
{
    (void)state;
    const char *trace = traces_make("without", "0 init\n0 finalize\n", "1 init\n1 finalize\n", NULL);
    struct result result;
    assert_int_equal(run(trace, SET("fabric=packet", "topology=torus:2x2"), &result), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "SimpleComm has no topology"));
    result_free(&result);
}

static void a_time_that_does_not_fit_is_an_error(void **state)
{
    (void)state;
    const char *trace =
        traces_make("long", "0 init\n0 compute 1e18\n0 finalize\n", "1 init\n1 finalize\n", NULL);
    struct result result;
    assert_int_equal(run(trace, SET("fabric=fmu"), &result), STATUS_FAILED);
    assert_non_null(strstr(traces_messages(), "simulated time passes 2^63 ps"));
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplecomm_ends_a_placement_with_partly_filled_nodes),
        cmocka_unit_test(simplecomm_ends_fmus_that_are_better_for_small_messages),
        cmocka_unit_test(simplecomm_ends_a_collective_that_takes_a_users_message),
        cmocka_unit_test(simplecomm_ends_a_message_that_ends_in_its_ranks_past),
        cmocka_unit_test(simplecomm_ends_an_fmu_whose_end_moves_back),
        cmocka_unit_test(simplecomm_ends_bytes_within_nodes_counted_at_the_networks_speed),
        cmocka_unit_test(simplecomm_ends_a_waitall_of_completed_requests),
        cmocka_unit_test(simplecomm_ends_an_alltoallv_without_messages),
        cmocka_unit_test(simplecomm_ends_a_waitall_that_names_too_few),
        cmocka_unit_test(simplecomm_ends_eager_sends_to_each_other),
        cmocka_unit_test(rendezvous_sends_to_each_other_deadlock),
        cmocka_unit_test(simplecomm_ends_a_sendrecv),
        cmocka_unit_test(topologies_are_refused),
        cmocka_unit_test(a_time_that_does_not_fit_is_an_error),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
