/* The photonic network against a slow and obvious implementation: lists that are searched from end to end, no
 * queues, no pools, no reused records. Networks and parameters are small and random, with atomic reservation,
 * retry=wait and deterministic routes. Every message must be delivered at the same picosecond, and every link
 * must have carried and held the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/light.h"

enum { MESSAGES = 120, PACKETS = 4000, EVENTS = 40000, LINKS = 400, SWITCHES = 64, HOPS = 16 };
#define NS   INT64_C(1000)
#define BYTE INT64_C(25)
#define MTU  UINT64_C(4096)

enum state { UNBORN, TRYING, ASLEEP, STORED, MOVING, THERE };

struct one_packet {
    uint32_t message;
    uint64_t bytes;
    enum state state;
    uint32_t at, end, stored; /* hops done; hops done when it has moved; how often it was stored */
    uint32_t blocked_on;
    uint64_t since; /* stamp of the time at which it began to wait, or was stored */
    ps_t granted_at;
    uint64_t granted_step, slot_step, next_slot_step; /* transfers that had ended then */
};

struct happening {
    ps_t at;
    bool is_send, is_over;
    uint32_t subject;
};

struct reference {
    /* input */
    struct topo topo;
    enum photonic_switching switching;
    bool by_turns, by_node, all_try, node_links_count;
    uint32_t channels, injection, message_limit, slots, inputs, outputs, buffer_every;
    const struct light_message *messages;
    /* state */
    ps_t now;
    uint64_t stamp;
    uint32_t route[MESSAGES][HOPS], hops[MESSAGES];
    bool is_generated[MESSAGES], has_begun[MESSAGES];
    uint64_t served[MESSAGES]; /* stamp of the start of its last packet; with turns the smallest is next */
    uint32_t packets_of[MESSAGES], begun[MESSAGES], left[MESSAGES], arrived[MESSAGES];
    struct one_packet packets[PACKETS];
    uint32_t packet_count;
    struct happening events[EVENTS];
    uint32_t event_count;
    uint32_t used[LINKS], slots_used[SWITCHES], inputs_used[SWITCHES], outputs_used[SWITCHES];
    /* results */
    ps_t delivered[MESSAGES], sender_done[MESSAGES], data[LINKS], granted[LINKS];
    uint32_t stored[STORED_CLASSES];
    ps_t busy[LINKS], busy_since[LINKS];
    uint64_t ended, steps[LINKS], buffer_steps;
};

static struct reference ref;
static struct light_outcome out;

static void happen(ps_t at, bool is_send, uint32_t subject)
{
    assert_true(ref.event_count < EVENTS);
    ref.events[ref.event_count++] = (struct happening){.at = at, .is_send = is_send, .subject = subject};
}

/* ------------------------------------------------------------- reservation */

/* The switch at the end of the packet's first `hops` links, if its buffer has a free slot. */
static bool buffer_has_room(uint32_t message, uint32_t hops, uint32_t *at)
{
    *at = topo_link_to(&ref.topo, ref.route[message][hops - 1]);
    uint32_t coordinates[TOPO_COORDINATES], sum = *at;
    if (topo_grid(&ref.topo)) {
        sum = 0;
        for (uint32_t i = topo_coordinates(&ref.topo, *at, coordinates); i-- > 0;)
            sum += coordinates[i];
    }
    return sum % ref.buffer_every == 0 && ref.slots_used[*at] < ref.slots &&
           ref.inputs_used[*at] < ref.inputs;
}

static void move(struct one_packet *packet, uint32_t probed, uint32_t end)
{
    for (uint32_t i = packet->at; i < end; i++) {
        uint32_t link = ref.route[packet->message][i];
        if (ref.used[link]++ == 0)
            ref.busy_since[link] = ref.now;
    }
    packet->state = MOVING;
    packet->granted_step = ref.ended;
    packet->end = end;
    packet->granted_at = ref.now;
    happen(ref.now + 2 * NS * (probed - packet->at) + (ps_t)packet->bytes * BYTE, false,
           (uint32_t)(packet - ref.packets));
}

static uint32_t stored_in(const struct one_packet *packet)
{
    return topo_link_to(&ref.topo, ref.route[packet->message][packet->at - 1]);
}

