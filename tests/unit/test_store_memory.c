/* A store whose SQLite has too little memory fails with the cause, or has every value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sweep/merge.h"
#include "sweep/results_table.h"
#include "sweep/store.h"

/* ------------------------------------------------------- memory that fails */

static sqlite3_mem_methods real;
static unsigned long allocation, fails_at;
static bool fails_on;

static bool is_to_fail(void)
{
    allocation++;
    return fails_at && (allocation == fails_at || (fails_on && allocation > fails_at));
}

static void *allocate(int bytes)
{
    return is_to_fail() ? NULL : real.xMalloc(bytes);
}

static void *resize(void *block, int bytes)
{
    return is_to_fail() ? NULL : real.xRealloc(block, bytes);
}

static int set_up(void **state)
{
    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK || /* memory of its own */
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
        return -1;
    sqlite3_mem_methods methods = real;
    methods.xMalloc = allocate;
    methods.xRealloc = resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK ? 0 : -1;
}

/* -------------------------------------------------------------------- work */

static char *text_of(const struct results_table *table, const struct store_run *run)
{
    char *json = results_table_json(table);
    char *text = mem_format("%zu %s %s %s", table->count, json, run->parameters, run->run);
    free(json);
    return text;
}

/* Plans a run and finishes it. */
static enum status add_run(struct store *store, const char *key, const char *parameters)
{
    struct store_run run = {
        .key = key, .fabric = "ideal", .program = "a program", .parameters = parameters, .input_hash = "h"};
    enum status status = store_plan(store, &run);
    run.makespan_ps = 7;
    run.metrics = "{\"count\":1}";
    run.run = "{\"a\":1}";
    return status == STATUS_OK ? store_finish(store, &run) : status;
}

static enum status fill(struct store *store)
{
    enum status status = store_begin(store);
    if (status == STATUS_OK)
        status = store_set_metadata(store, STORE_VARIED, "[\"seed\",\"trace\"]");
    if (status == STATUS_OK)
        status = add_run(store, "one", "{\"seed\":\"1\",\"trace\":\"a trace of some length\"}");
    if (status == STATUS_OK)
        status = add_run(store, "two", "{\"seed\":\"2\",\"trace\":\"b\"}");
    if (status == STATUS_OK)
        status = store_commit(store);
    return status;
}

/* Fills one store, adds it to another, and reads that. */
static enum status work(char **text)
{
    struct store *from = NULL, *into = NULL;
    struct results_table table = {.count = 0};
    struct store_run again = {.id = 0};
    enum status status = store_open(":memory:", STORE_WRITE, &from);
    if (status == STATUS_OK)
        status = store_open(":memory:", STORE_WRITE, &into);
    if (status == STATUS_OK)
        status = fill(from);
    if (status == STATUS_OK)
        status = store_merge(into, from);
    if (status == STATUS_OK)
        status = store_get(into, 2, &again);
    if (status == STATUS_OK) {
        status = results_table_read(&table, into);
        *text = status == STATUS_OK ? text_of(&table, &again) : NULL;
        results_table_free(&table);
    }
    store_run_free(&again);
    store_close(from);
    store_close(into);
    return status;
}

static unsigned messages;

static void count_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)message;
    messages += level == DIAG_ERROR;
}

/* What `work` gives while allocation k fails; NULL: it failed and said why. */
static char *result_of(unsigned long k, bool on)
{
    char *text = NULL;
    sqlite3_shutdown(); /* so that each attempt begins with the same memory */
    allocation = messages = 0;
    fails_at = k;
    fails_on = on;
    enum status status = work(&text);
    fails_at = 0;
    assert_int_equal(status == STATUS_OK, text != NULL);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_FAILED);
    assert_int_equal(messages > 0, status != STATUS_OK);
    return text;
}

static void is_whole_or_fails(bool on)
{
    char *expected = result_of(0, on);
    unsigned long count = allocation, failed = 0;
    assert_true(count > 100);
    for (unsigned long k = 1; k <= count; k++) {
        char *text = result_of(k, on);
        if (text)
            assert_string_equal(text, expected);
        failed += !text;
        free(text);
    }
    assert_true(failed > 10);
    free(expected);
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    is_whole_or_fails(false);
}

static void all_allocations_fail_from_one_on(void **state)
{
    (void)state;
    is_whole_or_fails(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_once),
                                       cmocka_unit_test(all_allocations_fail_from_one_on)};
    diag_set_sink(count_message, NULL);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
