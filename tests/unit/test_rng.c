/* Random streams: known answers, independence, ranges and moments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

enum { DRAWS = 200000 };

/* The numbers of the published reference implementation from state {1, 2, 3, 4}. */
static void streams_give_the_published_numbers(void **state)
{
    (void)state;
    static const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};
    struct rng rng = {{1, 2, 3, 4}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(rng_next(&rng), expected[i]);
}

/* A seed and a name always give the same stream, so that old runs can be repeated. The expected numbers come
 * from another implementation of the published splitmix64, FNV-1a and xoshiro256**. */
static void named_streams_stay_what_they_are(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *name;
        uint64_t draws[3];
    } streams[] = {
        {1,
         "fmu.mapping",
         {UINT64_C(3492728776323697135), UINT64_C(9314628580752503547), UINT64_C(5134615086450193666)}},
        {0,
         "",
         {UINT64_C(2173012722847780656), UINT64_C(3664482154190621960), UINT64_C(5689331144267033948)}},
        {UINT64_MAX,
         "x",
         {UINT64_C(4277406984885184959), UINT64_C(17948994413938028393), UINT64_C(1960940704541524054)}},
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct rng rng = rng_init(streams[i].seed, streams[i].name);
        for (int draw = 0; draw < 3; draw++)
            assert_int_equal(rng_next(&rng), streams[i].draws[draw]);
    }
}

/* Streams of neighbouring seeds, and of names that differ in one letter, are not correlated. */
static void streams_are_independent(void **state)
{
    (void)state;
    struct rng base = rng_init(1, "fmu.mapping");
    struct rng others[] = {rng_init(2, "fmu.mapping"), rng_init(0, "fmu.mapping"), rng_init(1, "fmu.mappinf"),
                           rng_init(1, "fmu.mapping "), rng_init(1, "")};
    enum { OTHERS = sizeof others / sizeof *others };
    double sums[OTHERS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double share = rng_share(&base) - 0.5;
        for (int k = 0; k < OTHERS; k++)
            sums[k] += share * (rng_share(&others[k]) - 0.5);
    }
    for (int k = 0; k < OTHERS; k++)
        assert_true(fabs(sums[k] / DRAWS * 12) < 5 / sqrt(DRAWS)); /* five standard deviations */
}

static void a_copied_stream_gives_the_same_numbers(void **state)
{
    (void)state;
    struct rng rng = rng_init(3, "copy");
    rng_next(&rng);
    struct rng copy = rng;
    for (int i = 0; i < 10; i++)
        assert_int_equal(rng_below(&rng, 1000), rng_below(&copy, 1000));
}

static void a_stream_is_its_seed_and_name(void **state)
{
    (void)state;
    struct rng a = rng_init(1, "fmu.mapping"), same = rng_init(1, "fmu.mapping");
    struct rng other_seed = rng_init(2, "fmu.mapping"), other_name = rng_init(1, "fmu.mappinh");
    int equal_seed = 0, equal_name = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t draw = rng_next(&a);
        assert_int_equal(draw, rng_next(&same));
        equal_seed += draw == rng_next(&other_seed);
        equal_name += draw == rng_next(&other_name);
    }
    assert_int_equal(equal_seed, 0);
    assert_int_equal(equal_name, 0);
}

static void bounded_draws_are_even(void **state)
{
    (void)state;
    static const uint64_t bounds[] = {1, 2, 3, 7, 10, 64};
    struct rng rng = rng_init(7, "test");
    for (int b = 0; b < 6; b++) {
        uint64_t counts[64] = {0};
        double expected = (double)DRAWS / (double)bounds[b], chi2 = 0;
        for (int i = 0; i < DRAWS; i++) {
            uint64_t draw = rng_below(&rng, bounds[b]);
            assert_true(draw < bounds[b]);
            counts[draw]++;
        }
        for (uint64_t i = 0; i < bounds[b]; i++)
            chi2 += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
        assert_true(chi2 <
                    (double)bounds[b] + 6 * sqrt(2.0 * (double)bounds[b])); /* six standard deviations */
    }
}

/* If draws were simply folded, a bound of 3 x 2^62 would favour the lower half by two to one. */
static void large_bounds_have_no_bias(void **state)
{
    (void)state;
    const uint64_t bound = UINT64_C(3) << 62;
    struct rng rng = rng_init(7, "test");
    int low = 0;
    for (int i = 0; i < DRAWS; i++)
        low += rng_below(&rng, bound) < bound / 2;
    assert_in_range(low, DRAWS / 2 - 2000, DRAWS / 2 + 2000);
}

static void shares_and_exponentials(void **state)
{
    (void)state;
    struct rng rng = rng_init(11, "test");
    double sum = 0, exponential = 0;
    for (int i = 0; i < DRAWS; i++) {
        double share = rng_share(&rng), time = rng_exponential(&rng, 5);
        assert_true(share >= 0 && share < 1);
        assert_true(time >= 0 && isfinite(time));
        sum += share;
        exponential += time;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 0.005);
    assert_true(fabs(exponential / DRAWS - 5) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_give_the_published_numbers),
        cmocka_unit_test(named_streams_stay_what_they_are),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(a_copied_stream_gives_the_same_numbers),
        cmocka_unit_test(a_stream_is_its_seed_and_name),
        cmocka_unit_test(bounded_draws_are_even),
        cmocka_unit_test(large_bounds_have_no_bias),
        cmocka_unit_test(shares_and_exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