static void attempt(struct one_packet *packet)
{
    uint32_t message = packet->message, reached = packet->at, at;
    while (reached < ref.hops[message] && ref.used[ref.route[message][reached]] < ref.channels)
        reached++;
    if (reached == ref.hops[message]) {
        move(packet, reached, reached);
        return;
    }
    for (uint32_t end = reached; ref.switching == PHOTONIC_SEGMENT && end > packet->at; end--) {
        if (!buffer_has_room(message, end, &at))
            continue;
        ref.slots_used[at]++;
        ref.inputs_used[at]++;
        packet->next_slot_step = ref.ended;
        move(packet, reached, end);
        return;
    }
    packet->state = ASLEEP;
    packet->blocked_on = ref.route[message][reached];
    packet->since = ref.stamp++;
    if (ref.all_try && packet->at)
        ref.outputs_used[stored_in(packet)]--;
}

/* In a buffer: only with an output. */
static void attempt_from_buffer(struct one_packet *packet)
{
    uint32_t at = stored_in(packet);
    packet->state = STORED;
    packet->since = ref.stamp++;
    if (ref.outputs_used[at] < ref.outputs) {
        ref.outputs_used[at]++;
        attempt(packet);
    }
}

static bool is_before(const struct one_packet *a, const struct one_packet *b, enum state state)
{
    uint32_t source_a = ref.messages[a->message].source, source_b = ref.messages[b->message].source;
    if (state == ASLEEP && ref.by_node && source_a != source_b)
        return source_a < source_b;
    return a->since < b->since;
}

/* The packet that has been in this state longest, or, asleep, that of the first node by_node, among those
 * that the predicate accepts. */
static struct one_packet *longest(enum state state, bool (*is_meant)(const struct one_packet *, uint32_t),
                                  uint32_t subject, uint64_t before)
{
    struct one_packet *best = NULL;
    for (uint32_t i = 0; i < ref.packet_count; i++) {
        struct one_packet *packet = &ref.packets[i];
        if (packet->state == state && is_meant(packet, subject) && packet->since < before &&
            (!best || is_before(packet, best, state)))
            best = packet;
    }
    return best;
}

static bool waits_for(const struct one_packet *packet, uint32_t link)
{
    return packet->blocked_on == link;
}

static bool is_stored_at(const struct one_packet *packet, uint32_t at)
{
    return stored_in(packet) == at;
}

static void wake(uint32_t link)
{
    uint64_t before = ref.stamp;
    struct one_packet *packet;
    while (ref.used[link] < ref.channels && (packet = longest(ASLEEP, waits_for, link, before))) {
        if (ref.all_try && packet->at)
            attempt_from_buffer(packet);
        else
            attempt(packet);
    }
}

/* ----------------------------------------------------------------- sources */

static uint32_t in_flight(uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ref.packet_count; i++)
        count += ref.messages[ref.packets[i].message].source == node && ref.packets[i].at == 0 &&
                 ref.packets[i].state != THERE;
    return count;
}

/* The message has begun, and has packets that have not left. */
static uint32_t open_messages(uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
        count += ref.messages[i].source == node && ref.has_begun[i] && ref.left[i] < ref.packets_of[i];
    return count;
}

/* With turns, opens as many messages as the limit allows and takes the open message that was served longest
 * ago. Otherwise takes the first message that has packets to begin. */
static uint32_t next_message(uint32_t node)
{
    uint32_t best = MESSAGES;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        if (ref.messages[i].source != node || !ref.is_generated[i] || ref.begun[i] == ref.packets_of[i])
            continue;
        if (!ref.has_begun[i]) {
            if (open_messages(node) >= ref.message_limit || (!ref.by_turns && best < MESSAGES))
                continue;
            ref.has_begun[i] = true;
            ref.served[i] = ref.stamp++;
        }
        if (best == MESSAGES || (ref.by_turns && ref.served[i] < ref.served[best]))
            best = i;
    }
    return best;
}

