/* Node-aware alltoalls, and all collectives with shared memory: they are right and free of races on every
 * node map. Alltoalls cost what the OHIO paper's tables say. The prover finds every barrier, flag or step
 * that is left out. */
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

static bool knows_nodes(const struct coll_algorithm *algorithm)
{
    return algorithm->node_aware && (algorithm->kind == COLL_ALLTOALL || algorithm->flags);
}

static bool has_root(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_SCATTER;
}

/* Alltoalls with several leaders. */
static bool takes_leaders(const struct coll_algorithm *algorithm)
{
    return algorithm->kind == COLL_ALLTOALL && !strcmp(algorithm->name, "leaders");
}

/* --------------------------------------------------------------- node maps */

static void a_given_rank_becomes_the_leader(void **state)
{
    (void)state;
    struct node_map map;
    node_map_make(&map, 6, (uint32_t[]){4, 2, 4, 0, 4, 4});
    coll_nodes_lead(&map.nodes, map.words, 0, 2, 1);
    static const uint32_t members[] = {0, 4, 2, 5, 1, 3}, local_of_rank[] = {0, 0, 2, 0, 1, 3};
    assert_memory_equal(map.nodes.members, members, sizeof members);
    assert_memory_equal(map.nodes.local_of, local_of_rank, sizeof local_of_rank);
    coll_nodes_lead(&map.nodes, map.words, 0, 3, 3);
    assert_memory_equal(map.nodes.members, members, sizeof members);
}

static void maps_know_whether_ranks_are_in_order(void **state)
{
    (void)state;
    struct node_map map;
    node_map_make(&map, 5, (uint32_t[]){3, 3, 0, 0, 1});
    assert_true(map.nodes.in_order);
    coll_nodes_lead(&map.nodes, map.words, 1, 1, 1);
    assert_true(map.nodes.in_order);
    coll_nodes_lead(&map.nodes, map.words, 1, 1, 0);
    assert_false(map.nodes.in_order);
    node_map_make(&map, 5, (uint32_t[]){3, 0, 3, 0, 1});
    assert_false(map.nodes.in_order);
    node_map_make(&map, 3, (uint32_t[]){0, 0, 0});
    assert_true(map.nodes.in_order);
}

static void maps_number_nodes_by_their_lowest_rank(void **state)
{
    (void)state;
    struct node_map map;
    node_map_make(&map, 6, (uint32_t[]){4, 2, 4, 0, 2, 4});
    static const uint32_t node_of_rank[] = {0, 1, 0, 2, 1, 0}, local_of_rank[] = {0, 0, 1, 0, 1, 2};
    static const uint32_t first[] = {0, 3, 5, 6}, members[] = {0, 2, 5, 1, 4, 3};
    assert_int_equal(map.nodes.count, 3);
    assert_memory_equal(map.nodes.node_of, node_of_rank, sizeof node_of_rank);
    assert_memory_equal(map.nodes.local_of, local_of_rank, sizeof local_of_rank);
    assert_memory_equal(map.nodes.first, first, sizeof first);
    assert_memory_equal(map.nodes.members, members, sizeof members);
    struct coll_call call = {.size = 6, .nodes = &map.nodes};
    assert_int_equal(node_run(&call, 0, 0), 1);
    node_map_make(&map, 4, (uint32_t[]){1, 0, 0, 1});
    call.size = 4;
    assert_int_equal(node_run(&call, 1, 0), 2);
    assert_int_equal(node_member(&call, 1, 1), 2);
}

/* --------------------------------------------------------------- every map */

static void must_hold(const struct coll_algorithm *algorithm, const struct coll_world *world)
{
    struct coll_proof proof;
    if (!coll_prove(algorithm, world, &proof))
        fail_msg("%s %s, %u ranks on %u nodes, %u leaders, root %u, %llu B: %s",
                 coll_kind_name(algorithm->kind), algorithm->name, world->size, world->nodes->count,
                 world->leaders, world->root, (unsigned long long)world->bytes, proof.problem);
}

