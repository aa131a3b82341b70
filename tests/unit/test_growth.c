/* What must grow no faster than its input, or hardly: steps of an input are compared with those of one of
 * twice its size. A quadratic algorithm takes four times the steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/steps.h"
#include "sweep/plot.h"
#include "sweep/results_table.h"
#include "trace/image/match.h"

enum { SIZE = 2000 };

static char said[1024];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

/* `work` returns the steps of an input of that size. */
static void assert_linear(uint64_t (*work)(uint32_t size))
{
    uint64_t once = work(SIZE), twice = work(2 * SIZE);
    assert_true(once >= SIZE);
    assert_true(twice <= once * 5 / 2);
}

/* --------------------------------------------------------------- matching */

static void add_call(struct image_calls *calls, struct call call, enum call_doubt doubt, uint32_t key)
{
    calls->calls = mem_grow(calls->calls, &calls->capacity, calls->count + 1, "calls");
    calls->about = mem_grow(calls->about, &calls->about_capacity, calls->count + 1, "calls");
    calls->calls[calls->count] = call;
    calls->about[calls->count] =
        (struct image_call){.uses = 1, .first_token = calls->count + 1, .key = key, .doubt = doubt};
    calls->count++;
}

/* Rank 0 has `size` receives from any source, each with a tag and a request of its own. Rank 1 sends to every
 * second of them, so the others are from MPI_PROC_NULL: they and their waits do nothing. */
static uint64_t match_receives(uint32_t size)
{
    struct image_calls ranks[2] = {{.calls = NULL}};
    struct image_notes notes = {0};
    for (uint32_t i = 0; i < size; i++) {
        add_call(&ranks[0],
                 (struct call){
                     .op = CALL_RECV, .peer = CALL_ANY_SOURCE, .tag = (int32_t)i, .flags = CALL_IMMEDIATE},
                 DOUBT_UNDEFINED_SOURCE, i);
        add_call(&ranks[0], (struct call){.op = CALL_WAIT, .slot = i}, DOUBT_NONE, i);
        if (i % 2)
            add_call(&ranks[1], (struct call){.op = CALL_SEND, .peer = 0, .tag = (int32_t)i}, DOUBT_NONE,
                     KEY_NONE);
    }
    steps_taken = 0;
    match_ranks(ranks, 2, &notes);
    uint64_t steps = steps_taken;
    assert_int_equal(notes.kinds[NOTE_ANY_SOURCE].count, size / 2);
    assert_int_equal(notes.kinds[NOTE_NULL_SOURCE].count, size / 2);
    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(ranks[0].calls[2 * i].op, i % 2 ? CALL_RECV : CALL_NOTHING);
        assert_int_equal(ranks[0].calls[2 * i + 1].op, i % 2 ? CALL_WAIT : CALL_NOTHING);
    }
    for (int i = 0; i < 2; i++) {
        free(ranks[i].calls);
        free(ranks[i].about);
    }
    return steps;
}

static void undefined_receives(void **state)
{
    (void)state;
    assert_linear(match_receives);
}

/* ---------------------------------------------------------------- results */

/* A store of `size` runs, each with a value of x and a metric of its own. */
static struct store *store_of(uint32_t size)
{
    struct store *store;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(store_begin(store), STATUS_OK);
    for (uint32_t i = 0; i < size; i++) {
        char key[32], parameters[64], metrics[64];
        snprintf(key, sizeof key, "%u", i);
        snprintf(parameters, sizeof parameters, "{\"x\": \"%u us\"}", i);
        snprintf(metrics, sizeof metrics, "{\"metric_%u\": %u}", i, i);
        struct store_run run = {.key = key,
                                .fabric = "packet",
                                .program = "p",
                                .parameters = parameters,
                                .input_hash = "",
                                .makespan_ps = i + 1,
                                .metrics = metrics,
                                .run = "{}"};
        assert_int_equal(store_plan(store, &run), STATUS_OK);
        assert_int_equal(store_finish(store, &run), STATUS_OK);
    }
    assert_int_equal(store_set_metadata(store, STORE_VARIED, "[\"x\"]"), STATUS_OK);
    assert_int_equal(store_commit(store), STATUS_OK);
    return store;
}

