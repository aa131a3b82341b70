/* host.send, host.receive and nic.latency: what can be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/script.h"

enum { NS = 1000, US = 1000 * NS };

static struct script_outcome outcome;

static void run(const struct call *const *calls, uint32_t ranks, const char *fabric,
                const char *const *settings)
{
    script_run(calls, ranks, fabric, settings, &outcome);
    assert_int_equal(outcome.status, STATUS_OK);
}

static const struct call one_send[] = {SEND(1, 0, 0), FINALIZE};
static const struct call one_receive[] = {RECV(0, 0, 0), FINALIZE};

/* send + NIC + fabric + NIC + receive; the sender is done when its core has posted the message. */
static void a_message_takes_the_sum(void **state)
{
    (void)state;
    static const char *const settings[] = {"host.send=100ns", "host.receive=30ns", "nic.latency=7ns",
                                           "hockney.latency=1us", NULL};
    run((const struct call *const[]){one_send, one_receive}, 2, "hockney", settings);
    assert_int_equal(outcome.finish[0], 100 * NS);
    assert_int_equal(outcome.finish[1], (100 + 7 + 1000 + 7 + 30) * NS);
    assert_int_equal(outcome.software[0], 100 * NS);
    assert_int_equal(outcome.software[1], 30 * NS);
    assert_int_equal(outcome.idle[1], (100 + 7 + 1000 + 7) * NS);
}

/* Each of the three alone. */
static void each_time_counts_once(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        ps_t more;
    } cases[] = {{"host.send=1ns", NS}, {"host.receive=1ns", NS}, {"nic.latency=1ns", 2 * NS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].setting, "hockney.latency=1us", NULL};
        run((const struct call *const[]){one_send, one_receive}, 2, "hockney", settings);
        assert_int_equal(outcome.makespan, US + cases[i].more);
    }
}

/* Messages that a core sends together leave one after another; those that have arrived are taken in one after
 * another. */
static void a_core_does_one_thing_at_a_time(void **state)
{
    (void)state;
    static const struct call sends[] = {ISEND(1, 0, 0, 2), ISEND(1, 1, 0, 3), ISEND(1, 2, 0, 4), WAITALL,
                                        FINALIZE};
    static const struct call receives[] = {IRECV(0, 0, 0, 2), IRECV(0, 1, 0, 3), IRECV(0, 2, 0, 4), WAITALL,
                                           FINALIZE};
    static const char *const slow_sender[] = {"host.send=100ns", "host.receive=30ns", "hockney.latency=1us",
                                              NULL};
    run((const struct call *const[]){sends, receives}, 2, "hockney", slow_sender);
    assert_int_equal(outcome.finish[0], 300 * NS);
    assert_int_equal(outcome.finish[1], (300 + 1000 + 30) * NS);
    assert_int_equal(outcome.software[1], 90 * NS);
    static const char *const slow_receiver[] = {"host.send=10ns", "host.receive=500ns", "hockney.latency=1us",
                                                NULL};
    run((const struct call *const[]){sends, receives}, 2, "hockney", slow_receiver);
    assert_int_equal(outcome.finish[1], (10 + 1000 + 3 * 500) * NS);
}

/* A message that comes while its receiver computes is taken in when the receiver waits. 12 operations are 1
 * ns at 12 Gflop/s. */
static void a_core_takes_in_messages_when_it_waits(void **state)
{
    (void)state;
    static const struct call late[] = {COMPUTE(12.0 * 5000), RECV(0, 0, 0), FINALIZE};
    static const char *const settings[] = {"host.receive=200ns", "hockney.latency=1us", NULL};
    run((const struct call *const[]){one_send, late}, 2, "hockney", settings);
    assert_int_equal(outcome.finish[1], 5 * US + 200 * NS);
}

/* A call takes in what it waits for and what has come before that; the rest is for later calls. So a core
 * never takes in a message while its rank computes. */
static void a_call_takes_in_no_more_than_it_waits_for(void **state)
{
    (void)state;
    static const struct call sends[] = {ISEND(1, 0, 0, 2), ISEND(1, 1, 0, 3), WAITALL, FINALIZE};
    static const struct call late[] = {COMPUTE(12.0 * 5000), RECV(0, 0, 0), COMPUTE(12.0 * 1000),
                                       RECV(0, 1, 0), FINALIZE};
    static const char *const settings[] = {"host.receive=200ns", "hockney.latency=1us", NULL};
    run((const struct call *const[]){sends, late}, 2, "hockney", settings);
    assert_int_equal(outcome.finish[1], 5 * US + 200 * NS + 1 * US + 200 * NS);
    assert_int_equal(outcome.software[1], 400 * NS);
    assert_int_equal(outcome.idle[1], 0);
    static const struct call other_way[] = {COMPUTE(12.0 * 5000), RECV(0, 1, 0), COMPUTE(12.0 * 1000),
                                            RECV(0, 0, 0), FINALIZE};
    run((const struct call *const[]){sends, other_way}, 2, "hockney", settings);
    assert_int_equal(outcome.finish[1], 5 * US + 400 * NS + 1 * US);
}

