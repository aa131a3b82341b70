/* The packet fabric with failed and slow links: closed forms, from the beginning and at a time; and slow
 * nodes. L = 8 us, 80 ps a byte, 100 ns a hop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/script.h"
#include "topo/faults.h"

#define US    INT64_C(1000000)
#define L     (8 * US)
#define HOP   INT64_C(100000)
#define BYTE  INT64_C(80)
#define CALLS static const struct call

enum { BIG = 1000000 };

static struct script_outcome out;

static void run(const struct call *const *calls, uint32_t ranks, const char *const *settings)
{
    script_run(calls, ranks, "packet", settings, &out);
    if (out.status != STATUS_OK)
        fail_msg("%s", out.said);
}

CALLS idle[] = {FINALIZE};

/* All ranks do the same. */
static void run_all(const struct call *every, uint32_t ranks, const char *const *settings)
{
    const struct call *calls[SCRIPT_RANKS];
    for (uint32_t i = 0; i < ranks; i++)
        calls[i] = every;
    run(calls, ranks, settings);
}

/* With no fault, and where all that fails comes too late, the times are the same. */
static void no_fault_changes_nothing(void **state)
{
    (void)state;
    enum { RANKS = 16 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 9000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    static const char *const topologies[] = {"topology=torus:4x4", "topology=fattree:4x2",
                                             "topology=dragonfly:1x4x2", "topology=crossbar:16"};
    static const char *const routings[] = {"packet.routing=fixed", "packet.routing=adaptive",
                                           "packet.routing=valiant"};
    for (int i = 0; i < 12; i++) {
        const char *topology = topologies[i / 3], *routing = routings[i % 3];
        ps_t finish[RANKS];
        run_all(every, RANKS, (const char *const[]){topology, routing, NULL});
        memcpy(finish, out.finish, sizeof finish);
        run_all(every, RANKS,
                (const char *const[]){topology, routing, "faults.link_share=0", "faults.at=3us", NULL});
        assert_memory_equal(finish, out.finish, sizeof finish);
        run_all(every, RANKS,
                (const char *const[]){topology, routing, "faults.link_share=0.3", "faults.at=1s", NULL});
        assert_memory_equal(finish, out.finish, sizeof finish);
    }
}

/* On a ring of n the message to a neighbour takes n - 1 hops the other way round. */
static void a_message_goes_the_other_way_round(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_1, from_0, idle, idle, idle, idle, idle};
    run(calls, 7, (const char *const[]){"topology=ring:7", NULL});
    assert_int_equal(out.makespan, L + HOP + BIG * BYTE);
    run(calls, 7, (const char *const[]){"topology=ring:7", "faults.links=(0)>(1)", NULL});
    assert_int_equal(out.makespan, L + 6 * HOP + BIG * BYTE);
}

/* Two leaves of 12 nodes and 4 spines; all links between switches are full when all nodes of a leaf send to
 * all of the other. With one link less, the time of the data is k / (k - 1) times as long. */
static void a_lost_spine_link_costs_its_share(void **state)
{
    (void)state;
    enum { NODES = 24, HALF = 12, BYTES = 60000 };
    static struct call sends[HALF][HALF + 2], receives[HALF][HALF + 2];
    const struct call *calls[NODES];
    for (int i = 0; i < HALF; i++) {
        for (int k = 0; k < HALF; k++) {
            sends[i][k] = (struct call)ISEND(HALF + k, 1, BYTES, k);
            receives[i][k] = (struct call)IRECV(k, 1, BYTES, k);
        }
        sends[i][HALF] = receives[i][HALF] = (struct call)WAITALL;
        sends[i][HALF + 1] = receives[i][HALF + 1] = (struct call)FINALIZE;
        calls[i] = sends[i];
        calls[HALF + i] = receives[i];
    }
    const char *topology = "topology=leafspine:2x4x12,rates=100GB/s+12.5GB/s";
    run(calls, NODES, (const char *const[]){topology, NULL});
    assert_in_range(out.makespan, L + 2 * HOP + 36 * BYTES * BYTE, L + 2 * HOP + 36 * BYTES * BYTE + 100);
    run(calls, NODES, (const char *const[]){topology, "faults.links=0:0>1:3", NULL});
    assert_in_range(out.makespan, L + 2 * HOP + 48 * BYTES * BYTE, L + 2 * HOP + 48 * BYTES * BYTE + 100);
    run(calls, NODES,
        (const char *const[]){topology, "faults.links=0:0>1:3", "packet.routing=adaptive", NULL});
    assert_in_range(out.makespan, L + 2 * HOP + 48 * BYTES * BYTE, L + 2 * HOP + 48 * BYTES * BYTE + 100);
}

