/* The fabric rotor: messages of random traffic, to the picosecond, beside two simulators that share no code
 * with it. Without other words a slot carries for 90 us after a guard of 10 us, and a link carries 1 GB/s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/rotor_run.h"

#define US           INT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------ a simulator slot by slot, direct */

static struct expected {
    ps_t visible, left, arrived;
    bool has_begun;
    int64_t remaining;
} expected[ROTOR_MOST];

/* Every slot of every switch, from 0 on; in each slot the messages of each pair, in their order. The order of
 * matchings is cyclic. */
static void expect_direct(uint32_t nodes, uint32_t switches, bool is_staggered, ps_t guard, ps_t slot,
                          ps_t light)
{
    size_t left = rotor_sent_count;
    for (size_t i = 0; i < rotor_sent_count; i++)
        expected[i] =
            (struct expected){.remaining = 1000 * (int64_t)(rotor_sent[i].bytes ? rotor_sent[i].bytes : 1)};
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
                for (size_t i = 0; i < rotor_sent_count; i++) {
                    if (rotor_sent[i].source != node ||
                        rotor_sent[i].destination != (node + matching) % nodes || !expected[i].remaining)
                        continue;
                    at = at > rotor_sent[i].at ? at : rotor_sent[i].at;
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
    for (size_t i = 0; i < rotor_sent_count; i++)
        if (rotor_sent[i].visible != expected[i].visible || rotor_sent[i].left != expected[i].left ||
            rotor_sent[i].arrived != expected[i].arrived)
            fail_msg(
                "%s, seed %llu, message %zu from %u to %u: visible %lld, %lld expected; left %lld, %lld; "
                "there %lld, %lld",
                what, (unsigned long long)seed, i, rotor_sent[i].source, rotor_sent[i].destination,
                (long long)rotor_sent[i].visible, (long long)expected[i].visible,
                (long long)rotor_sent[i].left, (long long)expected[i].left, (long long)rotor_sent[i].arrived,
                (long long)expected[i].arrived);
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
        rotor_draw(&rng, nodes, 80, 60000, 1500 * US);
        assert_int_equal(rotor_run(nodes, switches, settings), STATUS_OK);
        expect_direct(nodes, switches, is_staggered, guard, slot, light);
        check_times(settings, seed);
        rotor_check_conservation();
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
    int64_t unsent[ROTOR_MOST], missing[ROTOR_MOST];
    ps_t first[ROTOR_MOST];
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
    for (size_t i = 0; i < rotor_sent_count; i++)
        if (rotor_sent[i].source == source && rotor_sent[i].destination == destination && sim.unsent[i] &&
            rotor_sent[i].at <= now)
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
        if (cell->node != node || rotor_sent[cell->message].destination != to || cell->is_gone ||
            cell->at > now)
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
    for (size_t i = 0; i < rotor_sent_count; i++)
        next = rotor_sent[i].at > now ? least(next, rotor_sent[i].at) : next;
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
    for (size_t i = 0; i < rotor_sent_count; i++) {
        expected[i].visible = sim.first[i];
        for (size_t k = 0; k < i; k++)
            if (rotor_sent[k].source == rotor_sent[i].source &&
                rotor_sent[k].destination == rotor_sent[i].destination &&
                expected[k].visible > expected[i].visible)
                expected[i].visible = expected[k].visible;
        if (expected[i].arrived < expected[i].visible)
            expected[i].arrived = expected[i].visible;
    }
}

static void expect_two_hops(void)
{
    size_t next = 0, left = rotor_sent_count;
    sim.cell_count = 0;
    sim.begins = 0;
    memset(sim.begun, 0, sizeof sim.begun);
    memset(sim.busy, 0, sizeof sim.busy);
    memset(sim.ring_count, 0, sizeof sim.ring_count);
    for (size_t i = 0; i < rotor_sent_count; i++) {
        expected[i] = (struct expected){.visible = PS_NEVER};
        sim.unsent[i] = sim.missing[i] = (int64_t)(rotor_sent[i].bytes ? rotor_sent[i].bytes : 1);
        sim.first[i] = PS_NEVER;
    }
    for (ps_t now = 0; left; now = sim_next(now)) {
        sim_sort_cells();
        for (; next < rotor_sent_count && rotor_sent[next].at == now; next++) {
            uint32_t node = rotor_sent[next].source, to = rotor_sent[next].destination;
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
        for (size_t i = 0; i < rotor_sent_count; i++)
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
        rotor_draw(&rng, sim.nodes, 60, seed % 2 ? 30000 : 300000, 1500 * US);
        assert_int_equal(rotor_run(sim.nodes, sim.switches, settings), STATUS_OK);
        if (sim.slot / 1000 < sim.cell)
            sim.cell = sim.slot / 1000;
        expect_two_hops();
        check_times(settings, seed);
        rotor_check_conservation();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_traffic_is_that_of_a_slot_simulator),
        cmocka_unit_test(two_hop_traffic_is_that_of_a_cell_simulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
