/* The packet fabric in runs: fair shares in closed form, and its limits against hockney. L = 8 us, 80 ps a
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/script.h"

#define US    INT64_C(1000000)
#define L     (8 * US)
#define BYTE  INT64_C(80)
#define CALLS static const struct call

enum { BIG = 1000000 };

static struct script_outcome out;

static void run(const char *fabric, const struct call *const *calls, uint32_t ranks,
                const char *const *settings)
{
    script_run(calls, ranks, fabric, settings, &out);
    assert_int_equal(out.status, STATUS_OK);
}

static void a_message_alone_takes_hockneys_time(void **state)
{
    (void)state;
    CALLS left[] = {SEND(1, 1, BIG), RECV(1, 2, 7), SEND(1, 3, 0), FINALIZE};
    CALLS right[] = {RECV(0, 1, BIG), SEND(0, 2, 7), RECV(0, 3, 0), FINALIZE};
    const struct call *const calls[] = {left, right};
    run("packet", calls, 2, NULL);
    ps_t packet = out.makespan;
    assert_int_equal(packet, 3 * L + (BIG + 7) * BYTE);
    run("hockney", calls, 2, NULL);
    assert_int_equal(packet, out.makespan);
}

static void two_messages_from_one_node_share_its_up_link(void **state)
{
    (void)state;
    CALLS sender[] = {ISEND(1, 1, BIG, 2), ISEND(2, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS receiver[] = {RECV(0, 1, BIG), FINALIZE};
    run("packet", (const struct call *const[]){sender, receiver, receiver}, 3, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(out.finish[i], L + 2 * BIG * BYTE);
}

static void a_short_one_leaves_its_share_to_the_long_one(void **state)
{
    (void)state;
    CALLS sender[] = {ISEND(1, 1, 3 * BIG, 2), ISEND(2, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS far[] = {RECV(0, 1, 3 * BIG), FINALIZE};
    CALLS near[] = {RECV(0, 1, BIG), FINALIZE};
    run("packet", (const struct call *const[]){sender, far, near}, 3, NULL);
    assert_int_equal(out.finish[2], L + 2 * BIG * BYTE); /* until then each has half the rate */
    assert_int_equal(out.finish[1], L + 4 * BIG * BYTE); /* the link was never idle */
}

/* Three nodes send to one: each gets a third of the down link. The first sender's other message gets the
 * remaining two thirds of its up link. That is max-min fair; equal shares of the up link would not be. */
static void bandwidth_that_one_flow_cannot_use_goes_to_others(void **state)
{
    (void)state;
    CALLS first[] = {ISEND(3, 1, BIG, 2), ISEND(4, 1, 2 * BIG, 3), WAITALL, FINALIZE};
    CALLS other[] = {SEND(3, 1, BIG), FINALIZE};
    CALLS hot[] = {IRECV(0, 1, BIG, 2), IRECV(1, 1, BIG, 3), IRECV(2, 1, BIG, 4), WAITALL, FINALIZE};
    CALLS cold[] = {RECV(0, 1, 2 * BIG), FINALIZE};
    run("packet", (const struct call *const[]){first, other, other, hot, cold}, 5, NULL);
    /* A third of the bandwidth is no whole number of the solver's units. The error is one picosecond at
     * most. */
    assert_in_range(out.finish[3], L + 3 * BIG * BYTE, L + 3 * BIG * BYTE + 1);
    assert_in_range(out.finish[4], L + 3 * BIG * BYTE, L + 3 * BIG * BYTE + 1);
}