static void a_slow_link_is_slow(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    run((const struct call *const[]){to_1, from_0}, 2,
        (const char *const[]){"topology=ring:4", "faults.slow_links=(0)>(1)", "faults.slow_rate=0.25", NULL});
    assert_int_equal(out.makespan, L + HOP + 4 * BIG * BYTE);
    run((const struct call *const[]){to_1, from_0}, 2, /* without a topology: a NIC at half its rate */
        (const char *const[]){"faults.slow_links=1>crossbar", NULL});
    assert_int_equal(out.makespan, L + 2 * BIG * BYTE);
}

/* ---------------------------------------------------------------- at a time */

/* Of 80 us of data, 20 us go by the short way. The rest goes the other way round, where it meets another
 * message, which so far was alone: both have half a link from then on. */
static void a_flow_is_rerouted(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS from_3[] = {RECV(3, 1, BIG), FINALIZE};
    static const char *const settings[] = {"topology=ring:4", "faults.links=(0)>(1)", "faults.at=20us", NULL};
    run((const struct call *const[]){to_1, from_0, idle, idle}, 4, settings);
    assert_int_equal(out.makespan, L + 3 * HOP + BIG * BYTE);
    run((const struct call *const[]){to_1, from_0, from_3, to_2}, 4, settings);
    assert_int_equal(out.finish[2], L + HOP + 20 * US + 2 * 60 * US);
    assert_int_equal(out.finish[1], L + 3 * HOP + 20 * US + 2 * 60 * US);
    run((const struct call *const[]){to_1, from_0, from_3, to_2}, 4,
        (const char *const[]){"topology=ring:4", NULL});
    assert_int_equal(out.finish[2], L + HOP + BIG * BYTE);
}

/* Messages of one pair that follow each other, before the failure, across it and after it. */
static void messages_that_wait_are_rerouted(void **state)
{
    (void)state;
    CALLS to_1[] = {
        ISEND(1, 1, BIG, 1), ISEND(1, 2, BIG, 2), ISEND(1, 3, 0, 3), WAITALL, SEND(1, 4, BIG), FINALIZE};
    CALLS from_0[] = {
        IRECV(0, 1, BIG, 1), IRECV(0, 2, BIG, 2), IRECV(0, 3, 0, 3), WAITALL, RECV(0, 4, BIG), FINALIZE};
    static const char *const settings[] = {"topology=ring:4", "faults.links=(0)>(1)", "faults.at=90us",
                                           "packet.duplex=half", NULL};
    run((const struct call *const[]){to_1, from_0}, 2, settings);
    assert_int_equal(out.message_count, 4);
    assert_int_equal(out.messages[1].received, L + HOP + BIG * BYTE);
    assert_int_equal(out.makespan, 2 * (L + 3 * HOP) + 3 * BIG * BYTE);
}

/* It stands still until there are new routes; so does a message that is sent meanwhile. What goes the other
 * way round gets the whole link meanwhile. */
static void a_flow_waits_for_its_route(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS late[] = {COMPUTE(12 * 30000), SEND(1, 1, BIG), FINALIZE}; /* 30 us */
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS from_3[] = {RECV(3, 1, BIG), FINALIZE};
    static const char *const settings[] = {"topology=ring:4", "faults.links=(0)>(1)", "faults.at=20us",
                                           "faults.reroute=25us", NULL};
    const ps_t alone = L + 3 * HOP + 25 * US + BIG * BYTE;
    run((const struct call *const[]){to_1, from_0, idle, idle}, 4, settings);
    assert_in_range(out.makespan, alone - 1, alone);
    run((const struct call *const[]){late, from_0, idle, idle}, 4, settings);
    assert_in_range(out.makespan, L + 3 * HOP + 45 * US + BIG * BYTE - 1, L + 3 * HOP + 45 * US + BIG * BYTE);
    run((const struct call *const[]){to_1, from_0, from_3, to_2}, 4, settings); /* 45 us of 80 us are alone */
    assert_in_range(out.finish[2], L + HOP + 45 * US + 2 * 35 * US - 1, L + HOP + 45 * US + 2 * 35 * US + 1);
    assert_in_range(out.finish[1], L + 3 * HOP + 115 * US + 25 * US - 1,
                    L + 3 * HOP + 115 * US + 25 * US + 1);
}

