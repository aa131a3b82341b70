/* The fabric rotor: closed forms by hand; messages of random traffic, to the picosecond, beside two
 * simulators that share no code with it; throughput; what is refused. Without other words a slot carries for
 * 90 us after a guard of 10 us, and a link carries 1 GB/s, so 1000 B take 1 us. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/rng.h"
#include "fabric/list.h"
#include "fabric/rotor/rotor.h"
#include "fabric/topology.h"

#define US           INT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ a run */

enum { MOST = 20000 };

static struct sent {
    uint32_t source, destination;
    uint64_t bytes;
    ps_t at;                     /* submitted */
    ps_t visible, left, arrived; /* what the fabric says */
} sent[MOST];
static size_t sent_count;

static struct rotor_statistics seen;
static char said[4096];
static struct event_loop loop;
static struct pool messages;
static struct fabric *fabric;
static uint64_t events;
static ps_t latest_visible[64][64];
static enum status failure;

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static struct sent *sent_of(uint32_t index)
{
    return &sent[message_at(&messages, index)->tag];
}

static void on_visible(void *self, uint32_t index, ps_t at)
{
    struct sent *of = sent_of(index);
    (void)self;
    assert_true(of->visible == -1 && at >= of->at && at >= loop.now);
    of->visible = at;
    if (of->source < 64 && of->destination < 64) { /* pairs keep their order */
        assert_true(at >= latest_visible[of->source][of->destination]);
        latest_visible[of->source][of->destination] = at;
    }
}

static void on_left(void *self, uint32_t index, ps_t at)
{
    (void)self;
    assert_true(sent_of(index)->left == -1 && at >= loop.now);
    sent_of(index)->left = at;
}

static void on_delivered(void *self, uint32_t index, ps_t at)
{
    struct sent *of = sent_of(index);
    (void)self;
    assert_true(of->arrived == -1 && of->visible != -1 && of->left != -1);
    assert_true(at >= of->visible && at >= of->left && at >= loop.now);
    of->arrived = at;
    pool_give(&messages, index);
}

static void on_failed(void *self, enum status status)
{
    (void)self;
    failure = status;
    loop.stopped = true;
}

static void on_submit(void *self, uint32_t number)
{
    (void)self;
    uint32_t index = pool_take(&messages);
    *message_at(&messages, index) = (struct message){.bytes = sent[number].bytes,
                                                     .tag = (int32_t)number,
                                                     .source_node = sent[number].source,
                                                     .destination_node = sent[number].destination,
                                                     .injected = loop.now};
    fabric->ops->submit(fabric, index);
}

static struct config *configure(const char *settings)
{
    static const struct param_table *tables[2 + 2 * FABRICS_AT_MOST];
    size_t count = 0;
    tables[count++] = &topology_params;
    for (size_t i = 0; fabric_param_table(i); i++)
        tables[count++] = fabric_param_table(i);
    struct config *config = config_open(tables, count);
    char *copy = mem_text(settings), *rest = copy;
    for (char *setting; (setting = strsep(&rest, " "));)
        if (*setting)
            assert_int_equal(config_set(config, setting), STATUS_OK);
    free(copy);
    return config;
}

/* Sends the messages of `sent`. The settings come after slots of 10 us + 90 us and `switches` links of 1
 * GB/s.
 */
static enum status run(uint32_t nodes, uint32_t switches, const char *settings)
{
    char text[512];
    snprintf(text, sizeof text,
             "rotor.slot=90us rotor.guard=10us rotor.switches=%u rotor.bandwidth=%uGB/s %s", switches,
             switches, settings);
    struct config *config = configure(text);
    struct tap tap = {.count = {0}};
    loop_init(&loop);
    pool_init(&messages, sizeof(struct message), "messages");
    memset(latest_visible, 0, sizeof latest_visible);
    const struct fabric_params params = {.config = config,
                                         .loop = &loop,
                                         .messages = &messages,
                                         .nodes = nodes,
                                         .seed = 1,
                                         .callbacks = {.visible = on_visible,
                                                       .sender_done = on_left,
                                                       .delivered = on_delivered,
                                                       .failed = on_failed},
                                         .tap = &tap};
    said[0] = '\0';
    failure = STATUS_OK;
    diag_set_sink(keep, NULL);
    enum status status = fabric_open(fabric_find("rotor"), &params, &fabric);
    if (status == STATUS_OK) {
        uint32_t kind = loop_register(&loop, on_submit, NULL);
        for (size_t i = 0; i < sent_count; i++) {
            sent[i].visible = sent[i].left = sent[i].arrived = -1;
            loop_at(&loop, sent[i].at, kind, (uint32_t)i);
        }
        loop_run(&loop);
        seen = *(const struct rotor_statistics *)fabric->ops->statistics(fabric);
        status = failure;
        if (status == STATUS_OK)
            assert_int_equal(messages.live, 0);
    }
    events = loop.taken;
    diag_set_sink(NULL, NULL);
    fabric_close(fabric);
    pool_free(&messages);
    loop_free(&loop);
    config_close(config);
    return status;
}

