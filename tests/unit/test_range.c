/* Ranges of values: every type, both ends, exact steps, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/range.h"

static const struct param *param_of(enum param_type type)
{
    static struct param param;
    param = (struct param){.name = "p", .type = type, .min = type == PARAM_COUNT ? "1" : NULL};
    return &param;
}

static void expect_values(enum param_type type, const char *text, const char *expected)
{
    struct range range;
    struct param_problem problem;
    char value[64], all[4096] = "";
    assert_true(range_is_meant(param_of(type), text));
    if (!range_read(param_of(type), text, &range, &problem))
        fail_msg("%s: %s", text, problem.text);
    while (range_next(&range, value, sizeof value)) {
        assert_true(strlen(all) + sizeof value < sizeof all);
        strcat(strcat(all, *all ? ", " : ""), value);
    }
    assert_string_equal(all, expected);
}

static void expect_problem(enum param_type type, const char *text, uint32_t at, const char *expected)
{
    struct range range;
    struct param_problem problem = {.text = ""};
    assert_false(range_read(param_of(type), text, &range, &problem));
    if (!strstr(problem.text, expected))
        fail_msg("%s: expected '%s', said '%s'", text, expected, problem.text);
    assert_int_equal(problem.at, at);
}

static void both_ends_are_values(void **state)
{
    (void)state;
    expect_values(PARAM_SIZE, "1KiB..16 KiB x2", "1 KiB, 2 KiB, 4 KiB, 8 KiB, 16 KiB");
    expect_values(PARAM_TIME, "0..2 us + 500ns", "0 ps, 500 ns, 1 us, 1.5 us, 2 us");
    expect_values(PARAM_COUNT, "3..3 +1", "3");
    expect_values(PARAM_COUNT, " 1 .. 1000 x 10 ", "1, 10, 100, 1000");
}

static void a_range_ends_below_an_end_that_no_step_meets(void **state)
{
    (void)state;
    expect_values(PARAM_SIZE, "1 KiB..5 KiB x2", "1 KiB, 2 KiB, 4 KiB");
    expect_values(PARAM_COUNT, "1..10 +4", "1, 5, 9");
}

static void every_type_with_an_order_has_ranges(void **state)
{
    (void)state;
    expect_values(PARAM_RATE, "100 Gb/s..400 Gb/s x2", "12.5 GB/s, 25 GB/s, 50 GB/s");
    expect_values(PARAM_FLOPS, "1 Gflop/s..3 Gflop/s +1 Gflop/s", "1 Gflop/s, 2 Gflop/s, 3 Gflop/s");
    expect_values(PARAM_NUMBER, "0..1 +0.25", "0, 0.25, 0.5, 0.75, 1");
    expect_values(PARAM_NUMBER, "1e-3..1 x10", "0.001, 0.01, 0.1, 1");
    assert_false(range_is_meant(param_of(PARAM_TEXT), "../a..b x2"));
    assert_false(range_is_meant(param_of(PARAM_CHOICE), "a..b"));
    assert_false(range_is_meant(param_of(PARAM_COUNT), "12"));
}

/* 0.1 is no binary fraction: sums of it must not become 0.30000000000000004. */
static void numbers_are_those_that_people_write(void **state)
{
    (void)state;
    expect_values(PARAM_NUMBER, "0..1 +0.1", "0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1");
    expect_values(PARAM_NUMBER, "1e+3..1.2e+3 +1e+2", "1e+03, 1.1e+03, 1.2e+03");
}

/* Beyond 2^53 doubles have gaps. */
static void whole_units_are_exact(void **state)
{
    (void)state;
    expect_values(PARAM_COUNT, "9007199254740993..9007199254740999 +3",
                  "9007199254740993, 9007199254740996, 9007199254740999");
    expect_values(PARAM_COUNT, "3..9223372036854775807 x999999",
                  "3, 2999997, 2999994000003, 2999991000008999997");
    expect_values(PARAM_COUNT, "9223372036854775806..9223372036854775807 x2", "9223372036854775806");
}

static void a_factor_with_a_fraction_rounds_to_the_nearest(void **state)
{
    (void)state;
    expect_values(PARAM_COUNT, "1..20 x1.5", "1, 2, 3, 5, 8, 12, 18");
    expect_values(PARAM_TIME, "1us..2us x1.4142", "1 us, 1.4142 us, 1999962 ps");
}

static void wrong_ranges_say_what_would_be_right(void **state)
{
    (void)state;
    expect_problem(PARAM_COUNT, "1..8", 4, "a range needs a step, such as '1..8 x2' or '1..8 +1'");
    expect_problem(PARAM_TIME, "1 us..8 us", 10, "'1 us..8 us +1 us'");
    expect_problem(PARAM_COUNT, "8..1 x2", 0, "its end is below its beginning");
    expect_problem(PARAM_COUNT, "1..8 x1", 5, "'x1' is not a factor above 1");
    expect_problem(PARAM_COUNT, "1..8 x0.5", 5, "is not a factor above 1");
    expect_problem(PARAM_COUNT, "1..8 x", 5, "is not a factor above 1");
    expect_problem(PARAM_COUNT, "1..8 x2 KiB", 5, "is not a factor above 1");
    expect_problem(PARAM_COUNT, "1..8 x1.0000001", 5, "is not a factor above 1");
    expect_problem(PARAM_COUNT, "1..8 +0", 5, "the step of a range is above 0, such as +1");
    expect_problem(PARAM_SIZE, "1 KiB..8 KiB +1", 14, "a size needs a unit");
    expect_problem(PARAM_SIZE, "1..8 KiB x2", 0, "a size needs a unit");
    expect_problem(PARAM_SIZE, "1 KiB..8 x2", 7, "a size needs a unit");
    expect_problem(PARAM_SIZE, "0 B..8 KiB x2", 0, "begins above 0");
    expect_problem(PARAM_COUNT, "0..8 +1", 0, "p is at least 1, not 0");
    expect_problem(PARAM_COUNT, "..8 +1", 0, "p needs a value");
    expect_problem(PARAM_COUNT, "1.. x2", 3, "p needs a value");
    expect_problem(PARAM_COUNT, "1..9 x1.2", 5, "the step is too small");
    expect_problem(PARAM_NUMBER, "1..9 +1e-30", 5, "the step is too small");
    expect_problem(PARAM_COUNT, "1..100001 +1", 0, "a range has at most 100000 values");
}

static void a_range_has_a_limit(void **state)
{
    (void)state;
    struct range range;
    struct param_problem problem;
    char value[64];
    size_t count = 0;
    assert_true(range_read(param_of(PARAM_COUNT), "1..100000 +1", &range, &problem));
    while (range_next(&range, value, sizeof value))
        count++;
    assert_int_equal(count, RANGE_VALUES_AT_MOST);
    assert_string_equal(value, "100000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ends_are_values),
        cmocka_unit_test(a_range_ends_below_an_end_that_no_step_meets),
        cmocka_unit_test(every_type_with_an_order_has_ranges),
        cmocka_unit_test(numbers_are_those_that_people_write),
        cmocka_unit_test(whole_units_are_exact),
        cmocka_unit_test(a_factor_with_a_fraction_rounds_to_the_nearest),
        cmocka_unit_test(wrong_ranges_say_what_would_be_right),
        cmocka_unit_test(a_range_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
