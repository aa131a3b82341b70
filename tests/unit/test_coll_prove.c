/* The prover finds each kind of broken schedule and explains it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/coll.h"
#include "coll/prove.h"
#include "coll/rank_sets.h"
#include "support/node_map.h"

static struct coll_span in(enum coll_buffer buffer, uint64_t offset, uint64_t bytes)
{
    return (struct coll_span){buffer, offset, bytes};
}

static uint64_t one_vector(const struct coll_call *call)
{
    return call->bytes;
}

typedef bool emit_function(const struct coll_call *call, uint32_t phase, struct coll_sink *sink);

static void assert_caught_in(enum coll_kind kind, emit_function *emit, const struct coll_world *world,
                             const char *problem)
{
    struct coll_algorithm broken = {.kind = kind, .name = "broken", .emit = emit, .scratch = one_vector};
    struct coll_proof proof;
    assert_false(coll_prove(&broken, world, &proof));
    assert_string_equal(proof.problem, problem);
}

static void assert_caught(enum coll_kind kind, emit_function *emit, const char *problem)
{
    struct coll_world world = {.size = 2, .element_bytes = 4, .bytes = 8};
    assert_caught_in(kind, emit, &world, problem);
}

/* ----------------------------------------------------------- wrong results */

static bool own_block_forgotten(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    sink->recv(sink, 1 - call->rank, in(COLL_RECV_BUFFER, (1 - call->rank) * call->bytes, call->bytes));
    sink->send(sink, 1 - call->rank, in(COLL_SEND_BUFFER, (1 - call->rank) * call->bytes, call->bytes));
    return true;
}

static bool wrong_block_sent(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    struct coll_span own = in(COLL_SEND_BUFFER, call->rank * call->bytes, call->bytes);
    sink->copy(sink, own, in(COLL_RECV_BUFFER, call->rank * call->bytes, call->bytes));
    sink->recv(sink, 1 - call->rank, in(COLL_RECV_BUFFER, (1 - call->rank) * call->bytes, call->bytes));
    sink->send(sink, 1 - call->rank, own);
    return true;
}

static bool last_round_forgotten(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return phase < call->size - 2 && coll_find(COLL_ALLGATHER, "ring")->emit(call, phase, sink);
}

static bool nothing_reduced(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0)
        sink->copy(sink, in(COLL_SEND_BUFFER, 0, call->bytes), in(COLL_RECV_BUFFER, 0, call->bytes));
    return phase == 0;
}

static void wrong_results_are_seen(void **state)
{
    (void)state;
    assert_caught(COLL_ALLTOALL, own_block_forgotten,
                  "rank 0 ends with nothing at receive buffer+0; it should be element 0 of rank 0");
    assert_caught(
        COLL_ALLTOALL, wrong_block_sent,
        "rank 0 ends with element 2 of rank 1 at receive buffer+8; it should be element 0 of rank 1");
    struct coll_world world = {.size = 5, .element_bytes = 1, .bytes = 1};
    assert_caught_in(COLL_ALLGATHER, last_round_forgotten, &world,
                     "rank 0 ends with nothing at receive buffer+1; it should be element 0 of rank 1");
    assert_caught_in(
        COLL_ALLREDUCE, nothing_reduced, &world,
        "rank 0 ends with element 0 of rank 0 at receive buffer+0; it should be element 0 of ranks 0-4");
}

/* -------------------------------------------------------- wrong reductions */

/* Distances 1 and 2 with three ranks: the vector that comes in the second round contains the rank's own
 * vector. */
static bool doubling_without_folding(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span sum = in(COLL_RECV_BUFFER, 0, call->bytes), incoming = in(COLL_SCRATCH, 0, call->bytes);
    if (phase > 2)
        return false;
    if (phase == 0)
        sink->copy(sink, in(COLL_SEND_BUFFER, 0, call->bytes), sum);
    else
        sink->reduce(sink, incoming, sum);
    if (phase < 2) {
        uint32_t distance = 1u << phase;
        sink->send(sink, (call->rank + distance) % call->size, sum);
        sink->recv(sink, (call->rank + call->size - distance) % call->size, incoming);
    }
    return true;
}

