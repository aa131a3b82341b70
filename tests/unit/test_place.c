/* Assignments of ranks to nodes. Witnesses: all assignments of small cases one by one, costs counted anew
 * from the pairs, and cases whose best cost is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "place/place.h"
#include "sim/components.h"
#include "support/sanitizer.h"
#include "topo/topo.h"

enum { MOST_PAIRS = 4096, MOST_RANKS = 256 };

static struct topo topo_of(const char *text)
{
    struct topo topo;
    struct param_problem problem;
    assert_true(topo_read(text, &topo, &problem));
    return topo;
}

static struct place_machine machine_of(const char *text, uint32_t each)
{
    const struct topo topo = topo_of(text);
    struct place_machine machine;
    place_machine_make(&machine, &topo, each);
    return machine;
}

/* Each rank sends to some others. */
static size_t random_pairs(struct rng *rng, uint32_t ranks, struct place_pair *pairs)
{
    const size_t count = 1 + rng_below(rng, 3 * ranks);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = (uint32_t)rng_below(rng, ranks),
                       destination = (uint32_t)rng_below(rng, ranks);
        if (source != destination)
            pairs[kept++] = (struct place_pair){source, destination, rng_below(rng, 1000)};
    }
    return kept;
}

static sum_t cost_of_pairs(const struct place_pair *pairs, size_t count, const struct topo *topo,
                           const uint32_t *node_of)
{
    sum_t cost = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = node_of[pairs[i].source], to = node_of[pairs[i].destination];
        cost += (sum_t)pairs[i].bytes * (from == to ? 0 : topo_distance(topo, from, to));
    }
    return cost;
}

/* The places in an order that is drawn; the first ones are those of the ranks. */
static void draw_nodes(struct rng *rng, const struct place_machine *machine, uint32_t ranks,
                       uint32_t *node_of)
{
    uint32_t *nodes = malloc(machine->places * sizeof *nodes);
    assert_non_null(nodes);
    memcpy(nodes, machine->node_at, machine->places * sizeof *nodes);
    for (uint32_t i = machine->places; i > 1; i--) {
        const uint32_t other = (uint32_t)rng_below(rng, i), node = nodes[i - 1];
        nodes[i - 1] = nodes[other];
        nodes[other] = node;
    }
    memcpy(node_of, nodes, ranks * sizeof *node_of);
    free(nodes);
}

static const char *const topologies[] = {"torus:8",     "torus:4x2",       "mesh:3x3",
                                         "fattree:2x3", "dragonfly:1x4x1", "linear:8"};
enum { TOPOLOGIES = sizeof topologies / sizeof *topologies };

static void costs_are_those_of_the_pairs(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "test");
    struct place_pair pairs[64];
    for (int i = 0; i < 20 * TOPOLOGIES; i++) {
        const char *text = topologies[i % TOPOLOGIES];
        const uint32_t each = 1 + (uint32_t)i % 3, ranks = 3 + (uint32_t)rng_below(&rng, 5);
        const struct topo topo = topo_of(text);
        struct place_machine machine = machine_of(text, each);
        struct place_traffic traffic;
        uint32_t node_of[MOST_RANKS];
        const size_t count = random_pairs(&rng, ranks, pairs);
        place_traffic_make(&traffic, ranks, pairs, count);
        draw_nodes(&rng, &machine, ranks, node_of);
        assert_true(place_cost(&traffic, &machine, node_of) == cost_of_pairs(pairs, count, &topo, node_of));
        place_traffic_free(&traffic);
        place_machine_free(&machine);
    }
}

/* Ways there and back that differ in length. */
static void make_one_way(struct place_machine *machine, struct rng *rng)
{
    for (uint32_t from = 0; from < machine->nodes; from++)
        for (uint32_t to = 0; to < machine->nodes; to++)
            machine->hops[from * machine->nodes + to] = from == to ? 0 : (uint16_t)rng_below(rng, 9);
}