static void clear(void)
{
    sent_count = 0;
}

static struct sent *add(uint32_t source, uint32_t destination, uint64_t bytes, ps_t at)
{
    assert_true(sent_count < MOST);
    sent[sent_count] = (struct sent){.source = source, .destination = destination, .bytes = bytes, .at = at};
    return &sent[sent_count++];
}

/* Bytes are counted once, whatever way they took; an empty message counts as a byte. */
static void check_conservation(void)
{
    sum_t bytes = 0;
    for (size_t i = 0; i < sent_count; i++)
        bytes += sent[i].bytes ? sent[i].bytes : 1;
    assert_true(seen.direct_bytes + seen.two_hop_bytes + seen.short_bytes == bytes);
    assert_int_equal(seen.direct_messages + seen.two_hop_messages + seen.short_messages, sent_count);
}

/* ------------------------------------------------------------- closed forms */

/* Five nodes, one switch: matching m is up in slot m - 1 of 4. */
static void a_message_waits_for_its_matching(void **state)
{
    (void)state;
    clear();
    const struct sent *first = add(0, 1, 1000, 0);
    const struct sent *third = add(1, 4, 1000, 0);
    const struct sent *during = add(2, 3, 1000, 50 * US);
    const struct sent *late = add(3, 4, 1000, 101 * US); /* its slot has passed: the next cycle */
    assert_int_equal(run(5, 1, "rotor.wire=1us"), STATUS_OK);
    assert_int_equal(first->left, (10 + 1) * US);
    assert_int_equal(first->visible, (10 + 2) * US);
    assert_int_equal(first->arrived, (10 + 1 + 2) * US);
    assert_int_equal(third->arrived, (200 + 10 + 1 + 2) * US);
    assert_int_equal(during->arrived, (50 + 1 + 2) * US);
    assert_int_equal(late->arrived, (400 + 10 + 1 + 2) * US);
    assert_true(seen.waited == (10 + 210 + 0 + 309) * US);
    assert_true(seen.slots == 4);
    assert_true(seen.duty_cycle == 0.9);
    check_conservation();
    assert_int_equal(events, 4); /* of the test itself */
}

/* 200 us of data take slots of 90, 90 and 20 us. A second message follows in the third one. */
static void a_message_takes_several_slots(void **state)
{
    (void)state;
    clear();
    const struct sent *large = add(0, 1, 200000, 0), *next = add(0, 1, 5000, 0);
    assert_int_equal(run(5, 1, ""), STATUS_OK);
    assert_int_equal(large->visible, 10 * US);
    assert_int_equal(large->arrived, (800 + 10 + 20) * US);
    assert_int_equal(next->visible, large->arrived);
    assert_int_equal(next->arrived, large->arrived + 5 * US);
    assert_true(seen.slots == 3);
    check_conservation();
}

/* A message that ends with the slot ends at its end, and one byte more takes a cycle more. */
static void a_slot_is_full(void **state)
{
    (void)state;
    clear();
    const struct sent *fits = add(0, 1, 90000, 0), *does_not = add(1, 2, 90001, 0);
    assert_int_equal(run(5, 1, ""), STATUS_OK);
    assert_int_equal(fits->arrived, 100 * US);
    assert_int_equal(does_not->arrived, (400 + 10) * US + 1000);
}

/* Two switches have matchings 1, 3 and 2, 4. Switch 1 changes 50 us before switch 0. */
static void staggered_switches_change_in_turn(void **state)
{
    (void)state;
    clear();
    const struct sent *one = add(0, 1, 1000, 0), *two = add(0, 2, 1000, 0), *four = add(0, 4, 1000, 0);
    const struct sent *again = add(1, 3, 1000, 51 * US);
    assert_int_equal(run(5, 2, "rotor.offset=staggered"), STATUS_OK);
    assert_int_equal(one->arrived, (10 + 1) * US);
    assert_int_equal(two->arrived, 1 * US);
    assert_int_equal(four->arrived, (50 + 10 + 1) * US);
    assert_int_equal(again->arrived, (150 + 10 + 1) * US);
    assert_int_equal(run(5, 2, ""), STATUS_OK);
    assert_int_equal(two->arrived, (10 + 1) * US);
    assert_int_equal(four->arrived, (110 + 1) * US);
}

