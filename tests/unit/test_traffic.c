/* Open-loop traffic: sources, destinations, sizes and times. They are the same on every fabric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call/call.h"
#include "workload/workload.h"

static struct topo topo_of(const char *text)
{
    struct topo topo;
    assert_int_equal(topo_parse("test", text, &topo), STATUS_OK);
    return topo;
}

static struct program *open_program(const char *spec)
{
    struct program *program;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    assert_non_null(program->openloop);
    return program;
}

/* Calls `see` for every message. Returns the number of messages. */
static uint64_t each_message(const char *spec, const char *topology, uint64_t seed, void *self,
                             void (*see)(void *self, uint32_t node, const struct openloop_message *message))
{
    struct program *program = open_program(spec);
    struct topo topo = topo_of(topology);
    struct openloop_run *run = openloop_open(program->openloop, &topo, topo.nodes, seed);
    struct openloop_message message;
    uint64_t count = 0;
    for (uint32_t node = 0; node < topo.nodes; node++) {
        ps_t before = 0;
        for (; openloop_next(run, node, &message); count++) {
            assert_true(message.destination < topo.nodes && message.destination != node);
            assert_true(message.at >= before);
            before = message.at;
            if (see)
                see(self, node, &message);
        }
        assert_false(openloop_next(run, node, &message));
    }
    assert_true(openloop_bytes(run) >= topo.nodes);
    openloop_close(run);
    program->ops->close(program);
    return count;
}

static void count_destination(void *self, uint32_t node, const struct openloop_message *message)
{
    (void)node;
    ((uint32_t *)self)[message->destination]++;
}

/* 300 are expected for each, within 6 standard deviations. */
static void uniform_goes_everywhere(void **state)
{
    (void)state;
    uint32_t counts[64] = {0};
    assert_int_equal(each_message("uniform:messages=300", "torus:8x8", 7, counts, count_destination),
                     64 * 300);
    for (int i = 0; i < 64; i++)
        assert_in_range(counts[i], 300 - 6 * 18, 300 + 6 * 18);
}

static void a_permutation_meets_everybody_once(void **state)
{
    (void)state;
    uint32_t counts[37] = {0};
    each_message("permutation:messages=2", "crossbar:37", 7, counts, count_destination);
    for (int i = 0; i < 37; i++)
        assert_int_equal(counts[i], 2);
}

static void hotspots_get_more_messages(void **state)
{
    (void)state;
    uint32_t counts[64] = {0};
    each_message("hotspot:messages=100,hot=2,hot_fraction=0.5", "torus:8x8", 7, counts, count_destination);
    assert_in_range(counts[0], 1400,
                    1900); /* a quarter of 6400, and 1/63 of the half that is spread evenly */
    assert_in_range(counts[32], 1400, 1900);
    assert_in_range(counts[1], 10, 120);
}

static void expect_tornado(void *self, uint32_t node, const struct openloop_message *message)
{
    (void)self;
    uint32_t x = node % 12, y = node / 12;
    assert_int_equal(message->destination, (x + 5) % 12 + 12 * ((y + 2) % 5));
}

static void expect_half_way(void *self, uint32_t node, const struct openloop_message *message)
{
    (void)self;
    assert_int_equal(message->destination, (node + 31) % 64);
}

static void tornado_goes_nearly_half_way_round(void **state)
{
    (void)state;
    assert_int_equal(each_message("tornado:messages=3", "torus:12x5", 1, NULL, expect_tornado), 180);
    assert_int_equal(each_message("tornado:messages=3", "fattree:4x3", 1, NULL, expect_half_way), 192);
    assert_int_equal(each_message("tornado:messages=3", "torus:2x2", 1, NULL, NULL), 0);
}

static void expect_complement(void *self, uint32_t node, const struct openloop_message *message)
{
    (void)self;
    assert_int_equal(message->destination, ~node & 63);
}

static void complement_inverts_every_bit(void **state)
{
    (void)state;
    assert_int_equal(each_message("bitcomplement:messages=1", "mesh:8x8", 1, NULL, expect_complement), 64);
    assert_int_equal(each_message("bitcomplement:messages=1", "ring:5", 1, NULL, NULL), 4);
}

struct seen {
    struct topo topo;
    uint32_t distances[3];
};

static void expect_neighbour(void *self, uint32_t node, const struct openloop_message *message)
{
    const struct seen *seen = self;
    assert_int_equal(topo_distance(&seen->topo, node, message->destination), 1);
}

static void neighbours_are_one_hop_away(void **state)
{
    (void)state;
    static const char *const grids[] = {"torus:4x3", "mesh:3x3x3", "linear:7", "torus:2x5"};
    for (size_t i = 0; i < 4; i++) {
        struct seen seen = {.topo = topo_of(grids[i])};
        each_message("neighbour:messages=20", grids[i], 1, &seen, expect_neighbour);
    }
    assert_int_equal(each_message("neighbour:messages=20", "fattree:3x2", 1, NULL, NULL), 180);
}

/* A checksum over all messages. Any change of order or of a random draw changes it. */
static void add_up(void *self, uint32_t node, const struct openloop_message *message)
{
    uint64_t *sum = self;
    *sum = *sum * 31 + node * 7 + message->destination * 3 + message->bytes + (uint64_t)message->at;
}

static void the_same_seed_brings_the_same_traffic(void **state)
{
    (void)state;
    static const char spec[] = "uniform:messages=10,interval=1us";
    uint64_t torus = 0, tree = 0, other = 0;
    each_message(spec, "torus:4x4", 1, &torus, add_up);
    each_message(spec, "fattree:4x2", 1, &tree, add_up);
    each_message(spec, "torus:4x4", 2, &other, add_up);
    assert_true(torus == tree && torus != other);
}

struct large {
    uint32_t of_node[16], total;
    ps_t last;
};

static void count_large(void *self, uint32_t node, const struct openloop_message *message)
{
    struct large *large = self;
    assert_true(message->bytes == 4096 || message->bytes == 524288);
    large->of_node[node] += message->bytes == 524288;
    large->total += message->bytes == 524288;
    large->last += message->at;
}

static void sizes_are_drawn_or_exact(void **state)
{
    (void)state;
    struct large large = {.total = 0};
    each_message("uniform:messages=100,mix=exact", "torus:4x4", 1, &large, count_large);
    for (int i = 0; i < 16; i++)
        assert_int_equal(large.of_node[i], 20);
    large = (struct large){.total = 0};
    each_message("uniform:messages=1000", "torus:4x4", 1, &large, count_large);
    assert_in_range(large.total, 3200 - 300, 3200 + 300);
    assert_int_equal(large.last, 0);
    bool all_alike = true;
    for (int i = 1; i < 16; i++)
        all_alike = all_alike && large.of_node[i] == large.of_node[0];
    assert_false(all_alike);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_goes_everywhere),
        cmocka_unit_test(a_permutation_meets_everybody_once),
        cmocka_unit_test(hotspots_get_more_messages),
        cmocka_unit_test(tornado_goes_nearly_half_way_round),
        cmocka_unit_test(complement_inverts_every_bit),
        cmocka_unit_test(neighbours_are_one_hop_away),
        cmocka_unit_test(the_same_seed_brings_the_same_traffic),
        cmocka_unit_test(sizes_are_drawn_or_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