static void deltas_are_differences_of_costs(void **state)
{
    (void)state;
    struct rng rng = rng_init(2, "test");
    struct place_pair pairs[64];
    uint64_t visited = 0;
    for (int i = 0; i < 10 * TOPOLOGIES; i++) {
        struct place_machine machine = machine_of(topologies[i % TOPOLOGIES], 1 + (uint32_t)i % 2);
        const uint32_t ranks = 3 + (uint32_t)rng_below(&rng, 5);
        struct place_traffic traffic;
        struct place_state swapped;
        uint32_t node_of[MOST_RANKS];
        place_traffic_make(&traffic, ranks, pairs, random_pairs(&rng, ranks, pairs));
        if (i % 3 == 0)
            make_one_way(&machine, &rng);
        draw_nodes(&rng, &machine, ranks, node_of);
        place_state_open(&swapped, &traffic, &machine);
        place_state_set(&swapped, node_of);
        for (int k = 0; k < 50; k++) {
            const uint32_t left = (uint32_t)rng_below(&rng, machine.places),
                           right = (uint32_t)rng_below(&rng, machine.places);
            place_swap(&swapped, left, right, place_delta(&swapped, left, right, &visited));
            place_state_get(&swapped, node_of);
            assert_true(swapped.cost == place_cost(&traffic, &machine, node_of));
        }
        place_state_close(&swapped);
        place_traffic_free(&traffic);
        place_machine_free(&machine);
    }
    assert_true(visited > 0);
}

/* -------------------------------------------------------------- small cases */

/* The least cost of all ways to give the ranks from `rank` on a place that is free. */
static sum_t least_cost(const struct place_traffic *traffic, const struct place_machine *machine,
                        uint32_t *node_of, bool *taken, uint32_t rank)
{
    sum_t least = -1;
    if (rank == traffic->ranks)
        return place_cost(traffic, machine, node_of);
    for (uint32_t place = 0; place < machine->places; place++) {
        if (taken[place] ||
            (place && machine->node_at[place - 1] == machine->node_at[place] && !taken[place - 1]))
            continue;
        taken[place] = true;
        node_of[rank] = machine->node_at[place];
        const sum_t cost = least_cost(traffic, machine, node_of, taken, rank + 1);
        least = least < 0 || cost < least ? cost : least;
        taken[place] = false;
    }
    return least;
}

static const struct place_effort effort = {.seed = 1, .restarts = 60, .visits = UINT64_C(1) << 28};

static void expect_the_least(const char *topology, uint32_t each, uint32_t ranks, struct rng *rng)
{
    struct place_machine machine = machine_of(topology, each);
    struct place_traffic traffic;
    struct place_pair pairs[64];
    uint32_t node_of[MOST_RANKS], other[MOST_RANKS];
    bool taken[MOST_RANKS] = {false};
    place_traffic_make(&traffic, ranks, pairs, random_pairs(rng, ranks, pairs));
    draw_nodes(rng, &machine, ranks, node_of);
    const sum_t least = least_cost(&traffic, &machine, other, taken, 0),
                bound = place_bound(&traffic, &machine), start = place_cost(&traffic, &machine, node_of);
    place_search(&traffic, &machine, &effort, bound, node_of);
    assert_true(bound <= least);
    assert_true(least <= start);
    assert_true(place_cost(&traffic, &machine, node_of) == least);
    place_traffic_free(&traffic);
    place_machine_free(&machine);
}

static void small_cases_reach_the_least_of_all(void **state)
{
    (void)state;
    struct rng rng = rng_init(3, "test");
    for (int i = 0; i < 12; i++) {
        expect_the_least("torus:7", 1, 7, &rng);
        expect_the_least("mesh:3x2", 1, 6, &rng);
        expect_the_least("torus:4", 2, 8, &rng);
        expect_the_least("fattree:2x3", 1, 5, &rng);
        expect_the_least("dragonfly:1x3x1", 2, 4, &rng);
        expect_the_least("linear:8", 1, 5, &rng);
    }
    expect_the_least("torus:4x2", 1, 8, &rng);
    expect_the_least("torus:8", 1, 8, &rng);
}

/* -------------------------------------------------------------- known cases */

