/* Photonic networks: closed forms of an idle network, invariants of any traffic, and that no network
 * deadlocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/light.h"
#include "support/parts.h"

#define NS     INT64_C(1000)
#define PACKET (4096 * INT64_C(25)) /* 4 KiB on a channel of 320 Gb/s, in ps */
#define KIB    UINT64_C(1024)

static struct light_outcome out;
static const enum photonic_switching switchings[] = {PHOTONIC_CIRCUIT, PHOTONIC_PACKETISED, PHOTONIC_SEGMENT};

static ps_t alone(const char *topology, enum photonic_switching switching, uint32_t destination,
                  uint64_t bytes, const char *const *settings)
{
    const struct light_message message = {0, 0, destination, bytes};
    light_run(topology, switching, settings, &message, 1, 1, &out);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(out.visible[0] >= 0, 1);
    return out.delivered[0];
}

/* Set-up over 2 hops and the transmission. In a tree the links of the nodes are hops too. */
static void an_idle_packet_takes_two_hops_and_its_transmission(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(alone("torus:8x8", switchings[i], 27, 4096, NULL), 2 * 6 * NS + PACKET);
        assert_int_equal(alone("mesh:4x4", switchings[i], 15, 1, NULL), 2 * 6 * NS + 25);
        assert_int_equal(alone("fattree:4x3", switchings[i], 63, 4096, NULL), 2 * 6 * NS + PACKET);
        assert_int_equal(alone("fattree:4x3", switchings[i], 1, 0, NULL), 2 * 2 * NS);
        assert_int_equal(alone("dragonfly:2x4x2", switchings[i], 1, 4096, NULL), 2 * 2 * NS + PACKET);
        assert_int_equal(alone("crossbar:4", switchings[i], 3, 4096, NULL), 2 * 2 * NS + PACKET);
        const char *const hops[] = {"photonic.reservation=hop-by-hop", NULL};
        assert_int_equal(alone("torus:8x8", switchings[i], 27, 4096, hops), 2 * 6 * NS + PACKET);
        const char *const parts[] = {"photonic.extractor=10ps",
                                     "photonic.converter=200ps",
                                     "photonic.eo=3ps",
                                     "photonic.oe=4ps",
                                     "photonic.cycle=5ns",
                                     "photonic.back=2",
                                     NULL};
        assert_int_equal(alone("torus:8x8", switchings[i], 27, 4096, parts),
                         6 * (5 * NS + 10 + 10 * NS + 200) + PACKET + 7);
    }
}

/* The packets of one message share the first link: as many at once as the link has channels, or as the window
 * of packets allows. */
static void a_message_alone_is_as_parallel_as_it_may_be(void **state)
{
    (void)state;
    const ps_t turn = 2 * 2 * NS + PACKET;
    assert_int_equal(alone("ring:8", PHOTONIC_CIRCUIT, 2, 40 * KIB, NULL), 2 * 2 * NS + 10 * PACKET);
    assert_int_equal(alone("ring:8", PHOTONIC_PACKETISED, 2, 40 * KIB, NULL), 2 * turn);
    const char *const one[] = {"photonic.injection=1", NULL};
    assert_int_equal(alone("ring:8", PHOTONIC_PACKETISED, 2, 40 * KIB, one), 10 * turn);
    const char *const wide[] = {"photonic.injection=unlimited", "photonic.channels=10", NULL};
    assert_int_equal(alone("ring:8", PHOTONIC_PACKETISED, 2, 40 * KIB, wide), turn);
    const char *const split[] = {"photonic.link_rate=320Gb/s", NULL};
    assert_int_equal(alone("ring:8", PHOTONIC_CIRCUIT, 2, 4 * KIB, split), 2 * 2 * NS + 5 * PACKET);
}

