/* Hierarchical algorithms: they are right on every node map, need every step, and send as many messages and
 * bytes between nodes and within nodes as the closed forms say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/count.h"
#include "coll/prove.h"
#include "support/node_map.h"
#include "support/sanitizer.h"

static bool is_hierarchical(const struct coll_algorithm *algorithm)
{
    return algorithm->node_aware && algorithm->kind != COLL_ALLTOALL;
}

static bool has_root(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_SCATTER;
}

static struct coll_proof prove_world(const struct coll_algorithm *algorithm, const struct coll_world *world)
{
    struct coll_proof proof;
    if (!coll_prove(algorithm, world, &proof))
        fail_msg("%s %s, %u ranks on %u nodes, root %u, %llu B of %llu: %s", coll_kind_name(algorithm->kind),
                 algorithm->name, world->size, world->nodes->count, world->root,
                 (unsigned long long)world->bytes, (unsigned long long)world->element_bytes, proof.problem);
    return proof;
}

/* ---------------------------------------------------------------- every map */

static void prove_lengths(const struct coll_algorithm *algorithm, struct coll_world *world)
{
    uint64_t counts[NODE_MAP_RANKS];
    static const uint64_t elements[] = {0, 1, 3, 37};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        world->bytes = elements[i] * world->element_bytes;
        prove_world(algorithm, world);
    }
    if (algorithm->kind != COLL_REDUCE_SCATTER && algorithm->kind != COLL_ALLGATHERV)
        return;
    for (uint32_t rank = 0; rank < world->size; rank++)
        counts[rank] = rank * 5 % 4 * world->element_bytes;
    world->counts = counts;
    prove_world(algorithm, world);
    world->counts = NULL;
}

static void prove_on(const struct node_map *map, uint32_t root_step)
{
    for (size_t a = 0; coll_algorithms[a]; a++) {
        const struct coll_algorithm *algorithm = coll_algorithms[a];
        if (!is_hierarchical(algorithm))
            continue;
        uint32_t roots = has_root(algorithm->kind) ? map->size : 1;
        struct coll_world world = {
            .size = map->size, .repeats = 2, .segment_bytes = 12, .element_bytes = 3, .nodes = &map->nodes};
        if (algorithm->shared_copies > 1)
            world.repeats = 4; /* each copy is used twice */
        for (world.root = 0; world.root < roots; world.root += root_step)
            prove_lengths(algorithm, &world);
    }
}

/* On large maps with every seventh root. */
static void prove_on_each(const struct node_map *map)
{
    prove_on(map, map->size > 12 ? 7 : 1);
}

/* Sanitizers are slow, and find what is wrong with a part on small maps. */
enum { MOST_NODES = HAS_SANITIZER ? 4 : 8, MOST_RANKS = HAS_SANITIZER ? 3 : 6 };

static void every_algorithm_is_right_on_every_map(void **state)
{
    (void)state;
    struct node_map map;
    node_map_each(MOST_NODES, MOST_RANKS, prove_on_each);
    node_map_make(&map, 12, (uint32_t[]){0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}); /* 10 ranks and 2 */
    prove_on(&map, 1);
}

/* ------------------------------------------------------------- closed forms */

/* N nodes of L ranks, P = N L. */
struct shape {
    struct node_map map;
    uint64_t nodes, ranks, all;
    uint64_t node_rounds, lane_rounds; /* log2 L and log2 N, rounded up */
};

static uint32_t log2_up(uint32_t size)
{
    uint32_t rounds = 0;
    while (1u << rounds < size)
        rounds++;
    return rounds;
}

static void assert_costs(const struct shape *shape, enum coll_kind kind, const char *name, uint64_t bytes,
                         const uint64_t expected[4], uint64_t rounds)
{
    const struct coll_algorithm *algorithm = coll_find(kind, name);
    struct coll_call call = {.kind = kind,
                             .size = shape->map.size,
                             .segment_bytes = 5,
                             .element = 1,
                             .bytes = bytes,
                             .nodes = &shape->map.nodes};
    struct coll_counts counts = coll_count(algorithm, &call, false);
    struct coll_world world = {.size = shape->map.size,
                               .segment_bytes = 5,
                               .element_bytes = 1,
                               .bytes = bytes,
                               .nodes = &shape->map.nodes};
    struct coll_proof proof = prove_world(algorithm, &world);
    const uint64_t found[4] = {counts.messages, counts.bytes, counts.local_messages, counts.local_bytes};
    static const char *const names[4] = {"messages between nodes", "bytes between nodes",
                                         "messages within nodes", "bytes within nodes"};
    for (int i = 0; i < 4; i++)
        if (found[i] != expected[i])
            fail_msg("%s %s, %llu nodes of %llu: %s: %llu, not %llu", coll_kind_name(kind), name,
                     (unsigned long long)shape->nodes, (unsigned long long)shape->ranks, names[i],
                     (unsigned long long)found[i], (unsigned long long)expected[i]);
    assert_int_equal(proof.rounds, rounds);
}

