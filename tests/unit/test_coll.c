/* Schedules: the prover accepts every algorithm, and messages, bytes and rounds agree with closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/coll.h"
#include "coll/prove.h"
#include "support/sanitizer.h"

enum { SIZE_MAX_PROVEN = 33 };

static bool has_root(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_GATHERV ||
           kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

static bool has_counts(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_ALLGATHERV || kind == COLL_GATHERV ||
           kind == COLL_SCATTERV || kind == COLL_REDUCE_SCATTER;
}

static void must_hold(const struct coll_algorithm *algorithm, const struct coll_world *world,
                      struct coll_proof *proof)
{
    if (coll_prove(algorithm, world, proof))
        return;
    fail_msg("%s %s, %u ranks, root %u, %llu B of %llu: %s", coll_kind_name(algorithm->kind), algorithm->name,
             world->size, world->root, (unsigned long long)world->bytes,
             (unsigned long long)world->element_bytes, proof->problem);
}

static struct coll_proof prove(enum coll_kind kind, const char *name, uint32_t size, uint64_t bytes)
{
    struct coll_world world = {.size = size, .element_bytes = 1, .bytes = bytes};
    struct coll_proof proof;
    must_hold(coll_find(kind, name), &world, &proof);
    return proof;
}

/* Every root. Kinds with counts also have counts of zero. */
static void prove_every_root(const struct coll_algorithm *algorithm, struct coll_world world, uint64_t spread)
{
    static uint64_t counts[SIZE_MAX_PROVEN * SIZE_MAX_PROVEN];
    for (uint32_t i = 0; i < world.size * world.size; i++)
        counts[i] = (i * 7 + i / world.size * 5) % spread * world.element_bytes;
    struct coll_proof proof;
    for (world.root = 0; world.root < (has_root(algorithm->kind) ? world.size : 1); world.root++) {
        must_hold(algorithm, &world, &proof);
        if (!has_counts(algorithm->kind))
            continue;
        world.counts = counts;
        must_hold(algorithm, &world, &proof);
        world.counts = NULL;
    }
}

static void every_algorithm_is_right(void **state)
{
    (void)state;
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (uint32_t size = 1; size <= (HAS_SANITIZER ? 17 : SIZE_MAX_PROVEN); size++) {
            struct coll_world world = {.size = size, .element_bytes = 1, .bytes = 3};
            prove_every_root(coll_algorithms[a], world, 4);
            world.bytes = 0;
            prove_every_root(coll_algorithms[a], world, 2);
            world.element_bytes = 3; /* a length that only 1 and 19 divide */
            world.bytes = 19 * 3;
            world.window = 5;
            prove_every_root(coll_algorithms[a], world, 3);
        }
}

static void every_algorithm_is_right_for_larger_groups(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {63, 64, 65, 100};
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct coll_world world = {.size = sizes[i],
                                       .root = 37,
                                       .element_bytes = 8,
                                       .bytes = has_root(coll_algorithms[a]->kind) ? 16 : 8};
            struct coll_proof proof;
            must_hold(coll_algorithms[a], &world, &proof);
        }
}

static void default_algorithms_come_first(void **state)
{
    (void)state;
    static const char *const defaults[COLL_KINDS] = {
        "linear",   "binomial", "binomial", "reduce-bcast", "linear",   "linear", "ring",  "ring",
        "binomial", "linear",   "binomial", "linear",       "pairwise", "linear", "linear"};
    enum coll_kind seen = 0;
    for (size_t a = 0; coll_algorithms[a]; a++) {
        const struct coll_algorithm *algorithm = coll_algorithms[a];
        if (a == 0 || algorithm->kind != coll_algorithms[a - 1]->kind) {
            assert_int_equal(algorithm->kind, seen);
            assert_string_equal(algorithm->name, defaults[seen++]);
        }
        assert_ptr_equal(coll_find(algorithm->kind, algorithm->name), algorithm);
        assert_true(strlen(algorithm->doc) > 0);
    }
    assert_int_equal(seen, COLL_KINDS);
    assert_null(coll_find(COLL_BCAST, "ring"));
}

/* ------------------------------------------------------------ closed forms */

static uint32_t log2_up(uint32_t size)
{
    uint32_t rounds = 0;
    while (1u << rounds < size)
        rounds++;
    return rounds;
}

static uint32_t log2_down(uint32_t size)
{
    return 31 - (uint32_t)__builtin_clz(size);
}