static void a_link_becomes_slow(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), SEND(1, 2, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), RECV(0, 2, BIG), FINALIZE};
    static const char *const settings[] = {"topology=ring:4", "faults.slow_links=(0)>(1)",
                                           "faults.slow_rate=0.1", "faults.at=20us", NULL};
    run((const struct call *const[]){to_1, from_0}, 2, settings);
    assert_int_equal(out.messages[0].received, L + HOP + 20 * US + 10 * 60 * US);
    assert_int_equal(out.makespan, 2 * (L + HOP) + 20 * US + 10 * 140 * US);
}

/* All flows are taken off their links and put on again, with no other rate: what remains of rounding is less
 * than a picosecond a flow. */
static void taking_off_and_on_loses_nothing(void **state)
{
    (void)state;
    enum { RANKS = 16 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 90000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    static const char *const topologies[] = {"topology=torus:4x4", "topology=fattree:4x2",
                                             "topology=dragonfly:1x4x2", "topology=mesh:4x4"};
    static const char *const times[] = {"faults.at=1us", "faults.at=17us", "faults.at=60us",
                                        "faults.at=130us"};
    for (int i = 0; i < 16; i++) {
        ps_t finish[RANKS];
        const char *routing = i % 3 ? "packet.routing=fixed" : "packet.routing=ecmp";
        run_all(every, RANKS, (const char *const[]){topologies[i / 4], routing, NULL});
        memcpy(finish, out.finish, sizeof finish);
        run_all(every, RANKS,
                (const char *const[]){topologies[i / 4], routing, times[i % 4], "faults.slow_link_share=1",
                                      "faults.slow_rate=1", NULL});
        for (int rank = 0; rank < RANKS; rank++)
            assert_in_range(out.finish[rank], finish[rank] - 1000, finish[rank] + 1000);
    }
}

/* ------------------------------------------------------------ several times */

CALLS one_to_1[] = {SEND(1, 1, BIG), FINALIZE};
CALLS one_from_0[] = {RECV(0, 1, BIG), FINALIZE};
CALLS one_to_2[] = {SEND(2, 1, BIG), FINALIZE};
CALLS one_from_3[] = {RECV(3, 1, BIG), FINALIZE};

/* From 20 to 50 us it goes the other way round, where it shares a link with another message: of 80 us of data
 * both have moved 35 us then, and 45 us are left. */
static void a_flow_goes_back_after_the_repair(void **state)
{
    (void)state;
    const struct call *const calls[] = {one_to_1, one_from_0, one_from_3, one_to_2};
    static const char *const ways[][4] = {
        {"topology=ring:4", "faults.events=20us fail (0)>(1); 50 us repair (1)>(0)", NULL},
        {"topology=ring:4", "faults.events= 50us  repair (0)>(1);;20us fail (0)>(1) ;", NULL},
        {"topology=ring:4", "faults.links=(0)>(1)", "faults.at=20us", "faults.repair=30us"},
    };
    for (int i = 0; i < 3; i++) {
        run(calls, 4,
            (const char *const[]){ways[i][0], ways[i][1], ways[i][2], i == 2 ? ways[i][3] : NULL, NULL});
        assert_int_equal(out.finish[1], L + HOP + 95 * US);
        assert_int_equal(out.finish[2], L + HOP + 95 * US);
    }
    run(calls, 4,
        (const char *const[]){"topology=ring:4", "faults.events=20us slow (0)>(1); 50us repair (0)>(1)",
                              "faults.slow_rate=50%", NULL});
    assert_int_equal(out.finish[1], L + HOP + 95 * US);
    assert_int_equal(out.finish[2], L + HOP + 80 * US);
    run(calls, 4, /* what failed before the run; the first 50 us are shared */
        (const char *const[]){"topology=ring:4", "faults.links=(0)>(1)", "faults.repair=50us", NULL});
    assert_int_equal(out.finish[1], L + HOP + 105 * US);
    run(calls, 4, /* twice; from 60 to 70 us again */
        (const char *const[]){"topology=ring:4", "faults.links=(0)>(1)", "faults.at=20us",
                              "faults.repair=30us", "faults.events=60us fail (0)>(1); 70us repair (0)>(1)",
                              NULL});
    assert_int_equal(out.finish[1], L + HOP + 100 * US);
}

/* Routes follow the network at a distance of 25 us. The link is gone from 20 to 30 us, so the message stands
 * still for 10 us; from 45 to 55 us it goes the other way round. */
static void routes_are_late(void **state)
{
    (void)state;
    static const char *const settings[] = {"topology=ring:4", "faults.reroute=25us",
                                           "faults.events=20us fail (0)>(1); 30us repair (0)>(1)", NULL};
    run((const struct call *const[]){one_to_1, one_from_0, idle, idle}, 4, settings);
    assert_in_range(out.finish[1], L + HOP + 90 * US - 1, L + HOP + 90 * US + 1);
    run((const struct call *const[]){one_to_1, one_from_0, one_from_3, one_to_2}, 4, settings);
    assert_in_range(out.finish[1], L + HOP + 95 * US - 1, L + HOP + 95 * US + 1);
    assert_in_range(out.finish[2], L + HOP + 85 * US - 1, L + HOP + 85 * US + 1);
}

/* A node loses its only link, and gets it back. What it sends waits, also what is sent meanwhile, and a
 * message of no bytes. */
static void a_cut_that_is_repaired_is_waited_for(void **state)
{
    (void)state;
    CALLS late[] = {COMPUTE(12 * 30000), SEND(1, 1, BIG), FINALIZE}; /* 30 us */
    CALLS empty[] = {COMPUTE(12 * 30000), SEND(1, 1, 0), FINALIZE};
    CALLS from_empty[] = {RECV(0, 1, 0), FINALIZE};
    static const char *const rules[] = {"packet.routing=fixed",     "packet.routing=spray",
                                        "packet.routing=ugal-g",    "packet.congestion=window",
                                        "packet.congestion=queues", "packet.congestion=credits"};
    for (int i = 0; i < 12; i++) {
        bool is_late = i >= 6;
        const ps_t from = (is_late ? 55 : 50) * US;
        const char *const settings[] = {"topology=ring:4",
                                        "faults.events=20us fail 0>(0); 50us repair 0>(0)",
                                        is_late ? "faults.reroute=5us" : "faults.reroute=0us",
                                        rules[i % 6],
                                        "packet.window=100MB",
                                        NULL};
        run((const struct call *const[]){one_to_1, one_from_0}, 2, settings);
        assert_in_range(out.makespan, L + HOP + from + 60 * US - 1, L + HOP + from + 60 * US + 1);
        run((const struct call *const[]){late, one_from_0}, 2, settings);
        assert_in_range(out.makespan, L + HOP + from + 80 * US - 1, L + HOP + from + 80 * US + 1);
        run((const struct call *const[]){empty, from_empty}, 2, settings);
        assert_int_equal(out.makespan, L + HOP + from);
    }
    run((const struct call *const[]){one_to_1, one_from_0}, 2, /* cut before the run */
        (const char *const[]){"topology=ring:4", "faults.switches=(1)", "faults.repair=1ms", NULL});
    assert_int_equal(out.makespan, 1000 * US + L + HOP + 80 * US);
    script_run(
        (const struct call *const[]){one_to_1, one_from_0}, 2, "packet",
        (const char *const[]){"topology=ring:4", "faults.events=20us fail 0>(0); 30us repair 2>(2)", NULL},
        &out);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, "the faults cut torus:4 at 20 us"));
}