/* An empty message takes the time of a byte. */
static void an_empty_message_takes_a_byte(void **state)
{
    (void)state;
    clear();
    const struct sent *empty = add(0, 1, 0, 0);
    assert_int_equal(run(5, 1, ""), STATUS_OK);
    assert_int_equal(empty->arrived, 10 * US + 1000);
    assert_int_equal(run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(empty->arrived, 10 * US + 1000);
}

/* RotorLB's rule. Node 1 has its own messages to 3, as many as its slot carries: it stores nothing for 3 but
 * for 4. */
static void a_node_accepts_what_its_slot_can_carry(void **state)
{
    (void)state;
    clear();
    add(1, 3, 89500, 0);
    const struct sent *no = add(0, 3, 1000, 0), *yes = add(0, 4, 1000, 0);
    add(2, 3, 89500, 0); /* so that node 1 keeps its message */
    assert_int_equal(run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(yes->left, (10 + 1) * US); /* over node 1 */
    assert_int_equal(no->left, (110 + 1) * US); /* over node 2 */
    assert_int_equal(run(5, 1, "rotor.hops=2 rotor.accept=any"), STATUS_OK);
    assert_int_equal(no->left, (10 + 1) * US);
    assert_int_equal(yes->left, (10 + 2) * US);
}

/* Then a cell is there at the end of a cycle and a slot after the slot in which it left: 9 slots with the 8
 * matchings of RotorNet's Figure 9, whatever the load is. All messages are a cell of a full slot. */
static void an_accepted_cell_is_there_after_a_cycle(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "test rotor bound");
    for (uint32_t density = 1; density <= 8; density++) {
        ps_t longest = 0;
        clear();
        for (uint32_t i = 0; i < density * 100; i++) {
            uint32_t source = (uint32_t)rng_below(&rng, 33), way = 1 + (uint32_t)rng_below(&rng, density * 4);
            add(source, (source + way) % 33, 90000, 0);
        }
        assert_int_equal(run(33, 4, "rotor.hops=2"), STATUS_OK);
        for (size_t i = 0; i < sent_count; i++)
            if (sent[i].arrived - sent[i].left > longest)
                longest = sent[i].arrived - sent[i].left;
        assert_true(seen.two_hop_messages > 0);
        assert_in_range(longest, 1, 8 * 100 * US);
        check_conservation();
    }
}

/* From 0 to 3, at the beginning: the circuit to node 1 is up first. From there matching 2 leads on, in
 * slot 1.
 */
static void two_hops_go_over_the_first_circuit(void **state)
{
    (void)state;
    clear();
    const struct sent *over = add(0, 3, 1000, 0);
    assert_int_equal(run(5, 1, "rotor.hops=2 rotor.wire=1us"), STATUS_OK);
    assert_int_equal(over->left, (10 + 1) * US);
    assert_int_equal(over->visible, (110 + 2) * US);
    assert_int_equal(over->arrived, (110 + 1 + 2) * US);
    assert_true(seen.two_hop_bytes == 1000);
    assert_int_equal(seen.stored_peak, 1000);
    assert_int_equal(seen.two_hop_messages, 1);
}

/* Node 0 has as many bytes for node 1 as the slot carries: nothing else leaves in it. */
static void direct_traffic_goes_first(void **state)
{
    (void)state;
    clear();
    const struct sent *other = add(0, 3, 1000, 0), *direct = add(0, 1, 90000, 0);
    assert_int_equal(run(5, 1, "rotor.hops=2"), STATUS_OK);
    assert_int_equal(direct->arrived, 100 * US);
    assert_int_equal(other->left, (110 + 1) * US); /* over node 2, and matching 1, in slot 4 */
    assert_int_equal(other->arrived, (410 + 1) * US);
}

/* The limit leaves room for one cell of 40 us in node 1; the rest waits for slot 2, its own. */
static void a_node_stores_no_more_than_its_limit(void **state)
{
    (void)state;
    clear();
    const struct sent *large = add(0, 3, 80000, 0);
    assert_int_equal(run(5, 1, "rotor.hops=2 rotor.cell=40000B rotor.stored=40000B"), STATUS_OK);
    assert_int_equal(seen.stored_peak, 40000);
    assert_true(seen.two_hop_bytes == 80000); /* a cell over node 1 in slot 0, one over node 2 in slot 1 */
    assert_int_equal(large->left, (110 + 40) * US);
    assert_int_equal(large->arrived, (410 + 40) * US);
}

/* Matchings 1 and 3 are up on switch 0, 2 and 4 on switch 1. A short message from 0 to 3 takes matchings 1
 * and 2 at once. */
static void a_short_message_takes_several_circuits(void **state)
{
    (void)state;
    clear();
    const struct sent *small = add(0, 3, 1000, 20 * US), *large = add(0, 3, 5000, 20 * US);
    assert_int_equal(run(5, 2, "rotor.short=5000B rotor.wire=1us"), STATUS_OK);
    assert_int_equal(small->arrived, (20 + 2 * (1 + 2)) * US);
    assert_int_equal(large->arrived, (110 + 5 + 2) * US);
    assert_int_equal(seen.short_messages, 1);
    assert_int_equal(seen.direct_messages, 1);
    check_conservation();
}

/* A short message behind a large one of the same pair is not visible before it. */
static void pairs_keep_their_order(void **state)
{
    (void)state;
    clear();
    const struct sent *large = add(0, 3, 5000, 20 * US), *small = add(0, 3, 1000, 20 * US);
    assert_int_equal(run(5, 2, "rotor.short=5000B"), STATUS_OK);
    assert_int_equal(small->left, 21 * US);
    assert_int_equal(large->visible, 110 * US);
    assert_int_equal(small->arrived, 110 * US);
}

/* Short messages go before the others, at the next cell. */
static void short_messages_overtake(void **state)
{
    (void)state;
    clear();
    const struct sent *large = add(0, 1, 50000, 10 * US), *small = add(0, 1, 500, 10 * US + 1);
    assert_int_equal(run(5, 2, "rotor.short=1000B rotor.cell=1000B"), STATUS_OK);
    assert_int_equal(small->left, 11 * US + 500000);
    assert_int_equal(large->arrived, 60 * US + 500000);
}

/* ------------------------------------ a simulator slot by slot, direct */

static struct expected {
    ps_t visible, left, arrived;
    bool has_begun;
    int64_t remaining;
} expected[MOST];

/* Every slot of every switch, from 0 on; in each slot the messages of each pair, in their order. The order of
 * matchings is cyclic. */
static void expect_direct(uint32_t nodes, uint32_t switches, bool is_staggered, ps_t guard, ps_t slot,
                          ps_t light)
{
    size_t left = sent_count;
    for (size_t i = 0; i < sent_count; i++)
        expected[i] = (struct expected){.remaining = 1000 * (int64_t)(sent[i].bytes ? sent[i].bytes : 1)};
    for (int64_t number = 0; left > 0; number++)
        for (uint32_t s = 0; s < switches; s++) {
            uint32_t positions = 0;
            for (uint32_t m = 1 + s; m < nodes; m += switches)
                positions++;
            uint32_t matching = 1 + s + switches * (uint32_t)(number % positions);
            ps_t lead = is_staggered ? (guard + slot) * s / switches : 0;
            ps_t begin = number * (guard + slot) - lead + guard, end = begin + slot;
            for (uint32_t node = 0; node < nodes; node++) {
                ps_t at = begin > 0 ? begin : 0;
                for (size_t i = 0; i < sent_count; i++) {
                    if (sent[i].source != node || sent[i].destination != (node + matching) % nodes ||
                        !expected[i].remaining)
                        continue;
                    at = at > sent[i].at ? at : sent[i].at;
                    if (at >= end)
                        break;
                    if (!expected[i].has_begun)
                        expected[i].visible = at + light;
                    expected[i].has_begun = true;
                    int64_t part = expected[i].remaining < end - at ? expected[i].remaining : end - at;
                    expected[i].remaining -= part;
                    at += part;
                    expected[i].left = at;
                    expected[i].arrived = at + light;
                    left -= expected[i].remaining == 0;
                }
            }
        }
}

static void check_times(const char *what, uint64_t seed)
{
    for (size_t i = 0; i < sent_count; i++)
        if (sent[i].visible != expected[i].visible || sent[i].left != expected[i].left ||
            sent[i].arrived != expected[i].arrived)
            fail_msg(
                "%s, seed %llu, message %zu from %u to %u: visible %lld, %lld expected; left %lld, %lld; "
                "there %lld, %lld",
                what, (unsigned long long)seed, i, sent[i].source, sent[i].destination,
                (long long)sent[i].visible, (long long)expected[i].visible, (long long)sent[i].left,
                (long long)expected[i].left, (long long)sent[i].arrived, (long long)expected[i].arrived);
}

static int by_time(const void *a, const void *b)
{
    const struct sent *first = a, *second = b;
    return first->at < second->at ? -1 : first->at > second->at;
}

/* Random messages in the order of their times. */
static void draw(struct rng *rng, uint32_t nodes, size_t count, uint64_t bytes, ps_t within)
{
    clear();
    for (size_t i = 0; i < count; i++) {
        uint32_t source = (uint32_t)rng_below(rng, nodes);
        uint32_t destination = (source + 1 + (uint32_t)rng_below(rng, nodes - 1)) % nodes;
        add(source, destination, rng_below(rng, bytes), (ps_t)rng_below(rng, (uint64_t)within));
    }
    qsort(sent, sent_count, sizeof *sent, by_time);
}

static void direct_traffic_is_that_of_a_slot_simulator(void **state)
{
    (void)state;
    struct rng rng = rng_init(7, "test rotor direct");
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint32_t nodes = 2 + (uint32_t)rng_below(&rng, 12);
        uint32_t switches = 1 + (uint32_t)rng_below(&rng, nodes - 1);
        bool is_staggered = rng_below(&rng, 2);
        ps_t guard = (ps_t)rng_below(&rng, 3) * 7 * US, slot = (ps_t)(1 + rng_below(&rng, 90)) * US + 13;
        ps_t light = 2 * (ps_t)rng_below(&rng, 1000);
        char settings[256];
        snprintf(settings, sizeof settings,
                 "rotor.guard=%lldps rotor.slot=%lldps rotor.wire=%lldps rotor.offset=%s", (long long)guard,
                 (long long)slot, (long long)light / 2, is_staggered ? "staggered" : "together");
        draw(&rng, nodes, 80, 60000, 1500 * US);
        assert_int_equal(run(nodes, switches, settings), STATUS_OK);
        expect_direct(nodes, switches, is_staggered, guard, slot, light);
        check_times(settings, seed);
        check_conservation();
    }
}

