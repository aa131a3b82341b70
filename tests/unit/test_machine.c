/* The rank engine and the protocol of a message, against closed forms worked out by hand. The fabric is
 * hockney with its defaults unless said otherwise: L = 8 us, BW = 12.5 GB/s, so a byte takes 80 ps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/script.h"

#define US    INT64_C(1000000)
#define L     (8 * US)
#define BYTE  INT64_C(80)
#define CALLS static const struct call
#define RUN(...)                                                                                             \
    run((const struct call *const[]){__VA_ARGS__},                                                           \
        sizeof((const struct call *[]){__VA_ARGS__}) / sizeof(void *))

static struct script_outcome out;

static void run_with(const struct call *const *calls, size_t ranks, const char *const *settings)
{
    script_run(calls, (uint32_t)ranks, "hockney", settings, &out);
}

static void run(const struct call *const *calls, size_t ranks)
{
    run_with(calls, ranks, NULL);
    assert_int_equal(out.status, STATUS_OK);
}

/* Two ranks and a message of `bytes` from 0 to 1, with these settings. */
static void one_message(uint64_t bytes, ps_t receiver_computes_ps, const char *const *settings)
{
    struct call sender[] = {SEND(1, 7, bytes), FINALIZE};
    /* at 12 Gflop/s an operation takes 83.33 ps, and 12 operations take 1 ns */
    struct call receiver[] = {COMPUTE((double)receiver_computes_ps * 12 / 1000), RECV(0, 7, bytes), FINALIZE};
    const struct call *const calls[] = {sender, receiver};
    run_with(calls, 2, settings);
    assert_int_equal(out.status, STATUS_OK);
}

static void eager_sender_goes_on_at_once(void **state)
{
    (void)state;
    one_message(1000, 0, NULL);
    assert_int_equal(out.finish[0], 0);
    assert_int_equal(out.finish[1], L + 1000 * BYTE);
    assert_int_equal(out.idle[1], L + 1000 * BYTE);
    assert_int_equal(out.idle_by_cause[CALL_SEND], L + 1000 * BYTE);
}

static void eager_sender_may_wait_for_injection(void **state)
{
    (void)state;
    one_message(1000, 0, (const char *const[]){"mpi.eager_done=injected", NULL});
    assert_int_equal(out.finish[0], 1000 * BYTE);
    assert_int_equal(out.finish[1], L + 1000 * BYTE);
}

static void late_receiver_of_an_eager_message_does_not_wait(void **state)
{
    (void)state;
    one_message(1000, 20 * US, NULL);
    assert_int_equal(out.finish[1], 20 * US);
    assert_int_equal(out.idle[1], 0);
    assert_int_equal(out.messages[0].received, 20 * US);
}

static void threshold_is_inclusive(void **state)
{
    (void)state;
    one_message(65536, 20 * US, NULL);
    assert_int_equal(out.finish[0], 0);
    one_message(65537, 20 * US, NULL);
    assert_int_equal(out.finish[0], 20 * US + L + 65537 * BYTE);
    assert_int_equal(out.finish[1], 20 * US + L + 65537 * BYTE);
}

static void handshakes_cost_a_latency_each(void **state)
{
    (void)state;
    const ps_t data = L + 100000 * BYTE;
    one_message(100000, 0, (const char *const[]){"rendezvous.handshakes=1", NULL});
    assert_int_equal(out.finish[1], L + data);
    assert_int_equal(out.finish[0], L + data);
    one_message(100000, 0, (const char *const[]){"rendezvous.handshakes=2", NULL});
    assert_int_equal(out.finish[1], 2 * L + data);
    assert_int_equal(out.finish[0], 2 * L + data);
    one_message(100000, 0, (const char *const[]){"rendezvous.handshakes=3", NULL});
    assert_int_equal(out.finish[1], 2 * L + data);
    assert_int_equal(out.finish[0], 3 * L + data);
    assert_int_equal(out.message_total, 1);
    /* The request to send has already reached a late receiver. */
    one_message(100000, 20 * US, (const char *const[]){"rendezvous.handshakes=2", NULL});
    assert_int_equal(out.finish[1], 20 * US + L + data);
}

