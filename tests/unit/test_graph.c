/* The builder of graphs: lists of dependents against a plain list of edges, and circles against a search of
 * all paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "call/graph.h"

enum { RANKS = 5, MOST = 14, MOST_EDGES = 40 };

struct plain_rank {
    uint32_t count, edge_count;
    struct graph_edge edges[MOST_EDGES];
    bool leads[MOST][MOST]; /* by one edge or by several */
};

static struct plain_rank draw(struct rng *rng, bool forward)
{
    struct plain_rank rank = {.count = (uint32_t)rng_below(rng, MOST + 1)};
    uint32_t wanted = (uint32_t)rng_below(rng, rank.count ? 2 * rank.count : 1);
    while (rank.edge_count < wanted) {
        uint32_t before = (uint32_t)rng_below(rng, rank.count), after = (uint32_t)rng_below(rng, rank.count);
        if (forward && before >= after) {
            wanted--;
            continue;
        }
        rank.edges[rank.edge_count++] = (struct graph_edge){before, after, rng_below(rng, 3) == 0};
        rank.leads[before][after] = true;
    }
    for (uint32_t k = 0; k < rank.count; k++)
        for (uint32_t i = 0; i < rank.count; i++)
            for (uint32_t j = 0; j < rank.count; j++)
                rank.leads[i][j] |= rank.leads[i][k] && rank.leads[k][j];
    return rank;
}

/* Returns what the end of the rank says: whether it has no circle. */
static bool build(struct graph_builder *builder, const struct plain_rank *plain)
{
    graph_builder_rank(builder);
    for (uint32_t i = 0; i < plain->count; i++) {
        const struct graph_operation operation = {.kind = GRAPH_COMPUTE, .amount = 100 + i};
        assert_int_equal(graph_builder_add(builder, &operation), i);
    }
    for (uint32_t i = 0; i < plain->edge_count; i++)
        graph_builder_depend(builder, plain->edges[i].before, plain->edges[i].after,
                             plain->edges[i].on_begin);
    return graph_builder_end(builder);
}

/* The list has the edges of operation `before`, in the order in which they were added. */
static void check_list(const struct plain_rank *plain, const struct graph_rank *rank, uint32_t before,
                       bool on_begin)
{
    const struct graph_operation *operation = &rank->operations[before];
    uint32_t at = on_begin ? operation->on_begin : operation->on_end;
    uint32_t count = on_begin ? graph_on_begin(operation) : graph_on_end(operation);
    for (uint32_t i = 0; i < plain->edge_count; i++) {
        if (plain->edges[i].before != before || plain->edges[i].on_begin != on_begin)
            continue;
        assert_true(count-- > 0);
        assert_int_equal(rank->dependents[at++], plain->edges[i].after);
    }
    assert_int_equal(count, 0);
}

static void check_rank(const struct plain_rank *plain, const struct graph_rank *rank)
{
    assert_int_equal(rank->count, plain->count);
    for (uint32_t i = 0; i < plain->count; i++) {
        uint32_t needs = 0;
        for (uint32_t k = 0; k < plain->edge_count; k++)
            needs += plain->edges[k].after == i;
        assert_int_equal(rank->operations[i].needs, needs);
        assert_int_equal(rank->operations[i].amount, 100 + i);
        check_list(plain, rank, i, false);
        check_list(plain, rank, i, true);
    }
}

static void lists_have_all_dependences(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "test_graph");
    for (int round = 0; round < 400; round++) {
        struct graph_builder builder = {.count = 0};
        struct plain_rank plain[RANKS];
        uint64_t first = 0, edges = 0;
        for (int r = 0; r < RANKS; r++) {
            plain[r] = draw(&rng, true);
            assert_true(build(&builder, &plain[r]));
        }
        struct graph graph = graph_builder_finish(&builder);
        for (int r = 0; r < RANKS; r++) {
            check_rank(&plain[r], &graph.ranks[r]);
            assert_int_equal(graph.ranks[r].first, first);
            first += plain[r].count;
            edges += plain[r].edge_count;
        }
        assert_int_equal(graph.operations, first);
        assert_int_equal(graph.dependences, edges);
        assert_true(graph_builder_bytes(&builder) >= first * sizeof(struct graph_operation));
        graph_builder_free(&builder);
    }
}

static bool has_edge(const struct plain_rank *plain, uint32_t before, uint32_t after)
{
    for (uint32_t i = 0; i < plain->edge_count; i++)
        if (plain->edges[i].before == before && plain->edges[i].after == after)
            return true;
    return false;
}

/* Each operation of the circle waits for the next one, the last for the first; no operation is there twice.
 */
static void check_circle(const struct plain_rank *plain, const struct graph_circle *circle)
{
    assert_true(circle->count > 0 && circle->count <= GRAPH_CIRCLE_SHOWN);
    for (uint32_t i = 0; i < circle->count; i++) {
        assert_true(circle->operations[i] < plain->count);
        assert_true(has_edge(plain, circle->operations[(i + 1) % circle->count], circle->operations[i]));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(circle->operations[k], circle->operations[i]);
    }
}

