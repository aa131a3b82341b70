/* Graphs that get more replicas: what becomes of groups, calls and peers, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "graph/replicas.h"

enum { RANKS = 4, COPIES = 3, BLOCK = 12, CALLS_OF_RANK = 4 };

/* Ranks 0 and 2 are replicas, and 1 and 3. Ranks 0 and 1 share a model, and 2 and 3. */
enum { ALL, REPLICAS_0, REPLICAS_1, MODEL_0, MODEL_1, GROUPS };
static const uint32_t members[GROUPS][2] = {
    [REPLICAS_0] = {0, 2}, [REPLICAS_1] = {1, 3}, [MODEL_0] = {0, 1}, [MODEL_1] = {2, 3}};

/* What differs from the regular program, in rank 3. */
enum spoiled {
    REGULAR,
    LONGER,      /* its computation */
    ONE_MORE,    /* an operation */
    OTHER_BYTES, /* of its allreduce */
    OTHER_PEER,
    ANY_PEER,
    OTHER_DEPENDENCE,
    OTHER_GROUP,
};

struct toy {
    struct program program;
    struct graph graph;
    struct graph_builder builder;
    struct group groups[GROUPS];
    enum call_op op; /* among replicas */
    bool sends_to_replica, has_no_replicas, is_alone;
};

static char said[2048];

static void listen(void *self, enum diag_level level, const char *text)
{
    (void)self, (void)level;
    strncat(said, text, sizeof said - strlen(said) - 1);
}

static struct call_place place(const struct program *program, uint32_t rank, uint32_t operation)
{
    (void)program, (void)rank;
    return (struct call_place){.file = "toy", .line = operation + 1};
}

static const char *label(const struct program *program, uint32_t rank, uint32_t operation)
{
    (void)program, (void)rank, (void)operation;
    return "node";
}

static uint32_t add_call(struct toy *toy, enum call_op op, uint32_t group, uint64_t bytes)
{
    struct graph_builder *builder = &toy->builder;
    builder->calls =
        mem_grow(builder->calls, &builder->call_capacity, builder->call_count + 1, "collective calls");
    builder->calls[builder->call_count] = (struct call){
        .op = (uint8_t)op, .group = group, .context = group, .bytes = bytes, .recv_bytes = bytes};
    return graph_builder_add(builder,
                             &(struct graph_operation){.kind = GRAPH_CALL, .amount = builder->call_count++});
}

static void add_calls(struct toy *toy, uint32_t rank, enum spoiled spoiled)
{
    const uint32_t replicas = rank % 2 ? REPLICAS_1 : REPLICAS_0, model = rank / 2 ? MODEL_1 : MODEL_0;
    const uint32_t of = toy->is_alone ? model : toy->has_no_replicas ? ALL : replicas;
    uint32_t before =
        graph_builder_add(&toy->builder, &(struct graph_operation){.kind = GRAPH_COMPUTE,
                                                                   .amount = 1000 + (spoiled == LONGER)});
    const uint32_t calls[CALLS_OF_RANK] = {
        add_call(toy, CALL_ALLREDUCE, spoiled == OTHER_GROUP ? model : of, 800 + (spoiled == OTHER_BYTES)),
        add_call(toy, toy->op, of, BLOCK), add_call(toy, CALL_ALLREDUCE, model, 400),
        add_call(toy, toy->is_alone ? CALL_BARRIER : CALL_BCAST, toy->is_alone ? model : ALL, 16)};
    for (size_t i = 0; i < CALLS_OF_RANK; before = calls[i++])
        graph_builder_depend(&toy->builder, before, calls[i], i == 3 && spoiled == OTHER_DEPENDENCE);
}