/* -------------------------------------- a simulator cell by cell, two hops */

/* All that is random here is of odd picoseconds, so no two things happen at the same time at one node, but at
 * the submission of a message. This simulator goes from one time to the next at which anything may change,
 * and looks at all links. It has neither events nor a hash table. */
enum { SIM_NODES = 8, SIM_SWITCHES = 4, SIM_CELLS = 100000 };

static struct sim {
    uint32_t nodes, switches;
    ps_t guard, slot, light;
    int64_t cell;
    ps_t busy[SIM_NODES][SIM_SWITCHES];
    uint64_t begun[SIM_NODES][SIM_SWITCHES], begins; /* in which order the links began their latest cells */
    uint32_t ring[SIM_NODES][SIM_NODES], ring_count[SIM_NODES]; /* destinations, in turn */
    struct sim_cell {
        size_t message;
        int64_t bytes;
        uint32_t node;
        ps_t at;
        bool is_gone;
    } cells[SIM_CELLS]; /* those on their second hop, in the order of their arrival */
    size_t cell_count;
    int64_t unsent[MOST], missing[MOST];
    ps_t first[MOST];
} sim;

/* When the slot of a switch at `at` begins to carry, when it ends, and its matching. */
static void sim_slot(uint32_t s, ps_t at, ps_t *since, ps_t *until, uint32_t *matching)
{
    ps_t period = sim.guard + sim.slot, lead = period * s / sim.switches;
    int64_t number = (at + lead) / period;
    uint32_t positions = 0;
    for (uint32_t m = 1 + s; m < sim.nodes; m += sim.switches)
        positions++;
    *matching = 1 + s + sim.switches * (uint32_t)(number % positions);
    *since = number * period - lead + sim.guard;
    *until = (number + 1) * period - lead;
}