/* Faults of a table and the same as events are the same, and links that come and go lose nothing. */
static void events_are_what_a_table_is(void **state)
{
    (void)state;
    enum { RANKS = 16 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 50000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    static const char *const routings[] = {
        "packet.routing=fixed",  "packet.routing=adaptive", "packet.routing=ecmp", "packet.routing=valiant",
        "packet.routing=ugal-l", "packet.routing=ugal-g",   "packet.routing=spray"};
    static const char *const more[] = {"packet.paths=1", "packet.paths=3", "packet.congestion=window",
                                       "packet.congestion=incast", "packet.injection=ordered"};
    for (int i = 0; i < 70; i++) {
        bool is_spread = i % 7 == 6;
        const char *reroute = i / 7 % 2 ? "faults.reroute=3us" : "faults.reroute=0us";
        const char *other = is_spread ? "packet.congestion=none" : more[i / 14];
        ps_t finish[RANKS];
        run_all(every, RANKS,
                (const char *const[]){"topology=torus:4x4", routings[i % 7], reroute, other,
                                      "faults.links=(0,0)>(1,0), (2,2)>(2,3)", "faults.switches=(3,3)",
                                      "faults.at=11us", "faults.repair=9us", NULL});
        memcpy(finish, out.finish, sizeof finish);
        run_all(
            every, RANKS,
            (const char *const[]){"topology=torus:4x4", routings[i % 7], reroute, other,
                                  "faults.events=11us fail (3,3), (0,0)>(1,0); 20us repair (3,3); 11us fail "
                                  "(2,2)>(2,3); 20us repair (0,0)>(1,0), (2,3)>(2,2)",
                                  NULL});
        assert_memory_equal(finish, out.finish, sizeof finish);
    }
}

static void wrong_events_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"faults.events=x",
         "faults.events:1:1: error: an event is a time, one of fail, slow and repair, and names"},
        {"faults.events=1us fail 16; 2us mend 16", "faults.events:1:14: error: an event is a time"},
        {"faults.events=1us fail 16; fail 16", "faults.events:1:14: error: '' is not a time"},
        {"faults.events=7 fail 16", "faults.events:1:"},
        {"faults.events=0us fail 16", "an event is later than the beginning of the run"},
        {"faults.events=1us fail", "faults.events:1:5: error: names of links or switches are missing"},
        {"faults.events=1us fail 8, x", "faults.events:1:13: error: torus:4 has no link and no switch 'x'"},
        {"faults.events=1us slow (2)", "links become slow, and '(2)' is a switch; name its links"},
        {"faults.events=1us fail (0)>(2)", "has no link and no switch '(0)>(2)'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        script_run((const struct call *const[]){idle, idle}, 2, "packet",
                   (const char *const[]){"topology=ring:4", wrong[i].text, NULL}, &out);
        assert_int_equal(out.status, STATUS_BAD_INPUT);
        if (!strstr(out.said, wrong[i].message))
            fail_msg("%s: %s", wrong[i].text, out.said);
    }
}

