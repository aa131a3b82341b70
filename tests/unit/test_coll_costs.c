/* Schedules with segments, aggregation or levels: they are right for many numbers of ranks, roots, lengths
 * and segments, and their messages, bytes and rounds agree with the published closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/coll.h"
#include "coll/prove.h"
#include "support/node_map.h"
#include "support/sanitizer.h"

/* Every number of ranks up to the small one, and some up to the large one. Sanitizers are slow. */
enum { SMALL = HAS_SANITIZER ? 35 : 70, LARGE = HAS_SANITIZER ? 61 : 130 };

static struct coll_proof prove_world(enum coll_kind kind, const char *name, const struct coll_world *world)
{
    struct coll_proof proof;
    if (!coll_prove(coll_find(kind, name), world, &proof))
        fail_msg("%s %s, %u ranks, root %u, %llu B of %llu in segments of %llu: %s", coll_kind_name(kind),
                 name, world->size, world->root, (unsigned long long)world->bytes,
                 (unsigned long long)world->element_bytes, (unsigned long long)world->segment_bytes,
                 proof.problem);
    return proof;
}

static uint32_t log2_up(uint32_t size)
{
    uint32_t rounds = 0;
    while (1u << rounds < size)
        rounds++;
    return rounds;
}

/* ------------------------------------------------------------- double trees */

/* The second half of an odd number of elements is shorter. */
static uint64_t segments(uint64_t elements, uint64_t in_segment, uint32_t half)
{
    uint64_t in_half = half == 0 ? elements - elements / 2 : elements / 2;
    uint64_t count = (in_half + in_segment - 1) / in_segment;
    return half == 0 && count == 0 ? 1 : count;
}

static void assert_double_tree(struct coll_world world, uint64_t elements, uint64_t in_segment)
{
    uint64_t first = segments(elements, in_segment, 0), both = first + segments(elements, in_segment, 1);
    uint32_t others = world.size - 1, levels = log2_up(world.size);
    world.bytes = elements * world.element_bytes;
    world.segment_bytes = in_segment * world.element_bytes;
    struct coll_proof proof = prove_world(COLL_BCAST, "double-tree", &world);
    assert_int_equal(proof.messages, both * others);
    assert_int_equal(proof.bytes, others * world.bytes);
    assert_int_equal(proof.rounds, others ? first - 1 + levels : 0);
    assert_true(proof.bytes_rank_max <= world.bytes + world.element_bytes);
    assert_int_equal(proof.scratch_max, 0);
    proof = prove_world(COLL_REDUCE, "double-tree", &world);
    assert_int_equal(proof.messages, both * others);
    assert_int_equal(proof.bytes, others * world.bytes);
    assert_int_equal(proof.reduced_bytes, others * world.bytes);
    assert_int_equal(proof.rounds, others ? first - 1 + levels : 0);
    assert_true(proof.bytes_rank_max <= world.bytes);
    assert_true(proof.scratch_max <= 3 * world.segment_bytes);
    if (world.root > 0)
        return;
    proof = prove_world(COLL_ALLREDUCE, "double-tree", &world);
    assert_int_equal(proof.messages, 2 * both * others);
    assert_int_equal(proof.bytes, 2 * others * world.bytes);
    assert_int_equal(proof.rounds, others ? first - 1 + 2 * levels : 0);
    assert_true(proof.bytes_rank_max <= 2 * world.bytes + world.element_bytes);
}

static void double_trees_are_right_and_cost_what_is_published(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= SMALL; size++)
        for (uint64_t elements = 0; elements <= 9; elements += size > 33 ? 4 : 1)
            for (uint64_t in_segment = 1; in_segment <= 3; in_segment++) {
                struct coll_world world = {.size = size, .element_bytes = 4};
                for (world.root = 0; world.root<size; world.root += size> 17 ? 11 : 1)
                    assert_double_tree(world, elements, in_segment);
            }
    assert_double_tree((struct coll_world){.size = 255, .root = 254, .element_bytes = 8}, 40, 4);
    assert_double_tree((struct coll_world){.size = 256, .element_bytes = 8}, 40, 4);
}

/* Without a name the segment has 64 KiB. There are at most 2^20, and none is shorter than an element. */
static void segments_have_a_default_and_limits(void **state)
{
    (void)state;
    struct coll_world world = {.size = 4, .element_bytes = 1 << 15, .bytes = 20 << 15};
    assert_int_equal(prove_world(COLL_BCAST, "double-tree", &world).messages, 3 * 2 * 5);
    world.segment_bytes = 1;
    assert_int_equal(prove_world(COLL_BCAST, "double-tree", &world).messages, 3 * 2 * 10);
    struct coll_call call = {
        .kind = COLL_BCAST, .size = 4, .element = 1, .bytes = UINT64_C(1) << 40, .segment_bytes = 1};
    struct coll_sink none = {.local = false};
    assert_false(coll_find(COLL_BCAST, "double-tree")->emit(&call, (1 << 20) + 2, &none));
}