static bool parts_shifted(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    sink->copy(sink, in(COLL_SEND_BUFFER, 0, 8), in(COLL_RECV_BUFFER, 0, 8));
    sink->reduce(sink, in(COLL_SEND_BUFFER, 0, 4), in(COLL_RECV_BUFFER, 4, 4));
    (void)call;
    return true;
}

static bool parts_of_bytes(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_call careless = *call;
    careless.element = 1;
    return coll_find(COLL_ALLREDUCE, "ring")->emit(&careless, phase, sink);
}

static void wrong_reductions_are_seen(void **state)
{
    (void)state;
    struct coll_world world = {.size = 3, .element_bytes = 8, .bytes = 32};
    assert_caught_in(
        COLL_ALLREDUCE, doubling_without_folding, &world,
        "rank 0, phase 2, step 0: reduce of 32 B from scratch+0 into receive buffer+0 counts rank 0's "
        "element 0 twice");
    assert_caught(
        COLL_ALLREDUCE, parts_shifted,
        "rank 0, phase 0, step 1: reduce of 4 B from send buffer+0 into receive buffer+4 adds element 0 to "
        "element 1");
    assert_caught_in(
        COLL_ALLREDUCE, parts_of_bytes, &world,
        "rank 0, phase 0, step 1: recv of 10 B from rank 2 into scratch+0 cuts an element of 8 B");
}

/* ----------------------------------------------------- wrong communication */

/* This schedule is right only if messages are buffered: every rank waits for its own send before it
 * receives. */
static bool send_then_receive(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size;
    if (phase == 0)
        sink->send(sink, (call->rank + 1) % size, in(COLL_SEND_BUFFER, 0, call->bytes));
    else if (phase == 1)
        sink->recv(sink, (call->rank + size - 1) % size, in(COLL_SCRATCH, 0, call->bytes));
    return phase < 2;
}

static bool one_message_too_many(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    bool receives = call->rank == 1 && phase == 0, sends = call->rank == 0 && phase < 2;
    if (receives)
        sink->recv(sink, 0, in(COLL_RECV_BUFFER, 0, call->bytes));
    if (sends)
        sink->send(sink, 1, in(COLL_SEND_BUFFER, 0, call->bytes));
    return receives || sends;
}

static bool half_received(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    if (call->rank == 0)
        sink->send(sink, 1, in(COLL_SEND_BUFFER, 0, call->bytes));
    else
        sink->recv(sink, 0, in(COLL_RECV_BUFFER, 0, call->bytes / 2));
    return true;
}

static bool sent_to_itself(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->send(sink, call->rank, in(COLL_SEND_BUFFER, 0, 0));
    return phase == 0;
}

static bool endless(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    (void)call, (void)phase, (void)sink;
    return true;
}

/* Every rank signals the next one only. */
static bool one_round_of_three(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return phase < 1 && coll_find(COLL_BARRIER, "dissemination")->emit(call, phase, sink);
}

static void wrong_communication_is_seen(void **state)
{
    (void)state;
    struct coll_world world = {.size = 3, .element_bytes = 4, .bytes = 8};
    assert_caught_in(
        COLL_ALLGATHER, send_then_receive, &world,
        "rank 0, phase 0, step 0: send of 8 B to rank 1 from send buffer+0 deadlocks: rank 1 waits in phase "
        "0 and has not posted the receive");
    assert_caught(COLL_BCAST, one_message_too_many,
                  "rank 0, phase 1, step 0: send of 8 B to rank 1 from send buffer+0 is never matched: rank "
                  "1 has no such "
                  "receive");
    assert_caught(COLL_BCAST, half_received,
                  "rank 1, phase 0, step 0: recv of 4 B from rank 0 into receive buffer+0 matches a send of "
                  "8 B to rank 1 "
                  "from send buffer+0");
    assert_caught(
        COLL_ALLTOALL, sent_to_itself,
        "rank 0, phase 0, step 0: send of 0 B to rank 0 from send buffer+0 has no other rank as its peer");
    assert_caught(COLL_BARRIER, endless, "rank 0: more than 72 phases");
    world.size = 5;
    assert_caught_in(COLL_BARRIER, one_round_of_three, &world,
                     "rank 1 leaves call 0 and need not have waited until rank 2 enters it");
}

