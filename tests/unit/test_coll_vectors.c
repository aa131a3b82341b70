/* Alltoallv, gatherv and scatterv through leaders: they are right and free of races on every node map, for
 * blocks that are empty, staged or long, and cost what closed forms say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coll/count.h"
#include "coll/footprint.h"
#include "coll/leaders_vector.h"
#include "coll/prove.h"
#include "support/node_map.h"
#include "support/sanitizer.h"

static const enum coll_kind kinds[] = {COLL_ALLTOALLV, COLL_GATHERV, COLL_SCATTERV};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* In elements of 8 KiB: one or two are staged, three and four are long. */
enum { ELEMENT = 8192 };
static uint64_t length(uint32_t from, uint32_t to, uint32_t pattern)
{
    uint32_t mixed = from * 7 + to * 13 + pattern * 5;
    switch (pattern) {
    case 0:
        return mixed % 5; /* all kinds */
    case 1:
        return mixed % 7 == 0; /* mostly empty */
    case 2:
        return from == to + 1; /* a ring */
    default:
        return 1;
    }
}

static void prove_on(const struct node_map *map)
{
    static uint64_t counts[NODE_MAP_RANKS * NODE_MAP_RANKS];
    struct coll_world world = {
        .size = map->size, .repeats = 4, .element_bytes = ELEMENT, .counts = counts, .nodes = &map->nodes};
    for (int k = 0; k < KINDS; k++)
        for (uint32_t pattern = 0; pattern < 4; pattern++)
            for (world.leaders = 1; world.leaders <= 3; world.leaders++) {
                struct coll_proof proof;
                uint32_t rows = kinds[k] == COLL_ALLTOALLV ? map->size : 1;
                world.root = kinds[k] == COLL_ALLTOALLV ? 0 : map->size / 2;
                for (uint32_t from = 0; from < rows; from++)
                    for (uint32_t to = 0; to < map->size; to++)
                        counts[from * map->size + to] = ELEMENT * length(from, to, pattern);
                if (!coll_prove(coll_leaders_vector(kinds[k]), &world, &proof))
                    fail_msg("%s, %u ranks on %u nodes, %u leaders, pattern %u: %s", coll_kind_name(kinds[k]),
                             map->size, map->nodes.count, world.leaders, pattern, proof.problem);
            }
}

/* Sanitizers are slow, and find what is wrong with a part on small maps. */
enum { MOST_NODES = HAS_SANITIZER ? 3 : 5, MOST_RANKS = HAS_SANITIZER ? 3 : 4 };

static void they_are_right_on_every_map(void **state)
{
    (void)state;
    node_map_each(MOST_NODES, MOST_RANKS, prove_on);
}

static struct coll_counts count(enum coll_kind kind, const struct node_map *map, uint64_t bytes,
                                uint32_t root)
{
    struct coll_call call = {
        .kind = kind, .size = map->size, .root = root, .element = 1, .bytes = bytes, .nodes = &map->nodes};
    return coll_count(coll_leaders_vector(kind), &call, true);
}

/* N nodes of p ranks, blocks of M bytes. A byte that goes to another node is copied when it is staged, when
 * it joins a message, and when it is taken; a byte that stays on its node twice. */