/* The last packet is short unless packets are padded. A whole message is never padded. */
static void short_packets_are_padded_on_request(void **state)
{
    (void)state;
    const char *const pad[] = {"photonic.pad=true", "photonic.injection=1", NULL};
    assert_int_equal(alone("ring:8", PHOTONIC_PACKETISED, 1, 4096 + 10, pad + 1), 4 * NS + PACKET + 250);
    assert_int_equal(alone("ring:8", PHOTONIC_PACKETISED, 1, 4096 + 10, pad), 4 * NS + 2 * PACKET);
    assert_int_equal(out.statistics.packets, 2);
    assert_int_equal(alone("ring:8", PHOTONIC_CIRCUIT, 1, 4096 + 10, pad), 2 * NS + PACKET + 250);
}

/* One channel, and two messages that want the link from 1 to 2. The second message waits: as a circuit at its
 * source, as a segment in the buffer of switch 1. */
static void a_segment_ends_in_the_buffer_before_the_block(void **state)
{
    (void)state;
    const char *const one[] = {"photonic.channels=1", NULL};
    const struct light_message both[] = {{0, 1, 3, 4096}, {1, 0, 2, 4096}};
    const ps_t first = 2 * 2 * NS + PACKET;
    light_run("linear:4", PHOTONIC_PACKETISED, one, both, 2, 1, &out);
    assert_int_equal(out.delivered[0], first);
    assert_int_equal(out.delivered[1], first + 2 * 2 * NS + PACKET);
    light_run("linear:4", PHOTONIC_SEGMENT, one, both, 2, 1, &out);
    assert_int_equal(out.delivered[0], first);
    /* The message is in the buffer 2 ns and one packet after its start. It leaves as soon as the link is
     * free. */
    assert_int_equal(out.sender_done[1], 1 + 2 * NS + PACKET);
    assert_int_equal(out.delivered[1], first + 2 * NS + PACKET);
    assert_int_equal(out.stored[1], 1);
    assert_int_equal(out.statistics.buffer_peak_slots, 1);
    assert_int_equal(out.statistics.segments, 3);
}

/* The same two messages; the nanoseconds at which the second arrives. */
static const char *parts_of(enum photonic_switching switching, const char *const *settings)
{
    const struct light_message both[] = {{0, 1, 3, 4000}, {NS, 0, 2, 4000}};
    parts_forget();
    parts_unit = NS;
    parts_of_message = 1;
    light_part_handler.handle = parts_add;
    light_run("linear:4", switching, settings, both, 2, 1, &out);
    light_part_handler.handle = NULL;
    return parts_said;
}

/* Link 1>2 is reserved until 104 ns. A circuit waits at its source, a segment in the buffer of switch 1. With
 * hop-by-hop reservation the probe first returns. */
static void the_tap_gets_each_part_of_a_message(void **state)
{
    (void)state;
    const char *const one[] = {"photonic.channels=1", NULL};
    const char *const hops[] = {"photonic.channels=1", "photonic.reservation=hop-by-hop", NULL};
    assert_string_equal(parts_of(PHOTONIC_CIRCUIT, one), "1 queue 1-104 a channel of link 10\n"
                                                         "1 acquire 104-106\n"
                                                         "1 switch 106-108\n"
                                                         "1 transfer 108-208\n");
    assert_string_equal(parts_of(PHOTONIC_SEGMENT, one), "1 acquire 1-2\n"
                                                         "1 switch 2-3\n"
                                                         "1 transfer 3-103\n"
                                                         "1 stored 103-104 a channel of link 10\n"
                                                         "1 acquire 104-105\n"
                                                         "1 switch 105-106\n"
                                                         "1 transfer 106-206\n");
    assert_string_equal(parts_of(PHOTONIC_PACKETISED, hops), "1 acquire 1-3\n"
                                                             "1 queue 3-104 a channel of link 10\n"
                                                             "1 acquire 104-106\n"
                                                             "1 switch 106-108\n"
                                                             "1 transfer 108-208\n");
}

/* Buffers without a free slot: a packet that finds no slot goes back to the previous buffer, or waits at its
 * source. */