static void assert_costs(const struct coll_proof *proof, uint64_t messages, uint64_t bytes, uint32_t rounds)
{
    assert_int_equal(proof->messages, messages);
    assert_int_equal(proof->bytes, bytes);
    assert_int_equal(proof->rounds, rounds);
}

static void costs_of_barriers_and_trees(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t log = log2_up(p);
        struct coll_proof proof = prove(COLL_BARRIER, "linear", p, 0);
        assert_costs(&proof, 2 * (p - 1), 0, 2);
        proof = prove(COLL_BARRIER, "dissemination", p, 0);
        assert_costs(&proof, (uint64_t)p * log, 0, log);
        proof = prove(COLL_BCAST, "binomial", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), log);
        proof = prove(COLL_BCAST, "linear", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), 1);
        proof = prove(COLL_REDUCE, "binomial", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), log);
        assert_int_equal(proof.reduced_bytes, 10 * (p - 1));
        proof = prove(COLL_REDUCE, "linear", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), p - 1);
        proof = prove(COLL_GATHER, "linear", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), 1);
        proof = prove(COLL_SCATTER, "windowed", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), 1);
        proof = prove(COLL_SCAN, "linear", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), p - 1);
    }
}

static void costs_of_allreduce(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t log = log2_down(p), q = 1u << log, rest = p - q, fold_rounds = rest ? 2 : 0;
        uint64_t n = 5 * p;
        struct coll_proof proof = prove(COLL_ALLREDUCE, "reduce-bcast", p, n);
        assert_costs(&proof, 2 * (p - 1), 2 * (p - 1) * n, 2 * log2_up(p));
        proof = prove(COLL_ALLREDUCE, "recursive-doubling", p, n);
        assert_costs(&proof, q * log + 2 * rest, (q * log + 2 * rest) * n, log + fold_rounds);
        /* A second vector goes along for each bit of the rest but the lowest. */
        uint32_t both = rest ? (uint32_t)__builtin_popcount(rest) - 1 : 0;
        proof = prove(COLL_ALLREDUCE, "dissemination", p, n);
        assert_costs(&proof, p * log2_up(p), n * p * (log2_up(p) + both), log2_up(p));
        proof = prove(COLL_ALLREDUCE, "ring", p, n);
        assert_costs(&proof, 2 * p * (p - 1), 2 * (p - 1) * n, 2 * (p - 1));
        assert_int_equal(proof.scratch_max, 5);
        proof = prove(COLL_ALLREDUCE, "rabenseifner", p, n);
        assert_costs(&proof, 2 * q * log + 2 * rest, 2 * (q - 1) * n + 2 * rest * n, 2 * log + fold_rounds);
    }
}

/* A round for each digit of 1 ... p - 1, in which a message for each value but 0 has all numbers with it. */
static void check_bruck_in_base(const char *name, uint32_t p, uint32_t base)
{
    uint32_t rounds = 0, messages = 0, sent = 0;
    for (uint32_t weight = 1; weight < p; weight *= base, rounds++)
        for (uint32_t digit = 1; digit < base && digit * weight < p; digit++) {
            messages++;
            for (uint32_t d = 1; d < p; d++)
                sent += d / weight % base == digit;
        }
    struct coll_proof proof = prove(COLL_ALLTOALL, name, p, 7);
    assert_costs(&proof, p * messages, 7 * p * sent, rounds);
}

static void costs_of_exchanges(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t all = p * (p - 1), log = log2_up(p);
        struct coll_proof proof = prove(COLL_ALLTOALL, "linear", p, 7);
        assert_costs(&proof, all, 7 * all, 1);
        assert_int_equal(proof.peers_max, p - 1);
        assert_int_equal(proof.copied_bytes, 7 * p);
        proof = prove(COLL_ALLTOALL, "pairwise", p, 7);
        assert_costs(&proof, all, 7 * all, p - 1);
        proof = prove(COLL_ALLTOALL, "ring", p, 7);
        assert_costs(&proof, all, 7 * all, p - 1);
        proof = prove(COLL_ALLTOALL, "scatter-destination", p, 7);
        assert_costs(&proof, all, 7 * all, 1);
        /* A block that goes d ranks far is sent once for each bit of d. */
        uint32_t bits = 0;
        for (uint32_t d = 1; d < p; d++)
            bits += (uint32_t)__builtin_popcount(d);
        proof = prove(COLL_ALLTOALL, "bruck", p, 7);
        assert_costs(&proof, p * log, 7 * p * bits, log);
        check_bruck_in_base("bruck-4", p, 4);
        check_bruck_in_base("bruck-root", p, p <= 4 ? 2 : p <= 9 ? 3 : p <= 16 ? 4 : p <= 25 ? 5 : 6);
        proof = prove(COLL_ALLTOALLV, "linear", p, 0);
        assert_costs(&proof, all, 0, 1);
        proof = prove(COLL_ALLGATHER, "ring", p, 7);
        assert_costs(&proof, all, 7 * all, p - 1);
        proof = prove(COLL_ALLGATHER, "bruck", p, 7);
        assert_costs(&proof, p * log, 7 * all, log);
    }
}

