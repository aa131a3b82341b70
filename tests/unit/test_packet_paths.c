/* Flows of the packet fabric that go over several paths at once: closed forms, and adversarial traffic on a
 * dragonfly. L = 8 us, 80 ps a byte, 100 ns a hop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fabric/packet/packet.h"
#include "support/script.h"

#define US    INT64_C(1000000)
#define L     (8 * US)
#define HOP   INT64_C(100000)
#define BYTE  INT64_C(80)
#define CALLS static const struct call

enum { BIG = 1000000 };

static struct script_outcome out;
static struct packet_statistics statistics;
static uint64_t link_bytes[256]; /* of each link between switches */

static void keep_statistics(void *self, struct fabric *fabric)
{
    (void)self;
    statistics = *(const struct packet_statistics *)fabric->ops->statistics(fabric);
    for (size_t i = 0; i < statistics.link_bytes.count && i < 256; i++)
        link_bytes[i] = (uint64_t)metric_series_at(&statistics.link_bytes, i);
}

static void run(const struct call *const *calls, uint32_t ranks, const char *const *settings)
{
    script_visit = keep_statistics;
    script_run(calls, ranks, "packet", settings, &out);
    script_visit = NULL;
    if (out.status != STATUS_OK)
        fail_msg("%s", out.said);
}

/* Two leaf switches with two nodes each, and four spine switches. A node has four times the rate of a link
 * between switches. */
#define SPINES "topology=leafspine:2x4x2,rates=50GB/s+12.5GB/s"
CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
CALLS idle[] = {FINALIZE};
static const struct call *const one_message[] = {to_2, idle, from_0, idle};

/* The least used links of k paths are k links, with a k-th of the bytes each. */
static void paths_add_up(void **state)
{
    (void)state;
    for (uint32_t paths = 1; paths <= 4; paths++) {
        char setting[32];
        snprintf(setting, sizeof setting, "packet.paths=%u", paths);
        run(one_message, 4, (const char *const[]){SPINES, "packet.routing=adaptive", setting, NULL});
        assert_in_range(out.makespan, L + 2 * HOP + BIG * BYTE / paths, L + 2 * HOP + BIG * BYTE / paths + 2);
        uint32_t used = 0;
        for (size_t i = 0; i < statistics.link_bytes.count; i++) {
            if (!link_bytes[i])
                continue;
            assert_in_range(link_bytes[i], BIG / paths, BIG / paths + 1);
            used++;
        }
        assert_int_equal(used, 2 * paths);
        assert_int_equal(statistics.hops, 2);
        assert_int_equal(statistics.flows, 1);
        assert_int_equal(statistics.peak_flows, 1);
    }
    /* Eight paths share the four links, and the node is no faster. */
    run(one_message, 4, (const char *const[]){SPINES, "packet.routing=adaptive", "packet.paths=8", NULL});
    assert_in_range(out.makespan, L + 2 * HOP + BIG * BYTE / 4, L + 2 * HOP + BIG * BYTE / 4 + 2);
}

/* Messages that follow each other go on over the same paths, and all their bytes count. */
static void messages_follow_on_all_paths(void **state)
{
    (void)state;
    CALLS three[] = {ISEND(2, 1, BIG, SLOT_FIRST), ISEND(2, 2, 30001, SLOT_FIRST + 1),
                     ISEND(2, 3, 7, SLOT_FIRST + 2), WAITALL, FINALIZE};
    CALLS taken[] = {IRECV(0, 1, BIG, SLOT_FIRST), IRECV(0, 2, 30001, SLOT_FIRST + 1),
                     IRECV(0, 3, 7, SLOT_FIRST + 2), WAITALL, FINALIZE};
    run((const struct call *const[]){three, idle, taken, idle}, 4,
        (const char *const[]){SPINES, "packet.routing=adaptive", "packet.paths=4", NULL});
    ps_t end = L + 2 * HOP + (BIG + 30001 + 7) * BYTE / 4;
    assert_in_range(out.makespan, end, end + 6);
    uint64_t sum = 0;
    for (size_t i = 0; i < statistics.link_bytes.count; i++)
        sum += link_bytes[i];
    assert_in_range(sum, 2 * (BIG + 30001 + 7) - 8, 2 * (BIG + 30001 + 7) + 8);
    assert_int_equal(statistics.hops, 6);
    assert_int_equal(statistics.flows, 1);
}

