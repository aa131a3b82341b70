/* Several traces of the same number of ranks: their computation is put together, and their calls are alike.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "extrapolate/extrapolate.h"
#include "extrapolate/sample.h"
#include "support/traces.h"
#include "trace/trace.h"

/* Each rank computes before each of two calls. A trace on P ranks is `longer` times as long as WORK / P says;
 * before the second call it is `second` times as long as that. */
enum { WORK = 16000000, MOST_RANKS = 16 };

struct made {
    unsigned ranks;
    double longer, second;
    const char *last; /* the last call; NULL: none */
};

static struct program *make(const char *name, struct made made)
{
    char text[160], file[64];
    for (unsigned rank = 0; rank < made.ranks; rank++) {
        double part = made.longer * WORK / made.ranks;
        int size = snprintf(text, sizeof text, "%u init\n%u compute %.0f\n%u barrier\n%u compute %.0f\n",
                            rank, rank, part, rank, rank, made.second * part);
        if (made.last)
            size += snprintf(text + size, sizeof text - (size_t)size, "%u %s\n", rank, made.last);
        size += snprintf(text + size, sizeof text - (size_t)size, "%u finalize\n", rank);
        snprintf(file, sizeof file, "%s/rank-%u.txt", name, rank + 1);
        traces_write(file, text, (size_t)size);
    }
    struct compiled_trace *compiled;
    if (trace_open_compiled(traces_path(name), &compiled) != STATUS_OK)
        fail_msg("%s: %s", name, traces_messages());
    return &compiled->program;
}

static void close_all(struct program **programs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        programs[i]->ops->close(programs[i]);
}

static const char last[] = "allreduce 100 1000";

/* Three traces are 1, 1.1 and 3 times as long: the sum of a rank is that of the middle one, and its bursts
 * are as their means are to each other: 1 + 1.1 + 3 before the first call, and 1 + 1.1 + 3 x 2 before the
 * second.
 */
static void a_rank_has_the_median_of_its_sums(void **state)
{
    (void)state;
    struct program *programs[] = {make("middle.1", (struct made){4, 3, 2, last}),
                                  make("middle.2", (struct made){4, 1, 1, last}),
                                  make("middle.3", (struct made){4, 1.1, 1, last})};
    struct sample sample;
    struct rank_events events = {0};
    assert_int_equal(sample_read(&sample, programs, 3), STATUS_OK);
    programs[0]->ops->rewind(programs[0]);
    for (uint32_t rank = 0; rank < 4; rank++) {
        sample_events(&sample, rank, NULL, &events);
        assert_int_equal(events.count, 4);
        double first = events.at[1].operations, second = events.at[2].operations;
        assert_true(fabs(first + second - 1.1 * WORK / 2) < 10);
        assert_true(fabs(second / first - 8.1 / 5.1) < 1e-3);
    }
    assert_true(fabs(sample.scatter - (9 / 2.2 - 1)) < 1e-3);
    free(events.at);
    sample_free(&sample);
    close_all(programs, 3);
}

/* A trace that another process has disturbed does not move the forecast, in whatever order they come. */
static void a_disturbed_trace_counts_no_more(void **state)
{
    (void)state;
    struct program *programs[] = {
        make("calm.8", (struct made){8, 1, 1, last}),      make("calm.4", (struct made){4, 1, 1, last}),
        make("disturbed.4", (struct made){4, 2, 1, last}), make("calm.2", (struct made){2, 1, 1, last}),
        make("again.4", (struct made){4, 1, 1, last}),
    };
    struct extrapolation *extrapolation;
    struct rank_events events = {0};
    char *text;
    size_t size;
    if (extrapolation_open(programs, 5, MOST_RANKS, &extrapolation) != STATUS_OK)
        fail_msg("%s", traces_messages());
    struct program *forecast = extrapolation_program(extrapolation);
    forecast->ops->rewind(forecast);
    for (uint32_t rank = 0; rank < MOST_RANKS; rank++) {
        assert_int_equal(rank_events_read(forecast, rank, NULL, &events), STATUS_OK);
        assert_int_equal(events.count, 4);
        assert_true(fabs(events.at[1].operations / (WORK / MOST_RANKS) - 1) < 1e-3);
        assert_true(fabs(events.at[2].operations / (WORK / MOST_RANKS) - 1) < 1e-3);
    }
    free(events.at);
    FILE *to = open_memstream(&text, &size);
    extrapolation_print(extrapolation, to);
    fclose(to);
    if (!strstr(text, "learned from 2, 4 (3 traces), 8 ranks") ||
        !strstr(text, "a rank is up to 1e+02 % from its median, on 4 ranks"))
        fail_msg("%s", text);
    free(text);
    extrapolation_close(extrapolation);
    close_all(programs, 5);
}

static void assert_refused(struct program **programs, size_t count, const char *why)
{
    struct extrapolation *extrapolation;
    assert_int_equal(extrapolation_open(programs, count, MOST_RANKS, &extrapolation), STATUS_BAD_INPUT);
    const char *messages = traces_messages();
    if (!strstr(messages, why))
        fail_msg("'%s' is not in: %s", why, messages);
    close_all(programs, count);
}