static void synchronous_and_buffered_sends_ignore_the_size(void **state)
{
    (void)state;
    CALLS synchronous[] = {{.op = CALL_SEND, .flags = CALL_SYNCHRONOUS, .peer = 1, .bytes = 10, KEYED},
                           FINALIZE};
    CALLS buffered[] = {{.op = CALL_SEND, .flags = CALL_BUFFERED, .peer = 1, .bytes = 100000, KEYED},
                        FINALIZE};
    CALLS late[] = {COMPUTE(12e4), RECV(0, 0, 100000), FINALIZE};
    RUN(synchronous, late);
    assert_int_equal(out.finish[0], 10 * US + L + 10 * BYTE);
    RUN(buffered, late);
    assert_int_equal(out.finish[0], 0);
    assert_int_equal(out.finish[1], 10 * US > L + 100000 * BYTE ? 10 * US : L + 100000 * BYTE);
}

static void two_eager_exchanges_do_not_deadlock(void **state)
{
    (void)state;
    CALLS left[] = {SEND(1, 1, 100), RECV(1, 1, 100), FINALIZE};
    CALLS right[] = {SEND(0, 1, 100), RECV(0, 1, 100), FINALIZE};
    RUN(left, right);
    assert_int_equal(out.makespan, L + 100 * BYTE);
}

static void two_rendezvous_sends_deadlock_and_say_so(void **state)
{
    (void)state;
    CALLS left[] = {SEND(1, 1, 70000), RECV(1, 1, 70000), FINALIZE};
    CALLS right[] = {COMPUTE(12), SEND(0, 1, 70000), RECV(0, 1, 70000), FINALIZE};
    run_with((const struct call *const[]){left, right}, 2, NULL);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "deadlock"));
    assert_non_null(strstr(out.said, "rank-1.txt:1: note: rank 0 is blocked in send"));
    assert_non_null(strstr(out.said, "rank-2.txt:2: note: rank 1 is blocked in send"));
}

static void requests_complete_in_any_order(void **state)
{
    (void)state;
    CALLS sender[] = {ISEND(1, 1, 70000, 2), ISEND(1, 2, 100, 3), WAIT(3), WAIT(2), FINALIZE};
    CALLS receiver[] = {IRECV(0, 2, 100, 2), IRECV(0, 1, 70000, 3), WAIT(2), WAIT(3), FINALIZE};
    RUN(sender, receiver);
    assert_int_equal(out.messages[0].tag, 2);
    assert_int_equal(out.finish[0], L + 70000 * BYTE);
    assert_int_equal(out.finish[1], L + 70000 * BYTE);
    assert_int_equal(out.idle[1], L + 70000 * BYTE);
}

static void waitall_and_finalize_complete_all_requests(void **state)
{
    (void)state;
    CALLS sender[] = {ISEND(1, 1, 70000, 2), ISEND(1, 2, 80000, 3), WAITALL, SEND(1, 3, 90000), FINALIZE};
    CALLS receiver[] = {IRECV(0, 1, 70000, 2), IRECV(0, 2, 80000, 3), IRECV(0, 3, 90000, 4), FINALIZE};
    RUN(sender, receiver);
    const ps_t second = L + 80000 * BYTE;
    assert_int_equal(out.finish[0], second + L + 90000 * BYTE);
    assert_int_equal(out.finish[1], out.finish[0]);
}

static void same_tag_matches_in_posting_order(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 300), SEND(1, 1, 200), SEND(1, 1, 100), FINALIZE};
    CALLS receiver[] = {RECV(0, 1, 300), RECV(0, 1, 200), RECV(0, 1, 100), FINALIZE};
    RUN(sender, receiver);
    assert_int_equal(out.messages[0].bytes, 300);
    assert_int_equal(out.messages[2].bytes, 100);
    assert_int_equal(out.makespan, L + 300 * BYTE);
}

static void too_small_a_receive_is_an_error(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 5, 300), FINALIZE};
    CALLS receiver[] = {RECV(0, 5, 200), FINALIZE};
    run_with((const struct call *const[]){sender, receiver}, 2, NULL);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "rank 1 has room for 200 bytes"));
    assert_non_null(strstr(out.said, "rank-2.txt:1:"));
}

static void any_source_takes_the_first_to_become_visible(void **state)
{
    (void)state;
    CALLS receiver[] = {COLLECT(CALL_ANY_SOURCE, 1, 1000), COLLECT(CALL_ANY_SOURCE, CALL_ANY_TAG, 1000),
                        FINALIZE};
    CALLS slow[] = {COMPUTE(12e4), POST(0, 1, 10), FINALIZE};   /* 10 us */
    CALLS quick[] = {COMPUTE(6e4), POST(0, 1, 1000), FINALIZE}; /* 5 us */
    RUN(receiver, slow, quick);
    assert_int_equal(out.messages[0].source, 2);
    assert_int_equal(out.messages[0].received, 5 * US + L + 1000 * BYTE);
    assert_int_equal(out.messages[1].source, 1);
    assert_int_equal(out.makespan, 10 * US + L + 10 * BYTE);
}