/* Each rank of a grid sends to its neighbours in `dimensions` dimensions, around the ends. */
static size_t stencil(uint32_t width, uint32_t height, struct place_pair *pairs)
{
    size_t count = 0;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t rank = y * width + x;
            pairs[count++] = (struct place_pair){rank, y * width + (x + 1) % width, 1000};
            pairs[count++] = (struct place_pair){rank, y * width + (x + width - 1) % width, 1000};
            if (height == 1)
                continue;
            pairs[count++] = (struct place_pair){rank, (y + 1) % height * width + x, 1000};
            pairs[count++] = (struct place_pair){rank, (y + height - 1) % height * width + x, 1000};
        }
    }
    return count;
}

static void expect_neighbours(const char *topology, uint32_t width, uint32_t height, uint64_t seed)
{
    struct place_machine machine = machine_of(topology, 1);
    struct place_traffic traffic;
    static struct place_pair pairs[MOST_PAIRS];
    uint32_t node_of[MOST_RANKS];
    struct rng rng = rng_init(seed, "test");
    const size_t count = stencil(width, height, pairs);
    place_traffic_make(&traffic, width * height, pairs, count);
    draw_nodes(&rng, &machine, width * height, node_of);
    const sum_t bound = place_bound(&traffic, &machine);
    assert_true(bound == (sum_t)count * 1000);
    assert_true(place_cost(&traffic, &machine, node_of) > bound);
    place_search(&traffic, &machine, &(struct place_effort){seed, 60, UINT64_C(1) << 30}, bound, node_of);
    assert_true(place_cost(&traffic, &machine, node_of) == bound);
    place_traffic_free(&traffic);
    place_machine_free(&machine);
}

static void neighbours_become_neighbours(void **state)
{
    (void)state;
    expect_neighbours("torus:16x16", 16, 16, 1);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        expect_neighbours("torus:16", 16, 1, seed);
        expect_neighbours("torus:64", 64, 1, seed);
        expect_neighbours("torus:4x4", 4, 4, seed);
        expect_neighbours("torus:6x6", 6, 6, seed);
        expect_neighbours("torus:8x8", 8, 8, seed);
    }
}

static void the_library_is_good_at_rings(void **state)
{
    (void)state;
    const struct topo topo = topo_of("torus:16");
    struct place_machine machine = machine_of("torus:16", 1);
    struct place_traffic traffic;
    struct place_pair pairs[64];
    struct rng rng = rng_init(5, "test");
    uint32_t node_of[16], again[16], used[16] = {0};
    if (!place_has_scotch)
        skip();
    place_traffic_make(&traffic, 16, pairs, stencil(16, 1, pairs));
    draw_nodes(&rng, &machine, 16, node_of);
    memcpy(again, node_of, sizeof node_of);
    const sum_t start = place_cost(&traffic, &machine, node_of);
    assert_true(place_by_scotch(&traffic, &topo, 1, node_of));
    assert_true(place_by_scotch(&traffic, &topo, 1, again));
    assert_memory_equal(again, node_of, sizeof node_of);
    for (uint32_t rank = 0; rank < 16; rank++)
        assert_int_equal(++used[node_of[rank]], 1);
    assert_true(2 * place_cost(&traffic, &machine, node_of) < start);
    place_traffic_free(&traffic);
    place_machine_free(&machine);
}

/* Every rank has one of the places of the start, whatever the library makes of small and of empty cases. */
static void the_library_keeps_the_places(void **state)
{
    (void)state;
    static const char *const more[] = {"crossbar:16", "torus:4x4", "fattree:4x2", "dragonfly:2x4x1",
                                       "linear:16"};
    struct rng rng = rng_init(6, "test");
    struct place_pair pairs[64];
    if (!place_has_scotch)
        skip();
    for (uint32_t i = 0; i < 240; i++) {
        const char *text = more[i % 5];
        const uint32_t each = 1 + i % 3, ranks = 1 + i / 5 % 8;
        const struct topo topo = topo_of(text);
        struct place_machine machine = machine_of(text, each);
        struct place_traffic traffic;
        uint32_t node_of[16], count[64] = {0};
        draw_nodes(&rng, &machine, ranks, node_of);
        place_traffic_make(&traffic, ranks, pairs, i % 7 ? random_pairs(&rng, ranks, pairs) : 0);
        for (uint32_t rank = 0; rank < ranks; rank++)
            count[node_of[rank]]++;
        assert_true(place_by_scotch(&traffic, &topo, i, node_of));
        for (uint32_t rank = 0; rank < ranks; rank++)
            assert_true(count[node_of[rank]]-- > 0);
        place_traffic_free(&traffic);
        place_machine_free(&machine);
    }
}