static void costs_with_leaders(const struct shape *shape)
{
    uint64_t n = 5 * shape->all, nodes = shape->nodes, all = shape->all, within = all - nodes;
    uint64_t between = nodes * shape->lane_rounds, both = shape->node_rounds + shape->lane_rounds;
    assert_costs(shape, COLL_BCAST, "hierarchical", n,
                 (const uint64_t[]){nodes - 1, (nodes - 1) * n, within, within * n}, both);
    assert_costs(shape, COLL_ALLREDUCE, "hierarchical", n,
                 (const uint64_t[]){2 * between, 2 * (nodes - 1) * n, 2 * within, 2 * within * n}, 2 * both);
    /* In the tree of a node, a block goes as many steps as its local rank has bits. */
    uint64_t steps = 0;
    for (uint64_t local = 1; local < shape->ranks; local++)
        steps += (uint64_t)__builtin_popcountll(local);
    uint64_t exchanged = (nodes - 1) * all * 5, tree = nodes * steps * 5, vectors = within * all * 5;
    uint64_t rounds = 2 * shape->node_rounds + shape->lane_rounds;
    const uint64_t expected[] = {between, exchanged, 2 * within, tree + vectors};
    assert_costs(shape, COLL_ALLGATHER, "hierarchical", 5, expected, rounds);
    assert_costs(shape, COLL_REDUCE_SCATTER, "hierarchical", 5, expected, rounds);
}

static void costs_with_lanes(const struct shape *shape)
{
    uint64_t n = 5 * shape->all, nodes = shape->nodes, ranks = shape->ranks, all = shape->all;
    uint64_t between = all * shape->lane_rounds, within = all * shape->node_rounds;
    uint64_t both = shape->node_rounds + shape->lane_rounds;
    assert_costs(
        shape, COLL_ALLREDUCE, "full-lane", n,
        (const uint64_t[]){2 * between, 2 * (nodes - 1) * n, 2 * within, 2 * nodes * (ranks - 1) * n},
        2 * both);
    /* Both have the fewest bytes that there can be: P - 1 blocks per rank. */
    const uint64_t expected[] = {between, all * (nodes - 1) * 5, within, all * (all - nodes) * 5};
    assert_costs(shape, COLL_ALLGATHER, "full-lane", 5, expected, both);
    assert_costs(shape, COLL_REDUCE_SCATTER, "full-lane", 5, expected, both);
    /* Blocks go once within a node, with those for all nodes, and once between nodes, with those of the node.
     */
    const uint64_t blocks[] = {all * (nodes - 1), all * (nodes - 1) * ranks * 5, all * (ranks - 1),
                               all * (ranks - 1) * nodes * 5};
    assert_costs(shape, COLL_ALLTOALL, "full-lane", 5, blocks, (nodes > 1) + (ranks > 1));
}

static void costs_of_bcast_with_lanes(const struct shape *shape)
{
    uint64_t n = 5 * shape->all, nodes = shape->nodes, ranks = shape->ranks, part = n / ranks, steps = 0;
    for (uint64_t local = 1; local < ranks; local++)
        steps += (uint64_t)__builtin_popcountll(local);
    uint64_t rings = (nodes - 1) * ranks * (ranks - 1) + (ranks - 1) * (ranks - 1);
    const uint64_t expected[] = {ranks * (nodes - 1), (nodes - 1) * n, ranks - 1 + rings,
                                 (nodes - 1) * (ranks - 1) * n + (steps + (ranks - 1) * (ranks - 1)) * part};
    uint64_t rounds = shape->node_rounds + shape->lane_rounds + ranks - 1;
    assert_costs(shape, COLL_BCAST, "full-lane", n, expected, rounds);
}