static uint64_t read_table(uint32_t size)
{
    struct store *store = store_of(size);
    struct results_table table;
    steps_taken = 0;
    assert_int_equal(results_table_read(&table, store), STATUS_OK);
    uint64_t steps = steps_taken;
    assert_int_equal(table.group_count, size);
    assert_int_equal(table.metrics.count, size);
    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(table.rows[i].group, i);
        assert_true(table.groups[i].makespan_s.mean == (i + 1) / 1e12);
    }
    results_table_free(&table);
    store_close(store);
    return steps;
}

static uint64_t plot_table(uint32_t size)
{
    struct store *store = store_of(size);
    struct results_table table;
    char folder[] = "/tmp/heliograph-growth-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(results_table_read(&table, store), STATUS_OK);
    char *figure = mem_format("%s/figure", folder);
    steps_taken = 0;
    if (plot_write(&table, &(struct plot_request){.x = "x"}, figure) != STATUS_OK)
        fail_msg("%s", said);
    uint64_t steps = steps_taken;
    results_table_free(&table);
    store_close(store);
    free(figure);
    char *command = mem_format("rm -r %s", folder);
    assert_int_equal(system(command), 0);
    free(command);
    return steps;
}

static void distinct_runs(void **state)
{
    (void)state;
    assert_linear(read_table);
}

static void distinct_points(void **state)
{
    (void)state;
    assert_linear(plot_table);
}

/* ---------------------------------------------------------- hostile files */

static void a_limit_is_stated(void **state)
{
    (void)state;
    struct store *store = store_of(RESULTS_METRICS + 1);
    struct results_table table;
    assert_int_equal(results_table_read(&table, store), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "has more than 10000 different metrics"));
    results_table_free(&table);
    store_close(store);
    store = store_of(1);
    char *long_text = mem_alloc(RESULTS_TEXT_BYTES + 2, 1, "a text");
    memset(long_text, ' ', RESULTS_TEXT_BYTES + 1);
    memcpy(long_text, "{}", 2);
    struct store_run run = {.key = "long",
                            .fabric = "packet",
                            .program = "p",
                            .parameters = long_text,
                            .input_hash = "",
                            .makespan_ps = 1,
                            .metrics = "{}",
                            .run = "{}"};
    assert_int_equal(store_plan(store, &run), STATUS_OK);
    assert_int_equal(store_finish(store, &run), STATUS_OK);
    assert_int_equal(results_table_read(&table, store), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "more than 16 MiB"));
    results_table_free(&table);
    store_close(store);
    free(long_text);
}

/* Its rows never end. */
static void a_view_is_no_table(void **state)
{
    (void)state;
    char path[] = "/tmp/heliograph-growth-XXXXXX";
    struct store *store;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(store_open(path, STORE_WRITE, &store), STATUS_OK);
    store_close(store);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
                     "i + 1 FROM n) SELECT i AS id, 'k' AS key, 'f' AS fabric, 'p' AS program, '{}' AS "
                     "parameters, '' AS input_hash, 1 AS calls, 1 AS ranks, 1 AS makespan_ps, 0 AS "
                     "idle_fraction, 1 AS messages, 1 AS bytes, 1 AS mean_bytes, '{}' AS metrics, '{}' AS "
                     "run, 0 AS wall_s, 1 AS memory_bytes FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_not_equal(store_open(path, STORE_READ, &store), STATUS_OK);
    unlink(path);
}

int main(void)
{
    diag_set_sink(keep_message, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undefined_receives), cmocka_unit_test(distinct_runs),
        cmocka_unit_test(distinct_points),    cmocka_unit_test(a_limit_is_stated),
        cmocka_unit_test(a_view_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
