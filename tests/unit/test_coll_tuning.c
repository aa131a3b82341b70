/* The choices of MPI libraries: borders of the tables, all rows, and who asks gets them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "coll/nodes.h"
#include "coll/prove.h"
#include "coll/tuning.h"
#include "engine/params.h"

static const struct coll_tuning *const tunings[] = {&coll_tuning_openmpi, &coll_tuning_mpich,
                                                    &coll_tuning_mpich_flat};
enum { TUNINGS = sizeof tunings / sizeof *tunings };

struct border {
    enum coll_kind kind;
    uint32_t size;
    uint64_t bytes;
    const char *chosen;
};

static void assert_borders(const struct coll_tuning *tuning, const struct border *borders, size_t count)
{
    for (const struct border *at = borders; at < borders + count; at++) {
        struct coll_call call = {.kind = at->kind, .size = at->size, .element = 1, .bytes = at->bytes};
        const char *chosen = coll_tuned(tuning, &call)->name;
        if (strcmp(chosen, at->chosen) != 0)
            fail_msg("%s: %s of %u ranks and %llu B: %s, not %s", tuning->library, coll_kind_name(at->kind),
                     at->size, (unsigned long long)at->bytes, chosen, at->chosen);
    }
}

static void limits_of_openmpi(void **state)
{
    (void)state;
    static const struct border borders[] = {
        {COLL_BARRIER, 3, 0, "recursive-doubling"},
        {COLL_BARRIER, 4, 0, "linear"},
        {COLL_BARRIER, 7, 0, "linear"},
        {COLL_BARRIER, 8, 0, "recursive-doubling"},
        {COLL_BARRIER, 4096, 0, "dissemination"},
        {COLL_BCAST, 16, 4095, "knomial"},
        {COLL_BCAST, 16, 4096, "doubling"},
        {COLL_BCAST, 16, (1 << 20) - 1, "doubling"},
        {COLL_BCAST, 16, 1 << 20, "scatter-doubling"},
        {COLL_BCAST, 15, 1 << 20, "linear"},
        {COLL_REDUCE, 8, 8191, "binary"},
        {COLL_REDUCE, 8, 8192, "binomial"},
        {COLL_ALLREDUCE, 1024, 2047, "openmpi-nonoverlapping"},
        {COLL_ALLREDUCE, 1024, 2048, "recursive-doubling"},
        {COLL_ALLREDUCE, 1024, 16384, "rabenseifner-split"},
        {COLL_ALLTOALL, 16, 511, "bruck"},
        {COLL_ALLTOALL, 16, 512, "linear"},
        {COLL_ALLGATHER, 8, 100, "recursive-doubling"},
        {COLL_ALLGATHER, 9, 100, "bruck"},
        {COLL_GATHER, 4, 262144, "linear-sync"},
        {COLL_SCATTER, 16, 16383, "binomial"},
        {COLL_SCATTER, 16, 16384, "linear"},
    };
    assert_borders(&coll_tuning_openmpi, borders, sizeof borders / sizeof *borders);
}

static void limits_of_mpich(void **state)
{
    (void)state;
    static const struct border borders[] = {
        {COLL_BARRIER, 9, 0, "dissemination"},
        {COLL_BCAST, 7, 1 << 22, "binomial"},
        {COLL_BCAST, 8, 12288, "binomial"},
        {COLL_BCAST, 8, 12289, "scatter-doubling"},
        {COLL_BCAST, 8, 524288, "scatter-doubling"},
        {COLL_BCAST, 8, 524289, "scatter-ring"},
        {COLL_BCAST, 9, 12289, "scatter-ring"},
        {COLL_REDUCE, 5, 2048, "binomial"},
        {COLL_REDUCE, 5, 2049, "rabenseifner-near"},
        {COLL_ALLREDUCE, 5, 8, "recursive-doubling"},
        {COLL_ALLREDUCE, 5, 9, "rabenseifner-near"},
        {COLL_ALLREDUCE, 16, 15, "recursive-doubling"},
        {COLL_ALLTOALL, 8, 1, "scatter-destination"},
        {COLL_ALLTOALL, 9, 256, "bruck"},
        {COLL_ALLTOALL, 9, 32768, "scatter-destination"},
        {COLL_ALLTOALL, 9, 32769, "pairwise"},
        {COLL_ALLGATHER, 8, 65535, "recursive-doubling"},
        {COLL_ALLGATHER, 8, 65536, "ring"},
        {COLL_ALLGATHER, 5, 16383, "bruck"},
        {COLL_ALLGATHER, 5, 16384, "ring"},
        {COLL_REDUCE_SCATTER, 4, 131071, "recursive-halving"},
        {COLL_REDUCE_SCATTER, 4, 131072, "pairwise"},
    };
    assert_borders(&coll_tuning_mpich_flat, borders, sizeof borders / sizeof *borders);
}

/* Large elements make a short vector: the library takes an algorithm that need not cut it. */
static void few_elements(void **state)
{
    (void)state;
    struct coll_call call = {.kind = COLL_ALLREDUCE, .size = 16, .element = 8192, .bytes = 8192 * 15};
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "linear");
    assert_string_equal(coll_tuned(&coll_tuning_mpich_flat, &call)->name, "recursive-doubling");
    call.bytes += call.element;
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "rabenseifner-split");
    assert_string_equal(coll_tuned(&coll_tuning_mpich_flat, &call)->name, "rabenseifner-near");
}