/* Two segments of 5 B in each half. */
static void costs_of_double_trees(const struct shape *shape)
{
    uint64_t n = 4 * 5, nodes = shape->nodes, within = shape->all - nodes;
    uint64_t depth = shape->lane_rounds + shape->ranks - 1;
    assert_costs(shape, COLL_BCAST, "node-double-tree", n,
                 (const uint64_t[]){4 * (nodes - 1), (nodes - 1) * n, 4 * within, within * n},
                 depth ? 1 + depth : 0);
    assert_costs(shape, COLL_ALLREDUCE, "node-double-tree", n,
                 (const uint64_t[]){8 * (nodes - 1), 2 * (nodes - 1) * n, 8 * within, 2 * within * n},
                 depth ? 1 + 2 * depth : 0);
}

static void messages_and_bytes_of_both_levels(void **state)
{
    (void)state;
    for (uint32_t nodes = 1; nodes <= (HAS_SANITIZER ? MOST_NODES : 8); nodes++)
        for (uint32_t ranks = 1; ranks <= (HAS_SANITIZER ? MOST_RANKS : 8); ranks++) {
            struct shape shape = {.nodes = nodes,
                                  .ranks = ranks,
                                  .all = nodes * ranks,
                                  .node_rounds = log2_up(ranks),
                                  .lane_rounds = log2_up(nodes)};
            node_map_place(&shape.map, nodes, ranks, false, BLOCKS);
            costs_with_leaders(&shape);
            costs_with_lanes(&shape);
            costs_of_bcast_with_lanes(&shape);
            costs_of_double_trees(&shape);
        }
}

/* With leaders and shared memory all messages are between nodes. Up to 8 leaders exchange at once. `vector`
 * is that of a call with a vector, and blocks have 5 B. */
static void costs_with_shared_memory(const struct shape *shape, uint64_t vector)
{
    uint64_t nodes = shape->nodes, ranks = shape->ranks, others = nodes - 1, part = 5 * ranks;
    uint64_t rounds = nodes <= 8 ? others > 0 : shape->lane_rounds;
    uint64_t all = nodes <= 8 ? nodes * others : nodes * rounds;
    assert_costs(shape, COLL_BARRIER, "leaders", 0, (const uint64_t[]){all, 0, 0, 0}, rounds);
    assert_costs(shape, COLL_ALLGATHER, "leaders", 5, (const uint64_t[]){all, nodes * others * part, 0, 0},
                 rounds);
    assert_costs(shape, COLL_ALLGATHERV, "leaders", 5, (const uint64_t[]){all, nodes * others * part, 0, 0},
                 rounds);
    assert_costs(shape, COLL_REDUCE_SCATTER, "leaders", 5,
                 (const uint64_t[]){all, nodes * others * part, 0, 0}, rounds);
    assert_costs(shape, COLL_GATHER, "leaders", 5, (const uint64_t[]){others, others * part, 0, 0},
                 others > 0);
    assert_costs(shape, COLL_SCATTER, "leaders", 5, (const uint64_t[]){others, others * part, 0, 0},
                 others > 0);
    bool gathers = nodes == 1 || nodes * vector <= 131072, at_once = nodes <= 8 && nodes * vector <= 65536;
    assert_costs(shape, COLL_ALLREDUCE, "leaders", vector,
                 (const uint64_t[]){gathers ? all : 2 * nodes * shape->lane_rounds,
                                    (gathers ? nodes : 2) * others * vector, 0, 0},
                 gathers ? rounds : 2 * shape->lane_rounds);
    assert_costs(shape, COLL_BCAST, "leaders", vector, (const uint64_t[]){others, others * vector, 0, 0},
                 at_once ? rounds : shape->lane_rounds);
    assert_costs(shape, COLL_REDUCE, "leaders", vector, (const uint64_t[]){others, others * vector, 0, 0},
                 at_once ? rounds : shape->lane_rounds);
}

static uint64_t shared_by(const struct shape *shape, enum coll_kind kind, uint64_t bytes)
{
    struct coll_call call = {
        .kind = kind, .size = shape->map.size, .element = 1, .bytes = bytes, .nodes = &shape->map.nodes};
    return coll_count(coll_find(kind, "leaders"), &call, false).shared_bytes;
}