static void costs_of_scattered_vectors(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t all = p * (p - 1), log = log2_down(p), q = 1u << log, rest = p - q;
        struct coll_proof proof = prove(COLL_BCAST, "scatter-allgather", p, 4 * p);
        assert_int_equal(proof.messages, (p - 1) + (p - 1) * (p - 1));
        proof = prove(COLL_REDUCE_SCATTER, "pairwise", p, 4);
        assert_costs(&proof, all, 4 * all, p - 1);
        proof = prove(COLL_REDUCE_SCATTER, "recursive-halving", p, 4);
        assert_int_equal(proof.messages, q * log + 2 * rest);
        assert_int_equal(proof.bytes, (q - 1) * 4 * p + rest * (4 * p + 4));
        proof = prove(COLL_REDUCE_SCATTER, "reduce-scatterv", p, 4);
        assert_costs(&proof, 2 * (p - 1), proof.bytes, 2 * log2_up(p));
        proof = prove(COLL_ALLGATHER, "recursive-doubling", p, 4);
        assert_int_equal(proof.messages, q * log + 2 * rest);
        uint32_t sums = 0;
        for (uint32_t d = 1; d < p; d *= 2)
            sums += p - d;
        proof = prove(COLL_EXSCAN, "recursive-doubling", p, 4);
        assert_costs(&proof, sums, 4 * sums, log2_up(p));
    }
}

/* The forms that Open MPI and MPICH have. */
static void costs_of_library_trees(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t log = log2_down(p), q = 1u << log, rest = p - q, fold_rounds = rest ? 2 : 0;
        struct coll_proof proof = prove(COLL_BARRIER, "recursive-doubling", p, 0);
        assert_costs(&proof, q * log + 2 * rest, 0, log + fold_rounds);
        proof = prove(COLL_BARRIER, "tree", p, 0);
        assert_costs(&proof, 2 * (p - 1), 0, 2 * log2_up(p));
        proof = prove(COLL_BCAST, "line", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), p - 1);
        proof = prove(COLL_BCAST, "binary", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), log);
        proof = prove(COLL_BCAST, "doubling", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), log);
        proof = prove(COLL_BCAST, "knomial", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), p > 21 ? 3 : p > 5 ? 2 : 1); /* 21 is 111 to base 4 */
        proof = prove(COLL_BCAST, "split-binary", p, 11);
        assert_int_equal(proof.messages, p > 2 ? 2 * (p - 1) : 1);
        assert_int_equal(proof.bytes, 11 * (p - 1));
        proof = prove(COLL_BCAST, "scatter-ring", p, 4 * p);
        assert_int_equal(proof.messages, (p - 1) + p * (p - 1));
        proof = prove(COLL_REDUCE, "line", p, 10);
        assert_costs(&proof, p - 1, 10 * (p - 1), p - 1);
        proof = prove(COLL_REDUCE, "binary", p, 10);
        assert_int_equal(proof.messages, p - 1);
        proof = prove(COLL_REDUCE, "in-order-binary", p, 10);
        assert_int_equal(proof.messages, p);
        assert_int_equal(proof.reduced_bytes, 10 * (p - 1));
        proof = prove(COLL_GATHER, "linear-sync", p, 10);
        assert_int_equal(proof.messages, 3 * (p - 1));
        assert_int_equal(proof.bytes, 10 * (p - 1));
        if (rest > 0)
            continue;
        proof = prove(COLL_BCAST, "scatter-doubling", p, 4 * p);
        assert_int_equal(proof.messages, (p - 1) + p * log);
    }
}

