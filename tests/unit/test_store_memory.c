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
#include "support/failing_memory.h"
#include "sweep/merge.h"
#include "sweep/results_table.h"
#include "sweep/store.h"

/* ------------------------------------------------------- memory that fails */

static sqlite3_mem_methods real;

static void *allocate(int bytes)
{
    return failing_memory_is_next() ? NULL : real.xMalloc(bytes);
}

static void *resize(void *block, int bytes)
{
    return failing_memory_is_next() ? NULL : real.xRealloc(block, bytes);
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

static char *text_or_refusal(void)
{
    char *text = NULL;
    sqlite3_shutdown(); /* so that each attempt begins with the same memory */
    messages = 0;
    failing_memory_begin();
    enum status status = work(&text);
    failing_memory_end();
    assert_int_equal(status == STATUS_OK, text != NULL);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_FAILED);
    assert_int_equal(messages > 0, status != STATUS_OK);
    return text;
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    failing_memory_try_each(text_or_refusal, false, 10);
}

static void all_allocations_fail_from_one_on(void **state)
{
    (void)state;
    failing_memory_try_each(text_or_refusal, true, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_once),
                                       cmocka_unit_test(all_allocations_fail_from_one_on)};
    diag_set_sink(count_message, NULL);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