static void packets_pass_a_full_buffer_when_they_may(void **state)
{
    (void)state;
    const char *const small[] = {"photonic.channels=2", "segment.buffer_size=4KiB", NULL};
    /* The packets of one message occupy both channels of the link 2>3. Of the next two packets one stops at
     * 2, the other at 1. */
    const struct light_message messages[] = {{0, 2, 3, 400 * KIB}, {2, 0, 3, 4096}, {3, 0, 3, 4096}};
    light_run("linear:4", PHOTONIC_SEGMENT, small, messages, 3, 1, &out);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(out.stored[0], 100);
    assert_int_equal(out.stored[1] + out.stored[2], 2);
    assert_int_equal(out.sender_done[1], 2 + 2 * 2 * NS + PACKET);
    assert_int_equal(out.sender_done[2], 3 + 2 * 2 * NS + PACKET);
    assert_int_equal(out.statistics.buffer_peak_slots, 1);
}

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 1e-12 && value < expected + 1e-12);
}

/* Two circuits of one hop on a ring of 16 links, one ten times as long as the other. The first end of a
 * transfer finds two channels taken of 16 x 5, the second one. */
static void a_utilisation_is_what_it_is_read_as(void **state)
{
    (void)state;
    const struct light_message both[] = {{0, 0, 1, 4096}, {0, 2, 3, 40960}};
    const double first = 2.0 * NS + PACKET, last = 2.0 * NS + 10.0 * PACKET;
    light_run("ring:8", PHOTONIC_CIRCUIT, NULL, both, 2, 1, &out);
    assert_int_equal(out.makespan, (ps_t)last);
    assert_near(out.statistics.granted, (first + last) / last / 80);
    assert_near(out.statistics.busy, (first + last) / last / 16);
    assert_near(out.statistics.busy_most, 1);
    assert_near(out.statistics.in_use, 0.2);
    assert_near(out.statistics.in_use_most, 0.2);
    assert_near(out.statistics.steps, (2 + 1) / 2.0 / 80);
    assert_near(out.statistics.steps_most, 0.2);
}

/* One channel, held by a packet of node 3. Then packets of nodes 2 and 1 wait for it, in this order. */
static void the_node_with_the_lowest_number_may_be_first(void **state)
{
    (void)state;
    const struct light_message three[] = {{0, 3, 5, 4096}, {1, 2, 5, 4096}, {2, 1, 5, 4096}};
    const char *const settings[] = {"photonic.channels=1", "photonic.wake=node", NULL};
    for (int i = 0; i < 2; i++) {
        const char *const chosen[] = {settings[0], i ? settings[1] : NULL, NULL};
        light_run("linear:6", PHOTONIC_CIRCUIT, chosen, three, 3, 1, &out);
        assert_int_equal(out.delivered[1] < out.delivered[2], i == 0);
        assert_true(out.delivered[0] < out.delivered[1] && out.delivered[0] < out.delivered[2]);
    }
}

/* ------------------------------------------------------------- any traffic */

static uint32_t random_traffic(uint32_t nodes, uint32_t count, uint64_t seed, struct light_message *messages)
{
    struct rng rng = rng_init(seed, "traffic");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = (uint32_t)rng_below(&rng, nodes);
        uint32_t destination = (source + 1 + (uint32_t)rng_below(&rng, nodes - 1)) % nodes;
        uint64_t packets = rng_below(&rng, 5) ? 1 : 1 + rng_below(&rng, 12);
        uint64_t odd = rng_below(&rng, 3) ? 0 : rng_below(&rng, 4096);
        messages[i] = (struct light_message){(ps_t)i * (ps_t)rng_below(&rng, 2) * 20, source, destination,
                                             packets * 4096 - odd};
        if (i > 0 && messages[i].at < messages[i - 1].at)
            messages[i].at = messages[i - 1].at;
    }
    return count;
}

/* The bytes of each message occupy a channel of each of its hops for bytes / rate. No link has more channel
 * time than its channels have. */