/* ------------------------------------------------------------------- tokens */

static bool token_for_data(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    if (call->rank == 0)
        sink->send(sink, 1, in(COLL_TOKEN, 0, call->bytes));
    else
        sink->recv(sink, 0, in(COLL_RECV_BUFFER, 0, call->bytes));
    return true;
}

static bool copied_from_token(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->copy(sink, in(COLL_TOKEN, 0, call->bytes), in(COLL_RECV_BUFFER, 0, call->bytes));
    return phase == 0;
}

/* Two messages of 3 B, less than an element, to the same token. */
static bool two_tokens(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    for (int i = 0; phase == 0 && i < 2; i++)
        if (call->rank == 0)
            sink->send(sink, 1, in(COLL_TOKEN, 0, 3));
        else
            sink->recv(sink, 0, in(COLL_TOKEN, 0, 3));
    return phase == 0;
}

static void tokens_have_no_data(void **state)
{
    (void)state;
    assert_caught(COLL_BCAST, token_for_data,
                  "rank 1, phase 0, step 0: recv of 8 B from rank 0 into receive buffer+0 matches a send of "
                  "8 B to rank 1 from token+0");
    assert_caught(COLL_ALLREDUCE, copied_from_token,
                  "rank 0, phase 0, step 0: copy of 8 B from token+0 into receive buffer+0 needs data, and a "
                  "token has none");
    struct coll_algorithm empty = {.kind = COLL_BCAST, .name = "tokens", .emit = two_tokens};
    struct coll_world world = {.size = 2, .element_bytes = 4};
    struct coll_proof proof;
    assert_true(coll_prove(&empty, &world, &proof));
    assert_int_equal(proof.messages, 2);
    assert_int_equal(proof.bytes, 6);
}

/* ----------------------------------------------------------------- hazards */

static bool received_where_it_sends(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span sum = in(COLL_RECV_BUFFER, 0, call->bytes);
    if (phase > 0)
        return false;
    sink->copy(sink, in(COLL_SEND_BUFFER, 0, call->bytes), sum);
    sink->send(sink, 1 - call->rank, in(COLL_RECV_BUFFER, 0, 8));
    sink->recv(sink, 1 - call->rank, in(COLL_RECV_BUFFER, 4, 4));
    return true;
}

static bool reduced_before_it_came(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span sum = in(COLL_RECV_BUFFER, 0, call->bytes), incoming = in(COLL_SCRATCH, 0, call->bytes);
    if (phase > 0)
        return false;
    sink->copy(sink, in(COLL_SEND_BUFFER, 0, call->bytes), sum);
    sink->recv(sink, 1 - call->rank, incoming);
    sink->send(sink, 1 - call->rank, in(COLL_SEND_BUFFER, 0, call->bytes));
    sink->reduce(sink, incoming, sum);
    return true;
}

static bool send_buffer_reused(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->recv(sink, 1 - call->rank, in(COLL_SEND_BUFFER, 0, call->bytes));
    return phase == 0;
}

static bool scratch_left(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->recv(sink, 1 - call->rank, in(COLL_SCRATCH, 4, call->bytes));
    return phase == 0;
}

static bool scratch_not_filled(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->send(sink, 1 - call->rank, in(COLL_SCRATCH, 0, call->bytes));
    return phase == 0;
}

static bool copied_onto_itself(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    sink->copy(sink, in(COLL_SEND_BUFFER, 0, call->bytes), in(COLL_RECV_BUFFER, 0, call->bytes));
    sink->copy(sink, in(COLL_RECV_BUFFER, 0, 8), in(COLL_RECV_BUFFER, 4, 8));
    return phase == 0;
}