/* By hashes, paths of a pair meet on links; of 64 some go over each of four. One path takes that of ECMP. */
static void hashes_differ_by_path(void **state)
{
    (void)state;
    run(one_message, 4, (const char *const[]){SPINES, "packet.routing=ecmp", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + BIG * BYTE);
    uint32_t of_one = 0, used = 0;
    while (!link_bytes[of_one])
        of_one++;
    run(one_message, 4, (const char *const[]){SPINES, "packet.routing=ecmp", "packet.paths=64", NULL});
    assert_in_range(out.makespan, L + 2 * HOP + BIG * BYTE / 4, L + 2 * HOP + BIG * BYTE / 3);
    for (size_t i = 0; i < statistics.link_bytes.count; i++)
        used += link_bytes[i] != 0;
    assert_int_equal(used, 8);
    assert_true(link_bytes[of_one] > 0);
}

/* Where there is one way, or none to choose, a flow over many paths is as fast as over one. */
static void paths_of_one_way_are_one(void **state)
{
    (void)state;
    enum { RANKS = 16 };
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 9000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    static const char *const settings[][4] = {
        {"topology=mesh:4x4", "packet.routing=adaptive", "packet.congestion=none"},
        {"topology=mesh:4x4", "packet.routing=adaptive", "packet.duplex=half"},
        {"topology=mesh:4x4", "packet.routing=ecmp", "packet.injection=ordered"},
        {"topology=fattree:4x2", "packet.routing=fixed", "packet.congestion=none"},
        {"topology=fattree:4x2", "packet.routing=spray", "packet.congestion=none"},
        {"topology=crossbar:16", "packet.routing=valiant", "packet.congestion=none"}};
    const struct call *calls[RANKS];
    for (uint32_t i = 0; i < RANKS; i++)
        calls[i] = every;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        run(calls, RANKS, settings[i]);
        ps_t one = out.makespan;
        const char *const *of = settings[i];
        run(calls, RANKS, (const char *const[]){of[0], of[1], of[2], "packet.paths=5", NULL});
        assert_in_range(out.makespan, one - 1000, one + 1000);
    }
}

/* A window is that of a pair: each of k paths has its k-th. Far from its rate, a message of n windows takes n
 * - 1 round trips and the time of what is open at first. */
static void paths_share_a_window(void **state)
{
    (void)state;
    enum { WINDOW = 8000 };
    const char *const settings[] = {
        SPINES, "packet.routing=adaptive", "packet.congestion=window", "packet.window=8000B", NULL, NULL};
    const char *more[6];
    for (int i = 0; i < 6; i++)
        more[i] = settings[i];
    run(one_message, 4, settings);
    ps_t one = out.makespan, round_trip = 2 * (L + 2 * HOP);
    ps_t end = L + 2 * HOP + (BIG / WINDOW - 1) * round_trip + WINDOW * BYTE;
    assert_in_range(one, end, end + 10);
    more[4] = "packet.paths=4";
    run(one_message, 4, more);
    end += WINDOW * BYTE / 4 - WINDOW * BYTE;
    assert_in_range(out.makespan, end, end + 1000);
}

/* A link of two paths fails. Half of the message stands still until there are new routes, which both go over
 * the spine switch that is left. */