static void they_cost_what_closed_forms_say(void **state)
{
    (void)state;
    struct node_map map;
    for (uint64_t n = 1; n <= 6; n++)
        for (uint64_t p = 2; p <= 5; p++) {
            uint64_t bytes = 24, all = n * p, away = n * (n - 1) * p * p * bytes, home = n * p * p * bytes;
            node_map_place(&map, (uint32_t)n, (uint32_t)p, false, BLOCKS);
            struct coll_counts counts = count(COLL_ALLTOALLV, &map, bytes, 0);
            assert_int_equal(counts.messages, n * (n - 1));
            assert_int_equal(counts.bytes, away);
            assert_int_equal(counts.copied_bytes, 3 * away + 2 * home);
            assert_int_equal(counts.shared_bytes, 2 * (p * all + 2 * (n - 1) * p * p) * bytes);
            assert_int_equal(counts.barriers, n);
            assert_int_equal(counts.flags_raised, n > 1 ? n : 0);
            counts = count(COLL_GATHERV, &map, bytes, 1);
            assert_int_equal(counts.messages, n - 1);
            assert_int_equal(counts.bytes, (n - 1) * p * bytes);
            assert_int_equal(counts.flags_raised, n > 1);
            counts = count(COLL_SCATTERV, &map, bytes, 1);
            assert_int_equal(counts.messages, n - 1);
            assert_int_equal(counts.bytes, (n - 1) * p * bytes);
            assert_int_equal(counts.flags_raised, n - 1);
            counts = count(COLL_ALLTOALLV, &map, LEADERS_VECTOR_STAGED_MAX + 1, 0); /* directly */
            assert_int_equal(counts.messages + counts.local_messages, all * (all - 1));
            assert_int_equal(counts.copied_bytes, all * (LEADERS_VECTOR_STAGED_MAX + 1));
        }
}

/* 32 nodes of 32 ranks with blocks of different lengths: each length is summed up about once for each rank,
 * so that a thousand ranks take no minutes. */
static void a_thousand_ranks_cost_what_closed_forms_say(void **state)
{
    enum { NODES = 32, SIZE = NODES * NODES, ROOT = SIZE / 2 };
    static uint32_t place_of[SIZE], words[4 * SIZE + 1];
    static uint64_t lengths[SIZE];
    struct coll_nodes nodes;
    uint64_t all = 0, home = 0, filled = 0;
    (void)state;
    for (uint32_t rank = 0; rank < SIZE; rank++) {
        place_of[rank] = rank / NODES;
        all += lengths[rank] = rank * 7919 % 64;
        home += rank / NODES == ROOT / NODES ? lengths[rank] : 0;
        filled += lengths[rank] > 0;
    }
    coll_nodes_init(&nodes, SIZE, place_of, words);
    for (int k = 0; k < KINDS; k++) {
        bool has_root = kinds[k] != COLL_ALLTOALLV;
        struct coll_call call = {.kind = kinds[k],
                                 .size = SIZE,
                                 .root = ROOT,
                                 .element = 1,
                                 .nodes = &nodes,
                                 .all = {.counts = lengths}};
        struct coll_counts counts = coll_count(coll_leaders_vector(kinds[k]), &call, true);
        uint64_t away = has_root ? all - home : (SIZE - NODES) * all, here = has_root ? home : NODES * all;
        assert_int_equal(counts.messages, has_root ? NODES - 1 : NODES * (NODES - 1));
        assert_int_equal(counts.bytes, away);
        assert_int_equal(counts.copied_bytes, 3 * away + 2 * here);
        assert_in_range(counts.copies, 2 * filled, 2 * SIZE * filled + SIZE * NODES);
    }
}

/* The longest staged block is as long as the memory of a call allows: with one byte more of the blocks it
 * would not be enough. */
static void the_limit_follows_from_memory(void **state)
{
    (void)state;
    assert_int_equal(leaders_vector_limit(4, 4, COLL_FOOTPRINT_COPY), LEADERS_VECTOR_STAGED_MAX);
    assert_int_equal(leaders_vector_limit(100, 128, 1 << 20), 0);
    uint64_t limit = leaders_vector_limit(100, 128, COLL_FOOTPRINT_COPY),
             blocks = 3 * UINT64_C(100) * 128 * 128;
    assert_in_range(limit, 8, LEADERS_VECTOR_STAGED_MAX - 8);
    assert_true(blocks * limit < COLL_FOOTPRINT_COPY && blocks * (limit + 16) > COLL_FOOTPRINT_COPY / 2);
    assert_int_equal(limit % 8, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_right_on_every_map),
        cmocka_unit_test(they_cost_what_closed_forms_say),
        cmocka_unit_test(a_thousand_ranks_cost_what_closed_forms_say),
        cmocka_unit_test(the_limit_follows_from_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