/* ---------------------------------------------------------------- circulant */

static void circulants_are_optimal_for_any_number_of_ranks(void **state)
{
    (void)state;
    static uint64_t counts[256];
    for (uint32_t size = 1; size <= LARGE; size += size < SMALL ? 1 : 13)
        for (uint64_t elements = 0; elements <= 2 * (uint64_t)size; elements += 1 + size / 4) {
            struct coll_world world = {.size = size, .element_bytes = 2, .bytes = 2 * elements};
            uint32_t others = size - 1, rounds = log2_up(size);
            struct coll_proof proof = prove_world(COLL_ALLREDUCE, "circulant", &world);
            assert_int_equal(proof.messages, 2 * size * rounds);
            assert_int_equal(proof.bytes, 2 * others * world.bytes);
            assert_int_equal(proof.reduced_bytes, others * world.bytes);
            assert_int_equal(proof.rounds, 2 * rounds);
            uint64_t total = 0;
            for (uint32_t rank = 0; rank < size; rank++)
                total += counts[rank] = 2 * ((rank * elements + 3 * rank) % 5);
            world.counts = counts;
            proof = prove_world(COLL_REDUCE_SCATTER, "circulant", &world);
            assert_int_equal(proof.bytes, others * total);
            world.counts = NULL;
            world.bytes = 6;
            proof = prove_world(COLL_REDUCE_SCATTER, "circulant", &world);
            assert_int_equal(proof.messages, size * rounds);
            assert_int_equal(proof.bytes_rank_max, others * 6); /* the optimum: all blocks but its own */
            assert_int_equal(proof.reduced_bytes, size * others * 6);
            assert_int_equal(proof.rounds, rounds);
            assert_int_equal(proof.scratch_max, size > 1 ? (size + size / 2) * 6 : 0);
        }
}

/* ---------------------------------------------------------------- two rings */

/* The rings have F = ceil(sqrt(P)) near ranks, and (P - 1) / F hops to far ones. */
static void two_rings_send_as_little_to_two_ranks(void **state)
{
    (void)state;
    static uint64_t counts[256];
    for (uint32_t size = 1, far = 1; size <= LARGE; size += size < SMALL ? 1 : 13) {
        while (far * far < size)
            far++;
        uint32_t others = size - 1, rounds = others / far + far - 1;
        struct coll_world world = {.size = size, .element_bytes = 2, .bytes = 2 * (uint64_t)size + 6};
        struct coll_proof proof = prove_world(COLL_ALLREDUCE, "two-rings", &world);
        assert_int_equal(proof.messages, 2 * size * rounds);
        assert_int_equal(proof.bytes, 2 * others * world.bytes);
        assert_int_equal(proof.reduced_bytes, others * world.bytes);
        assert_int_equal(proof.rounds, 2 * rounds);
        assert_true(proof.peers_max <= 4); /* two in each direction */
        proof = prove_world(COLL_ALLGATHER, "two-rings", &world);
        assert_int_equal(proof.messages, size * rounds);
        assert_int_equal(proof.bytes_rank_max, others * world.bytes);
        assert_int_equal(proof.rounds, rounds);
        assert_int_equal(proof.scratch_max, size > 1 ? size * world.bytes : 0);
        proof = prove_world(COLL_REDUCE_SCATTER, "two-rings", &world);
        assert_int_equal(proof.messages, size * rounds);
        assert_int_equal(proof.bytes_rank_max, others * world.bytes);
        assert_int_equal(proof.rounds, rounds);
        assert_true(proof.scratch_max <= (size + 2 * far) * world.bytes);
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < size; rank++)
            total += counts[rank] = 2 * ((rank * 7 + rank / 3) % 6);
        world.counts = counts;
        assert_int_equal(prove_world(COLL_REDUCE_SCATTER, "two-rings", &world).bytes, others * total);
    }
}

/* --------------------------------------------------------------------- PAT */

static void assert_pat(enum coll_kind kind, struct coll_world world, uint32_t together)
{
    uint32_t size = world.size, power = 1u << log2_up(size);
    uint32_t spacing = power / together < size ? power / together : size;
    uint32_t rounds = log2_up(together) + spacing - 1;
    struct coll_proof proof = prove_world(kind, "pat", &world);
    assert_int_equal(proof.messages, size * rounds);
    assert_int_equal(proof.bytes_rank_max, (size - 1) * world.bytes);
    assert_int_equal(proof.rounds, rounds);
    if (kind != COLL_REDUCE_SCATTER)
        assert_true(proof.scratch_max <= (together > 1 ? 2 * world.segment_bytes : 0));
    else if (size > 1)
        assert_true(proof.scratch_max <= (log2_up(size) + 2) * together * world.bytes);
}