static void paths_go_on_where_one_has_failed(void **state)
{
    (void)state;
    const char *topology = "topology=leafspine:2x2x2,rates=50GB/s+12.5GB/s";
    const char *const settings[] = {topology,
                                    "packet.routing=adaptive",
                                    "packet.paths=2",
                                    "faults.at=10us",
                                    "faults.links=0:0>1:0",
                                    "faults.reroute=20us",
                                    NULL};
    run(one_message, 4, settings);
    /* Until 10 us with both links, then with one. */
    ps_t end = L + 2 * HOP + 10 * US + (BIG - 2 * 10 * US / BYTE) * BYTE;
    assert_in_range(out.makespan, end, end + 100000);
    assert_in_range(link_bytes[0] + link_bytes[1] + link_bytes[2] + link_bytes[3], BIG, 2 * BIG);
    uint64_t sum = 0;
    for (size_t i = 0; i < statistics.link_bytes.count; i++)
        sum += link_bytes[i];
    assert_in_range(sum, 2 * BIG - 4, 2 * BIG + 4);
    assert_int_equal(statistics.hops, 2 + 1); /* one of the two paths is a new one, of 2 hops */
}

/* ------------------------------------------------------ adversarial traffic */

enum { GROUP = 8, GROUPS = 5, NODES = GROUP * GROUPS, PIECE = 4000000 };

/* Each node sends to one of the next group: what part of its rate nodes have on average, in thousandths. */
static int throughput(const char *routing, const char *paths)
{
    static struct call calls[NODES][4];
    const struct call *programs[NODES];
    for (uint32_t node = 0; node < NODES; node++) {
        calls[node][0] = (struct call)ISEND((node + GROUP) % NODES, 1, PIECE, SLOT_FIRST);
        calls[node][1] = (struct call)IRECV((node + NODES - GROUP) % NODES, 1, PIECE, SLOT_FIRST + 1);
        calls[node][2] = (struct call)WAITALL;
        calls[node][3] = (struct call)FINALIZE;
        programs[node] = calls[node];
    }
    run(programs, NODES,
        (const char *const[]){"machine=as-published", "topology=dragonfly:2x4x1", "packet.chunk=16KiB",
                              routing, paths, NULL});
    double sum = 0;
    for (size_t i = 0; i < out.message_count; i++)
        sum += (double)PIECE * BYTE / (double)(out.messages[i].received - L);
    return (int)(1000 * sum / NODES);
}

/* A group of a h + 1 has 8 nodes and 4 links to others. By minimal paths one link carries what 8 nodes send.
 * By those of Valiant 2 (a h) / (a h + 1) links between groups do for each byte, all evenly: 8 nodes have 4
 * (a h + 1) / (2 a h). With many paths at once both come near that, the random one from below. */
static void detours_reach_their_closed_form(void **state)
{
    (void)state;
    enum { MINIMAL = 125, VALIANT = 1000 * 4 * 5 / (8 * 8) };
    assert_in_range(throughput("packet.routing=fixed", "packet.paths=16"), MINIMAL - 1, MINIMAL);
    int valiant_1 = throughput("packet.routing=valiant", "packet.paths=1");
    int valiant = throughput("packet.routing=valiant", "packet.paths=16");
    int ugal_1 = throughput("packet.routing=ugal-g", "packet.paths=1");
    int ugal = throughput("packet.routing=ugal-g", "packet.paths=16");
    assert_true(valiant_1 < VALIANT * 9 / 10);
    assert_in_range(valiant, VALIANT * 96 / 100, VALIANT * 102 / 100);
    assert_true(ugal_1 < VALIANT * 9 / 10);
    assert_in_range(ugal, VALIANT * 96 / 100, VALIANT * 11 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_add_up),
        cmocka_unit_test(messages_follow_on_all_paths),
        cmocka_unit_test(hashes_differ_by_path),
        cmocka_unit_test(paths_of_one_way_are_one),
        cmocka_unit_test(paths_share_a_window),
        cmocka_unit_test(paths_go_on_where_one_has_failed),
        cmocka_unit_test(detours_reach_their_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