static void add_rank(struct toy *toy, uint32_t rank, enum spoiled spoiled)
{
    const uint32_t partner = toy->sends_to_replica ? (rank + 2) % RANKS : rank ^ 1;
    const struct graph_operation message = {.kind = rank % 2 ? GRAPH_RECV : GRAPH_SEND,
                                            .amount = 64,
                                            .peer = spoiled == OTHER_PEER ? 0
                                                    : spoiled == ANY_PEER ? GRAPH_ANY
                                                                          : partner,
                                            .tag = 7};
    graph_builder_rank(&toy->builder);
    add_calls(toy, rank, spoiled);
    graph_builder_add(&toy->builder, &message);
    if (spoiled == ONE_MORE)
        graph_builder_add(&toy->builder, &message);
    assert_true(graph_builder_end(&toy->builder));
}

static void make(struct toy *toy, enum spoiled spoiled)
{
    for (uint32_t i = 0; i < GROUPS; i++)
        toy->groups[i] = (struct group){.size = i ? 2 : RANKS, .world = i ? members[i] : NULL};
    for (uint32_t rank = 0; rank < RANKS; rank++)
        add_rank(toy, rank, rank == RANKS - 1 ? spoiled : REGULAR);
    toy->graph = graph_builder_finish(&toy->builder);
    toy->graph.place = place;
    toy->graph.label = label;
    toy->program = (struct program){
        .name = "toy", .ranks = RANKS, .groups = toy->groups, .group_count = GROUPS, .graph = &toy->graph};
    said[0] = '\0';
}

static void refuse(struct toy toy, enum spoiled spoiled, uint32_t ranks, uint32_t apart, const char *why)
{
    struct replicas found;
    struct program *program;
    make(&toy, spoiled);
    assert_int_equal(replicas_add(&toy.program, ranks, apart, &found, &program), STATUS_BAD_INPUT);
    if (!strstr(said, why))
        fail_msg("'%s' does not say '%s'", said, why);
    graph_builder_free(&toy.builder);
}

static const struct call *call_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct graph_operation *of = &program->graph->ranks[rank].operations[operation];
    assert_int_equal(of->kind, GRAPH_CALL);
    return &program->graph->calls[of->amount];
}

static void expect_group(const struct program *program, uint32_t group, uint32_t size, uint32_t first,
                         uint32_t apart)
{
    assert_true(group < program->group_count);
    assert_int_equal(program->groups[group].size, size);
    for (uint32_t i = 0; i < size; i++)
        assert_int_equal(group_world(&program->groups[group], i), first + i * apart);
}

static void expect_rank(const struct program *program, const struct toy *toy, uint32_t rank)
{
    const uint32_t of = rank % RANKS, base = rank - of;
    const struct graph_rank *a = &toy->graph.ranks[of], *b = &program->graph->ranks[rank];
    assert_int_equal(b->count, a->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(b->operations[i].kind, a->operations[i].kind);
        assert_int_equal(b->operations[i].needs, a->operations[i].needs);
        if (a->operations[i].kind == GRAPH_SEND || a->operations[i].kind == GRAPH_RECV)
            assert_int_equal(b->operations[i].peer, a->operations[i].peer + base);
    }
    assert_int_equal(b->operations[0].amount, a->operations[0].amount);
    expect_group(program, call_of(program, rank, 1)->group, 2 * COPIES, of % 2, 2);
    assert_int_equal(call_of(program, rank, 1)->context, call_of(program, rank, 1)->group);
    assert_int_equal(call_of(program, rank, 1)->bytes, 800);
    assert_int_equal(call_of(program, rank, 2)->bytes,
                     toy->op == CALL_ALLGATHER || toy->op == CALL_REDUCE_SCATTER ? BLOCK / COPIES : BLOCK);
    expect_group(program, call_of(program, rank, 3)->group, 2, base + of / 2 * 2, 1);
    assert_int_equal(call_of(program, rank, 3)->bytes, 400);
    assert_int_equal(call_of(program, rank, 4)->group, 0);
    assert_int_equal(call_of(program, rank, 4)->bytes, 16);
}