/* Vectors that the ranks of a node reduce in slices or not, and that leaders gather or not. */
static void prove_thresholds(const struct coll_algorithm *algorithm, struct coll_world world)
{
    static const uint64_t elements[] = {9, 32, 200};
    uint64_t counts[NODE_MAP_RANKS];
    world.element_bytes = 500;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        world.bytes = elements[i] * world.element_bytes;
        must_hold(algorithm, &world);
        for (uint32_t rank = 0; rank < world.size; rank++)
            counts[rank] = (rank * 5 + i) % 4 * elements[i] / 3 * world.element_bytes;
        world.counts = counts;
        must_hold(algorithm, &world);
        world.counts = NULL;
    }
}

static void prove_on(const struct node_map *map)
{
    struct coll_world world = {.size = map->size, .repeats = 4, .element_bytes = 1, .nodes = &map->nodes};
    for (size_t a = 0; coll_algorithms[a]; a++) {
        if (!knows_nodes(coll_algorithms[a]))
            continue;
        world.root = has_root(coll_algorithms[a]->kind) ? map->size / 2 : 0;
        for (world.leaders = 1; world.leaders <= (takes_leaders(coll_algorithms[a]) ? 3 : 1);
             world.leaders++) {
            world.element_bytes = 1;
            world.bytes = 2;
            must_hold(coll_algorithms[a], &world);
            world.element_bytes = world.bytes = 40000; /* large blocks */
            must_hold(coll_algorithms[a], &world);
            world.bytes = 0;
            must_hold(coll_algorithms[a], &world);
        }
        if (coll_algorithms[a]->kind != COLL_ALLTOALL)
            prove_thresholds(coll_algorithms[a], world);
    }
}

/* Sanitizers are slow, and find what is wrong with a part on small maps. */
enum { MOST_NODES = HAS_SANITIZER ? 3 : 6, MOST_RANKS = HAS_SANITIZER ? 3 : 4 };

static void every_algorithm_is_right_on_every_map(void **state)
{
    (void)state;
    struct node_map map;
    node_map_each(MOST_NODES, MOST_RANKS, prove_on);
    if (HAS_SANITIZER)
        return;
    node_map_place(&map, 9, 7, true, SCRAMBLED);
    prove_on(&map);
    node_map_place(&map, 8, 7, false, BLOCKS);
    prove_on(&map);
}

/* -------------------------------------------------------- Tables I and III */

static struct coll_counts count(const char *name, const struct node_map *map, uint64_t bytes)
{
    struct coll_call call = {
        .kind = COLL_ALLTOALL, .size = map->size, .element = 1, .bytes = bytes, .nodes = &map->nodes};
    return coll_count(coll_find(COLL_ALLTOALL, name), &call, true);
}

/* Queue pairs and posted sends of a node, extra memory in blocks of a node. */
static void assert_counts(const char *name, const struct node_map *map, uint64_t queue_pairs,
                          uint64_t posted_sends, uint64_t blocks)
{
    struct coll_counts counts = count(name, map, 3);
    uint64_t extra = counts.shared_bytes + counts.scratch_bytes;
    if (counts.queue_pairs != queue_pairs || counts.posted_sends != posted_sends || extra != 3 * blocks)
        fail_msg("%s, %u ranks on %u nodes: %llu queue pairs, %llu sends, %llu blocks", name, map->size,
                 map->nodes.count, (unsigned long long)counts.queue_pairs,
                 (unsigned long long)counts.posted_sends, (unsigned long long)extra / 3);
}