/* Lengths count as the library counts them: Open MPI takes the total of reduce_scatter, but one block of
 * reduce_scatter_block, and the mean of allgatherv. */
static void what_is_measured(void **state)
{
    (void)state;
    uint64_t lengths[8] = {262143};
    struct coll_call call = {
        .kind = COLL_REDUCE_SCATTER, .size = 8, .element = 1, .bytes = 262143, .recv_bytes = lengths};
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "recursive-halving");
    lengths[7] = 1;
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "ring");
    call.recv_bytes = NULL;
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "recursive-halving");
    call.kind = COLL_ALLGATHERV;
    call.recv_bytes = lengths;
    lengths[0] = 8 * 1024 - 1;
    lengths[7] = 0;
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "openmpi-default");
    lengths[7] = 1;
    assert_string_equal(coll_tuned(&coll_tuning_openmpi, &call)->name, "bruck");
}

/* ----------------------------------------------------------------- all rows */

static const struct coll_tuning_kind *kind_at(const struct coll_tuning *tuning, uint32_t index)
{
    return index < COLL_KINDS ? &tuning->kinds[index] : &tuning->reduce_scatter_block;
}

static enum coll_kind kind_of(uint32_t index)
{
    return index < COLL_KINDS ? (enum coll_kind)index : COLL_REDUCE_SCATTER;
}

static void must_be_listed(const struct coll_algorithm *algorithm, enum coll_kind kind)
{
    assert_int_equal(algorithm->kind, kind);
    assert_ptr_equal(coll_find(kind, algorithm->name), algorithm);
}

/* Each row has an algorithm of its kind, limits rise, and the last row has none, so that every call is
 * served. */
static void every_row_is_sound(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TUNINGS * (COLL_KINDS + 1); i++) {
        const struct coll_tuning_kind *kind = kind_at(tunings[i / (COLL_KINDS + 1)], i % (COLL_KINDS + 1));
        assert_true(kind->count > 0);
        for (size_t r = 0; r < kind->count; r++) {
            const struct coll_tuning_row *row = &kind->rows[r], *before = r > 0 ? row - 1 : NULL;
            must_be_listed(row->algorithm, kind_of(i % (COLL_KINDS + 1)));
            if (before)
                assert_true(before->ranks_below <= row->ranks_below);
            if (before && before->ranks_below == row->ranks_below)
                assert_true(before->bytes_below < row->bytes_below || before->only != COLL_TUNING_ALWAYS);
            if (before && before->ranks_below < row->ranks_below)
                assert_true(before->bytes_below == COLL_TUNING_ANY_BYTES);
        }
        const struct coll_tuning_row *last = &kind->rows[kind->count - 1];
        assert_true(last->ranks_below == COLL_TUNING_ANY_RANKS &&
                    last->bytes_below == COLL_TUNING_ANY_BYTES && last->only == COLL_TUNING_ALWAYS);
        for (size_t e = 0; e < kind->exception_count; e++)
            must_be_listed(kind->exceptions[e].to, kind_of(i % (COLL_KINDS + 1)));
    }
}

/* The prover accepts what is chosen for a call at the begin of the range of each row, and at its end, up to
 * some ranks more. One element per rank is enough to tell all ranks' data apart. */
static void prove_choice(const struct coll_tuning *tuning, enum coll_kind kind, uint32_t size, uint64_t bytes)
{
    uint64_t elements = size < 40 ? size : 2;
    struct coll_call call = {
        .kind = kind, .size = size, .bytes = bytes, .element = bytes > elements ? bytes / elements : 1};
    call.bytes = bytes / call.element * call.element;
    const struct coll_algorithm *algorithm = coll_tuned(tuning, &call);
    struct coll_world world = {
        .size = size, .root = size / 2, .element_bytes = call.element, .bytes = call.bytes};
    struct coll_proof proof;
    if (!coll_prove(algorithm, &world, &proof))
        fail_msg("%s, %s, %u ranks, %llu B: %s", coll_kind_name(kind), algorithm->name, size,
                 (unsigned long long)bytes, proof.problem);
}

