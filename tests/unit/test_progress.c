/* What the line of progress says at given times, and what tasks tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/progress.h"
#include "output/progress_line.h"

static void assert_line(struct progress_state *state, uint64_t done, double elapsed_s, const char *expected)
{
    char text[128];
    state->done = done;
    state->elapsed_s = elapsed_s;
    progress_line_print(state, text, sizeof text);
    assert_string_equal(text, expected);
}

static void the_rest_follows_from_the_rate(void **state)
{
    (void)state;
    struct progress_state task = {.name = "packet", .total = 1000};
    assert_line(&task, 0, 1, "packet: 0 %, 1 s so far");
    assert_line(&task, 1, 1, "packet: 0 %, 17 min to go");
    assert_line(&task, 100, 2, "packet: 10 %, 9 s to go"); /* the last second: 100 parts */
    task.simulated = 1200000000;
    assert_line(&task, 500, 10, "packet: 50 %, at 1.20 ms, 10 s to go");
    assert_line(&task, 600, 7200, "packet: 60 %, at 1.20 ms, 8.0 h to go");
    assert_line(&task, 700, 864000, "packet: 70 %, at 1.20 ms, 30 days to go");
}

/* Messages of which all have been sent at once may take far longer than the calls that sent them. */
static void a_task_that_becomes_slow_is_found_out(void **state)
{
    (void)state;
    struct progress_state task = {.name = "t", .total = 1000};
    assert_line(&task, 500, 1, "t: 50 %, 1 s to go");
    assert_line(&task, 501, 2, "t: 50 %, 8 min to go");
    assert_line(&task, 503, 4, "t: 50 %, 8 min to go");
    assert_line(&task, 503, 8, "t: 50 %, 8 s so far");
    assert_line(&task, 603, 16, "t: 60 %, 32 s to go"); /* the last 8 s: 100 parts */
}

/* A total may be an estimate: more parts than that may be done. */
static void a_percentage_never_sinks_and_never_says_that_all_is_done(void **state)
{
    (void)state;
    struct progress_state task = {.name = "t", .total = 1000};
    assert_line(&task, 400, 4, "t: 40 %, 6 s to go");
    assert_line(&task, 300, 5, "t: 40 %, 12 s to go");
    assert_line(&task, 999, 10, "t: 99 %, 0 s to go");
    assert_line(&task, 1000, 11, "t: 99 %, 11 s so far");
    assert_line(&task, 5000, 12, "t: 99 %, 12 s so far");
}

static void without_a_total_the_time_is_said(void **state)
{
    (void)state;
    struct progress_state task = {.name = "reading"};
    assert_line(&task, 0, 0.6, "reading: 1 s so far");
    assert_line(&task, 77, 30, "reading: 30 s so far");
}

static void a_long_line_is_cut(void **state)
{
    (void)state;
    char text[12];
    struct progress_state task = {.name = "a long name", .total = 2, .done = 1, .elapsed_s = 1};
    progress_line_print(&task, text, sizeof text);
    assert_string_equal(text, "a long name");
}

/* ------------------------------------------------------------------- tasks */

struct recorder {
    struct progress_sink sink;
    char text[256];
};

static struct recorder recorder;

static void record(const char *what, const char *name)
{
    size_t length = strlen(recorder.text);
    snprintf(recorder.text + length, sizeof recorder.text - length, "%s%u%s ", what, recorder.sink.depth,
             name);
}

static void on_begin(struct progress_sink *sink, const char *name)
{
    (void)sink;
    record("begin", name);
}

static void on_rename(struct progress_sink *sink, const char *name)
{
    (void)sink;
    record("name", name);
}

static void on_end(struct progress_sink *sink)
{
    (void)sink;
    record("end", "");
}

static void on_message(struct progress_sink *sink)
{
    (void)sink;
}

static int open_recorder(void **state)
{
    (void)state;
    recorder = (struct recorder){
        .sink = {
            .begin = on_begin, .rename = on_rename, .end = on_end, .hide = on_message, .show = on_message}};
    progress_sink = &recorder.sink;
    return 0;
}

static int close_recorder(void **state)
{
    (void)state;
    progress_sink = NULL;
    return 0;
}

static void tasks_nest(void **state)
{
    (void)state;
    const struct progress_task *tasks = recorder.sink.tasks;
    progress_begin("a", 10);
    progress_tell(3);
    progress_begin("b", 20);
    progress_tell(5);
    progress_tell_time(77);
    assert_int_equal(tasks[0].done, 3);
    assert_int_equal(tasks[1].done, 5);
    assert_int_equal(tasks[1].total, 20);
    assert_int_equal(tasks[1].simulated_ps, 77);
    assert_int_equal(tasks[0].simulated_ps, 0);
    progress_end();
    progress_step();
    progress_rename("c");
    assert_int_equal(tasks[0].done, 4);
    progress_end();
    progress_tell(9);
    progress_end();
    assert_int_equal(tasks[0].done, 4);
    assert_string_equal(recorder.text, "begin1a begin2b end2 name1c end1 ");
}

static void tasks_that_nest_too_deep_are_not_told(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PROGRESS_TASKS + 2; i++)
        progress_begin("t", 100);
    progress_tell(50);
    for (unsigned i = 0; i < PROGRESS_TASKS; i++)
        assert_int_equal(recorder.sink.tasks[i].done, 0);
    progress_end();
    progress_end();
    progress_tell(60);
    assert_int_equal(recorder.sink.tasks[PROGRESS_TASKS - 1].done, 60);
    for (unsigned i = 0; i < PROGRESS_TASKS; i++)
        progress_end();
    assert_int_equal(recorder.sink.depth, 0);
}

static void without_a_sink_nothing_happens(void **state)
{
    (void)state;
    progress_sink = NULL;
    progress_begin("t", 1);
    progress_tell(1);
    progress_end();
    progress_hide();
    progress_show();
    assert_false(progress_is_shown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_follows_from_the_rate),
        cmocka_unit_test(a_task_that_becomes_slow_is_found_out),
        cmocka_unit_test(a_percentage_never_sinks_and_never_says_that_all_is_done),
        cmocka_unit_test(without_a_total_the_time_is_said),
        cmocka_unit_test(a_long_line_is_cut),
        cmocka_unit_test_setup_teardown(tasks_nest, open_recorder, close_recorder),
        cmocka_unit_test_setup_teardown(tasks_that_nest_too_deep_are_not_told, open_recorder, close_recorder),
        cmocka_unit_test_setup_teardown(without_a_sink_nothing_happens, open_recorder, close_recorder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