static void sim_arrive(size_t message, int64_t bytes, ps_t now, ps_t end)
{
    if (sim.first[message] == PS_NEVER)
        sim.first[message] = now + sim.light;
    sim.missing[message] -= bytes;
    if (end + sim.light > expected[message].arrived)
        expected[message].arrived = end + sim.light;
}

static void sim_leave(size_t message, int64_t bytes, ps_t end)
{
    sim.unsent[message] -= bytes;
    if (end > expected[message].left)
        expected[message].left = end;
}

/* The first message of the pair with bytes at its source. */
static size_t sim_unsent(uint32_t source, uint32_t destination, ps_t now)
{
    for (size_t i = 0; i < sent_count; i++)
        if (sent[i].source == source && sent[i].destination == destination && sim.unsent[i] &&
            sent[i].at <= now)
            return i;
    return SIZE_MAX;
}

/* The k-th destination leaves the ring, or goes to its end. */
static void sim_turn(uint32_t node, uint32_t k, bool stays)
{
    uint32_t destination = sim.ring[node][k];
    memmove(&sim.ring[node][k], &sim.ring[node][k + 1], (sim.ring_count[node] - k - 1) * sizeof(uint32_t));
    if (stays)
        sim.ring[node][sim.ring_count[node] - 1] = destination;
    else
        sim.ring_count[node]--;
}