static void check_channel_time(const struct topo *topo, const struct light_message *messages, uint32_t count)
{
    ps_t expected = 0, sum = 0;
    bool node_links_count = topo_grid(topo) == NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t hops = topo_distance(topo, messages[i].source, messages[i].destination);
        expected += (ps_t)messages[i].bytes * 25 * (hops + (node_links_count ? 2 : 0));
    }
    for (uint32_t i = 0; i < topo->links; i++) {
        sum += out.link_data[i];
        assert_true(out.link_data[i] <= out.link_granted[i]);
        assert_true(out.link_granted[i] <= 2 * out.makespan); /* of two channels */
        assert_true((out.link_data[i] + 1) / 2 <= out.makespan);
    }
    assert_int_equal(sum, expected);
}

/* The bytes of a node leave it over at most as many channels as it has transfers under way. */
static void check_node_bound(const struct topo *topo, const struct light_message *messages, uint32_t count)
{
    for (uint32_t node = 0; node < topo->nodes; node++) {
        ps_t bytes = 0;
        for (uint32_t i = 0; i < count; i++)
            bytes += messages[i].source == node ? (ps_t)messages[i].bytes : 0;
        assert_true(bytes * 25 / 5 <= out.makespan);
    }
}

static void keeps_its_promises(const char *topology, enum photonic_switching switching,
                               const char *const *settings, uint64_t seed)
{
    static struct light_message messages[300];
    struct topo topo;
    assert_int_equal(topo_parse("test", topology, &topo), STATUS_OK);
    uint32_t count = random_traffic(topo.nodes, 300, seed, messages);
    light_run(topology, switching, settings, messages, count, seed, &out);
    assert_int_equal(out.status, STATUS_OK);
    check_channel_time(&topo, messages, count);
    check_node_bound(&topo, messages, count);
    uint32_t most = switching == PHOTONIC_SEGMENT ? topo.diameter : 0;
    if (switching == PHOTONIC_SEGMENT && topo.levels)
        most = 2; /* the two top levels have buffers: a packet is stored once on the way up, once at the top,
                     once on the way down at the second level */
    for (uint32_t i = most + 2; i < STORED_CLASSES; i++)
        assert_int_equal(out.stored[i], 0);
    if (switching != PHOTONIC_SEGMENT)
        assert_int_equal(out.stored[0], out.statistics.packets);
}

static void every_run_keeps_the_invariants(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x4", "torus:4x4,tie=either", "mesh:3x3", "fattree:3x3",
                                             "dragonfly:2x4x2"};
    static const char *const retries[] = {"photonic.retry=wait", "photonic.retry=now",
                                          "photonic.retry=backoff"};
    static const char *const ways[] = {"photonic.reservation=atomic", "photonic.reservation=hop-by-hop"};
    static const char *const ups[] = {"photonic.up=least-used", "photonic.up=first", "photonic.up=random",
                                      "photonic.up=destination"};
    static const char *const orders[] = {"photonic.order=message", "photonic.order=turns"};
    static const char *const wakes[] = {"photonic.wake=first", "photonic.wake=node"};
    uint64_t seed = 1;
    for (size_t topology = 0; topology < 5; topology++) {
        for (int k = 0; k < 3 * 3 * 2; k++, seed++) {
            bool is_tree = strncmp(topologies[topology], "fattree", 7) == 0;
            const char *const settings[] = {"photonic.channels=2",
                                            retries[k % 3],
                                            ways[k / 3 % 2],
                                            ups[seed % 4],
                                            orders[seed % 2],
                                            wakes[seed / 2 % 2],
                                            "segment.buffer_size=12KiB",
                                            is_tree ? "segment.buffers=levels:2" : "segment.buffers=every:2",
                                            NULL};
            keeps_its_promises(topologies[topology], switchings[k / 6], settings, seed);
        }
    }
}

/* ------------------------------------------------------------- never stuck */

/* Every node sends nearly half way round a ring of one channel, all in step. With hop-by-hop reservation all
 * probes take their first link and find the next one reserved. */
static void tornado(enum photonic_switching switching, const char *const *settings)
{
    enum { NODES = 16, EACH = 4 };
    static struct light_message messages[NODES * EACH];
    for (uint32_t i = 0; i < NODES * EACH; i++)
        messages[i] = (struct light_message){0, i % NODES, (i % NODES + NODES / 2 - 1) % NODES, 4096};
    light_run("ring:16", switching, settings, messages, NODES * EACH, 1, &out);
}