/* Every message arrives, whatever fails when and whichever way flows choose; conservation is checked. */
static void all_arrive(void **state)
{
    (void)state;
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 50000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    static const char *const routings[] = {"packet.routing=fixed",  "packet.routing=adaptive",
                                           "packet.routing=ecmp",   "packet.routing=valiant",
                                           "packet.routing=ugal-l", "packet.routing=ugal-g"};
    static const char *const times[] = {"faults.at=0s", "faults.at=5us", "faults.at=40us", "faults.at=100us"};
    static const char *const injections[] = {"packet.injection=shared", "packet.injection=ordered"};
    for (int i = 0; i < 48; i++)
        run_all(every, 16,
                (const char *const[]){
                    i % 5 ? "topology=torus:4x4" : "topology=fattree:4x2", routings[i % 6], times[i / 6 % 4],
                    injections[i / 24], "faults.link_share=0.15", "faults.slow_link_share=0.2",
                    i % 4 == 3 ? "faults.reroute=60us" : "faults.reroute=0s",
                    i % 7 ? "packet.duplex=full" : "packet.duplex=half",
                    i % 2 ? "faults.events=30us fail 40; 33us repair 40; 70us slow 41; 90us "
                            "repair 41, 40"
                          : "faults.repair=45us",
                    NULL});
}

/* --------------------------------------------------------------------- cuts */