static void every_row_is_proven(void **state)
{
    (void)state;
    enum { PROVEN_AT_MOST = 300 };
    for (uint32_t i = 0; i < TUNINGS * (COLL_KINDS + 1); i++) {
        const struct coll_tuning *tuning = tunings[i / (COLL_KINDS + 1)];
        const struct coll_tuning_kind *kind = kind_at(tuning, i % (COLL_KINDS + 1));
        uint32_t ranks_from = 1, next_from = 1;
        for (size_t r = 0; r < kind->count; r++) {
            const struct coll_tuning_row *row = &kind->rows[r];
            if (r > 0 && row->ranks_below != row[-1].ranks_below)
                ranks_from = next_from;
            next_from = row->ranks_below;
            uint64_t bytes =
                row->bytes_below == COLL_TUNING_ANY_BYTES
                    ? (r > 0 && row[-1].bytes_below != COLL_TUNING_ANY_BYTES ? row[-1].bytes_below : 64)
                    : row->bytes_below - 1;
            uint32_t last = row->ranks_below - 1 < ranks_from + 7 ? row->ranks_below - 1 : ranks_from + 7;
            if (ranks_from <= PROVEN_AT_MOST)
                prove_choice(tuning, row->algorithm->kind, ranks_from, bytes);
            if (last <= PROVEN_AT_MOST)
                prove_choice(tuning, row->algorithm->kind, last, bytes);
        }
    }
}

/* -------------------------------------------------------------------- nodes */

enum { PLACED_RANKS_MAX = 17 };

static void prove_on(const struct coll_algorithm *algorithm, const struct coll_nodes *nodes, uint32_t size)
{
    static const uint64_t lengths[] = {1, 2049, 12288, 600000};
    bool rooted = algorithm->kind == COLL_BCAST || algorithm->kind == COLL_REDUCE;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint32_t root = 0; root < (rooted ? size : 1); root++) {
            uint64_t element = lengths[i] / 20 + 1;
            struct coll_world world = {.size = size,
                                       .root = root,
                                       .repeats = 2,
                                       .element_bytes = element,
                                       .bytes = (lengths[i] + element - 1) / element * element,
                                       .nodes = nodes};
            struct coll_proof proof;
            if (!coll_prove(algorithm, &world, &proof))
                fail_msg("%s, %u ranks on %u nodes, root %u, %llu B: %s", coll_kind_name(algorithm->kind),
                         size, nodes->count, root, (unsigned long long)lengths[i], proof.problem);
        }
}

/* Nodes of two ranks and of five, one after another and dealt round, and all ranks on one node. */
static void nodes_of_mpich(void **state)
{
    (void)state;
    static const enum coll_kind kinds[] = {COLL_BARRIER, COLL_BCAST, COLL_REDUCE, COLL_ALLREDUCE, COLL_SCAN};
    static const uint32_t per_node[] = {2, 5, PLACED_RANKS_MAX};
    uint32_t storage[4 * PLACED_RANKS_MAX + 1], places[PLACED_RANKS_MAX];
    for (uint32_t size = 1; size <= PLACED_RANKS_MAX; size++)
        for (uint32_t way = 0; way < 6; way++) {
            uint32_t count = (size - 1) / per_node[way / 2] + 1;
            for (uint32_t r = 0; r < size; r++)
                places[r] = way % 2 ? r % count : r / per_node[way / 2];
            struct coll_nodes nodes;
            coll_nodes_init(&nodes, size, places, storage);
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                prove_on(coll_find(kinds[k], "mpich"), &nodes, size);
        }
}

