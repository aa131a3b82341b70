/* Sums in two halves: the high one exists only if a sum needs it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sum.h"

static void sums_carry_into_the_high_half(void **state)
{
    (void)state;
    struct sums sums;
    sums_init(&sums, 3);
    size_t small = sums_bytes(&sums);
    sums_add(&sums, 1, UINT64_MAX);
    assert_null(sums.high);
    assert_int_equal(sums_bytes(&sums), small);
    for (int i = 0; i < 1000; i++)
        sums_add(&sums, 1, UINT64_MAX);
    sums_add(&sums, 2, 7);
    assert_true(sum_at(sums.low, sums.high, 0) == 0);
    assert_true(sum_at(sums.low, sums.high, 1) == (sum_t)UINT64_MAX * 1001);
    assert_true(sum_at(sums.low, sums.high, 2) == 7);
    assert_int_equal(sums_bytes(&sums), 2 * small);
    sums_free(&sums);
}

static void a_sum_is_set_as_a_whole(void **state)
{
    (void)state;
    struct sums sums;
    sums_init(&sums, 2);
    sums_set(&sums, 0, INT64_MAX);
    assert_null(sums.high);
    sums_set(&sums, 0, (sum_t)INT64_MAX * 5);
    assert_true(sum_at(sums.low, sums.high, 0) == (sum_t)INT64_MAX * 5);
    sums_set(&sums, 0, 3);
    assert_true(sum_at(sums.low, sums.high, 0) == 3);
    sums_free(&sums);
}

static void a_sum_is_printed_exactly_as_far_as_integers_go(void **state)
{
    (void)state;
    char text[SUM_TEXT];
    assert_string_equal(sum_print(0, text), "0");
    assert_string_equal(sum_print(INT64_MAX, text), "9223372036854775807");
    assert_string_equal(sum_print((sum_t)1 << 100, text), "1.26765060022823e+30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_carry_into_the_high_half),
        cmocka_unit_test(a_sum_is_set_as_a_whole),
        cmocka_unit_test(a_sum_is_printed_exactly_as_far_as_integers_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