static void hazards_are_seen(void **state)
{
    (void)state;
    assert_caught(
        COLL_ALLREDUCE, received_where_it_sends,
        "rank 0, phase 0, step 2: recv of 4 B from rank 1 into receive buffer+4 writes memory that step 1 of "
        "this phase has posted");
    assert_caught(COLL_ALLREDUCE, reduced_before_it_came,
                  "rank 0, phase 0, step 3: reduce of 8 B from scratch+0 into receive buffer+0 reads memory "
                  "that step 1 of "
                  "this phase has posted");
    assert_caught(
        COLL_ALLTOALL, send_buffer_reused,
        "rank 0, phase 0, step 0: recv of 8 B from rank 1 into send buffer+0 writes the send buffer");
    assert_caught(
        COLL_ALLREDUCE, scratch_left,
        "rank 0, phase 0, step 0: recv of 8 B from rank 1 into scratch+4 leaves the scratch, which has 8 B");
    assert_caught(COLL_ALLREDUCE, scratch_not_filled,
                  "rank 0, phase 0, step 0: send of 8 B to rank 1 from scratch+0 reads memory that no step "
                  "has written");
    struct coll_world world = {.size = 2, .element_bytes = 4, .bytes = 12};
    assert_caught_in(
        COLL_ALLREDUCE, copied_onto_itself, &world,
        "rank 0, phase 0, step 1: copy of 8 B from receive buffer+0 into receive buffer+4 overlaps itself");
}

/* ------------------------------------------------- nothing may be left out */

/* An algorithm without one step of one rank. */
static struct {
    const struct coll_algorithm *whole;
    uint32_t rank, phase, step;
    bool left_out;
} gap;

struct gap_sink {
    struct coll_sink base;
    struct coll_sink *whole;
    uint32_t step;
};

static struct coll_sink *pass(struct coll_sink *sink)
{
    struct gap_sink *self = (struct gap_sink *)sink;
    if (self->step++ != gap.step)
        return self->whole;
    gap.left_out = true;
    return NULL;
}

static void gap_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    if ((sink = pass(sink)))
        sink->send(sink, peer, from);
}

static void gap_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->recv(sink, peer, into);
}

static void gap_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->copy(sink, from, into);
}

static void gap_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->reduce(sink, from, into);
}

static bool emit_with_gap(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct gap_sink filter = {
        .base = {.send = gap_send, .recv = gap_recv, .copy = gap_copy, .reduce = gap_reduce, .local = true},
        .whole = sink};
    bool here = call->rank == gap.rank && phase == gap.phase;
    return gap.whole->emit(call, phase, here ? &filter.base : sink);
}

/* Leaves out the step and proves the rest. Returns false if there is no such step. */
static bool gap_is_caught(const struct coll_world *world)
{
    struct coll_algorithm broken = *gap.whole;
    struct coll_proof proof;
    broken.emit = emit_with_gap;
    gap.left_out = false;
    bool right = coll_prove(&broken, world, &proof);
    if (right && gap.left_out)
        fail_msg("%s %s: rank %u needs no step %u of phase %u", coll_kind_name(broken.kind), broken.name,
                 gap.rank, gap.step, gap.phase);
    return gap.left_out;
}

static void assert_every_step_is_needed(const struct coll_world *world)
{
    uint32_t steps = 0;
    for (gap.rank = 0; gap.rank < world->size; gap.rank++)
        for (gap.phase = 0; gap.phase < 3 * world->size; gap.phase++)
            for (gap.step = 0; gap_is_caught(world); gap.step++)
                steps++;
    assert_in_range(steps, 2 * (world->size - 1), 1000);
}

/* Shows that the prover looks at everything, and that no algorithm does anything needless. */
static void every_step_of_every_algorithm_is_needed(void **state)
{
    (void)state;
    struct coll_world world = {
        .size = 6, .root = 4, .window = 2, .segment_bytes = 4, .element_bytes = 2, .bytes = 14};
    for (size_t a = 0; coll_algorithms[a]; a++) {
        gap.whole = coll_algorithms[a];
        assert_every_step_is_needed(&world);
    }
}

/* MPICH's scan of leaders has a result for the last leader too, which nobody reads. */
static bool has_needless_steps(const struct coll_algorithm *algorithm, const struct coll_nodes *nodes)
{
    return algorithm == coll_find(COLL_SCAN, "mpich") && nodes->in_order && nodes->count > 1;
}