static uint32_t sim_in_ring(uint32_t node, uint32_t destination)
{
    uint32_t k = 0;
    while (k < sim.ring_count[node] && sim.ring[node][k] != destination)
        k++;
    return k;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void sim_link(uint32_t node, uint32_t s, ps_t now)
{
    ps_t since, until;
    uint32_t matching;
    sim_slot(s, now, &since, &until, &matching);
    if (now < since || sim.busy[node][s] > now)
        return;
    int64_t room = least((until - now) / 1000, sim.cell);
    uint32_t to = (node + matching) % sim.nodes;
    if (!room)
        return;
    for (size_t i = 0; i < sim.cell_count; i++) {
        struct sim_cell *cell = &sim.cells[i];
        if (cell->node != node || sent[cell->message].destination != to || cell->is_gone || cell->at > now)
            continue;
        int64_t part = least(cell->bytes, room);
        sim.begun[node][s] = ++sim.begins;
        sim.busy[node][s] = now + 1000 * part;
        cell->bytes -= part;
        cell->is_gone = cell->bytes == 0;
        sim_arrive(cell->message, part, now, now + 1000 * part);
        return;
    }
    size_t own = sim_unsent(node, to, now);
    bool is_direct = own != SIZE_MAX;
    if (!is_direct && !sim.ring_count[node])
        return;
    uint32_t destination = is_direct ? to : sim.ring[node][0];
    own = sim_unsent(node, destination, now);
    int64_t part = least(sim.unsent[own], room);
    sim.begun[node][s] = ++sim.begins;
    ps_t end = sim.busy[node][s] = now + 1000 * part;
    sim_leave(own, part, end);
    bool stays = sim_unsent(node, destination, now) != SIZE_MAX;
    if (!is_direct || !stays)
        sim_turn(node, sim_in_ring(node, destination), stays);
    if (is_direct)
        sim_arrive(own, part, now, end);
    else
        sim.cells[sim.cell_count++] =
            (struct sim_cell){.message = own, .bytes = part, .node = to, .at = end + sim.light};
    assert_true(sim.cell_count < SIM_CELLS);
}

/* All links of a node, in the order in which they began their latest cells. */
static void sim_node(uint32_t node, ps_t now)
{
    uint64_t begun[SIM_SWITCHES];
    bool is_done[SIM_SWITCHES] = {false};
    memcpy(begun, sim.begun[node], sizeof begun);
    for (uint32_t i = 0; i < sim.switches; i++) {
        uint32_t next = SIM_SWITCHES;
        for (uint32_t s = 0; s < sim.switches; s++)
            if (!is_done[s] && (next == SIM_SWITCHES || begun[s] < begun[next]))
                next = s;
        is_done[next] = true;
        sim_link(node, next, now);
    }
}

/* Cells arrive in another order than they leave. */
static void sim_sort_cells(void)
{
    for (size_t i = 1; i < sim.cell_count; i++)
        for (size_t k = i; k > 0 && sim.cells[k].at < sim.cells[k - 1].at; k--) {
            struct sim_cell other = sim.cells[k];
            sim.cells[k] = sim.cells[k - 1];
            sim.cells[k - 1] = other;
        }
}

static ps_t sim_next(ps_t now)
{
    ps_t next = PS_NEVER, since, until;
    uint32_t matching;
    for (size_t i = 0; i < sent_count; i++)
        next = sent[i].at > now ? least(next, sent[i].at) : next;
    for (size_t i = 0; i < sim.cell_count; i++)
        next = sim.cells[i].at > now ? least(next, sim.cells[i].at) : next;
    for (uint32_t s = 0; s < sim.switches; s++) {
        sim_slot(s, now, &since, &until, &matching);
        next = least(next, since > now ? since : until);
        for (uint32_t node = 0; node < sim.nodes; node++)
            next = sim.busy[node][s] > now ? least(next, sim.busy[node][s]) : next;
    }
    return next;
}

/* A message becomes visible with its first byte, after those before it. */
static void sim_order(void)
{
    for (size_t i = 0; i < sent_count; i++) {
        expected[i].visible = sim.first[i];
        for (size_t k = 0; k < i; k++)
            if (sent[k].source == sent[i].source && sent[k].destination == sent[i].destination &&
                expected[k].visible > expected[i].visible)
                expected[i].visible = expected[k].visible;
        if (expected[i].arrived < expected[i].visible)
            expected[i].arrived = expected[i].visible;
    }
}

static void expect_two_hops(void)
{
    size_t next = 0, left = sent_count;
    sim.cell_count = 0;
    sim.begins = 0;
    memset(sim.begun, 0, sizeof sim.begun);
    memset(sim.busy, 0, sizeof sim.busy);
    memset(sim.ring_count, 0, sizeof sim.ring_count);
    for (size_t i = 0; i < sent_count; i++) {
        expected[i] = (struct expected){.visible = PS_NEVER};
        sim.unsent[i] = sim.missing[i] = (int64_t)(sent[i].bytes ? sent[i].bytes : 1);
        sim.first[i] = PS_NEVER;
    }
    for (ps_t now = 0; left; now = sim_next(now)) {
        sim_sort_cells();
        for (; next < sent_count && sent[next].at == now; next++) {
            uint32_t node = sent[next].source, to = sent[next].destination;
            bool was_idle = sim.ring_count[node] == 0;
            if (sim_in_ring(node, to) == sim.ring_count[node])
                sim.ring[node][sim.ring_count[node]++] = to;
            uint32_t direct = (to + sim.nodes - node) % sim.nodes, s = (direct - 1) % sim.switches, matching;
            ps_t since, until;
            sim_slot(s, now, &since, &until, &matching);
            if (matching == direct) /* its own circuit comes first */
                sim_link(node, s, now);
            for (s = 0; was_idle && s < sim.switches; s++)
                sim_link(node, s, now);
        }
        for (uint32_t node = 0; node < sim.nodes; node++)
            sim_node(node, now);
        left = 0;
        for (size_t i = 0; i < sent_count; i++)
            left += sim.missing[i] > 0;
    }
    sim_order();
}

static void two_hop_traffic_is_that_of_a_cell_simulator(void **state)
{
    (void)state;
    struct rng rng = rng_init(7, "test rotor two hops");
    for (uint64_t seed = 0; seed < 40; seed++) {
        sim.nodes = 3 + (uint32_t)rng_below(&rng, SIM_NODES - 2);
        sim.switches = 1 + (uint32_t)rng_below(&rng, least(SIM_SWITCHES, sim.nodes - 1));
        sim.guard = (ps_t)rng_below(&rng, 3) * 7 * US + 17;
        sim.slot = (ps_t)(10 + rng_below(&rng, 90)) * US + 13;
        sim.light = 2 * (ps_t)rng_below(&rng, 100000) + 6;
        sim.cell = 500 + (int64_t)rng_below(&rng, 20000);
        char settings[256];
        snprintf(settings, sizeof settings,
                 "rotor.hops=2 rotor.accept=any rotor.guard=%lldps rotor.slot=%lldps rotor.wire=%lldps "
                 "rotor.offset=staggered "
                 "rotor.cell=%lldB",
                 (long long)sim.guard, (long long)sim.slot, (long long)sim.light / 2, (long long)sim.cell);
        draw(&rng, sim.nodes, 60, seed % 2 ? 30000 : 300000, 1500 * US);
        assert_int_equal(run(sim.nodes, sim.switches, settings), STATUS_OK);
        if (sim.slot / 1000 < sim.cell)
            sim.cell = sim.slot / 1000;
        expect_two_hops();
        check_times(settings, seed);
        check_conservation();
    }
}

/* --------------------------------------------------------------- throughput */

/* Bytes a second that nodes receive on average until `until`, as a share of their rate: what is there of each
 * message counts as spread evenly over the time from its first byte to its last. */
static double throughput(uint32_t nodes, uint32_t switches, ps_t until)
{
    double bytes = 0;
    for (size_t i = 0; i < sent_count; i++) {
        double share = sent[i].arrived <= until ? 1
                       : sent[i].visible >= until
                           ? 0
                           : (double)(until - sent[i].visible) / (double)(sent[i].arrived - sent[i].visible);
        bytes += (double)sent[i].bytes * share;
    }
    return bytes / nodes / switches / ((double)until / 1000);
}

static void assert_near(double value, double wanted, double relative)
{
    if (value < wanted * (1 - relative) || value > wanted * (1 + relative))
        fail_msg("%g instead of %g", value, wanted);
}

/* Each circuit has enough to carry: all slots are full, and a node has its rate times the duty cycle. */
static void uniform_traffic_has_the_duty_cycle(void **state)
{
    (void)state;
    clear();
    for (uint32_t source = 0; source < 17; source++)
        for (uint32_t destination = 0; destination < 17; destination++)
            if (source != destination)
                add(source, destination, 90000 * 10, 0);
    assert_int_equal(run(17, 4, ""), STATUS_OK);
    assert_near(throughput(17, 4, 10 * 4 * 100 * US), 0.9, 1e-9);
    assert_int_equal(run(17, 4, "rotor.hops=2"), STATUS_OK);
    assert_true(seen.two_hop_bytes == 0);
    assert_near(throughput(17, 4, 10 * 4 * 100 * US), 0.9, 1e-9);
}

/* A permutation: direct traffic has one circuit of N - 1. With two hops it takes half of all slots. */
static void a_permutation_has_half_of_it_with_two_hops(void **state)
{
    (void)state;
    clear();
    for (uint32_t source = 0; source < 17; source++)
        add(source, (source + 5) % 17, 90000 * 16 * 40, 0);
    assert_int_equal(run(17, 4, ""), STATUS_OK);
    assert_near(throughput(17, 4, 20 * 4 * 100 * US), 0.9 / 16, 0.02);
    assert_int_equal(run(17, 4, "rotor.hops=2"), STATUS_OK);
    double share = (double)sent[0].bytes / 4 / ((double)sent[0].arrived / 1000);
    assert_near(share, 0.9 / 2 * 17 / 16, 0.06);
}

/* ---------------------------------------------------------- failures */

/* Random traffic of all kinds arrives, whatever has failed, if nodes are reached at all. */
static void traffic_of_all_kinds_arrives(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "rotor.hops=2",
        "rotor.hops=2 rotor.failed=1",
        "rotor.hops=2 rotor.failed=0,2 rotor.order=random",
        "rotor.hops=2 rotor.cell=700B rotor.stored=3000B",
        "rotor.hops=2 rotor.cell=700B",
        "rotor.hops=2 rotor.failed=2 rotor.short=3000B",
        "rotor.short=9000B rotor.cell=1500B",
        "rotor.short=9000B rotor.cell=1500B rotor.offset=staggered",
        "rotor.short=9000B rotor.slot=3us rotor.guard=0ps rotor.wire=3us",
        "rotor.short=9000B rotor.hops=2 rotor.offset=staggered rotor.order=random",
        "rotor.short=1GB rotor.failed=3 rotor.order=random",
        "rotor.short=1GB rotor.failed=3 rotor.offset=staggered"};
    struct rng rng = rng_init(3, "test rotor kinds");
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (uint32_t seed = 0; seed < 5; seed++) {
            draw(&rng, 13, 400, seed % 2 ? 20000 : 200000, (seed + 1) * 300 * US);
            if (run(13, 4, kinds[i]) != STATUS_OK)
                fail_msg("%s: %s", kinds[i], said);
            check_conservation();
        }
}