/* The receive from any source is posted first. It gets the message, although a receive that names the source
 * is posted before the message is visible. */
static void earlier_wildcard_wins_over_later_name(void **state)
{
    (void)state;
    CALLS receiver[] = {{.op = CALL_RECV,
                         .flags = CALL_IMMEDIATE,
                         .slot = 2,
                         .peer = CALL_ANY_SOURCE,
                         .tag = 1,
                         .recv_bytes = 10,
                         .channel = CHANNEL_MAILBOX},
                        {.op = CALL_RECV,
                         .flags = CALL_IMMEDIATE,
                         .slot = 3,
                         .peer = 1,
                         .tag = 1,
                         .recv_bytes = 20,
                         .channel = CHANNEL_MAILBOX},
                        WAIT(2),
                        COMPUTE(12e6),
                        WAIT(3),
                        FINALIZE};
    CALLS sender[] = {POST(0, 1, 10), POST(0, 1, 20), FINALIZE};
    RUN(receiver, sender);
    assert_int_equal(out.messages[0].bytes, 10);
    assert_int_equal(out.makespan, L + 10 * BYTE + 1000 * US);
}

static void wildcards_and_rendezvous(void **state)
{
    (void)state;
    CALLS receiver[] = {COMPUTE(12e4), COLLECT(CALL_ANY_SOURCE, CALL_ANY_TAG, 70000),
                        COLLECT(CALL_ANY_SOURCE, CALL_ANY_TAG, 70000), FINALIZE};
    CALLS sender[] = {POST(0, 1, 70000), POST(0, 2, 10), FINALIZE};
    RUN(receiver, sender);
    assert_int_equal(out.messages[0].tag, 1);
    const ps_t first = 10 * US + L + 70000 * BYTE;
    assert_int_equal(out.finish[0], first + L + 10 * BYTE);
    static const char *const one[] = {"rendezvous.handshakes=1", NULL};
    run_with((const struct call *const[]){receiver, sender}, 2, one);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(out.messages[0].tag, 1);
}

static void ranks_of_one_node_bypass_the_fabric(void **state)
{
    (void)state;
    static const char *const two[] = {"ranks_per_node=2", "intranode.latency=100 ns", NULL};
    one_message(76800, 0, two);
    assert_int_equal(out.finish[1], 100000 + US);   /* 76.8 GB/s: 76800 bytes take 1 us */
    assert_int_equal(out.finish[0], out.finish[1]); /* above the threshold */
}

static void messages_to_oneself_and_to_proc_null(void **state)
{
    (void)state;
    CALLS alone[] = {IRECV(0, 3, 768, 2), SEND(0, 3, 768), WAIT(2),
                     SENDRECV(CALL_PROC_NULL, 10, CALL_PROC_NULL, 10), FINALIZE};
    RUN(alone);
    assert_int_equal(out.makespan, 10000);
    assert_int_equal(out.message_total, 1);
}

static void sendrecv_shifts_a_ring(void **state)
{
    (void)state;
    CALLS a[] = {SENDRECV(1, 70000, 2, 70000), FINALIZE};
    CALLS b[] = {SENDRECV(2, 70000, 0, 70000), FINALIZE};
    CALLS c[] = {SENDRECV(0, 70000, 1, 70000), FINALIZE};
    RUN(a, b, c);
    for (int i = 0; i < 3; i++)
        assert_int_equal(out.finish[i], L + 70000 * BYTE);
}

static void compute_scales(void **state)
{
    (void)state;
    CALLS alone[] = {COMPUTE(12e9), FINALIZE};
    RUN(alone);
    assert_int_equal(out.makespan, PS_PER_S);
    assert_int_equal(out.compute[0], PS_PER_S);
    run_with((const struct call *const[]){alone}, 1,
             (const char *const[]){"compute.rate=1 Gflop/s", "compute.scale=0.5", NULL});
    assert_int_equal(out.makespan, 6 * PS_PER_S);
}

