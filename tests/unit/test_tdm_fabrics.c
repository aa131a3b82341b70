/* The TDM fabrics in runs, slot by slot: slots of 1 us and 1000 B, control packets of 1 us transmission and 1
 * us processing, no random waits (tdm.retry=1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/tdm/tdm.h"
#include "support/parts.h"
#include "support/script.h"

#define US    INT64_C(1000000)
#define CALLS static const struct call

static struct script_outcome out;
static struct tdm_statistics seen;

static void look(void *self, struct fabric *fabric)
{
    (void)self;
    seen = *(const struct tdm_statistics *)fabric->ops->statistics(fabric);
}

/* `settings` follow those that all runs share. They are at most 8, and end with NULL. */
static enum status run(const char *fabric, const struct call *const *calls, uint32_t ranks,
                       const char *const *settings)
{
    const char *all[16] = {"tdm.slot_time=1us", "tdm.slot_bytes=1000B", "tdm.retry=1"};
    for (size_t i = 0; settings[i]; i++)
        all[3 + i] = settings[i];
    script_visit = look;
    script_run(calls, ranks, fabric, all, &out);
    script_visit = NULL;
    return out.status;
}

static const char *parts_of(const char *fabric, const struct call *const *calls, uint32_t ranks,
                            const char *const *settings)
{
    parts_forget();
    parts_unit = US;
    script_part_handler.handle = parts_add;
    assert_int_equal(run(fabric, calls, ranks, settings), STATUS_OK);
    script_part_handler.handle = NULL;
    return parts_said;
}

static ps_t received_from(uint32_t source)
{
    ps_t at = 0;
    for (size_t i = 0; i < out.message_count; i++)
        if (out.messages[i].source == source)
            at = ps_max(at, out.messages[i].received);
    return at;
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---------------------------------------------------------------- compiled */

static void a_message_takes_a_slot_of_each_cycle(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(1, 1, 2500, 2), ISEND(2, 1, 10, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 2500), FINALIZE};
    CALLS two[] = {RECV(0, 1, 10), FINALIZE};
    const struct call *const calls[] = {zero, one, two};
    assert_int_equal(run("tdm-compiled", calls, 3, SETTINGS("topology=linear:3")), STATUS_OK);
    assert_int_equal(seen.degree, 2);
    assert_int_equal(seen.reconfigurations, 1);
    /* Registers are loaded in slots 0 and 1. The longer connection, to 2, has the even slots; the one to 1
     * has the odd slots. The first message begins in slot 3 and takes slots 3, 5, 7. The second can begin in
     * slot 3 at the earliest and takes slot 4. */
    assert_int_equal(out.finish[1], 8 * US);
    assert_int_equal(out.finish[2], 5 * US);
    assert_int_equal(seen.data_slots, 4);
    assert_int_equal(seen.waited, 3 * US + 4 * US);
}

/* Two messages of one connection use its slots one after the other. */
static void messages_of_a_connection_queue(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(1, 1, 2000, 2), ISEND(1, 2, 1000, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 2000), RECV(0, 2, 1000), FINALIZE};
    const struct call *const calls[] = {zero, one};
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS("topology=linear:2")), STATUS_OK);
    assert_int_equal(out.finish[1], 4 * US); /* slot 0 loads registers; slots 1, 2 and 3 carry data */
}

/* The message of the second phase waits 10 us until the broadcast, which is the first phase, has ended. Then
 * it waits one slot for its registers. */
static void phases_wait_for_their_registers(void **state)
{
    (void)state;
    CALLS zero[] = {COLLECTIVE(CALL_BCAST, 8, 0), FINALIZE};
    CALLS one[] = {COLLECTIVE(CALL_BCAST, 8, 0), SEND(2, 1, 10), FINALIZE};
    CALLS two[] = {COLLECTIVE(CALL_BCAST, 8, 0), RECV(1, 1, 10), FINALIZE};
    const struct call *const calls[] = {zero, one, two};
    const char *const *settings = SETTINGS("topology=linear:3", "tdm.reconfiguration=10us");
    assert_int_equal(run("tdm-compiled", calls, 3, settings), STATUS_OK);
    assert_int_equal(seen.reconfigurations, 2);
    assert_int_equal(out.finish[2], received_from(0) + (10 + 1 + 1) * US);
    assert_int_equal(run("tdm-compiled", calls, 3, SETTINGS("topology=linear:3", "tdm.schedule=program")),
                     STATUS_OK);
    assert_int_equal(seen.reconfigurations, 1);
}