static void pairs_of_a_failed_switch_need_two_hops(void **state)
{
    (void)state;
    clear();
    add(0, 2, 1000, 0);
    assert_int_equal(run(5, 2, "rotor.failed=1"), STATUS_FAILED);
    assert_non_null(strstr(said, "node 0 has no circuit to node 2, since switch 1 has failed; rotor.hops=2"));
    assert_int_equal(run(5, 2, "rotor.failed=0"), STATUS_OK);
    assert_int_equal(run(5, 2, "rotor.failed=1 rotor.hops=2"), STATUS_OK);
    /* Switch 1 has matchings 2 and 4 of 6 nodes: two of them never lead an odd way. */
    add(0, 1, 1000, 0);
    assert_int_equal(run(6, 2, "rotor.failed=0 rotor.hops=2"), STATUS_FAILED);
    assert_non_null(strstr(said, "no two other circuits lead there"));
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"rotor.switches=5",
         "rotor.switches=5 is too many for 5 nodes: each switch needs a matching, and they have 4"},
        {"rotor.failed=4", "there is no switch 4; the last one is switch 3"},
        {"rotor.failed=0,1,2,3", "leaves no switch that works"},
        {"rotor.failed=0;1", "is no list of switches"},
        {"rotor.failed=-1", "is no list of switches"},
        {"rotor.failed=1,", "is no list of switches"},
        {"rotor.short=1kB rotor.failed=0,1,2", "rotor.short needs at least 2 switches that work"},
        {"rotor.short=1kB rotor.switches=1", "rotor.short needs at least 2 switches that work"},
        {"rotor.hops=2 rotor.slot=1ps", "a link carries less than 1 B in a slot"},
        {"rotor.hops=2 rotor.stored=1kB", "rotor.stored is smaller than a cell of 90000 B"}};
    clear();
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(run(5, 4, cases[i][0]), STATUS_BAD_INPUT);
        if (!strstr(said, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], said);
    }
    struct config *config = configure("");
    diag_set_sink(keep, NULL);
    said[0] = '\0';
    assert_int_equal(config_set(config, "rotor.slot=0ps"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.slot=-1us"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.guard=-1us"), STATUS_BAD_INPUT);
    assert_int_equal(config_set(config, "rotor.hops=3"), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    config_close(config);
}