/* Blocks of 4 bytes, 1, 2, 4 ... of them in a message, up to half of the power of two from P on. */
static void pat_has_the_published_rounds_and_buffers(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= LARGE; size += size < SMALL ? 1 : 13)
        for (uint32_t most = 1; most <= 128; most *= 2) {
            struct coll_world world = {
                .size = size, .element_bytes = 4, .bytes = 4, .segment_bytes = 4 * most + 3};
            uint32_t half = (1u << log2_up(size)) / 2, limit = half > 1 ? half : 1;
            assert_pat(COLL_ALLGATHER, world, most < limit ? most : limit);
            assert_pat(COLL_ALLGATHERV, world, most < limit ? most : limit);
            assert_pat(COLL_REDUCE_SCATTER, world, most < limit ? most : limit);
        }
}

/* The longest block decides how many go together. */
static void pat_takes_blocks_of_any_length(void **state)
{
    (void)state;
    static uint64_t counts[70];
    for (uint32_t size = 1; size <= SMALL; size++)
        for (uint64_t segment = 1; segment <= 200; segment *= 3) {
            struct coll_world world = {
                .size = size, .element_bytes = 2, .segment_bytes = segment, .counts = counts};
            uint64_t total = 0;
            for (uint32_t rank = 0; rank < size; rank++)
                total += counts[rank] = 2 * ((rank * 7 + rank / 3) % 6);
            assert_int_equal(prove_world(COLL_ALLGATHERV, "pat", &world).bytes, (size - 1) * total);
            assert_int_equal(prove_world(COLL_REDUCE_SCATTER, "pat", &world).bytes, (size - 1) * total);
        }
}

/* ----------------------------------------------------- segments and windows */

/* A number for all messages of a schedule, in their order. */
struct message_hash {
    struct coll_sink sink;
    uint64_t hash;
};

static void add_number(struct message_hash *hash, uint64_t number)
{
    hash->hash = (hash->hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    hash->hash ^= hash->hash >> 29;
}

static void add_message(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    add_number((struct message_hash *)sink, peer);
    add_number((struct message_hash *)sink, span.bytes);
}

static void add_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)flag;
    add_message(sink, peer, into);
}

static void ignore_barrier(struct coll_sink *sink)
{
    (void)sink;
}

static void ignore_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)sink;
    (void)flag;
}

static uint64_t schedule_of(const struct coll_algorithm *algorithm, struct coll_call call)
{
    struct message_hash hash = {.sink = {.send = add_message,
                                         .recv = add_message,
                                         .recv_raise = add_raise,
                                         .barrier = ignore_barrier,
                                         .raise = ignore_flag,
                                         .await = ignore_flag}};
    for (call.rank = 0; call.rank < call.size; call.rank++)
        for (uint32_t phase = 0; coll_emit(algorithm, &call, phase, &hash.sink); phase++)
            add_number(&hash, phase);
    return hash.hash;
}

static void an_algorithm_says_whether_it_has_segments_and_windows(void **state)
{
    (void)state;
    struct node_map maps[2];
    node_map_place(&maps[0], 4, 2, false, BLOCKS);
    node_map_place(&maps[1], 13, 1, false, BLOCKS);
    for (const struct coll_algorithm *const *at = coll_algorithms; *at; at++) {
        bool has_segments = false, has_windows = false;
        for (size_t i = 0; i < 2; i++) {
            struct coll_call call = {.kind = (*at)->kind,
                                     .size = maps[i].size,
                                     .element = 8,
                                     .bytes = (*at)->kind == COLL_BARRIER ? 0 : 1 << 16,
                                     .nodes = &maps[i].nodes};
            const uint64_t usual = schedule_of(*at, call);
            call.segment_bytes = 512;
            has_segments |= schedule_of(*at, call) != usual;
            call.segment_bytes = 0;
            call.window = 2;
            has_windows |= schedule_of(*at, call) != usual;
        }
        if (has_segments != (*at)->has_segments || has_windows != (*at)->has_windows)
            fail_msg("%s %s: segments %d, windows %d", coll_kind_name((*at)->kind), (*at)->name, has_segments,
                     has_windows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_trees_are_right_and_cost_what_is_published),
        cmocka_unit_test(circulants_are_optimal_for_any_number_of_ranks),
        cmocka_unit_test(two_rings_send_as_little_to_two_ranks),
        cmocka_unit_test(pat_has_the_published_rounds_and_buffers),
        cmocka_unit_test(pat_takes_blocks_of_any_length),
        cmocka_unit_test(segments_have_a_default_and_limits),
        cmocka_unit_test(an_algorithm_says_whether_it_has_segments_and_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