static void costs_of_the_tables(void **state)
{
    (void)state;
    struct node_map map;
    for (uint64_t n = 2; n <= 8; n++)
        for (uint64_t ppn = 1; ppn <= 7; ppn++) {
            node_map_place(&map, (uint32_t)n, (uint32_t)ppn, false, BLOCKS);
            uint64_t block = ppn * ppn;
            assert_counts("scatter-destination", &map, (n - 1) * block, (n - 1) * block, 0);
            assert_counts("pairwise", &map, (n - 1) * block, (n - 1) * block, 0);
            assert_counts("khorassani", &map, (n - 1) * ppn, (n - 1) * ppn, n * block);
            assert_counts("traff", &map, n - 1, n - 1, (2 * n + 1) * block);
            assert_counts("chochia", &map, n - 1, n - 1, 2 * n * block);
            assert_counts("v1", &map, n - 1, (n - 1) * ppn, 2 * n * block);
            assert_counts("v2", &map, n - 1, n - 1, 2 * n * block);
            assert_counts("v1-barriers", &map, n - 1, (n - 1) * ppn, 2 * n * block);
            assert_counts("v2-barriers", &map, n - 1, n - 1, 2 * n * block);
            assert_counts("transpose", &map, n - 1, n - 1, 2 * n * block);
            assert_counts("v3", &map, n - 1, n - 1, (n + 2) * block);
            assert_counts("leaders", &map, n - 1, n - 1, 4 * n * block);
            assert_counts("full-lane", &map, (n - 1) * ppn, (n - 1) * ppn, 3 * n * block);
        }
}

/* Table I has about PPN log2(N PPN) for Bruck. A rank sends to log2 P others and receives from as many.
 * Messages between ranks of the same node do not leave it. */
static void bruck_costs_differ_slightly_from_the_table(void **state)
{
    (void)state;
    struct node_map map;
    node_map_place(&map, 8, 4, false, BLOCKS);
    struct coll_counts counts = count("bruck", &map, 1);
    assert_int_equal(counts.messages + counts.local_messages, 32 * 5);
    /* for distances 1, 2, 4, 8 and 16, 1 + 2 + 4 + 4 + 4 sends of a node's ranks leave the node */
    assert_int_equal(counts.posted_sends, 1 + 2 + 4 + 4 + 4);
    /* as many messages come in from others; distance 16 of 32 ranks has the same peer in both directions */
    assert_int_equal(counts.queue_pairs, 2 * (1 + 2 + 4 + 4) + 4);
}

static void counts_are_those_of_the_execution(void **state)
{
    (void)state;
    struct node_map map;
    node_map_place(&map, 5, 4, true, SCRAMBLED);
    struct coll_world world = {.size = map.size, .element_bytes = 1, .bytes = 3, .nodes = &map.nodes};
    for (size_t a = 0; coll_algorithms[a]; a++) {
        struct coll_proof proof;
        if (coll_algorithms[a]->kind != COLL_ALLTOALL)
            continue;
        assert_true(coll_prove(coll_algorithms[a], &world, &proof));
        struct coll_counts counts = count(coll_algorithms[a]->name, &map, 3);
        assert_int_equal(counts.messages + counts.local_messages, proof.messages);
        assert_int_equal(counts.bytes + counts.local_bytes, proof.bytes);
        assert_int_equal(counts.copied_bytes, proof.copied_bytes);
        assert_int_equal(counts.shared_bytes, proof.shared_max);
        assert_int_equal(counts.messages_rank_max, proof.messages_rank_max);
    }
}

/* k leaders share the messages of their node. A single leader sends them all. */
static void leaders_share_the_messages(void **state)
{
    (void)state;
    struct node_map map;
    node_map_place(&map, 8, 4, false, BLOCKS);
    struct coll_call call = {
        .kind = COLL_ALLTOALL, .size = map.size, .element = 1, .bytes = 8, .nodes = &map.nodes};
    for (call.leaders = 1; call.leaders <= 4; call.leaders *= 2) {
        struct coll_counts counts = coll_count(coll_find(COLL_ALLTOALL, "leaders"), &call, false);
        assert_int_equal(counts.posted_sends, 7);
        assert_int_equal(counts.messages_rank_max, call.leaders == 1 ? 7 : 8 / call.leaders);
    }
}

/* --------------------------------------------------------------- mutations */

/* One algorithm, of which one thing is left out. */
static struct mutation {
    const struct coll_algorithm *whole;
    enum { LEAVE_STEP, LEAVE_BARRIER, LEAVE_FLAG } what;
    uint32_t rank, phase, step; /* LEAVE_STEP; `rank` is UINT32_MAX for the first rank of every node */
    uint32_t number;            /* LEAVE_BARRIER: index of the barrier in each rank; LEAVE_FLAG: the flag */
    bool left_out;
} mutation;