static void assert_every_step_on_map_is_needed(const struct node_map *map)
{
    struct coll_world world = {.size = map->size,
                               .root = map->size - 1,
                               .segment_bytes = 4,
                               .element_bytes = 2,
                               .bytes = 14,
                               .nodes = &map->nodes};
    for (size_t a = 0; coll_algorithms[a]; a++) {
        gap.whole = coll_algorithms[a];
        if (gap.whole->node_aware && gap.whole->kind != COLL_ALLTOALL && !gap.whole->flags &&
            !has_needless_steps(gap.whole, &map->nodes))
            assert_every_step_is_needed(&world);
    }
}

/* unit.coll_nodes leaves out steps of algorithms with barriers and flags. */
static void every_step_on_nodes_is_needed(void **state)
{
    (void)state;
    struct node_map map;
    for (uint32_t nodes = 1; nodes <= 3; nodes++)
        for (int uneven = 0; uneven <= 1; uneven++) {
            node_map_place(&map, nodes, 3, uneven, SCRAMBLED);
            assert_every_step_on_map_is_needed(&map);
            node_map_place(&map, nodes, 3, uneven, BLOCKS);
            assert_every_step_on_map_is_needed(&map);
        }
}

/* ----------------------------------------------------- calls that are none */

static void assert_no_call(struct coll_world world, enum coll_kind kind, const char *problem)
{
    struct coll_proof proof;
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (coll_algorithms[i]->kind == kind) {
            assert_false(coll_prove(coll_algorithms[i], &world, &proof));
            assert_string_equal(proof.problem, problem);
            return;
        }
}

static void impossible_calls_are_refused(void **state)
{
    (void)state;
    uint64_t counts[] = {8, 4, 8};
    assert_no_call((struct coll_world){.size = 0, .element_bytes = 1}, COLL_BCAST,
                   "the prover takes 1 to 4096 ranks");
    assert_no_call((struct coll_world){.size = 3, .root = 3, .element_bytes = 1}, COLL_BCAST,
                   "the root is not one of the ranks");
    assert_no_call((struct coll_world){.size = 3, .element_bytes = 8, .bytes = 12}, COLL_BCAST,
                   "the bytes are not a whole number of elements");
    assert_no_call((struct coll_world){.size = 3, .element_bytes = 8, .bytes = 8, .counts = counts},
                   COLL_GATHERV, "a count is not a whole number of elements");
    assert_no_call((struct coll_world){.size = 2, .element_bytes = 1, .bytes = UINT64_C(1) << 40}, COLL_BCAST,
                   "the prover takes up to 67108864 elements in all buffers; prove fewer or larger ones");
}

static void sets_of_ranks(void **state)
{
    (void)state;
    struct rank_sets sets;
    char text[64];
    rank_sets_init(&sets, 130);
    uint32_t low = rank_sets_first(&sets, 70), high = rank_sets_one(129);
    uint32_t both = rank_sets_join(&sets, low, high);
    assert_string_equal(rank_sets_print(&sets, both, text, sizeof text), "of ranks 0-69, 129");
    assert_string_equal(rank_sets_print(&sets, high, text, sizeof text), "of rank 129");
    assert_int_equal(rank_sets_join(&sets, high, low), both);
    assert_int_equal(rank_sets_join(&sets, both, high), RANK_SET_NONE);
    assert_int_equal(rank_sets_common(&sets, both, high), 129);
    for (uint32_t rank = 70; rank < 129; rank++)
        low = rank_sets_join(&sets, low, rank_sets_one(rank));
    assert_int_equal(rank_sets_join(&sets, low, high), rank_sets_first(&sets, 130));
    rank_sets_free(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_results_are_seen),
        cmocka_unit_test(wrong_reductions_are_seen),
        cmocka_unit_test(wrong_communication_is_seen),
        cmocka_unit_test(tokens_have_no_data),
        cmocka_unit_test(hazards_are_seen),
        cmocka_unit_test(every_step_of_every_algorithm_is_needed),
        cmocka_unit_test(every_step_on_nodes_is_needed),
        cmocka_unit_test(impossible_calls_are_refused),
        cmocka_unit_test(sets_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