static void time_beyond_its_range_is_refused(void **state)
{
    (void)state;
    CALLS alone[] = {COMPUTE(12e9 * 9e6), COMPUTE(12e9 * 9e6), FINALIZE};
    run_with((const struct call *const[]){alone}, 1, NULL);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "106 days"));
}

static void barrier_is_two_latencies(void **state)
{
    (void)state;
    CALLS quick[] = {COLLECTIVE(CALL_BARRIER, 0, 0), FINALIZE};
    CALLS slow[] = {COMPUTE(12e4), COLLECTIVE(CALL_BARRIER, 0, 0), FINALIZE};
    RUN(quick, quick, slow);
    assert_int_equal(out.message_total, 4);
    assert_int_equal(out.makespan, 10 * US + 2 * L);
    assert_int_equal(out.idle_by_cause[CALL_BARRIER], (L + 2 * L + 2 * L) + 2 * 10 * US);
}

static void non_blocking_collective_progresses_alone(void **state)
{
    (void)state;
    CALLS overlapping[] = {ICOLLECTIVE(CALL_BARRIER, 0, 0, 2), COMPUTE(12e5), WAIT(2), FINALIZE};
    RUN(overlapping, overlapping, overlapping);
    assert_int_equal(out.makespan, 100 * US);
    assert_int_equal(out.idle[0], 0);
}

static void mismatched_collectives_are_an_error(void **state)
{
    (void)state;
    CALLS one[] = {COLLECTIVE(CALL_BARRIER, 0, 0), FINALIZE};
    CALLS other[] = {COLLECTIVE(CALL_BCAST, 8, 0), FINALIZE};
    run_with((const struct call *const[]){one, other}, 2, NULL);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "rank 1 calls bcast"));
    assert_non_null(strstr(out.said, "rank 0 calls barrier"));
}

static void missing_rank_in_a_collective_is_a_deadlock(void **state)
{
    (void)state;
    CALLS one[] = {COLLECTIVE(CALL_BARRIER, 0, 0), FINALIZE};
    CALLS other[] = {FINALIZE};
    run_with((const struct call *const[]){one, other}, 2, NULL);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "1 of 2 ranks are blocked"));
    assert_non_null(strstr(out.said, "rank 0 is blocked in barrier"));
}

static void node_may_have_room_for_any_number_of_ranks(void **state)
{
    (void)state;
    CALLS all[] = {COLLECTIVE(CALL_ALLTOALL, 8, 0), FINALIZE};
    const struct call *const calls[] = {all, all, all, all};
    const char *const settings[] = {"ranks_per_node=4294967296", "mpi.alltoall=leaders", NULL};
    run_with(calls, 4, settings);
    assert_int_equal(out.status, STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eager_sender_goes_on_at_once),
        cmocka_unit_test(eager_sender_may_wait_for_injection),
        cmocka_unit_test(late_receiver_of_an_eager_message_does_not_wait),
        cmocka_unit_test(threshold_is_inclusive),
        cmocka_unit_test(handshakes_cost_a_latency_each),
        cmocka_unit_test(synchronous_and_buffered_sends_ignore_the_size),
        cmocka_unit_test(two_eager_exchanges_do_not_deadlock),
        cmocka_unit_test(two_rendezvous_sends_deadlock_and_say_so),
        cmocka_unit_test(requests_complete_in_any_order),
        cmocka_unit_test(waitall_and_finalize_complete_all_requests),
        cmocka_unit_test(same_tag_matches_in_posting_order),
        cmocka_unit_test(too_small_a_receive_is_an_error),
        cmocka_unit_test(any_source_takes_the_first_to_become_visible),
        cmocka_unit_test(earlier_wildcard_wins_over_later_name),
        cmocka_unit_test(wildcards_and_rendezvous),
        cmocka_unit_test(ranks_of_one_node_bypass_the_fabric),
        cmocka_unit_test(messages_to_oneself_and_to_proc_null),
        cmocka_unit_test(sendrecv_shifts_a_ring),
        cmocka_unit_test(compute_scales),
        cmocka_unit_test(time_beyond_its_range_is_refused),
        cmocka_unit_test(barrier_is_two_latencies),
        cmocka_unit_test(non_blocking_collective_progresses_alone),
        cmocka_unit_test(mismatched_collectives_are_an_error),
        cmocka_unit_test(missing_rank_in_a_collective_is_a_deadlock),
        cmocka_unit_test(node_may_have_room_for_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