static void test_copies(void **state)
{
    (void)state;
    static const enum call_op ops[] = {CALL_ALLREDUCE, CALL_REDUCE, CALL_BARRIER, CALL_ALLGATHER,
                                       CALL_REDUCE_SCATTER};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct toy toy = {.op = ops[i]};
        struct replicas found;
        struct program *program;
        make(&toy, i ? LONGER : REGULAR); /* computations may differ */
        assert_int_equal(replicas_add(&toy.program, RANKS * COPIES, 2, &found, &program), STATUS_OK);
        assert_int_equal(program->ranks, RANKS * COPIES);
        assert_int_equal(program->group_count, 1 + 2 + 2 * COPIES);
        expect_group(program, 0, RANKS * COPIES, 0, 1);
        assert_int_equal(found.copies, COPIES);
        assert_int_equal(found.groups, 2);
        assert_int_equal(found.size, 2);
        assert_int_equal(found.others, 2);
        for (uint32_t rank = 0; rank < program->ranks; rank++)
            expect_rank(program, &toy, rank);
        assert_int_equal(program->graph->operations, toy.graph.operations * COPIES);
        assert_int_equal(program->graph->dependences, toy.graph.dependences * COPIES);
        program->ops->close(program);
        graph_builder_free(&toy.builder);
    }
}

static void test_refused(void **state)
{
    (void)state;
    const struct toy toy = {.op = CALL_ALLGATHER};
    refuse(toy, REGULAR, 10, 2, "10 ranks are no multiple of its 4");
    refuse(toy, REGULAR, 12, 0, "it has groups of ranks that are 1, 2 apart; --apart says");
    refuse(toy, REGULAR, 12, 3, "its groups of ranks are 1, 2 apart, not 3");
    refuse(toy, REGULAR, 12, 1, "is a message between replicas");
    refuse(toy, REGULAR, 20, 2, "blocks whose bytes cannot be divided by the number of copies");
    refuse(toy, ONE_MORE, 12, 2, "rank 1 has 6 operations, and its replica, rank 3, has 7");
    refuse(toy, OTHER_BYTES, 12, 2, "differs from the same operation of its replica, rank 1");
    refuse(toy, OTHER_PEER, 12, 2, "differs from the same operation of its replica, rank 1");
    refuse(toy, ANY_PEER, 12, 2, "differs from the same operation of its replica, rank 1");
    refuse(toy, OTHER_DEPENDENCE, 12, 2, "differs from the same operation of its replica, rank 1");
    refuse(toy, OTHER_GROUP, 12, 2, "differs from the same operation of its replica, rank 1");
    refuse((struct toy){.op = CALL_ALLTOALL}, REGULAR, 12, 2, "is a call between replicas");
    refuse((struct toy){.op = CALL_ALLREDUCE, .sends_to_replica = true}, REGULAR, 12, 2,
           "is a message between replicas");
    refuse((struct toy){.op = CALL_ALLREDUCE, .is_alone = true}, REGULAR, 12, 2, "no collective call joins");
}

static void test_all(void **state)
{
    (void)state;
    struct toy toy = {.op = CALL_ALLREDUCE};
    struct replicas found;
    struct program *program;
    make(&toy, REGULAR);
    toy.program.group_count = 1; /* of all ranks alone */
    for (size_t i = 0; i < toy.builder.call_count; i++)
        toy.builder.calls[i].group = toy.builder.calls[i].context = 0;
    assert_int_equal(replicas_add(&toy.program, RANKS, 0, &found, &program), STATUS_OK);
    assert_true(found.has_calls_of_all);
    assert_int_equal(found.groups, 0);
    program->ops->close(program);
    assert_int_equal(replicas_add(&toy.program, 8 * RANKS, 0, &found, &program), STATUS_OK);
    expect_group(program, call_of(program, 31, 3)->group, 32, 0, 1);
    program->ops->close(program);
    assert_int_equal(replicas_add(&toy.program, 8 * RANKS, 1, &found, &program), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "no groups of equally many ranks that are 1 apart"));
    graph_builder_free(&toy.builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_all)};
    diag_set_sink(listen, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