struct mutant_sink {
    struct coll_sink base;
    struct coll_sink *whole;
    bool here;
    uint32_t step;
    uint32_t barriers_before; /* barriers of this rank in earlier phases */
};

static struct coll_sink *pass(struct coll_sink *sink)
{
    struct mutant_sink *self = (struct mutant_sink *)sink;
    if (mutation.what != LEAVE_STEP || !self->here || self->step++ != mutation.step)
        return self->whole;
    mutation.left_out = true;
    return NULL;
}

static bool is_left_flag(uint32_t flag)
{
    bool left = mutation.what == LEAVE_FLAG && flag == mutation.number;
    mutation.left_out |= left;
    return left;
}

static void mutant_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    if ((sink = pass(sink)))
        sink->send(sink, peer, from);
}

static void mutant_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->recv(sink, peer, into);
}

static void mutant_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    bool left = is_left_flag(flag);
    if (!(sink = pass(sink)))
        return;
    if (left)
        sink->recv(sink, peer, into);
    else
        sink->recv_raise(sink, peer, into, flag);
}

static void mutant_barrier(struct coll_sink *sink)
{
    struct mutant_sink *self = (struct mutant_sink *)sink;
    bool left = mutation.what == LEAVE_BARRIER && self->barriers_before++ == mutation.number;
    mutation.left_out |= left;
    if (!left && (sink = pass(sink)))
        sink->barrier(sink);
}

static void mutant_raise(struct coll_sink *sink, uint32_t flag)
{
    if (!is_left_flag(flag) && (sink = pass(sink)))
        sink->raise(sink, flag);
}

static void mutant_await(struct coll_sink *sink, uint32_t flag)
{
    if (!is_left_flag(flag) && (sink = pass(sink)))
        sink->await(sink, flag);
}

static void mutant_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->copy(sink, from, into);
}

static void mutant_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if ((sink = pass(sink)))
        sink->reduce(sink, from, into);
}

static void count_barrier(struct coll_sink *sink)
{
    ((struct mutant_sink *)sink)->barriers_before++;
}

static void ignore_message(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

static void ignore_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span span, uint32_t flag)
{
    (void)sink, (void)peer, (void)span, (void)flag;
}

static void ignore_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag;
}

static uint32_t barriers_before(const struct coll_call *call, uint32_t phase)
{
    struct mutant_sink counter = {.base = {.send = ignore_message,
                                           .recv = ignore_message,
                                           .recv_raise = ignore_recv_raise,
                                           .barrier = count_barrier,
                                           .raise = ignore_flag,
                                           .await = ignore_flag}};
    for (uint32_t earlier = 0; earlier < phase; earlier++)
        mutation.whole->emit(call, earlier, &counter.base);
    return counter.barriers_before;
}

static bool emit_mutant(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct mutant_sink mutant = {.base = {.send = mutant_send,
                                          .recv = mutant_recv,
                                          .recv_raise = mutant_recv_raise,
                                          .barrier = mutant_barrier,
                                          .raise = mutant_raise,
                                          .await = mutant_await,
                                          .copy = mutant_copy,
                                          .reduce = mutant_reduce,
                                          .local = true},
                                 .whole = sink,
                                 .here = call->rank == mutation.rank && phase == mutation.phase,
                                 .barriers_before = barriers_before(call, phase)};
    return mutation.whole->emit(call, phase, &mutant.base);
}

/* Returns false if there is nothing left to leave out. */
static bool mutant_is_caught(const struct coll_world *world)
{
    static const char *const names[] = {"step", "barrier", "flag"};
    struct coll_algorithm broken = *mutation.whole;
    struct coll_proof proof;
    broken.emit = emit_mutant;
    mutation.left_out = false;
    if (coll_prove(&broken, world, &proof) && mutation.left_out)
        fail_msg("%s %s with %u leaders on %u nodes needs no %s: %u; rank %u, phase %u, step %u",
                 coll_kind_name(broken.kind), broken.name, world->leaders, world->nodes->count,
                 names[mutation.what], mutation.number, mutation.rank, mutation.phase, mutation.step);
    return mutation.left_out;
}