static void costs_of_library_reductions(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t log = log2_down(p), q = 1u << log, rest = p - q, all = p * (p - 1);
        uint64_t n = 5 * p, split = 2 * n + (n - n / 2);
        struct coll_proof proof = prove(COLL_ALLREDUCE, "rabenseifner-near", p, n);
        assert_costs(&proof, 2 * q * log + 2 * rest, 2 * (q - 1) * n + 2 * rest * n,
                     2 * log + (rest ? 2 : 0));
        proof = prove(COLL_ALLREDUCE, "rabenseifner-split", p, n);
        assert_costs(&proof, 2 * q * log + 4 * rest, 2 * (q - 1) * n + rest * split,
                     2 * log + (rest ? 3 : 0));
        proof = prove(COLL_ALLREDUCE, "linear", p, n);
        assert_costs(&proof, 2 * (p - 1), 2 * (p - 1) * n, p);
        proof = prove(COLL_REDUCE, "rabenseifner-near", p, n);
        assert_int_equal(proof.messages, q * log + (q - 1) + rest);
        proof = prove(COLL_REDUCE, "rabenseifner-split", p, n);
        assert_int_equal(proof.messages, q * log + (q - 1) + 3 * rest);
        proof = prove(COLL_REDUCE_SCATTER, "ring", p, 4);
        assert_costs(&proof, all, 4 * all, p - 1);
        uint32_t pairs = 0;
        for (uint32_t d = 1; d < p; d *= 2)
            for (uint32_t r = 0; r < p; r++)
                pairs += (r ^ d) < p;
        proof = prove(COLL_SCAN, "exchange", p, 4);
        assert_int_equal(proof.messages, pairs);
        proof = prove(COLL_EXSCAN, "exchange", p, 4);
        assert_int_equal(proof.messages, pairs);
        if (rest > 0)
            continue;
        proof = prove(COLL_REDUCE_SCATTER, "butterfly", p, 4);
        assert_costs(&proof, p * log, (p - 1) * 4 * p, log);
        proof = prove(COLL_REDUCE_SCATTER, "recursive-doubling", p, 4);
        assert_costs(&proof, p * log, 4 * p * (p * log - (p - 1)), log);
    }
}

static void costs_of_library_exchanges(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 33; p++) {
        uint32_t all = p * (p - 1);
        struct coll_proof proof = prove(COLL_ALLTOALL, "shifted", p, 7);
        assert_costs(&proof, all, 7 * all, p - 1);
        proof = prove(COLL_ALLTOALLV, "shifted", p, 7);
        assert_costs(&proof, all, 7 * all, p - 1);
        proof = prove(COLL_ALLTOALLV, "scatter-destination", p, 7);
        assert_costs(&proof, all, 7 * all, 1);
        proof = prove(COLL_ALLGATHER, "neighbour-exchange", p, 7);
        assert_costs(&proof, p % 2 ? all : p * p / 2, 7 * all, p % 2 ? p - 1 : p / 2);
        struct coll_world world = {.size = p, .element_bytes = 2, .bytes = 14, .segment_bytes = 5};
        must_hold(coll_find(COLL_ALLGATHERV, "ring-segmented"), &world, &proof);
        assert_costs(&proof, 4 * all, 14 * all, 4 * (p - 1));
    }
}

static void windows_bound_the_outstanding_messages(void **state)
{
    (void)state;
    struct coll_world world = {.size = 20, .window = 5, .element_bytes = 1, .bytes = 2};
    struct coll_proof proof;
    must_hold(coll_find(COLL_ALLTOALL, "scatter-destination"), &world, &proof);
    assert_int_equal(proof.rounds, 4);
    must_hold(coll_find(COLL_GATHERV, "windowed"), &world, &proof);
    assert_int_equal(proof.phases_max, 4);
    world.window = UINT32_MAX;
    must_hold(coll_find(COLL_ALLTOALL, "scatter-destination"), &world, &proof);
    assert_int_equal(proof.rounds, 1);
}

/* ------------------------------------------------------- the emit contract */

enum { MESSAGES_MAX = 256 };
struct recorder {
    struct coll_sink base;
    uint32_t count;
    struct {
        bool send;
        uint32_t peer;
        uint64_t bytes;
    } messages[MESSAGES_MAX];
};

static void record(struct coll_sink *sink, bool send, uint32_t peer, uint64_t bytes)
{
    struct recorder *recorder = (struct recorder *)sink;
    assert_true(recorder->count < MESSAGES_MAX);
    recorder->messages[recorder->count].send = send;
    recorder->messages[recorder->count].peer = peer;
    recorder->messages[recorder->count++].bytes = bytes;
}

static void record_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    record(sink, true, peer, from.bytes);
}