static void the_same_pattern_again_costs_nothing(void **state)
{
    (void)state;
    CALLS zero[] = {COLLECTIVE(CALL_BCAST, 8, 0), COLLECTIVE(CALL_BCAST, 8, 0), FINALIZE};
    const struct call *const calls[] = {zero, zero};
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS("topology=linear:2")), STATUS_OK);
    assert_int_equal(seen.reconfigurations, 1);
    assert_int_equal(out.makespan, 3 * US);
}

static void messages_that_are_not_the_programs_are_refused_or_embedded(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(1, 1, 100000), FINALIZE};
    CALLS one[] = {RECV(0, 1, 100000), FINALIZE};
    const struct call *const calls[] = {zero, one};
    const char *handshakes = "rendezvous.handshakes=2", *topology = "topology=linear:2";
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS(topology, handshakes)), STATUS_FAILED);
    assert_non_null(strstr(out.said, "the handshake from node 0 to node 1 is in no phase"));
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS(topology, handshakes, "tdm.schedule=program")),
                     STATUS_FAILED);
    assert_non_null(strstr(out.said, "no connection from node 1 to node 0 is scheduled"));
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS(topology, handshakes, "tdm.schedule=all-to-all")),
                     STATUS_OK);
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS(topology, handshakes, "tdm.schedule=logical")),
                     STATUS_OK);
}

/* Phases that have a connection for each handshake: they would end before their last message. */
static void handshakes_are_refused_where_they_have_connections(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(1, 1, 100000), RECV(1, 2, 100000), FINALIZE};
    CALLS one[] = {RECV(0, 1, 100000), SEND(0, 2, 100000), FINALIZE};
    const struct call *const calls[] = {zero, one};
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS("topology=linear:2", "rendezvous.handshakes=1")),
                     STATUS_FAILED);
    assert_non_null(strstr(out.said, "is in no phase"));
    assert_int_equal(run("tdm-compiled", calls, 2, SETTINGS("topology=linear:2", "rendezvous.handshakes=0")),
                     STATUS_OK);
}

/* From 0 to 3 of a square: two hops. The second hop begins when the first has ended. */
static void a_logical_topology_takes_hops(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(3, 1, 10), FINALIZE};
    CALLS nobody[] = {FINALIZE};
    CALLS three[] = {RECV(0, 1, 10), FINALIZE};
    const struct call *const calls[] = {zero, nobody, nobody, three};
    assert_int_equal(run("tdm-compiled", calls, 4,
                         SETTINGS("topology=crossbar:4", "tdm.schedule=logical", "tdm.forwarding=7us")),
                     STATUS_OK);
    assert_int_equal(seen.degree, 2); /* each node has two neighbours */
    assert_int_equal(seen.hops, 2);
    assert_true(out.makespan >= (2 + 1 + 7 + 1) * US && out.makespan <= (2 + 2 + 7 + 2) * US);
    assert_int_equal(run("tdm-compiled", calls, 4,
                         SETTINGS("topology=crossbar:4", "tdm.schedule=logical", "tdm.logical=torus:3")),
                     STATUS_BAD_INPUT);
    const struct call *const three_ranks[] = {nobody, nobody, nobody};
    assert_int_equal(run("tdm-compiled", three_ranks, 3, SETTINGS("tdm.schedule=logical")), STATUS_BAD_INPUT);
}

/* ----------------------------------------------------------------- dynamic */

/* 1 us of waiting, three hops of 2 us in each direction, two slots of data. The release takes three hops
 * more. */
static void a_path_is_reserved_and_released(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(3, 1, 2000), FINALIZE};
    CALLS nobody[] = {FINALIZE};
    CALLS three[] = {RECV(0, 1, 2000), FINALIZE};
    const struct call *const calls[] = {zero, nobody, nobody, three};
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS("topology=linear:4", "tdm.degree=1")), STATUS_OK);
    assert_int_equal(out.finish[3], (1 + 6 + 6 + 2) * US);
    assert_int_equal(seen.released, (1 + 6 + 6 + 2 + 6) * US);
    assert_int_equal(seen.retransmissions, 0);
    /* The control plane is ten times faster. Data begin at the next slot. */
    assert_int_equal(run("tdm-dynamic", calls, 4,
                         SETTINGS("topology=linear:4", "tdm.degree=1", "tdm.control_time=100ns",
                                  "tdm.control_processing=100ns")),
                     STATUS_OK);
    assert_int_equal(out.finish[3], (2 + 2) * US);
}

/* Two nodes send to one. With one channel one of them finds the last link reserved; with two channels it does
 * not. */