static void leave_out_everything(const struct coll_world *world)
{
    mutation.what = LEAVE_STEP;
    for (mutation.rank = 0; mutation.rank < world->size; mutation.rank++)
        for (mutation.phase = 0; mutation.phase < 2 * world->size; mutation.phase++)
            for (mutation.step = 0; mutant_is_caught(world); mutation.step++)
                ;
    uint32_t flags = 0;
    mutation.what = LEAVE_FLAG;
    for (mutation.number = 0; mutation.number < world->size; mutation.number++)
        flags += mutant_is_caught(world);
    mutation.what = LEAVE_BARRIER;
    for (mutation.number = 0; mutant_is_caught(world); mutation.number++)
        ;
    bool has_order = mutation.whole->shared != NULL;
    assert_true(mutation.number > 0 || flags > 0 || !has_order);
}

static void leave_out_on(const struct node_map *map, bool with_alltoall)
{
    struct coll_world world = {.size = map->size, .repeats = 4, .nodes = &map->nodes};
    for (size_t a = 0; coll_algorithms[a]; a++) {
        mutation.whole = coll_algorithms[a];
        if (!knows_nodes(mutation.whole) || (mutation.whole->kind == COLL_ALLTOALL && !with_alltoall))
            continue;
        bool has_leaders = !strcmp(mutation.whole->name, "leaders");
        world.root = has_root(mutation.whole->kind) ? map->size - 1 : 0;
        for (world.leaders = 1; world.leaders <= (takes_leaders(mutation.whole) ? 2 : 1); world.leaders++)
            for (int large = 0; large <= (has_leaders ? 1 : 0); large++) {
                world.element_bytes = world.bytes = large ? 40000 : 1;
                if (large && mutation.whole->kind != COLL_ALLTOALL)
                    world.bytes *= 3; /* a slice for each rank of a node */
                leave_out_everything(&world);
            }
    }
}

/* The prover sees that every step of every rank, and every barrier and flag of all nodes, is needed. */
static void every_step_barrier_and_flag_is_needed(void **state)
{
    (void)state;
    struct node_map map;
    for (uint32_t nodes = 1; nodes <= (HAS_SANITIZER ? 2 : 4); nodes++) {
        node_map_place(&map, nodes, nodes == 4 ? 2 : 3, false, SCRAMBLED);
        leave_out_on(&map, true);
    }
    if (HAS_SANITIZER)
        return;
    node_map_place(&map, 4, 2, true, SCRAMBLED); /* some ranks are alone */
    leave_out_on(&map, false);
    node_map_place(&map, 9, 2, true, SCRAMBLED); /* more nodes than exchange at once */
    leave_out_on(&map, false);
}

/* ------------------------------------------- what the prover says of races */

typedef void step_function(const struct coll_call *call, struct coll_sink *sink);

static step_function *racing[4];

static bool emit_racing(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 4 || !racing[phase])
        return false;
    racing[phase](call, sink);
    return true;
}

static uint64_t four_bytes(const struct coll_call *call)
{
    (void)call;
    return 4;
}

static uint32_t two_flags(const struct coll_call *call)
{
    (void)call;
    return 2;
}

static const struct coll_span first_block = {COLL_SEND_BUFFER, 0, 1}, result = {COLL_RECV_BUFFER, 0, 1};
static const struct coll_span shared_byte = {COLL_SHARED, 0, 1};

static void assert_says(step_function *first, step_function *second, step_function *third,
                        const char *problem)
{
    struct node_map map;
    struct coll_algorithm algorithm = {.kind = COLL_ALLTOALL,
                                       .name = "racing",
                                       .emit = emit_racing,
                                       .shared = four_bytes,
                                       .flags = two_flags};
    struct coll_proof proof;
    node_map_make(&map, 3, (uint32_t[]){0, 0, 1});
    struct coll_world world = {.size = 3, .element_bytes = 1, .bytes = 1, .nodes = &map.nodes};
    racing[0] = first, racing[1] = second, racing[2] = third;
    assert_false(coll_prove(&algorithm, &world, &proof));
    assert_string_equal(proof.problem, problem);
}