/* Two copies; none for ranks that are alone. */
static void memory_with_shared_memory(const struct shape *shape, uint64_t vector)
{
    uint64_t nodes = shape->nodes, ranks = shape->ranks, copies = ranks > 1 ? 2 : 0, blocks = 5 * shape->all;
    uint64_t sums = nodes == 1 || nodes * vector <= 131072 ? nodes : 1;
    assert_int_equal(shared_by(shape, COLL_BARRIER, 0), 0);
    assert_int_equal(shared_by(shape, COLL_BCAST, vector), copies * vector);
    assert_int_equal(shared_by(shape, COLL_REDUCE, vector), copies * ranks * vector);
    assert_int_equal(shared_by(shape, COLL_ALLREDUCE, vector), copies * (sums + ranks - 1) * vector);
    assert_int_equal(shared_by(shape, COLL_ALLGATHER, 5), copies * blocks);
    assert_int_equal(shared_by(shape, COLL_GATHER, 5), copies * 5 * ranks);
    assert_int_equal(shared_by(shape, COLL_SCATTER, 5), copies * 5 * ranks);
    uint64_t incoming = nodes <= 8 ? nodes - 1 : nodes / 2;
    assert_int_equal(shared_by(shape, COLL_REDUCE_SCATTER, 5),
                     copies * (ranks * blocks + incoming * 5 * ranks));
}

/* In parts, a long vector takes (N - 1)^2 messages, and no more bytes than in a tree. The root sends or
 * receives it once. */
static void long_vectors_go_in_parts(void **state)
{
    (void)state;
    static const enum coll_kind kinds[] = {COLL_BCAST, COLL_REDUCE};
    for (uint32_t nodes = 4; nodes <= 12; nodes++)
        for (int i = 0; i < 2; i++) {
            struct node_map map;
            node_map_place(&map, nodes, 2, false, SCRAMBLED);
            struct coll_call call = {.kind = kinds[i],
                                     .size = map.size,
                                     .root = 1,
                                     .element = 8,
                                     .bytes = (nodes - 1) * 8192,
                                     .nodes = &map.nodes};
            struct coll_counts counts = coll_count(coll_find(kinds[i], "leaders"), &call, false);
            assert_int_equal(counts.messages, (nodes - 1) * (nodes - 1));
            assert_int_equal(counts.bytes, (nodes - 1) * call.bytes);
            assert_int_equal(counts.local_messages, 0);
            call.bytes -= 8 * nodes;
            counts = coll_count(coll_find(kinds[i], "leaders"), &call, false);
            assert_int_equal(counts.messages, nodes - 1);
        }
}

static void messages_and_memory_of_leaders(void **state)
{
    (void)state;
    for (uint32_t nodes = 1; nodes <= (HAS_SANITIZER ? MOST_NODES : 12); nodes++)
        for (uint32_t ranks = 1; ranks <= (HAS_SANITIZER ? MOST_RANKS : 5); ranks++) {
            struct shape shape = {
                .nodes = nodes, .ranks = ranks, .all = nodes * ranks, .lane_rounds = log2_up(nodes)};
            node_map_place(&shape.map, nodes, ranks, false, BLOCKS);
            for (uint64_t vector = 20; vector <= 20000; vector *= 10) {
                costs_with_shared_memory(&shape, vector);
                memory_with_shared_memory(&shape, vector);
            }
        }
}

/* The node with the fewest ranks sets the number of lanes; the ranks behind the last lane do not exchange
 * with other nodes. */
static void the_smallest_node_sets_the_lanes(void **state)
{
    (void)state;
    struct node_map map;
    node_map_make(&map, 7, (uint32_t[]){0, 0, 0, 0, 0, 1, 1});
    struct coll_call call = {.size = 7, .element = 1, .bytes = 8, .nodes = &map.nodes};
    assert_int_equal(map.nodes.fewest, 2);
    static const enum coll_kind kinds[] = {COLL_BCAST, COLL_ALLREDUCE, COLL_ALLGATHER, COLL_REDUCE_SCATTER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        call.kind = kinds[i];
        uint64_t with_leaders = call.kind == COLL_BCAST ? 1 : call.kind == COLL_ALLREDUCE ? 4 : 2;
        struct coll_counts lanes = coll_count(coll_find(call.kind, "full-lane"), &call, false);
        struct coll_counts leaders = coll_count(coll_find(call.kind, "hierarchical"), &call, false);
        assert_int_equal(lanes.messages, 2 * with_leaders);
        assert_int_equal(leaders.messages, with_leaders);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_is_right_on_every_map),
        cmocka_unit_test(messages_and_bytes_of_both_levels),
        cmocka_unit_test(messages_and_memory_of_leaders),
        cmocka_unit_test(long_vectors_go_in_parts),
        cmocka_unit_test(the_smallest_node_sets_the_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