static void a_request_without_a_channel_tries_again(void **state)
{
    (void)state;
    CALLS sender[] = {SEND(1, 1, 20000), FINALIZE};
    CALLS middle[] = {IRECV(0, 1, 20000, 2), IRECV(2, 1, 20000, 3), WAITALL, FINALIZE};
    const struct call *const calls[] = {sender, middle, sender};
    assert_int_equal(run("tdm-dynamic", calls, 3, SETTINGS("topology=linear:3", "tdm.degree=1")), STATUS_OK);
    assert_true(seen.retransmissions > 0);
    assert_int_equal(received_from(0), (1 + 2 + 2 + 20) * US);
    assert_true(received_from(2) >= received_from(0) + 20 * US);
    assert_int_equal(run("tdm-dynamic", calls, 3, SETTINGS("topology=linear:3", "tdm.degree=2")), STATUS_OK);
    assert_int_equal(seen.retransmissions, 0);
    assert_true(out.makespan >= (5 + 39) * US && out.makespan <= (5 + 41) * US);
}

/* On a ring each of four nodes takes its first link at the same time, and finds the second one taken. */
static void requests_that_fail_one_another_end_the_run(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(2, 1, 1000, 1), RECV(2, 1, 1000), WAITALL, FINALIZE};
    CALLS one[] = {ISEND(3, 1, 1000, 1), RECV(3, 1, 1000), WAITALL, FINALIZE};
    CALLS two[] = {ISEND(0, 1, 1000, 1), RECV(0, 1, 1000), WAITALL, FINALIZE};
    CALLS three[] = {ISEND(1, 1, 1000, 1), RECV(1, 1, 1000), WAITALL, FINALIZE};
    const struct call *const calls[] = {zero, one, two, three};
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS("topology=ring:4,tie=plus", "tdm.degree=1")),
                     STATUS_FAILED);
    assert_int_equal(
        run("tdm-dynamic", calls, 4, SETTINGS("topology=ring:4,tie=plus", "tdm.degree=1", "tdm.retry=2")),
        STATUS_OK);
}

/* The next reservation begins when the path of the previous one is complete, before its data have ended. */
static void a_node_reserves_while_it_sends(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(1, 1, 50000, 2), ISEND(2, 1, 1000, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 50000), FINALIZE};
    CALLS two[] = {RECV(0, 1, 1000), FINALIZE};
    const struct call *const calls[] = {zero, one, two};
    assert_int_equal(run("tdm-dynamic", calls, 3, SETTINGS("topology=linear:3", "tdm.degree=2")), STATUS_OK);
    assert_true(out.finish[2] < 20 * US);
    assert_true(out.finish[1] > 100 * US);
}

/* Channel 0 of two carries control, so each control packet waits for an even slot. It crosses the link in
 * slot 2 and is processed at 4. It returns in slot 4 and is processed at 6. Data go in slot 7. */
static void control_may_take_a_channel(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(1, 1, 10), FINALIZE};
    CALLS one[] = {RECV(0, 1, 10), FINALIZE};
    const struct call *const calls[] = {zero, one};
    assert_int_equal(
        run("tdm-dynamic", calls, 2, SETTINGS("topology=linear:2", "tdm.degree=2", "tdm.control=channel")),
        STATUS_OK);
    assert_int_equal(out.makespan, 8 * US);
    assert_int_equal(
        run("tdm-dynamic", calls, 2, SETTINGS("topology=linear:2", "tdm.degree=1", "tdm.control=channel")),
        STATUS_BAD_INPUT);
}

/* The readings of the protocol that the paper leaves open, one after the other. The links of the nodes take
 * as long as the three hops do: five links of 2 us in each direction. With two channels the lowest one has
 * even slots: 13 us becomes slot 14, and the second slot of data is two slots later. */
static void the_protocol_has_readings(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(3, 1, 2000), FINALIZE};
    CALLS nobody[] = {FINALIZE};
    CALLS three[] = {RECV(0, 1, 2000), FINALIZE};
    const struct call *const calls[] = {zero, nobody, nobody, three};