static void all_write(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank < 2)
        sink->copy(sink, first_block, shared_byte);
}

static void rank_0_writes(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 0)
        sink->copy(sink, first_block, shared_byte);
}

static void rank_1_reads(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 1)
        sink->copy(sink, shared_byte, result);
}

static void rank_0_meets_too_early(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 1)
        sink->barrier(sink);
    if (call->rank == 0) {
        sink->barrier(sink);
        sink->copy(sink, first_block, shared_byte);
    }
}

static void rank_0_alone_arrives(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 0)
        sink->barrier(sink);
}

static void rank_1_awaits(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 1)
        sink->await(sink, 1);
}

static void rank_0_raises(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 0)
        sink->raise(sink, 1);
}

static void receives_and_says_so_at_once(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 2)
        sink->send(sink, 0, first_block);
    if (call->rank == 0) {
        sink->recv(sink, 2, shared_byte);
        sink->raise(sink, 1);
    }
    rank_1_awaits(call, sink);
}

static void two_arrive_one_says_so(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 2) {
        sink->send(sink, 0, first_block);
        sink->send(sink, 0, (struct coll_span){COLL_SEND_BUFFER, 1, 1});
    }
    if (call->rank == 0) {
        sink->recv(sink, 2, shared_byte);
        sink->recv_raise(sink, 2, (struct coll_span){COLL_SHARED, 1, 1}, 1);
    }
    rank_1_awaits(call, sink);
}

static void flag_out_of_range(const struct coll_call *call, struct coll_sink *sink)
{
    if (call->rank == 0)
        sink->raise(sink, 2);
}

static void the_prover_explains_errors_of_node_algorithms(void **state)
{
    (void)state;
    assert_says(
        all_write, NULL, NULL,
        "rank 1, phase 0, step 0: copy of 1 B from send buffer+0 into shared memory+0 races with rank 0, "
        "which may be writing there");
    assert_says(
        rank_0_writes, rank_1_reads, NULL,
        "rank 1, phase 1, step 0: copy of 1 B from shared memory+0 into receive buffer+0 races with rank "
        "0, which may be writing there");
    assert_says(
        rank_0_meets_too_early, rank_1_reads, NULL,
        "rank 1, phase 1, step 0: copy of 1 B from shared memory+0 into receive buffer+0 races with rank "
        "0, which may be writing there");
    assert_says(rank_0_alone_arrives, NULL, NULL,
                "rank 0, phase 0, step 0: barrier is reached by 1 of the node's 2 ranks");
    assert_says(rank_1_awaits, NULL, NULL,
                "rank 1, phase 0, step 0: wait for flag 1 does not end: no rank raises the flag");
    assert_says(
        rank_0_raises, rank_0_raises, NULL,
        "rank 0, phase 1, step 0: raise of flag 1 raises flag 1, which has been raised 1 times in 0 calls "
        "before");
    assert_says(
        receives_and_says_so_at_once, rank_1_reads, NULL,
        "rank 1, phase 1, step 0: copy of 1 B from shared memory+0 into receive buffer+0 races with rank "
        "0, which may be writing there");
    assert_says(
        two_arrive_one_says_so, rank_1_reads, NULL,
        "rank 1, phase 1, step 0: copy of 1 B from shared memory+0 into receive buffer+0 races with rank "
        "0, which may be writing there");
    assert_says(flag_out_of_range, NULL, NULL, "rank 0, phase 0, step 0: raise of flag 2 names flag 2 of 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_know_whether_ranks_are_in_order),
        cmocka_unit_test(maps_number_nodes_by_their_lowest_rank),
        cmocka_unit_test(every_algorithm_is_right_on_every_map),
        cmocka_unit_test(costs_of_the_tables),
        cmocka_unit_test(bruck_costs_differ_slightly_from_the_table),
        cmocka_unit_test(counts_are_those_of_the_execution),
        cmocka_unit_test(a_given_rank_becomes_the_leader),
        cmocka_unit_test(leaders_share_the_messages),
        cmocka_unit_test(every_step_barrier_and_flag_is_needed),
        cmocka_unit_test(the_prover_explains_errors_of_node_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