static void same_nodes_stay_the_same(void **state)
{
    (void)state;
    struct place_machine machine = machine_of("torus:8x8", 2);
    struct place_traffic traffic;
    struct place_pair pairs[64];
    uint32_t node_of[] = {9, 9, 40, 3, 3, 63, 7, 22}, used[64] = {0};
    place_traffic_make(&traffic, 8, pairs, stencil(8, 1, pairs));
    place_machine_keep(&machine, node_of, 8);
    place_search(&traffic, &machine, &effort, 0, node_of);
    for (size_t i = 0; i < 8; i++)
        used[node_of[i]]++;
    assert_true(used[9] == 2 && used[40] == 1 && used[3] == 2 && used[63] == 1 && used[7] == 1 &&
                used[22] == 1);
    place_traffic_free(&traffic);
    place_machine_free(&machine);
}

/* -------------------------------------------------------------- experiments */

static struct config *config_with(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    for (size_t i = 0; settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    return config;
}

static ps_t time_of(const char *placement)
{
    struct config *config = config_with((const char *const[]){
        "workload=npb:cg:class=S,ranks=8", "fabric=packet", "topology=torus:3x3", placement, NULL});
    const struct experiment_watch watch = {.progress = NULL};
    struct experiment experiment;
    struct result result;
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    ps_t time = result.makespan;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return time;
}

/* The file of each placement gives the time that was said; the best is no worse than the start. */
static void files_have_the_times_that_are_said(void **state)
{
    (void)state;
    const uint32_t tries = HAS_SANITIZER ? 5 : 20;
    for (int i = 0; i < 4; i++) {
        struct config *config = config_with(
            (const char *const[]){"workload=npb:cg:class=S,ranks=8", "fabric=packet", "topology=torus:3x3",
                                  i % 2 ? "placement=random" : "placement=linear", NULL});
        const struct place_options options = {
            .objective = i < 2 ? PLACE_HOPS : PLACE_TIME, .tries = tries, .effort = effort};
        struct experiment experiment;
        struct place_comparison comparison;
        assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
        assert_int_equal(place_compare(&experiment, &options, &comparison), STATUS_OK);
        const struct place_row *best = &comparison.rows[comparison.best];
        for (size_t row = 0; row < comparison.count; row++) {
            char path[64] = "/tmp/helio-place.XXXXXX", set[80];
            FILE *file = fdopen(mkstemp(path), "w");
            assert_non_null(file);
            place_write(&comparison.rows[row], comparison.ranks, "cg", file);
            assert_int_equal(fclose(file), 0);
            snprintf(set, sizeof set, "placement=%s", path);
            assert_int_equal(time_of(set), comparison.rows[row].time);
            assert_true(comparison.rows[row].cost >= comparison.bound);
            assert_true(options.objective == PLACE_HOPS ? best->cost <= comparison.rows[row].cost
                                                        : best->time <= comparison.rows[row].time);
            unlink(path);
        }
        assert_int_equal(time_of(i % 2 ? "placement=random" : "placement=linear"), comparison.rows[0].time);
        assert_int_equal(comparison.runs, i < 2 ? 0 : tries);
        place_comparison_free(&comparison);
        experiment_free(&experiment);
        config_close(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_those_of_the_pairs),
        cmocka_unit_test(deltas_are_differences_of_costs),
        cmocka_unit_test(small_cases_reach_the_least_of_all),
        cmocka_unit_test(neighbours_become_neighbours),
        cmocka_unit_test(the_library_is_good_at_rings),
        cmocka_unit_test(the_library_keeps_the_places),
        cmocka_unit_test(same_nodes_stay_the_same),
        cmocka_unit_test(files_have_the_times_that_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