static void begin_packets(uint32_t node)
{
    uint32_t message;
    while (in_flight(node) < ref.injection && (message = next_message(node)) < MESSAGES) {
        uint64_t bytes = ref.messages[message].bytes;
        uint32_t count = ref.packets_of[message], number = ref.begun[message]++;
        assert_true(ref.packet_count < PACKETS);
        struct one_packet *packet = &ref.packets[ref.packet_count++];
        *packet = (struct one_packet){.message = message, .state = TRYING};
        packet->bytes = count == 1 ? bytes : number + 1 < count ? MTU : bytes - (count - 1) * MTU;
        ref.served[message] = ref.stamp++;
        attempt(packet);
    }
}

/* ------------------------------------------------------------------ events */

static void leave_and_enter(struct one_packet *packet, uint32_t from)
{
    uint32_t message = packet->message;
    if (from) {
        uint32_t at = topo_link_to(&ref.topo, ref.route[message][from - 1]);
        ref.slots_used[at]--;
        ref.outputs_used[at]--;
        ref.buffer_steps += ref.ended - packet->slot_step;
        struct one_packet *next;
        while (ref.outputs_used[at] < ref.outputs && (next = longest(STORED, is_stored_at, at, UINT64_MAX)))
            attempt_from_buffer(next);
    }
    packet->at = packet->end;
    packet->state = THERE;
    if (packet->at == ref.hops[message]) {
        ref.arrived[message]++;
        ref.stored[packet->stored]++;
        return;
    }
    packet->stored++;
    packet->slot_step = packet->next_slot_step;
    ref.inputs_used[stored_in(packet)]--;
    attempt_from_buffer(packet);
}

static void end_transfer(struct one_packet *packet)
{
    uint32_t message = packet->message, from = packet->at, end = packet->end;
    ref.ended++;
    for (uint32_t i = from; i < end; i++) {
        uint32_t link = ref.route[message][i];
        if (--ref.used[link] == 0)
            ref.busy[link] += ref.now - ref.busy_since[link];
        ref.steps[link] += ref.ended - packet->granted_step;
        ref.data[link] += (ps_t)packet->bytes * BYTE;
        ref.granted[link] += ref.now - packet->granted_at;
    }
    for (uint32_t i = from; i < end; i++)
        wake(ref.route[message][i]);
    leave_and_enter(packet, from);
    if (from == 0) {
        ref.left[message]++;
        begin_packets(ref.messages[message].source);
        if (ref.left[message] == ref.packets_of[message])
            ref.sender_done[message] = ref.now;
    }
    if (ref.arrived[message] == ref.packets_of[message] && ref.delivered[message] < 0)
        ref.delivered[message] = ref.now;
}

static bool happens_next(void)
{
    struct happening *next = NULL;
    for (uint32_t i = 0; i < ref.event_count; i++)
        if (!ref.events[i].is_over && (!next || ref.events[i].at < next->at))
            next = &ref.events[i];
    if (!next)
        return false;
    next->is_over = true;
    ref.now = next->at;
    if (next->is_send) {
        ref.is_generated[next->subject] = true;
        begin_packets(ref.messages[next->subject].source);
    } else {
        end_transfer(&ref.packets[next->subject]);
    }
    return true;
}

static void prepare(const struct light_message *messages)
{
    ref.messages = messages;
    ref.node_links_count = topo_grid(&ref.topo) == NULL;
    assert_true(ref.topo.links <= LINKS && ref.topo.switches <= SWITCHES);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t links[HOPS],
            count = topo_route(&ref.topo, messages[i].source, messages[i].destination, links);
        uint32_t skip = ref.node_links_count ? 0 : 1;
        ref.hops[i] = count - 2 * skip;
        memcpy(ref.route[i], links + skip, ref.hops[i] * sizeof *links);
        uint64_t packets = messages[i].bytes ? (messages[i].bytes + MTU - 1) / MTU : 1;
        ref.packets_of[i] = ref.switching == PHOTONIC_CIRCUIT ? 1 : (uint32_t)packets;
        ref.delivered[i] = ref.sender_done[i] = -1;
        happen(messages[i].at, true, i);
    }
}

/* ----------------------------------------------------------------- compare */

static void draw_messages(struct rng *rng, struct light_message *messages)
{
    ps_t at = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t source = (uint32_t)rng_below(rng, ref.topo.nodes);
        uint32_t other = (uint32_t)rng_below(rng, ref.topo.nodes - 1);
        uint64_t packets = rng_below(rng, 3) ? rng_below(rng, 2) : rng_below(rng, 12);
        at += rng_below(rng, 2) ? (ps_t)rng_below(rng, 200000) : 0;
        messages[i] = (struct light_message){at, source, (source + 1 + other) % ref.topo.nodes,
                                             packets * MTU + (rng_below(rng, 2) ? rng_below(rng, MTU) : 0)};
    }
}