#define LINE "topology=linear:4"
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS(LINE, "tdm.degree=1", "tdm.control_links=all")),
                     STATUS_OK);
    assert_int_equal(out.finish[3], (1 + 10 + 10 + 2) * US);
    assert_int_equal(seen.released, (1 + 10 + 10 + 2 + 10) * US);
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS(LINE, "tdm.degree=1", "tdm.wait=failure")),
                     STATUS_OK);
    assert_int_equal(out.finish[3], (6 + 6 + 2) * US);
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS(LINE, "tdm.degree=1", "tdm.release=immediate")),
                     STATUS_OK);
    assert_int_equal(seen.released, (1 + 6 + 6 + 2) * US);
    assert_int_equal(run("tdm-dynamic", calls, 4, SETTINGS(LINE, "tdm.degree=2", "tdm.pick=lowest")),
                     STATUS_OK);
    assert_int_equal(out.finish[3], (14 + 3) * US);
}

/* A path that is released at once is free for the next message, whose wait passes while data go. */
static void a_path_released_at_once_is_free(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(2, 1, 1000, 2), ISEND(2, 2, 1000, 3), WAITALL, FINALIZE};
    CALLS nobody[] = {FINALIZE};
    CALLS two[] = {IRECV(0, 1, 1000, 2), IRECV(0, 2, 1000, 3), WAITALL, FINALIZE};
    const struct call *const calls[] = {zero, nobody, two};
    assert_int_equal(
        run("tdm-dynamic", calls, 3, SETTINGS("topology=linear:3", "tdm.degree=1", "tdm.release=immediate")),
        STATUS_OK);
    assert_int_equal(seen.retransmissions, 0);
    assert_int_equal(out.finish[2], (2 * (1 + 4 + 4) + 1) * US);
}

/* Parts of messages as in the tests above: the phase's registers, the node's turn, the slot. */
static void compiled_messages_tell_their_parts(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(1, 1, 2500, 2), ISEND(2, 1, 10, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 2500), FINALIZE};
    CALLS two[] = {RECV(0, 1, 10), FINALIZE};
    const struct call *const calls[] = {zero, one, two};
    assert_string_equal(parts_of("tdm-compiled", calls, 3, SETTINGS("topology=linear:3")),
                        "0 switch 0-2 the registers of phase 0\n"
                        "0 queue 2-3 its slot at node 0\n"
                        "0 transfer 3-8\n"
                        "1 switch 0-2 the registers of phase 0\n"
                        "1 queue 2-3 messages sent before it by node 0\n"
                        "1 queue 3-4 its slot at node 0\n"
                        "1 transfer 4-5\n");
}

/* The second message finds its node's channel reserved until the first has been sent. It tries every
 * microsecond. */
static void reserved_messages_tell_their_parts(void **state)
{
    (void)state;
    CALLS zero[] = {ISEND(1, 1, 3000, 2), ISEND(1, 2, 1000, 3), WAITALL, FINALIZE};
    CALLS one[] = {RECV(0, 1, 3000), RECV(0, 2, 1000), FINALIZE};
    const struct call *const calls[] = {zero, one};
    assert_string_equal(parts_of("tdm-dynamic", calls, 2, SETTINGS("topology=linear:2", "tdm.degree=1")),
                        "0 acquire 0-1 its first try at node 0\n"
                        "0 acquire 1-3 channels to node 1\n"
                        "0 switch 3-5 channels to node 1\n"
                        "0 transfer 5-8\n"
                        "1 queue 0-5 messages sent before it by node 0\n"
                        "1 acquire 5-6 its first try at node 0\n"
                        "1 queue 6-7 its next try at node 0\n"
                        "1 queue 7-8 its next try at node 0\n"
                        "1 queue 8-9 its next try at node 0\n"
                        "1 acquire 9-11 channels to node 1\n"
                        "1 switch 11-13 channels to node 1\n"
                        "1 transfer 13-14\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_takes_a_slot_of_each_cycle),
        cmocka_unit_test(messages_of_a_connection_queue),
        cmocka_unit_test(phases_wait_for_their_registers),
        cmocka_unit_test(the_same_pattern_again_costs_nothing),
        cmocka_unit_test(messages_that_are_not_the_programs_are_refused_or_embedded),
        cmocka_unit_test(handshakes_are_refused_where_they_have_connections),
        cmocka_unit_test(a_logical_topology_takes_hops),
        cmocka_unit_test(a_path_is_reserved_and_released),
        cmocka_unit_test(a_request_without_a_channel_tries_again),
        cmocka_unit_test(requests_that_fail_one_another_end_the_run),
        cmocka_unit_test(a_node_reserves_while_it_sends),
        cmocka_unit_test(control_may_take_a_channel),
        cmocka_unit_test(the_protocol_has_readings),
        cmocka_unit_test(a_path_released_at_once_is_free),
        cmocka_unit_test(compiled_messages_tell_their_parts),
        cmocka_unit_test(reserved_messages_tell_their_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
