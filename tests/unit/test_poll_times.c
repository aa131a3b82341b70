/* The computation between polls of which only some are timed, in programs whose times are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "live/capture/poll_times.h"

/* A process as live/capture/process.c has it, with a clock of its own. */
struct process {
    struct poll_times times;
    int64_t now_ns, left_ns;
    double told_ns;                  /* of computation */
    int64_t computed_ns;             /* what is right */
    unsigned polls, timed, is_timed; /* is_timed: the last one */
};

static void compute(struct process *process, int64_t ns)
{
    process->now_ns += ns;
    process->computed_ns += ns;
}

static void look(struct process *process, bool has_found)
{
    process->told_ns += poll_times_look(&process->times, process->now_ns - process->left_ns, has_found);
    process->left_ns = process->now_ns;
}

static void poll(struct process *process, int64_t took_ns, bool has_found)
{
    process->is_timed = process->times.left == 0;
    process->times.left -= !process->is_timed;
    process->timed += process->is_timed;
    process->polls++;
    if (process->is_timed)
        look(process, false);
    const bool is_series = process->times.is_series;
    process->now_ns += took_ns;
    if (!process->is_timed) {
        if (has_found)
            look(process, true);
        return;
    }
    process->left_ns = process->now_ns;
    if (!has_found || is_series)
        poll_times_add(&process->times, took_ns, has_found);
    if (!has_found)
        poll_times_allow(&process->times);
}

/* A call that is no poll. */
static void call(struct process *process, int64_t took_ns)
{
    look(process, false);
    process->now_ns += took_ns;
    process->left_ns = process->now_ns;
}

static void assert_right(const struct process *process, double tolerance)
{
    const double error = process->told_ns - (double)process->computed_ns;
    assert_true(error <= tolerance * (double)process->computed_ns);
    assert_true(error >= -tolerance * (double)process->computed_ns);
}

enum { POLLS = 200000 };

static void polls_that_are_all_alike(void **state)
{
    (void)state;
    struct process process = {.times = POLL_TIMES_NONE};
    for (int i = 0; i < POLLS; i++) {
        compute(&process, 150);
        poll(&process, 25, false);
    }
    call(&process, 1000);
    assert_right(&process, 1e-9);
    assert_true(process.timed < POLLS / 256); /* 50 us have 285 of them */
    assert_true(process.timed > POLLS / 320);
}

/* Functions that take 10 ns and a microsecond, in turn, with periods that a fixed interval could meet. */
static void polls_that_take_turns(void **state)
{
    (void)state;
    for (int period = 2; period <= 64; period *= 2) {
        struct process process = {.times = POLL_TIMES_NONE};
        for (int i = 0; i < 40 * POLLS; i++) {
            compute(&process, 100);
            poll(&process, i % period == 0 ? 1000 : 10, false);
        }
        call(&process, 1000);
        assert_right(&process, 0.05);
        assert_true(process.timed < POLLS);
    }
}

static void a_poll_that_rarely_takes_long(void **state)
{
    (void)state;
    struct process process = {.times = POLL_TIMES_NONE};
    for (int i = 0; i < 10 * POLLS; i++) {
        compute(&process, 150);
        poll(&process, i % 97 == 0 ? 2000 : 25, false);
    }
    call(&process, 1000);
    assert_right(&process, 0.05);
}

static void polls_far_apart_are_all_timed(void **state)
{
    (void)state;
    struct process process = {.times = POLL_TIMES_NONE};
    for (int i = 0; i < 1000; i++) {
        compute(&process, 10001 + i);
        poll(&process, 300 + 1000 * (i % 7), false);
    }
    call(&process, 1000);
    assert_int_equal(process.timed, process.polls);
    assert_right(&process, 0);
}

/* Long computation between two polls that are not timed is not lost, also if the second one finds something.
 */
static void long_computation_among_polls(void **state)
{
    (void)state;
    for (int found = 0; found < 2; found++) {
        struct process process = {.times = POLL_TIMES_NONE};
        for (int i = 0; i < POLLS; i++) {
            compute(&process, i % 1000 == 999 ? 1000000 : 100);
            poll(&process, 25, found && i % 1000 == 999);
        }
        call(&process, 1000);
        assert_right(&process, 1e-3);
        assert_true(process.timed < POLLS / 10);
    }
}

/* Polls that find something take longer. How long is known from those that are timed by chance. */
static void polls_that_find_something(void **state)
{
    (void)state;
    struct process process = {.times = POLL_TIMES_NONE};
    unsigned timed_found = 0;
    for (int i = 0; i < 10 * POLLS; i++) {
        compute(&process, 100);
        poll(&process, i % 20 == 19 ? 600 : 25, i % 20 == 19);
        timed_found += i % 20 == 19 && process.is_timed;
    }
    call(&process, 1000);
    assert_true(timed_found > 0 && timed_found < POLLS / 2);
    assert_true(process.times.found.ns == 600);
    assert_right(&process, 0.01);
}

/* Behind another call the first poll is timed: what is outstanding may have changed. */
static void another_call_ends_a_series(void **state)
{
    (void)state;
    struct process process = {.times = POLL_TIMES_NONE};
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 1 + i % 90; k++) {
            compute(&process, 100);
            poll(&process, 25, false);
            assert_true(k > 0 || process.is_timed);
        }
        compute(&process, 400);
        call(&process, 100 * i);
    }
    assert_right(&process, 1e-9);
    assert_true(process.timed < process.polls / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polls_that_are_all_alike),      cmocka_unit_test(polls_that_take_turns),
        cmocka_unit_test(a_poll_that_rarely_takes_long), cmocka_unit_test(polls_far_apart_are_all_timed),
        cmocka_unit_test(long_computation_among_polls),  cmocka_unit_test(polls_that_find_something),
        cmocka_unit_test(another_call_ends_a_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