static void traces_that_differ_in_a_call_are_refused(void **state)
{
    (void)state;
    static const struct made other[] = {{4, 1, 1, "allreduce 108 1000"}, {4, 1, 1, NULL}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct program *programs[] = {make("few.2", (struct made){2, 1, 1, last}),
                                      make("first.4", (struct made){4, 1, 1, last}),
                                      make("other.4", other[i])};
        assert_refused(programs, 3, "first.4/rank-1.txt:5 makes another call");
    }
    struct program *alike[] = {make("alike.1", (struct made){4, 1, 1, last}),
                               make("alike.2", (struct made){4, 1, 1, last})};
    assert_refused(alike, 2, "all traces have 4 ranks");
}

/* Before each call 1,000,000 operations on 4 ranks, 528,000 on 8, and 285,000 on 16. The least squares are
 * 0.73 % off at most as a power of P, 80,930 on 64 ranks, and 0.58 % as a + b / P, 106,100. A smaller error
 * decides only if there are three traces of each. */
static void the_closer_growth_is_taken_if_noise_is_small(void **state)
{
    (void)state;
    static const double operations[] = {1000000, 528000, 285000}, forecast[] = {80930, 106100};
    enum { NUMBERS = 3, REPEATS = 3, WANTED = 64 };
    for (int repeated = 0; repeated <= 1; repeated++) {
        struct program *programs[NUMBERS * REPEATS];
        struct extrapolation *extrapolation;
        struct rank_events events = {0};
        size_t count = 0;
        char name[32];
        for (unsigned i = 0; i < NUMBERS; i++)
            for (unsigned k = 0; k < (repeated ? REPEATS : 1); k++) {
                snprintf(name, sizeof name, "closer.%d.%u.%u", repeated, i, k);
                unsigned ranks = 4U << i;
                programs[count++] = make(name, (struct made){ranks, operations[i] * ranks / WORK, 1, last});
            }
        if (extrapolation_open(programs, count, WANTED, &extrapolation) != STATUS_OK)
            fail_msg("%s", traces_messages());
        struct program *wanted = extrapolation_program(extrapolation);
        wanted->ops->rewind(wanted);
        assert_int_equal(rank_events_read(wanted, 7, NULL, &events), STATUS_OK);
        if (fabs(events.at[1].operations / forecast[repeated] - 1) > 0.001)
            fail_msg("%d: %g", repeated, events.at[1].operations);
        free(events.at);
        extrapolation_close(extrapolation);
        close_all(programs, count);
    }
}

/* All ranks together compute `all` on 4, 8 and 16 ranks. What is forecast for a rank of 64, and whether the
 * traces on 4 ranks are left out. */
static double forecast_of(const char *name, const double all[3], unsigned repeats, bool *left_out)
{
    enum { NUMBERS = 3, MOST_REPEATS = 3, WANTED = 64 };
    struct program *programs[NUMBERS * MOST_REPEATS];
    struct extrapolation *extrapolation;
    struct rank_events events = {0};
    size_t count = 0, size;
    char file[48], *text;
    for (unsigned i = 0; i < NUMBERS; i++)
        for (unsigned k = 0; k < repeats; k++) {
            snprintf(file, sizeof file, "%s.%u.%u.%u", name, repeats, i, k);
            programs[count++] = make(file, (struct made){4U << i, all[i] / 2 / WORK, 1, last});
        }
    if (extrapolation_open(programs, count, WANTED, &extrapolation) != STATUS_OK)
        fail_msg("%s", traces_messages());
    FILE *to = open_memstream(&text, &size);
    extrapolation_print(extrapolation, to);
    fclose(to);
    *left_out = strstr(text, "computation is fitted to the traces on 8 ranks and more") != NULL;
    free(text);
    struct program *wanted = extrapolation_program(extrapolation);
    wanted->ops->rewind(wanted);
    assert_int_equal(rank_events_read(wanted, 7, NULL, &events), STATUS_OK);
    const double forecast = events.at[1].operations + events.at[2].operations;
    free(events.at);
    extrapolation_close(extrapolation);
    close_all(programs, count);
    return forecast;
}

/* On 4 ranks the blocks exceed a cache: all together compute 6 % more than on 8, and from 8 to 16 ranks it is
 * 4 % more. The growth from 8 to 16 goes on, by 4 % for each doubling. Without repeats, or if the sum only
 * falls, or only grows, all traces count. */
static void large_blocks_are_left_out(void **state)
{
    (void)state;
    static const double turns[] = {106e6, 100e6, 104e6}, falls[] = {106e6, 103e6, 100e6},
                        grows[] = {96e6, 100e6, 104e6}, nearly[] = {100.9e6, 100e6, 104e6};
    bool left_out;
    const double forecast = forecast_of("turns", turns, 3, &left_out), wanted = 104e6 * 1.04 * 1.04 / 64;
    assert_true(left_out);
    if (fabs(forecast / wanted - 1) > 1e-3)
        fail_msg("%g for %g", forecast, wanted);
    forecast_of("turns", turns, 1, &left_out);
    assert_false(left_out);
    forecast_of("falls", falls, 3, &left_out);
    assert_false(left_out);
    forecast_of("grows", grows, 3, &left_out);
    assert_false(left_out);
    forecast_of("nearly", nearly, 3, &left_out);
    assert_false(left_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_has_the_median_of_its_sums),
        cmocka_unit_test(a_disturbed_trace_counts_no_more),
        cmocka_unit_test(traces_that_differ_in_a_call_are_refused),
        cmocka_unit_test(the_closer_growth_is_taken_if_noise_is_small),
        cmocka_unit_test(large_blocks_are_left_out),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