static void a_cut_ends_the_run(void **state)
{
    (void)state;
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_2, idle, from_0, idle};
    static const char cut[] =
        "nodes 2-3 have no way to the others, since these links have failed: (1)>(2), (3)>(0)";
    script_run(calls, 4, "packet",
               (const char *const[]){"topology=ring:4", "faults.links=(1)>(2),(3)>(0)", NULL}, &out);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, cut));
    script_run(
        calls, 4, "packet",
        (const char *const[]){"topology=ring:4", "faults.links=(1)>(2),(3)>(0)", "faults.at=30us", NULL},
        &out);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_non_null(strstr(out.said, cut));
    assert_non_null(strstr(out.said, "the faults cut torus:4 at 30 us"));
    assert_non_null(strstr(out.said, "node 0 has a message for node 2"));
    run(calls, 4, /* all is there when the links fail */
        (const char *const[]){"topology=ring:4", "faults.links=(1)>(2),(3)>(0)", "faults.at=1ms", NULL});
    const struct call *const near[] = {idle, idle};
    run(near, 2, /* idle nodes are cut off */
        (const char *const[]){"topology=ring:4", "faults.links=(1)>(2),(3)>(0)", NULL});
}

static void other_fabrics_refuse_a_time(void **state)
{
    (void)state;
    script_run((const struct call *const[]){idle, idle}, 2, "segment",
               (const char *const[]){"topology=ring:4", "faults.links=(1)>(2)", "faults.at=30us", NULL},
               &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "only packet has links that fail during the run"));
    script_run((const struct call *const[]){idle, idle}, 2, "segment",
               (const char *const[]){"topology=ring:4", "faults.links=(1)>(2)", "faults.repair=30us", NULL},
               &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    script_run((const struct call *const[]){idle, idle}, 2, "tdm-dynamic",
               (const char *const[]){"topology=ring:4", "faults.events=1us fail (1)>(2)", NULL}, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "faults.events: of all fabrics, only packet"));
}

/* --------------------------------------------------------------- slow nodes */

/* One packet on one of five channels. */
static void light_takes_slow_links_and_goes_around(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, 4000), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, 4000), FINALIZE};
    const struct call *const calls[] = {to_1, from_0};
    const ps_t data = 4000 * 5 * BYTE, hop = 2000; /* 1 ns there, 1 ns back */
    for (int i = 0; i < 3; i++) {
        const char *fault = i == 0   ? "faults.link_share=0"
                            : i == 1 ? "faults.links=(0)>(1)"
                                     : "faults.slow_links=(0)>(1)";
        script_run(calls, 2, "segment",
                   (const char *const[]){"topology=ring:5", "photonic.link_rate=12.5GB/s", fault, NULL},
                   &out);
        assert_int_equal(out.status, STATUS_OK);
        assert_int_equal(out.makespan, (i == 1 ? 4 : 1) * hop + (i == 2 ? 2 : 1) * data);
    }
}

/* How many of 5 channels the link from switch 0 to switch 1 of a line has lost. */
static uint32_t lost_of(const char *share, uint64_t seed)
{
    struct topo base, topo;
    struct fault_problem problem;
    assert_int_equal(topo_parse("test", "linear:2", &base), STATUS_OK);
    const struct fault_request request = {
        .slow_rate = 0.5, .channels = 5, .channel_share = strtod(share, NULL), .seed = seed};
    assert_true(faults_add(&base, &request, &topo, &problem));
    return faults_channels_lost(&topo, 4);
}