/* A circle is found exactly if there is one. */
static void circles_are_found(void **state)
{
    (void)state;
    struct rng rng = rng_init(2, "test_graph");
    unsigned circles = 0, others = 0;
    for (int round = 0; round < 3000; round++) {
        struct graph_builder builder = {.count = 0};
        struct plain_rank plain = draw(&rng, false);
        bool has_circle = false;
        for (uint32_t i = 0; i < plain.count; i++)
            has_circle |= plain.leads[i][i];
        assert_int_equal(build(&builder, &plain), !has_circle);
        if (has_circle)
            check_circle(&plain, &builder.circle);
        circles += has_circle;
        others += !has_circle;
        graph_builder_finish(&builder);
        graph_builder_free(&builder);
    }
    assert_true(circles > 300 && others > 300);
}

static void add(struct graph_builder *builder, struct graph_operation operation)
{
    graph_builder_add(builder, &operation);
}

static struct graph graph_of(struct graph_builder *builder, struct graph_operation operation)
{
    *builder = (struct graph_builder){.count = 0};
    graph_builder_rank(builder);
    add(builder, (struct graph_operation){.kind = GRAPH_COMPUTE, .peer = GRAPH_ANY, .tag = GRAPH_ANY});
    add(builder, operation);
    graph_builder_end(builder);
    return graph_builder_finish(builder);
}

/* A computation has neither peer nor tag, so that theirs say nothing. */
static void totals_say_what_is_there(void **state)
{
    (void)state;
    static const struct {
        struct graph_operation operation;
        bool any, any_sends;
        uint32_t sends, cores, nics;
    } cases[] = {
        {{.kind = GRAPH_SEND}, false, false, 1, 1, 1},
        {{.kind = GRAPH_SEND, .tag = GRAPH_ANY}, true, true, 1, 1, 1},
        {{.kind = GRAPH_RECV, .tag = GRAPH_ANY}, true, false, 0, 1, 1},
        {{.kind = GRAPH_RECV, .peer = GRAPH_ANY}, true, false, 0, 1, 1},
        {{.kind = GRAPH_RECV, .core = 7, .nic = 2}, false, false, 0, 8, 3},
        {{.kind = GRAPH_COMPUTE, .core = 254}, false, false, 0, 255, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct graph_builder builder;
        struct graph graph = graph_of(&builder, cases[i].operation);
        assert_int_equal(graph.operations, 2);
        assert_int_equal(graph.has_any, cases[i].any);
        assert_int_equal(graph.has_any_sends, cases[i].any_sends);
        assert_int_equal(graph.sends, cases[i].sends);
        assert_int_equal(graph.cores, cases[i].cores);
        assert_int_equal(graph.nics, cases[i].nics);
        graph_builder_free(&builder);
    }
}

static void a_long_circle_is_counted(void **state)
{
    (void)state;
    enum { LONG = 100 };
    struct graph_builder builder = {.count = 0};
    graph_builder_rank(&builder);
    for (uint32_t i = 0; i < LONG; i++)
        add(&builder, (struct graph_operation){.kind = GRAPH_COMPUTE});
    for (uint32_t i = 0; i < LONG; i++)
        graph_builder_depend(&builder, i, (i + 1) % LONG, false);
    assert_false(graph_builder_end(&builder));
    assert_int_equal(builder.circle.count, LONG);
    for (uint32_t i = 1; i < GRAPH_CIRCLE_SHOWN; i++)
        assert_int_equal(builder.circle.operations[i], (builder.circle.operations[i - 1] + LONG - 1) % LONG);
    graph_builder_free(&builder);
}

static void empty_graph(void **state)
{
    (void)state;
    struct graph_builder builder = {.count = 0};
    graph_builder_rank(&builder);
    assert_true(graph_builder_end(&builder));
    graph_builder_rank(&builder);
    assert_true(graph_builder_end(&builder));
    struct graph graph = graph_builder_finish(&builder);
    assert_int_equal(graph.operations, 0);
    assert_int_equal(graph.ranks[1].count, 0);
    graph_builder_free(&builder);
}

static void operations_are_described(void **state)
{
    (void)state;
    static const struct {
        struct graph_operation operation;
        const char *text;
    } cases[] = {
        {{.kind = GRAPH_SEND, .amount = 8, .peer = 3, .tag = 7}, "send of 8 bytes to rank 3, tag 7"},
        {{.kind = GRAPH_RECV, .amount = 0, .peer = 0}, "recv of 0 bytes from rank 0, tag 0"},
        {{.kind = GRAPH_RECV, .amount = 5, .peer = GRAPH_ANY, .tag = GRAPH_ANY},
         "recv of 5 bytes from any rank, any tag"},
        {{.kind = GRAPH_COMPUTE, .amount = 12000}, "calc of 12000 ps"},
        {{.kind = GRAPH_WORK, .amount = 12}, "calc of 12 operations"},
        {{.kind = GRAPH_CALL, .amount = 1}, "collective call"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        assert_string_equal(graph_describe(&cases[i].operation, text, sizeof text), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_all_dependences),
        cmocka_unit_test(circles_are_found),
        cmocka_unit_test(totals_say_what_is_there),
        cmocka_unit_test(a_long_circle_is_counted),
        cmocka_unit_test(empty_graph),
        cmocka_unit_test(operations_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