/* -------------------------------------------------------------- description */

static void a_description_is_what_messages_do(void **state)
{
    (void)state;
    struct fabric_description says;
    struct config *config =
        configure("rotor.slot=90us rotor.guard=10us rotor.switches=4 rotor.bandwidth=4GB/s rotor.wire=1us");
    says = (struct fabric_description){.latency_ps = 0};
    rotor_describe(config, 17, &says);
    assert_int_equal(says.rate_bytes_per_s, UINT64_C(4000000000));
    assert_int_equal(says.message_rate_bytes_per_s, UINT64_C(225000000)); /* 4 GB/s x 90 % / 16 */
    assert_int_equal(says.latency_ps, 2 * US + (ps_t)(310.0 * 310 / 800 * US));
    clear();
    const struct sent *large = add(0, 1, 90000 * 100, 0);
    ps_t sum = 0;
    for (int i = 0; i < 4000; i++) /* pairs do not wait for one another, nor do these */
        add(0, 1, 0, 100000 * US + i * 400 * US + i * (400 * US / 4000));
    assert_int_equal(run(17, 4, "rotor.wire=1us"), STATUS_OK);
    assert_near((double)large->bytes / ((double)large->arrived / 1e12), 225e6, 0.01);
    for (size_t i = 1; i < sent_count; i++)
        sum += sent[i].arrived - sent[i].at;
    assert_near((double)sum / 4000, (double)says.latency_ps, 0.001);
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_waits_for_its_matching),
        cmocka_unit_test(a_message_takes_several_slots),
        cmocka_unit_test(a_slot_is_full),
        cmocka_unit_test(staggered_switches_change_in_turn),
        cmocka_unit_test(an_empty_message_takes_a_byte),
        cmocka_unit_test(two_hops_go_over_the_first_circuit),
        cmocka_unit_test(direct_traffic_goes_first),
        cmocka_unit_test(a_node_stores_no_more_than_its_limit),
        cmocka_unit_test(a_node_accepts_what_its_slot_can_carry),
        cmocka_unit_test(an_accepted_cell_is_there_after_a_cycle),
        cmocka_unit_test(a_short_message_takes_several_circuits),
        cmocka_unit_test(pairs_keep_their_order),
        cmocka_unit_test(short_messages_overtake),
        cmocka_unit_test(direct_traffic_is_that_of_a_slot_simulator),
        cmocka_unit_test(two_hop_traffic_is_that_of_a_cell_simulator),
        cmocka_unit_test(uniform_traffic_has_the_duty_cycle),
        cmocka_unit_test(a_permutation_has_half_of_it_with_two_hops),
        cmocka_unit_test(traffic_of_all_kinds_arrives),
        cmocka_unit_test(pairs_of_a_failed_switch_need_two_hops),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(a_description_is_what_messages_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