/* Where light goes one way over one link, lost channels are channels that it does not have. */
static void lost_channels_are_missing(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"circuit", "packetised", "segment"};
    static const char *const shares[] = {"0.1", "0.2", "0.4", "0.6"};
    CALLS to_1[] = {ISEND(1, 1, 50000, 1),
                    ISEND(1, 2, 3000, 2),
                    ISEND(1, 3, 70000, 3),
                    ISEND(1, 4, 40000, 4),
                    ISEND(1, 5, 9000, 5),
                    ISEND(1, 6, 64000, 6),
                    WAITALL,
                    FINALIZE};
    CALLS from_0[] = {IRECV(0, 1, 50000, 1),
                      IRECV(0, 2, 3000, 2),
                      IRECV(0, 3, 70000, 3),
                      IRECV(0, 4, 40000, 4),
                      IRECV(0, 5, 9000, 5),
                      IRECV(0, 6, 64000, 6),
                      WAITALL,
                      FINALIZE};
    const struct call *const calls[] = {to_1, from_0};
    int differ = 0;
    for (int i = 0; i < 36; i++) {
        const char *fabric = fabrics[i % 3], *share = shares[i / 3 % 4];
        char lossy[64], seed[32], channels[32];
        uint64_t number = (uint64_t)i / 12 + 1;
        uint32_t lost = lost_of(share, number);
        if (lost == 5)
            continue;
        snprintf(lossy, sizeof lossy, "faults.channel_share=%s", share);
        snprintf(seed, sizeof seed, "faults.seed=%d", (int)number);
        snprintf(channels, sizeof channels, "photonic.channels=%d", 5 - (int)lost);
        script_run(calls, 2, fabric, (const char *const[]){"topology=linear:2", lossy, seed, NULL}, &out);
        if (strstr(out.said, "cut")) /* the way back has lost all */
            continue;
        assert_int_equal(out.status, STATUS_OK);
        ps_t makespan = out.makespan;
        script_run(calls, 2, fabric, (const char *const[]){"topology=linear:2", channels, NULL}, &out);
        assert_int_equal(out.makespan, makespan);
        script_run(calls, 2, fabric, (const char *const[]){"topology=linear:2", NULL}, &out);
        differ += out.makespan < makespan;
    }
    assert_true(differ > 9);
}

static void slow_nodes_compute_longer(void **state)
{
    (void)state;
    CALLS works[] = {COMPUTE(12000000), FINALIZE}; /* 1 ms */
    const struct call *const calls[] = {works, works, works, works, works};
    const ps_t ms = 1000 * US;
    for (int i = 0; i < 2; i++) {
        script_as_graph = i;
        run(calls, 5, (const char *const[]){"faults.slow_nodes=1, 3-4", NULL});
        assert_memory_equal(out.finish, ((ps_t[]){ms, ms + ms / 10, ms, ms + ms / 10, ms + ms / 10}),
                            5 * sizeof(ps_t));
        run(calls, 5,
            (const char *const[]){"faults.slow_nodes=1", "faults.slow_compute=3", "ranks_per_node=2", NULL});
        assert_memory_equal(out.finish, ((ps_t[]){ms, ms, 3 * ms, 3 * ms, ms}), 5 * sizeof(ps_t));
        int slow = 0;
        run(calls, 5, (const char *const[]){"faults.slow_node_share=0.4", NULL});
        for (int rank = 0; rank < 5; rank++)
            slow += out.finish[rank] > ms;
        assert_int_equal(slow, 2);
    }
    script_as_graph = false;
    static const char *const wrong[] = {"faults.slow_nodes=5", "faults.slow_nodes=2-1", "faults.slow_nodes=a",
                                        "faults.slow_nodes=0x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        script_run(calls, 5, "packet", (const char *const[]){wrong[i], NULL}, &out);
        assert_int_equal(out.status, STATUS_BAD_INPUT);
        assert_non_null(strstr(out.said, "nodes of the run are expected here, from 0 to 4"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fault_changes_nothing),
        cmocka_unit_test(a_message_goes_the_other_way_round),
        cmocka_unit_test(a_lost_spine_link_costs_its_share),
        cmocka_unit_test(a_slow_link_is_slow),
        cmocka_unit_test(a_flow_is_rerouted),
        cmocka_unit_test(messages_that_wait_are_rerouted),
        cmocka_unit_test(a_flow_waits_for_its_route),
        cmocka_unit_test(a_link_becomes_slow),
        cmocka_unit_test(taking_off_and_on_loses_nothing),
        cmocka_unit_test(a_flow_goes_back_after_the_repair),
        cmocka_unit_test(routes_are_late),
        cmocka_unit_test(a_cut_that_is_repaired_is_waited_for),
        cmocka_unit_test(events_are_what_a_table_is),
        cmocka_unit_test(wrong_events_are_refused),
        cmocka_unit_test(all_arrive),
        cmocka_unit_test(a_cut_ends_the_run),
        cmocka_unit_test(other_fabrics_refuse_a_time),
        cmocka_unit_test(light_takes_slow_links_and_goes_around),
        cmocka_unit_test(lost_channels_are_missing),
        cmocka_unit_test(slow_nodes_compute_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
