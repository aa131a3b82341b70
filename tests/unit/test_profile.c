/* Levels over time in few bins: the result equals a count bin by bin, however often bins are widened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/profile.h"
#include "base/rng.h"

enum { INTERVALS = 400 };

struct interval {
    ps_t from, to;
    int64_t height;
};

static int64_t overlap(ps_t from, ps_t to, ps_t begin, ps_t end)
{
    ps_t low = from > begin ? from : begin, high = to < end ? to : end;
    return high > low ? high - low : 0;
}

/* Intervals of all lengths up to `longest`, in any order, compared with a plain sum. */
static void compare(uint64_t seed, ps_t longest)
{
    struct rng rng = rng_init(seed, "profile");
    struct profile profile;
    struct interval intervals[INTERVALS];
    int64_t found[PROFILE_BINS];
    struct sums sums = {.low = found, .count = PROFILE_BINS};
    ps_t end = 0;
    profile_init(&profile);
    for (int i = 0; i < INTERVALS; i++) {
        ps_t from = (ps_t)rng_below(&rng, (uint64_t)longest),
             length = (ps_t)rng_below(&rng, (uint64_t)longest);
        intervals[i] = (struct interval){from, from + length, 1 + (int64_t)rng_below(&rng, 5)};
        profile_step(&profile, intervals[i].from, intervals[i].height);
        profile_step(&profile, intervals[i].to, -intervals[i].height);
        end = intervals[i].to > end ? intervals[i].to : end;
    }
    profile_widen(&profile, end);
    size_t bins = profile_integrals(&profile, end, &sums);
    assert_null(sums.high);
    ps_t width = profile_width(&profile);
    assert_true(bins <= PROFILE_BINS && (ps_t)bins * width >= end && ((ps_t)bins - 1) * width < end);
    for (size_t bin = 0; bin < bins; bin++) {
        int64_t sum = 0;
        for (int i = 0; i < INTERVALS; i++)
            sum += intervals[i].height *
                   overlap(intervals[i].from, intervals[i].to, (ps_t)bin * width, ((ps_t)bin + 1) * width);
        assert_int_equal(found[bin], sum);
    }
}

static void bins_hold_the_sum_of_intervals(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (ps_t longest = 2; longest < PS_PER_S; longest *= 37)
            compare(seed, longest);
}

static void an_empty_profile_is_zero(void **state)
{
    (void)state;
    struct profile profile;
    int64_t found[PROFILE_BINS];
    struct sums sums = {.low = found, .count = PROFILE_BINS};
    profile_init(&profile);
    assert_int_equal(profile_integrals(&profile, 0, &sums), 0);
    profile_widen(&profile, 1000 * PS_PER_S);
    assert_true(profile_integrals(&profile, 1000 * PS_PER_S, &sums) > PROFILE_BINS / 2);
    for (size_t bin = 0; bin < PROFILE_BINS / 2; bin++)
        assert_int_equal(found[bin], 0);
}

/* A million ranks that wait from the first picosecond to the last but one. */
static void a_bin_may_pass_64_bits(void **state)
{
    (void)state;
    enum { WAITING = 1000000 };
    struct profile profile;
    struct sums sums;
    sums_init(&sums, PROFILE_BINS);
    profile_init(&profile);
    profile_step(&profile, 0, WAITING);
    profile_step(&profile, PS_NEVER - 1, -WAITING);
    size_t bins = profile_integrals(&profile, PS_NEVER - 1, &sums);
    sum_t whole = 0;
    for (size_t bin = 0; bin < bins; bin++) {
        assert_true(sum_at(sums.low, sums.high, bin) > INT64_MAX);
        whole += sum_at(sums.low, sums.high, bin);
    }
    assert_true(whole == (sum_t)WAITING * (PS_NEVER - 1));
    sums_free(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_hold_the_sum_of_intervals),
        cmocka_unit_test(an_empty_profile_is_zero),
        cmocka_unit_test(a_bin_may_pass_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