static void agree(const char *topology, enum photonic_switching switching, uint64_t seed)
{
    static struct light_message messages[MESSAGES];
    struct rng rng = rng_init(seed, topology);
    memset(&ref, 0, sizeof ref);
    assert_int_equal(topo_parse("test", topology, &ref.topo), STATUS_OK);
    ref.switching = switching;
    ref.channels = 1 + (uint32_t)rng_below(&rng, 3);
    ref.injection = 1 + (uint32_t)rng_below(&rng, 5);
    ref.message_limit = rng_below(&rng, 2) ? 1 + (uint32_t)rng_below(&rng, 3) : MESSAGES;
    ref.by_turns = rng_below(&rng, 2);
    ref.by_node = rng_below(&rng, 2);
    ref.all_try = rng_below(&rng, 2);
    ref.slots = 1 + (uint32_t)rng_below(&rng, 4);
    ref.inputs = 1 + (uint32_t)rng_below(&rng, 3);
    ref.outputs = 1 + (uint32_t)rng_below(&rng, 3);
    ref.buffer_every = 1 + (uint32_t)rng_below(&rng, 3);
    draw_messages(&rng, messages);
    prepare(messages);
    while (happens_next())
        ;
    char text[10][64];
    snprintf(text[0], 64, "photonic.channels=%u", ref.channels);
    snprintf(text[1], 64, "photonic.injection=%u", ref.injection);
    snprintf(text[2], 64, "photonic.messages=%u", ref.message_limit);
    snprintf(text[3], 64, "photonic.order=%s", ref.by_turns ? "turns" : "message");
    snprintf(text[4], 64, "segment.buffer_size=%uKiB", 4 * ref.slots);
    snprintf(text[5], 64, "segment.inputs=%u", ref.inputs);
    snprintf(text[6], 64, "segment.outputs=%u", ref.outputs);
    snprintf(text[7], 64, "segment.buffers=every:%u", ref.buffer_every);
    snprintf(text[8], 64, "photonic.wake=%s", ref.by_node ? "node" : "first");
    snprintf(text[9], 64, "segment.tries=%s", ref.all_try ? "all" : "outputs");
    const char *const settings[] = {text[0],
                                    text[1],
                                    text[2],
                                    text[3],
                                    text[4],
                                    text[5],
                                    text[6],
                                    text[7],
                                    text[8],
                                    text[9],
                                    "photonic.up=destination",
                                    NULL};
    light_run(topology, switching, settings, messages, MESSAGES, seed, &out);
    assert_int_equal(out.status, STATUS_OK);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        assert_int_equal(out.delivered[i], ref.delivered[i]);
        assert_int_equal(out.sender_done[i], ref.sender_done[i]);
    }
    assert_memory_equal(out.link_data, ref.data, ref.topo.links * sizeof *ref.data);
    assert_memory_equal(out.link_granted, ref.granted, ref.topo.links * sizeof *ref.granted);
    assert_memory_equal(out.link_busy, ref.busy, ref.topo.links * sizeof *ref.busy);
    assert_memory_equal(out.link_steps, ref.steps, ref.topo.links * sizeof *ref.steps);
    assert_int_equal(out.buffer_steps, ref.buffer_steps);
    for (uint32_t i = 0; i < STORED_CLASSES; i++)
        assert_int_equal(out.stored[i], ref.stored[i]);
}

static void fabric_and_reference_agree_on_random_small_networks(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x4",   "mesh:3x4",        "ring:7",    "fattree:3x2",
                                             "fattree:2x3", "dragonfly:1x3x1", "crossbar:6"};
    static const enum photonic_switching ways[] = {PHOTONIC_CIRCUIT, PHOTONIC_PACKETISED, PHOTONIC_SEGMENT,
                                                   PHOTONIC_SEGMENT};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (uint64_t seed = 1; seed <= 12; seed++)
            agree(topologies[i], ways[seed % 4], seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fabric_and_reference_agree_on_random_small_networks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
