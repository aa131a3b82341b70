/* The axes of figures: when they are logarithmic, their ranges, and their tics with units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/plot_axis.h"

enum { VALUES = 64 };

/* The labels of an axis in its script, without minor tics: "64 B, 4 KiB". */
static void labels_of(const struct plot_axis *axis, char letter, char *labels)
{
    char *script;
    size_t length;
    FILE *out = open_memstream(&script, &length);
    plot_axis_print(axis, letter, out);
    fclose(out);
    *labels = '\0';
    for (char *at = strchr(script, '"'); at; at = strchr(at, '"')) {
        char *end = strchr(at + 1, '"');
        assert_non_null(end);
        if (end > at + 1)
            sprintf(labels + strlen(labels), "%s%.*s", *labels ? ", " : "", (int)(end - at - 1), at + 1);
        at = end + 1;
    }
    free(script);
}

/* `texts` are the values, separated by '|'. */
static void expect_x(const char *texts, enum plot_scale scale, bool is_log, const char *expected)
{
    double values[VALUES];
    size_t count = 0;
    enum plot_unit unit = PLOT_WORDS;
    char copy[1024], labels[1024], *rest = copy;
    snprintf(copy, sizeof copy, "%s", texts);
    for (char *text; (text = strsep(&rest, "|")); count++)
        unit = plot_unit_of(text, &values[count]);
    const struct plot_axis axis = plot_axis_of_values(unit, values, count, scale);
    labels_of(&axis, 'x', labels);
    assert_int_equal(axis.is_log, is_log);
    assert_string_equal(labels, expected);
    assert_true(axis.high >= values[count - 1]);
}

static void texts_have_units(void **state)
{
    (void)state;
    double number;
    assert_int_equal(plot_unit_of("1.5 us", &number), PLOT_TIME);
    assert_true(number == 1.5e-6);
    assert_int_equal(plot_unit_of("64 KiB", &number), PLOT_SIZE);
    assert_true(number == 65536);
    assert_int_equal(plot_unit_of("100 Gb/s", &number), PLOT_RATE);
    assert_true(number == 12.5e9);
    assert_int_equal(plot_unit_of("2 Gflop/s", &number), PLOT_FLOPS);
    assert_int_equal(plot_unit_of("0.5", &number), PLOT_NUMBER);
    assert_int_equal(plot_unit_of("ring", &number), PLOT_WORDS);
}

static void few_values_are_the_tics(void **state)
{
    (void)state;
    expect_x("0 ps|500 ns|1 us", PLOT_SCALE_FITTING, false, "0, 0.5 us, 1 us");
    expect_x("8|16|32|64", PLOT_SCALE_FITTING, true, "8, 16, 32, 64");
    expect_x("1 KiB|4 KiB|16 KiB", PLOT_SCALE_FITTING, true, "1 KiB, 4 KiB, 16 KiB");
    expect_x("3 GB/s|5 GB/s", PLOT_SCALE_FITTING, false, "3 GB/s, 5 GB/s");
    expect_x("7", PLOT_SCALE_FITTING, false, "7");
}

static void a_geometric_range_or_a_wide_one_is_logarithmic(void **state)
{
    (void)state;
    expect_x("1 us|2 us|4 us|8 us", PLOT_SCALE_FITTING, true, "1 us, 2 us, 4 us, 8 us");
    expect_x("1 us|2 us|3 us|4 us", PLOT_SCALE_FITTING, false, "1 us, 2 us, 3 us, 4 us");
    expect_x("1 us|2 us|4 us|40 us", PLOT_SCALE_FITTING, true, "1 us, 2 us, 4 us, 40 us");
    expect_x("1 us|2 us|3 us|4 us", PLOT_SCALE_LOG, true, "1 us, 2 us, 3 us, 4 us");
    expect_x("0 us|1 us|2 us|3 us|4 us|5 us|6 us|7 us|8 us|9 us|10 us|11 us|12 us|13 us", PLOT_SCALE_LINEAR,
             false, "0, 5 us, 10 us");
    expect_x("8|16|32|64", PLOT_SCALE_LINEAR, false, "8, 16, 32, 64");
}

/* 0 has no place on a logarithmic axis. */
static void zero_stays_away_from_logarithms(void **state)
{
    (void)state;
    expect_x("0 B|1 KiB|4 KiB|16 KiB", PLOT_SCALE_FITTING, true, "1 KiB, 4 KiB, 16 KiB");
    expect_x("0", PLOT_SCALE_LOG, false, "0");
}

static void sizes_have_powers_of_2(void **state)
{
    (void)state;
    expect_x(
        "8 B|16 B|32 B|64 B|128 B|256 B|512 B|1 KiB|2 KiB|4 KiB|8 KiB|16 KiB|32 KiB|64 KiB|128 KiB|256 KiB"
        "|512 KiB|1 MiB|2 MiB|4 MiB|8 MiB|16 MiB|32 MiB|64 MiB",
        PLOT_SCALE_FITTING, true, "16 B, 256 B, 4 KiB, 64 KiB, 1 MiB, 16 MiB");
    expect_x("1 kB|10 kB|100 kB|1 MB|10 MB|100 MB|1 GB", PLOT_SCALE_FITTING, true,
             "1 kB, 10 kB, 100 kB, 1 MB, 10 MB, 100 MB, 1 GB");
}

static void expect_y(enum plot_unit unit, double least, double most, enum plot_scale scale,
                     const char *expected)
{
    char labels[1024];
    const struct plot_axis axis = plot_axis_of_results(unit, least, most, scale);
    labels_of(&axis, 'y', labels);
    assert_string_equal(labels, expected);
    assert_true(axis.high > most || most == 0);
    assert_true(axis.low < least || axis.low == 0);
}

static void results_begin_at_0_or_are_logarithmic(void **state)
{
    (void)state;
    expect_y(PLOT_TIME, 1e-6, 9.9e-6, PLOT_SCALE_FITTING, "0, 5 us, 10 us, 15 us");
    expect_y(PLOT_TIME, 1.3e-6, 7e-4, PLOT_SCALE_FITTING, "1 us, 10 us, 100 us, 1 ms");
    expect_y(PLOT_TIME, 1.3e-6, 2e-5, PLOT_SCALE_FITTING, "1 us, 2 us, 5 us, 10 us, 20 us, 50 us");
    expect_y(PLOT_NUMBER, 0.8, 2.6, PLOT_SCALE_FITTING, "0, 1, 2, 3");
    expect_y(PLOT_NUMBER, 0.8, 2.6, PLOT_SCALE_LOG, "0.5, 1, 2, 5");
    expect_y(PLOT_TIME, 0, 0, PLOT_SCALE_FITTING, "0, 0.2 s, 0.4 s, 0.6 s, 0.8 s, 1 s");
    expect_y(PLOT_TIME, 0, 1, PLOT_SCALE_LOG, "0, 0.5 s, 1 s, 1.5 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_units),
        cmocka_unit_test(few_values_are_the_tics),
        cmocka_unit_test(a_geometric_range_or_a_wide_one_is_logarithmic),
        cmocka_unit_test(zero_stays_away_from_logarithms),
        cmocka_unit_test(sizes_have_powers_of_2),
        cmocka_unit_test(results_begin_at_0_or_are_logarithmic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
