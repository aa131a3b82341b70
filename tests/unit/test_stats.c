/* Order statistics, means and their uncertainty, against tables and values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"

static void a_sample_is_sorted_and_has_a_median(void **state)
{
    (void)state;
    double odd[] = {3, -1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    stats_sort(odd, 3);
    stats_sort(even, 4);
    assert_true(odd[0] == -1 && odd[2] == 3 && stats_median(odd, 3) == 2);
    assert_true(stats_median(even, 4) == 2.5 && stats_median(one, 1) == 7);
    int64_t times[] = {INT64_MAX, 0, INT64_MIN};
    stats_sort_int64(times, 3);
    assert_true(times[0] == INT64_MIN && times[1] == 0 && times[2] == INT64_MAX);
    stats_sort(NULL, 0);
    stats_sort_int64(NULL, 0);
}

/* Each value is put behind those that are not greater. */
static void sort_slowly(int64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && values[k - 1] > values[k]; k--) {
            const int64_t value = values[k];
            values[k] = values[k - 1];
            values[k - 1] = value;
        }
}

/* Few values and many, of which all bits differ, or some, or none. */
static void whole_numbers_are_sorted(void **state)
{
    (void)state;
    enum { MOST = 1500 };
    static const uint64_t bits[] = {
        0,         1,         0x7ff, UINT64_C(0x3ff800), UINT64_C(0xffffffffff), UINT64_C(1) << 63 | 3,
        INT64_MAX, UINT64_MAX};
    int64_t values[MOST], expected[MOST];
    struct rng rng = rng_init(1, "test");
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        for (size_t count = 1; count <= MOST; count += 499) {
            const uint64_t same = rng_next(&rng) & ~bits[i];
            for (size_t k = 0; k < count; k++)
                values[k] = (int64_t)(same | (rng_next(&rng) & bits[i]));
            memcpy(expected, values, sizeof expected);
            sort_slowly(expected, count);
            stats_sort_int64(values, count);
            assert_memory_equal(values, expected, count * sizeof *values);
        }
    }
}

static void both_quantiles_have_their_places(void **state)
{
    (void)state;
    assert_int_equal(stats_nearest_rank(100, 95), 94); /* 95 of 100 values do not exceed it */
    assert_int_equal(stats_nearest_rank(100, 0), 0);
    assert_int_equal(stats_nearest_rank(3, 50), 1);
    assert_int_equal(stats_nearest_rank(3, 100), 2);
    assert_int_equal(stats_lower_rank(100, 95), 94); /* 0.95 of the way to place 99 */
    assert_int_equal(stats_lower_rank(4, 50), 1);
    assert_int_equal(stats_lower_rank(3, 0), 0);
    assert_int_equal(stats_lower_rank(3, 100), 2);
}

/* Each end of 6 values is beyond the median with probability 1/64; the second of 9 values with 10/512. */
static void the_interval_of_a_median_is_of_order_statistics(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct median_estimate estimate = stats_estimate_median(values, 6);
    assert_true(estimate.median == 3.5 && estimate.low == 1 && estimate.high == 6);
    estimate = stats_estimate_median(values, 9);
    assert_true(estimate.median == 5 && estimate.low == 2 && estimate.high == 8);
    estimate = stats_estimate_median(values, 1);
    assert_true(estimate.median == 1 && estimate.low == 1 && estimate.high == 1);
}

/* Compared with tables of Student's t distribution. */
static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        size_t degrees;
        double t;
    } table[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},
                 {9, 2.2622},  {10, 2.2281}, {29, 2.0452}, {120, 1.9799}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_float_equal((float)stats_t95(table[i].degrees), (float)table[i].t, 0.0001f);
}

static void an_interval_by_hand(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5}; /* s = sqrt(2.5), t = 2.7764 */
    struct mean_estimate estimate = stats_estimate_mean(values, 5);
    assert_true(estimate.mean == 3);
    assert_float_equal((float)estimate.half_width, 1.9633f, 0.0001f);
    const double equal[] = {1e-5 / 3, 1e-5 / 3, 1e-5 / 3};
    assert_true(stats_estimate_mean(equal, 3).mean == equal[0] &&
                stats_estimate_mean(equal, 3).half_width == 0);
    assert_true(stats_estimate_mean(values, 1).half_width == 0);
    assert_int_equal(stats_estimate_mean(values, 0).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sample_is_sorted_and_has_a_median),
                                       cmocka_unit_test(whole_numbers_are_sorted),
                                       cmocka_unit_test(both_quantiles_have_their_places),
                                       cmocka_unit_test(the_interval_of_a_median_is_of_order_statistics),
                                       cmocka_unit_test(quantiles_are_those_of_the_tables),
                                       cmocka_unit_test(an_interval_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