static void directions_are_apart_unless_half_duplex(void **state)
{
    (void)state;
    CALLS left[] = {IRECV(1, 1, BIG, 2), ISEND(1, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS right[] = {IRECV(0, 1, BIG, 2), ISEND(0, 1, BIG, 3), WAITALL, FINALIZE};
    const struct call *const calls[] = {left, right};
    run("packet", calls, 2, NULL);
    assert_int_equal(out.makespan, L + BIG * BYTE);
    run("packet", calls, 2, (const char *const[]){"packet.duplex=half", NULL});
    assert_int_equal(out.makespan, L + 2 * BIG * BYTE);
}

static void a_rendezvous_holds_nothing_while_it_waits(void **state)
{
    (void)state;
    CALLS sender[] = {ISEND(1, 1, BIG, 2), ISEND(2, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS late[] = {COMPUTE(12e6), RECV(0, 1, BIG), FINALIZE}; /* 1 ms */
    CALLS ready[] = {RECV(0, 1, BIG), FINALIZE};
    run("packet", (const struct call *const[]){sender, late, ready}, 3, NULL);
    assert_int_equal(out.finish[2], L + BIG * BYTE);
    assert_int_equal(out.finish[1], 1000 * US + L + BIG * BYTE);
}

/* With ordered injection, messages from one node leave one after another, even a short one after a long
 * one. */
static void messages_of_one_pair_follow_each_other(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 60000), SEND(1, 2, 0), SEND(1, 3, 50000), FINALIZE};
    CALLS receiver[] = {IRECV(0, 1, 60000, 2), IRECV(0, 2, 0, 3), IRECV(0, 3, 50000, 4), WAITALL, FINALIZE};
    run("packet", (const struct call *const[]){sender, receiver}, 2, NULL);
    assert_int_equal(out.messages[0].received, L + 60000 * BYTE);
    assert_int_equal(out.messages[1].received, L + 60000 * BYTE);
    assert_int_equal(out.messages[2].received, L + 110000 * BYTE);
}

static void ordered_injection_is_one_after_another(void **state)
{
    (void)state;
    static const char *const ordered[] = {"packet.injection=ordered", NULL};
    CALLS sender[] = {ISEND(1, 1, BIG, 2), ISEND(2, 1, BIG, 3), ISEND(2, 2, BIG, 4), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS two[] = {RECV(0, 1, BIG), RECV(0, 2, BIG), FINALIZE};
    run("packet", (const struct call *const[]){sender, one, two}, 3, ordered);
    assert_int_equal(out.messages[0].received, L + BIG * BYTE);
    assert_int_equal(out.messages[1].received, L + 2 * BIG * BYTE);
    assert_int_equal(out.messages[2].received, 2 * L + 3 * BIG * BYTE);

    /* Messages leave in the order in which they become ready. A rendezvous with a late receiver lets others
     * pass. */
    CALLS late[] = {COMPUTE(12e6), RECV(0, 1, BIG), FINALIZE};
    run("packet", (const struct call *const[]){sender, late, two}, 3, ordered);
    assert_int_equal(out.finish[1], 1000 * US + L + BIG * BYTE);
    assert_int_equal(out.messages[0].received, L + BIG * BYTE);
}

/* A linear alltoall of equal blocks keeps every link busy from the first to the last byte. */
static void alltoall_takes_what_its_links_take(void **state)
{
    (void)state;
    enum { RANKS = 16 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 8192, 0), FINALIZE};
    const struct call *calls[RANKS];
    for (int i = 0; i < RANKS; i++)
        calls[i] = every;
    run("packet", calls, RANKS, NULL);
    assert_int_equal(out.message_total, RANKS * (RANKS - 1));
    /* 12.5 GB/s / 15 is no whole number of the solver's units: the remainder costs less than a nanosecond */
    assert_in_range(out.makespan, L + (RANKS - 1) * 8192 * BYTE, L + (RANKS - 1) * 8192 * BYTE + 1000);
    run("hockney", calls, RANKS, NULL);
    assert_int_equal(out.makespan, L + 8192 * BYTE);
    run("ideal", calls, RANKS, NULL);
    assert_int_equal(out.makespan, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_alone_takes_hockneys_time),
        cmocka_unit_test(two_messages_from_one_node_share_its_up_link),
        cmocka_unit_test(a_short_one_leaves_its_share_to_the_long_one),
        cmocka_unit_test(bandwidth_that_one_flow_cannot_use_goes_to_others),
        cmocka_unit_test(directions_are_apart_unless_half_duplex),
        cmocka_unit_test(a_rendezvous_holds_nothing_while_it_waits),
        cmocka_unit_test(messages_of_one_pair_follow_each_other),
        cmocka_unit_test(ordered_injection_is_one_after_another),
        cmocka_unit_test(alltoall_takes_what_its_links_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