static void record_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    record(sink, false, peer, into.bytes);
}

static void record_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    assert_true(sink->local);
    assert_int_equal(from.bytes, into.bytes);
}

static void record_phase(const struct coll_algorithm *algorithm, const struct coll_call *call, uint32_t phase,
                         bool local, struct recorder *recorder)
{
    memset(recorder, 0, sizeof *recorder);
    struct coll_sink sink = {.send = record_send,
                             .recv = record_recv,
                             .copy = record_local,
                             .reduce = record_local,
                             .local = local};
    recorder->base = sink;
    assert_true(algorithm->emit(call, phase, &recorder->base));
}

/* The simulator asks for messages only, the prover and the live library ask for local steps as well. Both
 * must get the same messages. Any phase may be asked for at any time. */
static void messages_do_not_depend_on_local_steps(void **state)
{
    (void)state;
    static struct recorder with, without;
    uint64_t counts[11 * 11], column[11];
    for (uint32_t i = 0; i < 11 * 11; i++)
        counts[i] = i * 5 % 7;
    struct coll_world world = {
        .size = 11, .root = 4, .window = 3, .element_bytes = 1, .bytes = 30, .counts = counts};
    for (size_t a = 0; coll_algorithms[a]; a++)
        for (uint32_t rank = 0; rank < world.size; rank++) {
            const struct coll_algorithm *algorithm = coll_algorithms[a];
            struct coll_call call = coll_world_call(&world, algorithm->kind, rank, column);
            struct coll_sink nothing = {.send = record_send, .recv = record_recv};
            uint32_t phases = 0;
            for (struct recorder probe = {.base = nothing}; algorithm->emit(&call, phases, &probe.base);
                 probe.count = 0)
                phases++;
            assert_false(algorithm->emit(&call, phases + 1, &nothing));
            while (phases-- > 0) {
                record_phase(algorithm, &call, phases, true, &with);
                record_phase(algorithm, &call, phases, false, &without);
                assert_int_equal(with.count, without.count);
                assert_memory_equal(with.messages, without.messages, sizeof with.messages);
            }
        }
}

/* ---------------------------------------------------------- choice by size */

static void the_algorithm_is_chosen_by_size(void **state)
{
    (void)state;
    struct coll_choice choice = {
        .count = 2,
        .algorithm = {coll_find(COLL_ALLGATHERV, "bruck"), coll_find(COLL_ALLGATHERV, "ring")},
        .limit = {10, UINT64_MAX}};
    uint64_t counts[] = {0, 20, 10};
    struct coll_call call = {.kind = COLL_ALLGATHERV, .size = 3, .element = 1, .recv_bytes = counts};
    assert_string_equal(coll_choose(&choice, &call)->name, "bruck");
    counts[2] = 13;
    assert_string_equal(coll_choose(&choice, &call)->name, "ring");
    call.recv_bytes = NULL;
    call.bytes = 10;
    assert_string_equal(coll_choose(&choice, &call)->name, "bruck");
}

/* Vectors of all ranks of a node may lie in its shared memory. */
static void vectors_in_shared_memory_must_be_countable(void **state)
{
    (void)state;
    struct coll_call call = {.kind = COLL_ALLREDUCE, .size = 4, .element = 1, .bytes = UINT64_C(1) << 60};
    assert_true(coll_bytes_fit(coll_find(COLL_ALLREDUCE, "circulant"), &call));
    assert_false(coll_bytes_fit(coll_find(COLL_ALLREDUCE, "leaders"), &call));
    call.bytes /= 2;
    assert_true(coll_bytes_fit(coll_find(COLL_ALLREDUCE, "leaders"), &call));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_is_right),
        cmocka_unit_test(every_algorithm_is_right_for_larger_groups),
        cmocka_unit_test(default_algorithms_come_first),
        cmocka_unit_test(costs_of_barriers_and_trees),
        cmocka_unit_test(costs_of_allreduce),
        cmocka_unit_test(costs_of_exchanges),
        cmocka_unit_test(costs_of_scattered_vectors),
        cmocka_unit_test(costs_of_library_trees),
        cmocka_unit_test(costs_of_library_reductions),
        cmocka_unit_test(costs_of_library_exchanges),
        cmocka_unit_test(windows_bound_the_outstanding_messages),
        cmocka_unit_test(messages_do_not_depend_on_local_steps),
        cmocka_unit_test(the_algorithm_is_chosen_by_size),
        cmocka_unit_test(vectors_in_shared_memory_must_be_countable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
