/* The packet fabric on topologies: closed forms for a few messages; and random traffic against a fluid
 * simulation that solves for all rates by progressive filling whenever a message ends. L = 8 us, 80 ps a
 * byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/packet/paths.h"
#include "support/script.h"
#include "topo/topo.h"

#define US    INT64_C(1000000)
#define L     (8 * US)
#define HOP   INT64_C(100000)
#define BYTE  INT64_C(80)
#define RATE  UINT64_C(12500000000) /* 1 / BYTE */
#define CALLS static const struct call

enum { BIG = 1000000, NODES_MOST = 12 };

static struct script_outcome out;

static void run(const struct call *const *calls, uint32_t ranks, const char *const *settings)
{
    script_run(calls, ranks, "packet", settings, &out);
    assert_int_equal(out.status, STATUS_OK);
}

/* 0 to 2 and 1 to 3 of a line share the link from 1 to 2. On a crossbar they share nothing. */
static void crossing_messages_share_the_link_between(void **state)
{
    (void)state;
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS to_3[] = {SEND(3, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_1[] = {RECV(1, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_2, to_3, from_0, from_1};
    run(calls, 4, (const char *const[]){"topology=linear:4", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + 2 * BIG * BYTE);
    run(calls, 4, (const char *const[]){"topology=crossbar:4", NULL});
    assert_int_equal(out.makespan, L + BIG * BYTE);
    run(calls, 4, (const char *const[]){"topology=linear:4", "packet.hop_latency=1us", NULL});
    assert_int_equal(out.makespan, L + 2 * US + 2 * BIG * BYTE);
}

/* The long flow shares a link with a short one. A third flow shares no link with others. */
static void flows_without_a_shared_link_are_not_delayed(void **state)
{
    (void)state;
    CALLS zero[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS one[] = {ISEND(2, 1, BIG, 2), IRECV(3, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS two[] = {IRECV(0, 1, BIG, 2), IRECV(1, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS three[] = {SEND(1, 1, BIG), FINALIZE};
    run((const struct call *const[]){zero, one, two, three}, 4,
        (const char *const[]){"topology=linear:4", NULL});
    assert_int_equal(out.finish[3], L + 2 * HOP + BIG * BYTE); /* against the direction of the others */
    assert_int_equal(out.finish[2], L + 2 * HOP + 2 * BIG * BYTE);
    run((const struct call *const[]){zero, one, two, three}, 4,
        (const char *const[]){"topology=linear:4", "packet.duplex=half", NULL});
    assert_in_range(out.finish[2], L + HOP + 3 * BIG * BYTE, L + 2 * HOP + 3 * BIG * BYTE + 1);
}

/* Without a topology each node has a link up and a link down. That is a crossbar. */
static void no_topology_is_the_same_as_a_crossbar(void **state)
{
    (void)state;
    enum { RANKS = 9 };
    static const char *const duplex[] = {"packet.duplex=full", "packet.duplex=half"};
    static const char *const injection[] = {"packet.injection=shared", "packet.injection=ordered"};
    CALLS every[] = {COLLECTIVE(CALL_ALLTOALL, 9000, 0), COLLECTIVE(CALL_ALLREDUCE, 70000, 0), FINALIZE};
    const struct call *calls[RANKS];
    for (int i = 0; i < RANKS; i++)
        calls[i] = every;
    for (int k = 0; k < 4; k++) {
        ps_t finish[RANKS];
        run(calls, RANKS, (const char *const[]){duplex[k / 2], injection[k % 2], NULL});
        memcpy(finish, out.finish, sizeof finish);
        run(calls, RANKS,
            (const char *const[]){duplex[k / 2], injection[k % 2], "topology=crossbar:9", NULL});
        assert_memory_equal(finish, out.finish, sizeof finish);
    }
}

/* Messages from one leaf of a tree to two destinations with the same last digit: D-mod-k takes the same link
 * up for both; adaptive routing takes another link for the second. */
static void adaptive_routes_part(void **state)
{
    (void)state;
    CALLS to_4[] = {SEND(4, 1, BIG), FINALIZE};
    CALLS to_6[] = {SEND(6, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_1[] = {RECV(1, 1, BIG), FINALIZE};
    CALLS idle[] = {FINALIZE};
    const struct call *const calls[] = {to_4, to_6, idle, idle, from_0, idle, from_1, idle};
    run(calls, 8, (const char *const[]){"topology=fattree:2x3", NULL});
    assert_int_equal(out.makespan, L + 4 * HOP + 2 * BIG * BYTE);
    run(calls, 8, (const char *const[]){"topology=fattree:2x3", "packet.routing=adaptive", NULL});
    assert_int_equal(out.makespan, L + 4 * HOP + BIG * BYTE);
}

/* A message has the rate of its slowest link: 40 Gb/s at node 1, 30 Gb/s above leaf 2, 90 Gb/s at nodes 0
 * and 3. Its latency is L and those of its links; a link between switches without one has HOP. */
static void links_have_their_own_rates_and_latencies(void **state)
{
    (void)state;
    static const char *const settings[] = {"topology=tests/networks/uneven.yaml", NULL};
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS to_2[] = {SEND(2, 1, BIG), FINALIZE};
    CALLS to_3[] = {SEND(3, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS idle[] = {FINALIZE};
    const ps_t ns = 1000;
    run((const struct call *const[]){to_1, from_0}, 2, settings);
    assert_int_equal(out.makespan, L + 11 * ns + 2 * 130 * ns + BIG * INT64_C(200));
    run((const struct call *const[]){to_2, idle, from_0}, 3, settings);
    ps_t expected = L + 11 * ns + 130 * ns + HOP + 7 * ns + BIG * INT64_C(800) / 3;
    assert_in_range(out.makespan, expected, expected + 1);
    run((const struct call *const[]){to_3, idle, idle, from_0}, 4, settings);
    expected = L + 2 * 11 * ns + BIG * INT64_C(800) / 9;
    assert_in_range(out.makespan, expected, expected + 1);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    CALLS idle[] = {FINALIZE};
    const struct call *const calls[] = {idle, idle, idle};
    script_run(calls, 3, "packet", (const char *const[]){"topology=ring:2", NULL}, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "topology torus:2 has 2 nodes, and the run needs 3"));
    script_run(calls, 3, "packet", (const char *const[]){"topology=ring:1024", NULL}, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "routes of 514 links"));
    script_run(calls, 3, "hybrid", (const char *const[]){"topology=ring:2", NULL}, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
}

/* Every byte is counted on every link of its route. Links are free again when flows have ended. */
static void paths_count_flows_and_bytes(void **state)
{
    (void)state;
    static const char *const texts[] = {"fattree:3x3", "torus:4x4,tie=either", "dragonfly:2x4x2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topo topo;
        struct paths paths;
        uint32_t links[2][16], count[2];
        assert_int_equal(topo_parse("test", texts[i], &topo), STATUS_OK);
        paths_init(&paths, &topo, PATH_LEAST_USED, i == 1, paths_limit(&topo, PATH_LEAST_USED, false), false,
                   1);
        for (uint32_t to = 1; to < topo.nodes; to++) {
            int64_t before = 0, after = 0;
            for (uint32_t link = 0; link < topo.links; link++)
                before += paths.link_bytes.low[link];
            for (uint32_t k = 0; k < 2; k++) {
                count[k] = paths_enter(&paths, 0, to, 0, links[k]);
                assert_int_equal(count[k], topo_distance(&topo, 0, to) + 2);
                paths_carry(&paths, links[k], count[k], 1000);
            }
            for (uint32_t k = 0; k < 2; k++)
                paths_leave(&paths, links[k], count[k]);
            for (uint32_t link = 0; link < topo.links; link++) {
                after += paths.link_bytes.low[link];
                assert_int_equal(paths.flows[link], 0);
            }
            assert_int_equal(after - before, 2 * 1000 * (int64_t)count[0]);
        }
        paths_free(&paths);
    }
}

/* Fixed routes are kept for a while. Whatever was asked before, each is the topology's: of pairs that come
 * again, of all pairs in turn, of which several share a record, and once no route is kept any more. */
static void kept_routes_are_those_of_the_topology(void **state)
{
    (void)state;
    enum { NODES = 100, STEPS = 4 * NODES * NODES };
    for (uint32_t half = 0; half < 2; half++) {
        struct topo topo;
        struct paths paths;
        uint32_t links[32], route[32];
        struct rng rng = rng_init(half, "test");
        assert_int_equal(topo_parse("test", "torus:10x10", &topo), STATUS_OK);
        uint32_t limit = paths_limit(&topo, PATH_FIXED, false);
        paths_init(&paths, &topo, PATH_FIXED, half, limit, false, 1);
        assert_non_null(paths.known);
        for (uint32_t step = 0; step < STEPS; step++) {
            uint32_t pair = step < STEPS / 2 ? (uint32_t)rng_below(&rng, 300) * 33 : step;
            uint32_t source = pair / NODES % NODES, destination = pair % NODES;
            uint32_t count = paths_enter(&paths, source, destination, 0, links);
            assert_int_equal(count, topo_route(&topo, source, destination, route));
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(links[i], half && topo_link_reverse(&topo, route[i]) < route[i]
                                               ? topo_link_reverse(&topo, route[i])
                                               : route[i]);
            paths_leave(&paths, links, count);
            if (step == STEPS / 2)
                assert_true(paths.known_credit > 0);
        }
        assert_int_equal(paths.known_credit, 0);
        for (uint32_t link = 0; link < topo.links; link++)
            assert_int_equal(paths.flows[link], 0);
        paths_free(&paths);
    }
}

/* Every path leads from link to link to its end, within its limit; minimal ones are as long as the distance.
 */
static void every_choice_is_a_path(void **state)
{
    (void)state;
    static const char *const texts[] = {"fattree:2x3",
                                        "torus:4x3",
                                        "dragonfly:2x4x2",
                                        "hyperx:1x3x4",
                                        "slimfly:3x1",
                                        "leafspine:3x2x3x2",
                                        "crossbar:6",
                                        "dragonflyplus:1x2x2x1",
                                        "tests/networks/uneven.yaml"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int choice = PATH_FIXED; choice <= PATH_UGAL_GLOBAL; choice++) {
            struct topo topo;
            struct paths paths;
            uint32_t links[32];
            if (choice == PATH_SPRAYED)
                continue; /* many paths */
            assert_int_equal(topo_parse("test", texts[i], &topo), STATUS_OK);
            paths_init(&paths, &topo, (enum path_choice)choice, false,
                       paths_limit(&topo, (enum path_choice)choice, false), false, 5);
            for (uint32_t pair = 0; pair < topo.nodes * topo.nodes; pair++) {
                uint32_t source = pair / topo.nodes, destination = pair % topo.nodes;
                uint32_t count = paths_enter(&paths, source, destination, 0, links);
                assert_in_range(count, 2, paths.limit);
                if (paths_are_minimal((enum path_choice)choice))
                    assert_int_equal(count, topo_distance(&topo, source, destination) + 2);
                assert_int_equal(links[0], topo_injection(&topo, source));
                for (uint32_t k = 1; k < count; k++)
                    assert_int_equal(topo_link_ends(&topo, links[k]).from.id,
                                     topo_link_ends(&topo, links[k - 1]).to.id);
                assert_int_equal(links[count - 1], topo_ejection(&topo, destination));
                if (pair % 3)
                    paths_leave(&paths, links, count);
            }
            paths_free(&paths);
        }
}

static const char *const sprayed[] = {"fattree:3x3",       "tapered:4x3x2",
                                      "leafspine:3x2x2x2", "leafspine:3x2x2,planes=3",
                                      "xgft:2x2x3x1x3x2",  "torus:4x4,tie=either",
                                      "slimfly:3x1",       "dragonflyplus:1x2x2x2x3",
                                      "hyperx:1x3x3",      "jellyfish:12x5x1,routes=updown",
                                      "crossbar:4",        "rails:2x2x2x2,relay=either",
                                      "twisted:4x4x8",     "tests/networks/uneven.yaml"};

/* The part of a message from node to node that takes each link, over all minimal ways one by one. */
static void try_ways(const struct topo *topo, uint32_t at, uint32_t destination, long double part,
                     long double *parts)
{
    struct topo_choice choice = topo_choose(topo, at, destination);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        parts[link] += part / choice.count;
        if (topo_is_network(topo, link))
            try_ways(topo, topo_link_to(topo, link), destination, part / choice.count, parts);
    }
}

/* Each link of a message that is spread has the part that all its ways together give it. Where a link stands
 * for others, all of these have the same part, whatever the pair of nodes. */
static void sprayed_parts_are_those_of_all_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sprayed / sizeof *sprayed; i++)
        for (int changes = 0; changes < 2; changes++) {
            struct topo topo;
            struct paths paths;
            assert_int_equal(topo_parse("test", sprayed[i], &topo), STATUS_OK);
            uint32_t limit = paths_limit(&topo, PATH_SPRAYED, changes), most = 0;
            paths_init(&paths, &topo, PATH_SPRAYED, false, limit, changes, 1);
            uint32_t *links = calloc(2 * limit, sizeof *links);
            long double *parts = calloc(topo.links, sizeof *parts);
            assert_true(!paths.spray->is_alike || i < 5);
            for (uint32_t pair = 0; pair < topo.nodes * topo.nodes; pair++) {
                uint32_t source = pair / topo.nodes, destination = pair % topo.nodes, named = 0, used = 0;
                memset(parts, 0, topo.links * sizeof *parts);
                parts[topo_injection(&topo, source)] = 1;
                try_ways(&topo, topo_switch_of(&topo, source), destination, 1, parts);
                uint32_t count = paths_enter(&paths, source, destination, 0, links), step = 0, of;
                assert_in_range(count, 2, limit);
                most = count > most ? count : most;
                for (uint32_t link = 0; link < topo.links; link++)
                    used += parts[link] > 0;
                for (uint32_t k = 0; k < count; k++) {
                    bool stands = paths.spray->is_alike && k > 0 && k + 1 < count;
                    uint32_t first = stands ? topo.ops->alike(&topo, links[k], &step, &of) : links[k];
                    of = stands ? of : 1;
                    assert_int_equal(first, links[k]);
                    for (uint32_t n = 0; n < of; n++)
                        assert_true(fabsl(parts[first + n * step] -
                                          (long double)links[count + k] / MAXMIN_WHOLE) < 1e-8L);
                    named += of;
                }
                assert_int_equal(named, used);
                assert_int_equal(paths_hops(&paths, links, count), topo_distance(&topo, source, destination));
                paths_carry(&paths, links, count, 1000003);
                paths_leave(&paths, links, count);
            }
            assert_true(most == limit || topo.levels || topo.switches == 1);
            struct metric_series bytes = paths_inner_bytes(&paths);
            long double sum = 0, expected = (long double)topo_mean_distance(&topo) * 1000003 * topo.nodes *
                                            (topo.nodes - 1);
            for (size_t k = 0; k < bytes.count; k++)
                sum += (long double)metric_series_at(&bytes, k);
            assert_true(fabsl(sum - expected) <= 1e-5L * expected);
            free(links);
            free(parts);
            paths_free(&paths);
        }
    topo_forget();
}

/* Messages of leaf 0 to nodes of the same remainder: D-mod-k puts both on one link up, a spray each on both;
 * two messages to one node share its link. One message alone has the rate of its node. With 2 planes a fixed
 * route has half of the rate. */
static void sprayed_messages_use_all_links(void **state)
{
    (void)state;
    CALLS to_4[] = {SEND(4, 1, BIG), FINALIZE};
    CALLS to_6[] = {SEND(6, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    CALLS from_1[] = {RECV(1, 1, BIG), FINALIZE};
    CALLS idle[] = {FINALIZE};
    const struct call *const two[] = {to_4, to_6, idle, idle, from_0, idle, from_1, idle};
    const struct call *const one[] = {to_4, idle, idle, idle, from_0, idle, idle, idle};
    run(two, 8, (const char *const[]){"topology=fattree:2x3", "packet.routing=spray", NULL});
    assert_int_equal(out.makespan, L + 4 * HOP + BIG * BYTE);
    /* 4 nodes of a leaf on 2 links up, each of which has half of each message */
    run(two, 8, (const char *const[]){"topology=leafspine:2x2x4", "packet.routing=spray", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + BIG * BYTE);
    run(two, 8, (const char *const[]){"topology=leafspine:2x1x4", "packet.routing=spray", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + 2 * BIG * BYTE);
    /* ports take no time: two links between switches, as without planes */
    run(one, 8, (const char *const[]){"topology=leafspine:2x2x4,planes=2", "packet.routing=spray", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + BIG * BYTE);
    run(one, 8, (const char *const[]){"topology=leafspine:2x2x4,planes=2", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + 2 * BIG * BYTE);
    run(one, 8, (const char *const[]){"topology=leafspine:2x2x4,planes=2", "packet.routing=valiant", NULL});
    ps_t hops = (out.makespan - L - 2 * BIG * BYTE) / HOP;
    assert_in_range(hops, 2, 5);
    assert_int_equal(out.makespan, L + hops * HOP + 2 * BIG * BYTE);
    run(one, 8, (const char *const[]){"topology=leafspine:2x2x4,planes=2,latencies=1ns+10ns+100ns", NULL});
    assert_int_equal(out.makespan, L + 222000 + 2 * BIG * BYTE);
}

/* A graph without links that are alike, two ways of different rates: the slower
 * half of the message holds the other half. */
static void sprayed_messages_wait_for_their_slowest_part(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    run((const struct call *const[]){to_1, from_0}, 2,
        (const char *const[]){"topology=tests/networks/diamond.yaml", "packet.routing=spray", NULL});
    /* half of it over 5 GB/s: 10 GB/s in all, where the other half could have 12.5 */
    assert_int_equal(out.makespan, L + 2 * HOP + BIG * INT64_C(100));
    run((const struct call *const[]){to_1, from_0}, 2,
        (const char *const[]){"topology=tests/networks/diamond.yaml", "packet.routing=spray",
                              "faults.links=a>b", NULL});
    assert_int_equal(out.makespan, L + 2 * HOP + BIG * BYTE);
}

/* All nodes of a dragonfly's group send to those of another one, which minimal routes reach by one link: 8
 * messages share it. Detours have 8 links out of the group. A message alone takes no detour with UGAL. */
static void detours_leave_the_only_link(void **state)
{
    (void)state;
    enum { GROUP = 8, NODES = 16 };
    static struct call sends[GROUP][2], receives[GROUP][2];
    CALLS idle[] = {FINALIZE};
    CALLS to_other[] = {SEND(GROUP + 3, 1, BIG), FINALIZE};
    CALLS from_other[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *calls[NODES], *alone[NODES];
    for (uint32_t i = 0; i < NODES; i++)
        calls[i] = alone[i] = idle;
    for (uint32_t i = 0; i < GROUP; i++) {
        sends[i][0] = (struct call)SEND(GROUP + i, 1, BIG);
        receives[i][0] = (struct call)RECV(i, 1, BIG);
        sends[i][1] = receives[i][1] = (struct call)FINALIZE;
        calls[i] = sends[i];
        calls[GROUP + i] = receives[i];
    }
    alone[0] = to_other;
    alone[GROUP + 3] = from_other;
    run(calls, NODES, (const char *const[]){"topology=dragonfly:2x4x2", NULL});
    ps_t minimal = out.makespan;
    assert_in_range(minimal, L + HOP + GROUP * BIG * BYTE, L + 3 * HOP + GROUP * BIG * BYTE + 1000);
    run(alone, NODES, (const char *const[]){"topology=dragonfly:2x4x2", NULL});
    ps_t of_one = out.makespan;
    static const char *const rules[] = {"packet.routing=valiant", "packet.routing=ugal-l",
                                        "packet.routing=ugal-g"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        run(calls, NODES, (const char *const[]){"topology=dragonfly:2x4x2", rules[i], NULL});
        ps_t most = i == 1 ? minimal - 1 : minimal * 3 / 4; /* ugal-l does not see the link between groups */
        if (out.makespan < L + HOP + BIG * BYTE || out.makespan > most)
            fail_msg("%s: %lld ps, minimal %lld ps", rules[i], (long long)out.makespan, (long long)minimal);
        run(alone, NODES, (const char *const[]){"topology=dragonfly:2x4x2", rules[i], NULL});
        if (i > 0)
            assert_int_equal(out.makespan, of_one);
        ps_t hops = (out.makespan - L - BIG * BYTE) / HOP; /* of the path, also of a detour */
        assert_int_equal(out.makespan, L + hops * HOP + BIG * BYTE);
        assert_in_range(hops, 1, 6);
    }
    run(calls, NODES, (const char *const[]){"topology=dragonfly:2x4x2", "packet.routing=ecmp", NULL});
    assert_int_equal(out.makespan, minimal); /* its paths are minimal, and there is one */
}

/* The most that a link between groups, and one within a group, carries on average if each node of a dragonfly
 * sends one unit, in equal parts to the nodes of the next group. `over_all`: by Valiant's rule, over each
 * node in equal parts. */
static void load_next_group(const struct topo *topo, uint32_t group, bool over_all, double most[2])
{
    double *loads = calloc(topo->links, sizeof *loads);
    uint32_t links[16], middles = over_all ? topo->nodes : 1;
    double part = 1.0 / group / middles;
    for (uint32_t source = 0; source < topo->nodes; source++)
        for (uint32_t k = 0; k < group * middles; k++) {
            uint32_t to = (source / group + 1) * group % topo->nodes + k % group;
            uint32_t middle = over_all ? k / group : to;
            for (uint32_t leg = 0; leg < (over_all ? 2U : 1U); leg++) {
                uint32_t count = topo_route(topo, leg ? middle : source, leg ? to : middle, links);
                for (uint32_t i = 1; i + 1 < count; i++)
                    loads[links[i]] += part;
            }
        }
    most[0] = most[1] = 0;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        uint32_t routers = group / topo->nodes_per_switch;
        double *of_kind = &most[ends.from.id / routers == ends.to.id / routers];
        *of_kind = loads[link] > *of_kind ? loads[link] : *of_kind;
    }
    free(loads);
}

/* Kim, Dally, Scott and Abts, ISCA 2008: if all nodes of a group send to the next group, minimal routing has
 * a throughput of 1 / (a h), since p = h and all a p nodes share one link; Valiant's has 1/2, since each
 * message takes two links between groups: (a h + 1) / (2 a h) at links between groups, and (a h + 1) / (2 a h
 * + 1) within groups. */
static void adversarial_throughput_is_the_published_one(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{2, 1}, {4, 2}, {6, 3}}; /* a, h = p, balanced: a = 2 h */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[64];
        struct topo topo;
        double a = sizes[i][0], h = sizes[i][1], most[2];
        snprintf(text, sizeof text, "dragonfly:%ux%ux%u", sizes[i][1], sizes[i][0], sizes[i][1]);
        assert_int_equal(topo_parse("test", text, &topo), STATUS_OK);
        load_next_group(&topo, sizes[i][0] * sizes[i][1], false, most);
        assert_true(fabs(1 / most[0] - 1 / (a * h)) < 1e-9);
        assert_true(most[1] <= most[0] + 1e-9);
        load_next_group(&topo, sizes[i][0] * sizes[i][1], true, most);
        assert_true(fabs(1 / most[0] - (a * h + 1) / (2 * a * h)) < 1e-9);
        assert_true(fabs(1 / most[1] - (a * h + 1) / (2 * a * h + 1)) < 1e-9);
    }
}

/* ----------------------------------------------------- the slow simulation */

enum { FLOWS_MOST = NODES_MOST * NODES_MOST };

struct fluid {
    uint32_t source, destination, count, links[16];
    uint64_t bytes;
    long double left, rate, end_ps;
    bool done, open;
};

static bool uses_link(const struct fluid *flow, uint32_t link)
{
    for (uint32_t i = 0; i < flow->count; i++)
        if (flow->links[i] == link)
            return true;
    return false;
}

/* Fixes the flows of the link with the smallest share. Returns false when all flows are fixed. */
static bool fill_one(const struct topo *topo, struct fluid *flows, uint32_t count)
{
    long double least = -1;
    uint32_t bottleneck = 0;
    for (uint32_t link = 0; link < topo->links; link++) {
        long double left = (long double)topo_link_rate(topo, link, RATE) / PS_PER_S;
        uint32_t open = 0;
        for (uint32_t i = 0; i < count; i++) {
            bool is_here = !flows[i].done && uses_link(&flows[i], link);
            open += is_here && flows[i].open;
            left -= is_here && !flows[i].open ? flows[i].rate : 0;
        }
        if (open && (least < 0 || left / open < least)) {
            least = left / open;
            bottleneck = link;
        }
    }
    for (uint32_t i = 0; i < count && least >= 0; i++)
        if (!flows[i].done && flows[i].open && uses_link(&flows[i], bottleneck)) {
            flows[i].rate = least;
            flows[i].open = false;
        }
    return least >= 0;
}

/* When rates change next: when a message ends, or at the end of the step in which it does. */
static long double next_change(const struct fluid *flows, uint32_t count, long double now, ps_t step)
{
    long double next = -1;
    for (uint32_t i = 0; i < count; i++)
        if (!flows[i].done && (next < 0 || flows[i].left / flows[i].rate < next))
            next = flows[i].left / flows[i].rate;
    return next < 0 ? -1 : step ? ceill((now + next) / step) * step : now + next;
}

static void simulate_slowly(const struct topo *topo, struct fluid *flows, uint32_t count, ps_t step)
{
    long double now = 0, next = 0;
    while (next >= 0) {
        for (uint32_t i = 0; i < count; i++)
            flows[i].open = !flows[i].done;
        while (fill_one(topo, flows, count))
            continue;
        next = next_change(flows, count, now, step);
        for (uint32_t i = 0; i < count && next >= 0; i++) {
            if (flows[i].done)
                continue;
            flows[i].end_ps = now + flows[i].left / flows[i].rate;
            flows[i].left -= flows[i].rate * (next - now);
            flows[i].done = flows[i].left < 1e-6L;
        }
        now = next;
    }
}

static uint32_t draw(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* About every second pair of nodes has a message of up to 500 kB. All are posted at once. */
static uint32_t draw_traffic(const struct topo *topo, bool half, uint32_t seed, struct fluid *flows)
{
    uint32_t count = 0, random = seed;
    for (uint32_t source = 0; source < topo->nodes; source++)
        for (uint32_t destination = 0; destination < topo->nodes; destination++) {
            if (source == destination || draw(&random) % 2)
                continue;
            struct fluid *flow = &flows[count++];
            *flow = (struct fluid){.source = source, .destination = destination};
            flow->bytes = 70000 + draw(&random) % 430000;
            flow->left = flow->bytes;
            flow->count = topo_route(topo, source, destination, flow->links);
            for (uint32_t i = 0; i < flow->count && half; i++) {
                uint32_t back = topo_link_reverse(topo, flow->links[i]);
                flow->links[i] = back < flow->links[i] ? back : flow->links[i];
            }
        }
    return count;
}

/* The same traffic as a program: each rank posts its receives and sends, then waits for all. */
static void run_traffic(const struct topo *topo, const struct fluid *flows, uint32_t count,
                        const char *const *settings)
{
    static struct call calls[NODES_MOST][2 * NODES_MOST + 2];
    const struct call *programs[NODES_MOST];
    for (uint32_t rank = 0; rank < topo->nodes; rank++) {
        uint32_t step = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct fluid *flow = &flows[i];
            uint32_t slot = SLOT_FIRST + step;
            if (flow->source == rank)
                calls[rank][step++] = (struct call)ISEND(flow->destination, 1, flow->bytes, slot);
            else if (flow->destination == rank)
                calls[rank][step++] = (struct call)IRECV(flow->source, 1, flow->bytes, slot);
        }
        calls[rank][step++] = (struct call)WAITALL;
        calls[rank][step] = (struct call)FINALIZE;
        programs[rank] = calls[rank];
    }
    run(programs, topo->nodes, settings);
}

static void compare(const struct topo *topo, const struct fluid *flows, uint32_t count)
{
    assert_int_equal(out.message_total, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct fluid *flow = &flows[i];
        const struct script_message *message = out.messages;
        while (message->source != flow->source || message->destination != flow->destination)
            message++;
        ps_t latency = L;
        for (uint32_t k = 0; k < flow->count; k++)
            latency +=
                topo_link_latency(topo, flow->links[k], topo_is_network(topo, flow->links[k]) ? HOP : 0);
        assert_true(fabsl((long double)(message->received - latency) - flow->end_ps) < 1000);
    }
}

static void equal_the_slow_simulation(ps_t step)
{
    static const char *const texts[] = {
        "torus:3x4",       "mesh:4x3", "fattree:3x2", "fattree:2x3",
        "dragonfly:2x2x1", "ring:9",   "crossbar:8",  "tests/networks/uneven.yaml"};
    char stepping[64];
    snprintf(stepping, sizeof stepping, "packet.step=%lldps", (long long)step);
    for (uint32_t k = 0; k < 4 * sizeof texts / sizeof *texts; k++) {
        struct topo topo;
        struct fluid flows[FLOWS_MOST];
        bool half = k % 2;
        char setting[64];
        snprintf(setting, sizeof setting, "topology=%s", texts[k / 4]);
        assert_int_equal(topo_parse("test", texts[k / 4], &topo), STATUS_OK);
        uint32_t count = draw_traffic(&topo, half, 17 + k, flows);
        simulate_slowly(&topo, flows, count, step);
        run_traffic(&topo, flows, count,
                    (const char *const[]){setting, half ? "packet.duplex=half" : "packet.duplex=full",
                                          stepping, NULL});
        compare(&topo, flows, count);
    }
}

/* Equal to within a nanosecond: the end of each message rounds the later ones. */
static void equals_the_slow_simulation(void **state)
{
    (void)state;
    equal_the_slow_simulation(0);
}

static void steps_equal_the_slow_simulation(void **state)
{
    (void)state;
    equal_the_slow_simulation(7 * US);
    equal_the_slow_simulation(100 * US);
}

/* 12000 operations are 1 us. A message begins at the end of the step in which it is sent. Of two that share a
 * link, the longer one has half of it until the end of the step in which the shorter one ends, and then all
 * of it. */
static void a_step_delays_begins_and_what_is_free(void **state)
{
    (void)state;
    CALLS idle[] = {FINALIZE};
    CALLS late[] = {COMPUTE(13 * 12000), SEND(1, 1, BIG), FINALIZE};
    CALLS from_late[] = {RECV(0, 1, BIG), FINALIZE};
    run((const struct call *const[]){late, from_late}, 2, (const char *const[]){"packet.step=10us", NULL});
    assert_int_equal(out.makespan, 20 * US + BIG * BYTE + L);
    CALLS both[] = {ISEND(1, 1, BIG / 4, 2), ISEND(2, 1, BIG, 3), WAITALL, FINALIZE};
    CALLS short_one[] = {RECV(0, 1, BIG / 4), FINALIZE};
    CALLS long_one[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *const calls[] = {both, short_one, long_one, idle};
    run(calls, 4, (const char *const[]){"packet.step=15us", NULL});
    assert_int_equal(out.finish[1], 40 * US + L); /* 250 kB at half of 12.5 GB/s */
    const int64_t until = 45 * US / (2 * BYTE);   /* bytes of the longer one at the end of the step */
    assert_int_equal(out.finish[2], 45 * US + (BIG - until) * BYTE + L);
}

/* A window closes at the end of a step, and a fault acts at one: until then the message keeps its rate. */
static void windows_and_faults_wait_for_steps(void **state)
{
    (void)state;
    CALLS to_1[] = {SEND(1, 1, BIG), FINALIZE};
    CALLS from_0[] = {RECV(0, 1, BIG), FINALIZE};
    const struct call *const calls[] = {to_1, from_0};
    run(calls, 2, (const char *const[]){"packet.congestion=window", "packet.step=100us", NULL});
    assert_int_equal(out.makespan, BIG * BYTE + L); /* over before its window closes */
    run(calls, 2, (const char *const[]){"packet.congestion=window", "packet.step=10us", NULL});
    const double rest = BIG - 10.0 * US / BYTE; /* at 64 KiB in 2 L */
    assert_true(fabs((double)out.makespan - (10.0 * US + rest * 2 * L / 65536 + L)) < 1000);
    /* half of the rate from 45 us on, which is 60 us here, to 85 us, which is 90 us */
    run(calls, 2,
        (const char *const[]){"topology=linear:2", "packet.step=30us", "faults.slow_link_share=1",
                              "faults.slow_rate=0.5", "faults.at=45us", "faults.repair=40us", NULL});
    assert_int_equal(out.makespan, 60 * US + 30 * US + (BIG - 75 * US / BYTE) * BYTE + L + HOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_messages_share_the_link_between),
        cmocka_unit_test(flows_without_a_shared_link_are_not_delayed),
        cmocka_unit_test(no_topology_is_the_same_as_a_crossbar),
        cmocka_unit_test(adaptive_routes_part),
        cmocka_unit_test(links_have_their_own_rates_and_latencies),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(paths_count_flows_and_bytes),
        cmocka_unit_test(kept_routes_are_those_of_the_topology),
        cmocka_unit_test(every_choice_is_a_path),
        cmocka_unit_test(detours_leave_the_only_link),
        cmocka_unit_test(adversarial_throughput_is_the_published_one),
        cmocka_unit_test(sprayed_parts_are_those_of_all_ways),
        cmocka_unit_test(sprayed_messages_use_all_links),
        cmocka_unit_test(sprayed_messages_wait_for_their_slowest_part),
        cmocka_unit_test(equals_the_slow_simulation),
        cmocka_unit_test(steps_equal_the_slow_simulation),
        cmocka_unit_test(a_step_delays_begins_and_what_is_free),
        cmocka_unit_test(windows_and_faults_wait_for_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