static void tornado_gets_through_with_each_retry_policy(void **state)
{
    (void)state;
    static const char *const retries[] = {"photonic.retry=wait", "photonic.retry=now",
                                          "photonic.retry=backoff"};
    static const char *const ways[] = {"photonic.reservation=atomic", "photonic.reservation=hop-by-hop"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            const char *const settings[] = {"photonic.channels=1",
                                            "photonic.injection=1",
                                            "segment.buffers=every:4",
                                            "segment.buffer_size=4KiB",
                                            retries[k % 3],
                                            ways[k / 3],
                                            NULL};
            tornado(switchings[i], settings);
            assert_int_equal(out.status, STATUS_OK);
            assert_int_equal(out.deliveries, 64);
        }
    }
}

/* Without a random delay the probes never succeed, and the watchdog reports it. */
static void the_watchdog_ends_a_livelock(void **state)
{
    (void)state;
    const char *const settings[] = {"photonic.channels=1",
                                    "photonic.injection=1",
                                    "photonic.retry=now",
                                    "photonic.reservation=hop-by-hop",
                                    "photonic.jitter=0",
                                    "photonic.watchdog=10000",
                                    NULL};
    tornado(PHOTONIC_PACKETISED, settings);
    assert_int_equal(out.status, STATUS_FAILED);
    assert_int_equal(out.deliveries, 0);
    assert_non_null(strstr(out.said,
                           "has sent nothing for 10.0 us (photonic.watchdog), with packets of 64 messages "
                           "under way"));
    assert_non_null(strstr(out.said, "link (1)>(2): 0 of 1 channels free, packets that wait for one: 1"));
}

/* A transfer that is longer than the watchdog's interval is no standstill. */
static void the_watchdog_lets_long_transfers_be(void **state)
{
    (void)state;
    const char *const settings[] = {"photonic.watchdog=10", "photonic.channels=1", NULL};
    const struct light_message messages[] = {{0, 0, 2, 1000000}, {0, 1, 2, 1000000}, {90000000, 0, 1, 10}};
    light_run("linear:4", PHOTONIC_CIRCUIT, settings, messages, 3, 1, &out);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(out.delivered[1], out.delivered[0] + 2 * NS + 25000000);
}

static void contradicting_settings_are_refused(void **state)
{
    (void)state;
    const struct light_message message = {0, 0, 1, 1};
    const char *const levels[] = {"segment.buffers=levels:2", NULL};
    light_run("ring:4", PHOTONIC_SEGMENT, levels, &message, 1, 1, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "needs a topology with levels"));
    const char *const small[] = {"segment.buffer_size=4095B", NULL};
    light_run("ring:4", PHOTONIC_SEGMENT, small, &message, 1, 1, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(out.said, "holds no packet"));
    const char *const slow[] = {"photonic.link_rate=4B/s", NULL};
    light_run("ring:4", PHOTONIC_CIRCUIT, slow, &message, 1, 1, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
    light_run("linear:70000", PHOTONIC_CIRCUIT, NULL, &message, 1, 1, &out);
    assert_int_equal(out.status, STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_packet_takes_two_hops_and_its_transmission),
        cmocka_unit_test(a_message_alone_is_as_parallel_as_it_may_be),
        cmocka_unit_test(short_packets_are_padded_on_request),
        cmocka_unit_test(a_segment_ends_in_the_buffer_before_the_block),
        cmocka_unit_test(the_tap_gets_each_part_of_a_message),
        cmocka_unit_test(packets_pass_a_full_buffer_when_they_may),
        cmocka_unit_test(a_utilisation_is_what_it_is_read_as),
        cmocka_unit_test(the_node_with_the_lowest_number_may_be_first),
        cmocka_unit_test(every_run_keeps_the_invariants),
        cmocka_unit_test(tornado_gets_through_with_each_retry_policy),
        cmocka_unit_test(the_watchdog_ends_a_livelock),
        cmocka_unit_test(the_watchdog_lets_long_transfers_be),
        cmocka_unit_test(contradicting_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