/* A rendezvous costs its sender when both ends are there. Its sender is done on arrival. */
static void a_rendezvous_leaves_when_both_are_there(void **state)
{
    (void)state;
    static const struct call large_send[] = {SEND(1, 0, 1000), FINALIZE};
    static const struct call late[] = {COMPUTE(12.0 * 5000), RECV(0, 0, 1000), FINALIZE};
    static const char *const settings[] = {"host.send=100ns",
                                           "host.receive=30ns",
                                           "nic.latency=7ns",
                                           "mpi.eager_threshold=0B",
                                           "hockney.latency=1us",
                                           "hockney.bandwidth=1GB/s",
                                           NULL};
    run((const struct call *const[]){large_send, late}, 2, "hockney", settings);
    assert_int_equal(outcome.finish[1], 5 * US + (100 + 7 + 1000 + 1000 + 7 + 30) * NS);
    assert_int_equal(outcome.finish[0], outcome.finish[1]);
}

/* Within a node nothing of it counts; through FMUs no NIC does; on ideal neither NIC nor fabric. */
static void not_all_messages_pay_for_all(void **state)
{
    (void)state;
    static const char *const within[] = {"host.send=100ns",  "host.receive=30ns",      "nic.latency=7ns",
                                         "ranks_per_node=2", "intranode.latency=50ns", NULL};
    run((const struct call *const[]){one_send, one_receive}, 2, "hockney", within);
    assert_int_equal(outcome.makespan, 50 * NS);
    static const char *const through[] = {"host.send=100ns", "host.receive=30ns", "nic.latency=7ns",
                                          "fmu.t_switch=1us", NULL};
    run((const struct call *const[]){one_send, one_receive}, 2, "fmu", through);
    assert_int_equal(outcome.makespan, (100 + 2 * 1000 + 30) * NS);
    run((const struct call *const[]){one_send, one_receive}, 2, "ideal", through);
    assert_int_equal(outcome.makespan, (100 + 30) * NS);
}

/* A host model takes their place. */
static void a_host_model_takes_their_place(void **state)
{
    (void)state;
    static const char *const model[] = {"host.system=thunderx2", "hockney.latency=382.81ns", NULL};
    static const char *const both[] = {"host.system=thunderx2", "hockney.latency=382.81ns", "host.send=1us",
                                       "host.receive=1us",      "nic.latency=1us",          NULL};
    run((const struct call *const[]){one_send, one_receive}, 2, "hockney", model);
    ps_t alone = outcome.makespan;
    run((const struct call *const[]){one_send, one_receive}, 2, "hockney", both);
    assert_int_equal(outcome.makespan, alone);
}

/* Receives with wildcards: messages are matched in the order of their arrival. */
static void wildcards_match_on_arrival(void **state)
{
    (void)state;
    static const struct call first[] = {POST(2, 5, 0), FINALIZE};
    static const struct call second[] = {COMPUTE(12.0 * 100), POST(2, 6, 0), FINALIZE};
    static const struct call collector[] = {COLLECT(CALL_ANY_SOURCE, CALL_ANY_TAG, 0),
                                            COLLECT(CALL_ANY_SOURCE, CALL_ANY_TAG, 0), FINALIZE};
    static const char *const settings[] = {"host.send=10ns", "host.receive=300ns", "nic.latency=5ns",
                                           "hockney.latency=1us", NULL};
    run((const struct call *const[]){first, second, collector}, 3, "hockney", settings);
    assert_int_equal(outcome.finish[2], (10 + 5 + 1000 + 5 + 2 * 300) * NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_takes_the_sum),
        cmocka_unit_test(each_time_counts_once),
        cmocka_unit_test(a_core_does_one_thing_at_a_time),
        cmocka_unit_test(a_core_takes_in_messages_when_it_waits),
        cmocka_unit_test(a_call_takes_in_no_more_than_it_waits_for),
        cmocka_unit_test(a_rendezvous_leaves_when_both_are_there),
        cmocka_unit_test(not_all_messages_pay_for_all),
        cmocka_unit_test(a_host_model_takes_their_place),
        cmocka_unit_test(wildcards_match_on_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