/* 2 nodes of 4 ranks: a reduce in each node, one message each way between the leaders, a bcast in each. */
static void messages_between_nodes(void **state)
{
    (void)state;
    uint32_t storage[4 * 8 + 1], places[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    struct coll_nodes nodes;
    coll_nodes_init(&nodes, 8, places, storage);
    struct coll_world world = {.size = 8, .element_bytes = 1, .bytes = 8, .nodes = &nodes};
    struct coll_proof proof;
    assert_true(coll_prove(coll_find(COLL_ALLREDUCE, "mpich"), &world, &proof));
    assert_int_equal(proof.messages, 6 + 2 + 6);
    assert_true(coll_prove(coll_find(COLL_BARRIER, "mpich"), &world, &proof));
    assert_int_equal(proof.messages, 2 * 8 + 2 + 6);
    assert_int_equal(proof.bytes, 6);
    /* In each node an exchange, the sum to the leader, and 4 B to 3 ranks. The leaders exchange sums; the
     * first tells the second its own, which goes to 3 ranks. */
    assert_true(coll_prove(coll_find(COLL_SCAN, "mpich"), &world, &proof));
    assert_int_equal(proof.messages, 2 * (8 + 1 + 3) + 2 + 1 + 3);
    assert_int_equal(proof.bytes, 8 * (2 * (8 + 1) + 2 + 1 + 3) + 4 * 6);
    world.root = 7;
    assert_true(coll_prove(coll_find(COLL_BCAST, "mpich"), &world, &proof));
    assert_int_equal(proof.messages, 1 + 1 + 6);
}

/* --------------------------------------------------------------- parameters */

static void set_parameters_win(void **state)
{
    (void)state;
    static const struct param_table *const tables[] = {&collective_params};
    struct config *config = config_open(tables, 1);
    struct collective_config collective;
    struct coll_call bcast = {.kind = COLL_BCAST, .size = 16, .element = 1, .bytes = 1 << 20};
    struct coll_call barrier = {.kind = COLL_BARRIER, .size = 16, .element = 1};
    collective_config_of(config, &collective);
    assert_string_equal(coll_choose(&collective.choice[COLL_BCAST], &bcast)->name, "binomial");
    assert_int_equal(config_set(config, "mpi.tuning=openmpi"), STATUS_OK);
    assert_int_equal(config_set(config, "mpi.barrier=linear"), STATUS_OK); /* the default, but set */
    collective_config_of(config, &collective);
    assert_string_equal(coll_choose(&collective.choice[COLL_BCAST], &bcast)->name, "scatter-doubling");
    assert_string_equal(coll_choose(&collective.choice[COLL_BARRIER], &barrier)->name, "linear");
    struct config *copy = config_copy(config);
    collective_config_of(copy, &collective);
    assert_string_equal(coll_choose(&collective.choice[COLL_BCAST], &bcast)->name, "scatter-doubling");
    assert_string_equal(coll_choose(&collective.choice[COLL_BARRIER], &barrier)->name, "linear");
    assert_int_equal(config_set(copy, "mpi.tuning=mpich"), STATUS_OK);
    collective_config_of(copy, &collective);
    assert_string_equal(coll_choose(&collective.choice[COLL_BCAST], &bcast)->name, "mpich");
    config_close(copy);
    config_close(config);
}

static const char *barrier_of(const struct config *config)
{
    struct collective_config collective;
    const struct coll_call barrier = {.kind = COLL_BARRIER, .size = 16, .element = 1};
    collective_config_of(config, &collective);
    return coll_choose(&collective.choice[COLL_BARRIER], &barrier)->name;
}

/* The values alone say which algorithms a run has: what is settled has no origins. */
static void settled_values_say_what_is_tuned(void **state)
{
    (void)state;
    static const struct param_table *const tables[] = {&collective_params};
    struct config *config = config_open(tables, 1);
    assert_int_equal(collective_config_settle(config), STATUS_OK);
    assert_string_equal(config_text(config, "mpi.barrier"), "linear");
    assert_int_equal(config_set(config, "mpi.tuning=openmpi"), STATUS_OK);
    assert_int_equal(config_set(config, "mpi.bcast=binomial"), STATUS_OK);
    assert_int_equal(collective_config_settle(config), STATUS_OK);
    assert_string_equal(config_text(config, "mpi.barrier"), "tuned");
    assert_string_equal(config_text(config, "mpi.bcast"), "binomial");
    config_close(config);

    config = config_open(tables, 1);
    assert_int_equal(config_set(config, "mpi.barrier=tuned"), STATUS_OK);
    assert_string_equal(barrier_of(config), "linear"); /* without a table the default */
    assert_int_equal(config_set(config, "mpi.tuning=openmpi"), STATUS_OK);
    assert_string_equal(barrier_of(config), "recursive-doubling");
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_openmpi),  cmocka_unit_test(limits_of_mpich),
        cmocka_unit_test(few_elements),       cmocka_unit_test(what_is_measured),
        cmocka_unit_test(every_row_is_sound), cmocka_unit_test(every_row_is_proven),
        cmocka_unit_test(nodes_of_mpich),     cmocka_unit_test(messages_between_nodes),
        cmocka_unit_test(set_parameters_win), cmocka_unit_test(settled_values_say_what_is_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
