/* Algorithms whose calls use copies of shared memory in turn: they may do so together with calls of other
 * algorithms, and the prover refuses algorithms that may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/prove.h"
#include "support/node_map.h"

/* `leaders` has no barrier at the end. If all calls shared one memory, a rank would stage while the leader
 * still sends. */
static void calls_need_alternate_memory(void **state)
{
    (void)state;
    struct node_map map;
    struct coll_algorithm leaders = *coll_find(COLL_ALLTOALL, "leaders");
    struct coll_proof proof;
    node_map_place(&map, 3, 3, false, BLOCKS);
    struct coll_world world = {
        .size = map.size, .repeats = 2, .element_bytes = 1, .bytes = 1, .nodes = &map.nodes};
    assert_true(coll_prove(&leaders, &world, &proof));
    leaders.shared_copies = 1;
    assert_false(coll_prove(&leaders, &world, &proof));
    assert_non_null(strstr(proof.problem, "races with rank"));
    world.repeats = COLL_PROOF_REPEATS_MAX + 1;
    assert_false(coll_prove(&leaders, &world, &proof));
    assert_string_equal(proof.problem, "the prover takes up to 8 calls one after another");
}

/* The root stages and goes; nobody races with it in the call. But it does not know whether the others have
 * begun the call, so it may be two calls ahead of a rank that reads this copy. */
static bool bcast_without_waiting(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span shared = {COLL_SHARED, 0, call->bytes};
    if (call->rank == call->root && phase == 0) {
        sink->copy(sink, (struct coll_span){COLL_SEND_BUFFER, 0, call->bytes}, shared);
        sink->raise(sink, 0);
    } else if (call->rank != call->root && phase == 0) {
        sink->await(sink, 0);
    } else if (call->rank != call->root && phase == 1) {
        sink->copy(sink, shared, (struct coll_span){COLL_RECV_BUFFER, 0, call->bytes});
    }
    return phase < 2;
}

/* Rank 1 awaits the barrier, and no flag. In a call that follows, another rank may raise flag 2 of the node
 * before rank 2 does it here. */
static bool barrier_before_a_flag(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0)
        sink->barrier(sink);
    else if (phase == 1 && call->rank == 2)
        sink->raise(sink, 2);
    else if (phase == 1 && call->rank == 0)
        sink->await(sink, 2);
    return phase < 2;
}

static uint32_t three_flags(const struct coll_call *call)
{
    (void)call;
    return 3;
}

static uint64_t bytes_of_call(const struct coll_call *call)
{
    return call->bytes;
}

static uint32_t one_flag(const struct coll_call *call)
{
    (void)call;
    return 1;
}

/* Two copies of shared memory serve calls of different algorithms only if every rank knows at the end of a
 * call that all ranks of its node have begun it. */
static void ranks_of_a_node_must_meet_in_each_call(void **state)
{
    (void)state;
    struct node_map map;
    struct coll_algorithm bcast = {.kind = COLL_BCAST,
                                   .name = "hasty",
                                   .emit = bcast_without_waiting,
                                   .node_aware = true,
                                   .shared = bytes_of_call,
                                   .flags = one_flag};
    struct coll_proof proof;
    node_map_place(&map, 1, 3, false, BLOCKS);
    struct coll_world world = {.size = map.size, .element_bytes = 1, .bytes = 1, .nodes = &map.nodes};
    assert_true(coll_prove(&bcast, &world, &proof));
    bcast.shared_copies = 2;
    assert_false(coll_prove(&bcast, &world, &proof));
    assert_string_equal(proof.problem, "rank 0 leaves call 0 and need not have waited until rank 1 enters "
                                       "it; calls with copies of shared memory must");
}

/* The live library uses two copies for all of them. */
static void every_algorithm_may_use_copies_in_turn(void **state)
{
    (void)state;
    struct node_map map;
    for (uint32_t nodes = 1; nodes <= 5; nodes++) {
        node_map_place(&map, nodes, 4, nodes % 2, SCRAMBLED);
        struct coll_world world = {
            .size = map.size, .repeats = 4, .element_bytes = 1, .bytes = 3, .nodes = &map.nodes};
        for (size_t a = 0; coll_algorithms[a]; a++) {
            struct coll_algorithm algorithm = *coll_algorithms[a];
            if (!algorithm.shared && !algorithm.flags)
                continue;
            algorithm.shared_copies = 2;
            struct coll_proof proof;
            if (!coll_prove(&algorithm, &world, &proof))
                fail_msg("%s %s on %u nodes: %s", coll_kind_name(algorithm.kind), algorithm.name, nodes,
                         proof.problem);
        }
    }
}

static void flags_must_be_up_at_the_end_of_a_call(void **state)
{
    (void)state;
    struct node_map map;
    struct coll_algorithm barrier = {.kind = COLL_BCAST,
                                     .name = "hasty",
                                     .emit = barrier_before_a_flag,
                                     .node_aware = true,
                                     .flags = three_flags};
    struct coll_proof proof;
    node_map_place(&map, 1, 3, false, BLOCKS);
    struct coll_world world = {.size = map.size, .element_bytes = 1, .nodes = &map.nodes};
    assert_true(coll_prove(&barrier, &world, &proof));
    barrier.shared_copies = 2;
    assert_false(coll_prove(&barrier, &world, &proof));
    assert_string_equal(proof.problem, "rank 1 leaves call 0 and need not have waited until flag 2 is "
                                       "raised; calls with copies of shared memory must");
}

/* The live library has so many flags for a node. */
static void flags_are_few(void **state)
{
    (void)state;
    struct node_map map;
    node_map_place(&map, 5, 4, true, SCRAMBLED);
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (uint32_t rank = 0; coll_algorithms[a]->flags && rank < map.size; rank++) {
            struct coll_call call = {.kind = coll_algorithms[a]->kind,
                                     .size = map.size,
                                     .rank = rank,
                                     .element = 1,
                                     .bytes = 8,
                                     .nodes = &map.nodes};
            uint32_t here = node_ranks(&call, node_of(&call, rank));
            assert_in_range(coll_algorithms[a]->flags(&call), 0, map.nodes.count + 2 * here);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_need_alternate_memory),
        cmocka_unit_test(ranks_of_a_node_must_meet_in_each_call),
        cmocka_unit_test(every_algorithm_may_use_copies_in_turn),
        cmocka_unit_test(flags_must_be_up_at_the_end_of_a_call),
        cmocka_unit_test(flags_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
