/* Quantities: exact values, messages of refusal, and texts that read back as the same value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum kind { TIME, SIZE, RATE, FLOPS, WHOLE };

static bool read_kind(enum kind kind, const char *text, uint64_t *value, struct units_problem *problem)
{
    ps_t time = 0;
    switch (kind) {
    case TIME: {
        bool good = units_time(text, &time, problem);
        *value = good ? (uint64_t)time : *value;
        return good;
    }
    case SIZE:
        return units_size(text, value, problem);
    case RATE:
        return units_rate(text, value, problem);
    case FLOPS:
        return units_flops(text, value, problem);
    default:
        return units_count(text, value, problem);
    }
}

static const char *print_kind(enum kind kind, uint64_t value, char *buffer, size_t size)
{
    switch (kind) {
    case TIME:
        return units_print_time((ps_t)value, buffer, size);
    case SIZE:
        return units_print_size(value, buffer, size);
    case RATE:
        return units_print_rate(value, buffer, size);
    default:
        return units_print_flops(value, buffer, size);
    }
}

static void texts_read_as_exact_values(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *text;
        uint64_t value;
    } cases[] = {
        {TIME, "8 us", 8000000},
        {TIME, "8us", 8000000},
        {TIME, "  8\tus ", 8000000},
        {TIME, "0.5 us", 500000},
        {TIME, ".5us", 500000},
        {TIME, "5. ns", 5000},
        {TIME, "1.25e3 ns", 1250000},
        {TIME, "1.25E-3 ms", 1250000},
        {TIME, "25e+1ps", 250},
        {TIME, "0.1 s", 100000000000},
        {TIME, "3 \xc2\xb5s", 3000000}, /* micro sign */
        {TIME, "3\xce\xbcs", 3000000},  /* Greek mu */
        {TIME, "2 min", 120000000000000},
        {TIME, "2562 h", UINT64_C(9223200000000000000)},
        {TIME, "9223372036854775806 ps", INT64_MAX - 1},
        {TIME, "9223372.036854775806 s", INT64_MAX - 1}, /* more digits than a double has */
        {TIME, "0.000000000001000000 s", 1},
        {TIME, "0", 0},
        {TIME, "0.0", 0},
        {TIME, "0e99", 0},
        {TIME, "0e99999999999999999999 us", 0},
        {SIZE, "0", 0},
        {SIZE, "65536 B", 65536},
        {SIZE, "64KiB", 65536},
        {SIZE, "64kB", 64000},
        {SIZE, "1.5KiB", 1536},
        {SIZE, "10 MiB", 10485760},
        {SIZE, "16 GB", 16000000000},
        {SIZE, "1 TB", 1000000000000},
        {SIZE, "1TiB", 1099511627776},
        {SIZE, "2PB", 2000000000000000},
        {SIZE, "8191 PiB", UINT64_C(8191) << 50},
        {SIZE, "9223372036854775807B", INT64_MAX},
        {RATE, "12.5 GB/s", 12500000000},
        {RATE, "100Gb/s", 12500000000},
        {RATE, "100 Gbit/s", 12500000000},
        {RATE, "8 b/s", 1},
        {RATE, "1 GiB/s", 1073741824},
        {RATE, "400 Gb/s", 50000000000},
        {RATE, "1.6 Tbit/s", 200000000000},
        {FLOPS, "12 Gflop/s", 12000000000},
        {FLOPS, "0.25 kflop/s", 250},
        {FLOPS, "9 Pflop/s", 9000000000000000},
        {WHOLE, "0", 0},
        {WHOLE, " 42 ", 42},
        {WHOLE, "00042", 42},
        {WHOLE, "9223372036854775807", INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct units_problem problem;
        uint64_t value = 1;
        if (!read_kind(cases[i].kind, cases[i].text, &value, &problem))
            fail_msg("'%s' is refused: %s", cases[i].text, problem.text);
        if (value != cases[i].value)
            fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)value);
    }
}

static void wrong_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *text, *message;
        uint32_t at;
    } cases[] = {
        {TIME, "8", "a time needs a unit, such as '8 us'", 0},
        {TIME, "", "'' is not a time, such as '8 us'", 0},
        {TIME, "   ", "'' is not a time, such as '8 us'", 3},
        {TIME, ".", "'.' is not a time, such as '8 us'", 0},
        {TIME, "us", "'us' is not a time, such as '8 us'", 0},
        {TIME, "+1 us", "'+1 us' is not a time, such as '8 us'", 0},
        {TIME, " -1 us", "a time cannot be negative", 1},
        {TIME, "0.3 ps", "'0.3 ps' is not a whole multiple of 1 ps", 0},
        {TIME, "1e-13 s", "'1e-13 s' is not a whole multiple of 1 ps", 0},
        {TIME, "1e-999999999999 s", "'1e-999999999999 s' is not a whole multiple of 1 ps", 0},
        {TIME, "9223372036854775807 ps", "9223372036854775807 ps is out of range; a time is at most 2562 h",
         0},
        {TIME, "1e40us", "1e40us is out of range; a time is at most 2562 h", 0},
        {TIME, "1e99999999999h", "1e99999999999h is out of range; a time is at most 2562 h", 0},
        {TIME, "1111111111111111111111111111111111111111 ps", "a time has at most 38 digits, such as '8 us'",
         0},
        {TIME, "8 US", "'US' is not a unit of time; did you mean 'us'?", 2},
        {TIME, "8Ms", "'Ms' is not a unit of time; did you mean 'ms'?", 1},
        {TIME, "1 us us", "'us us' is not a unit of time, such as in '8 us'", 2},
        {TIME, "1.5.5 us", "'.5 us' is not a unit of time, such as in '8 us'", 3},
        {TIME, "1 fortnight", "'fortnight' is not a unit of time, such as in '8 us'", 2},
        {SIZE, "64", "a size needs a unit, such as '64 KiB'", 0},
        {SIZE, "1e3", "a size needs a unit, such as '64 KiB'", 0},
        {SIZE, "64KB", "'KB' is ambiguous; write kB (1000 bytes) or KiB (1024 bytes)", 2},
        {SIZE, "64 K", "'K' is ambiguous; write kB (1000 bytes) or KiB (1024 bytes)", 3},
        {SIZE, "64k", "'k' is ambiguous; write kB (1000 bytes) or KiB (1024 bytes)", 2},
        {SIZE, "64M", "'M' is ambiguous; write MB (1000000 bytes) or MiB (1048576 bytes)", 2},
        {SIZE, "64 kib", "'kib' is not a unit of size; did you mean 'KiB'?", 3},
        {SIZE, "64 mb", "'mb' is not a unit of size; did you mean 'MB'?", 3},
        {SIZE, "8 bytes", "'bytes' is not a unit of size, such as in '64 KiB'", 2},
        {SIZE, "8 us", "'us' is not a unit of size, such as in '64 KiB'", 2},
        {SIZE, "0.5 B", "'0.5 B' is not a whole multiple of 1 byte", 0},
        {SIZE, "8192 PiB", "8192 PiB is out of range; a size is at most 8191 PiB", 0},
        {SIZE, "1,000 B", "',000 B' is not a unit of size, such as in '64 KiB'", 1},
        {RATE, "1 KB/s", "'KB/s' is ambiguous; write kB/s (1000 bytes) or KiB/s (1024 bytes)", 2},
        {RATE, "12.5", "a bandwidth needs a unit, such as '12.5 GB/s'", 0},
        {RATE, "100 gb/s", "'gb/s' is not a unit of bandwidth; did you mean 'GB/s' or 'Gb/s'?", 4},
        {RATE, "100Gbps", "'Gbps' is not a unit of bandwidth; did you mean 'Gb/s'?", 3},
        {RATE, "100 gbps", "'gbps' is not a unit of bandwidth; did you mean 'GB/s' or 'Gb/s'?", 4},
        {RATE, "100GBits", "'GBits' is not a unit of bandwidth; did you mean 'Gbit/s'?", 3},
        {RATE, "12.5GB", "'GB' is not a unit of bandwidth; did you mean 'GB/s'?", 4},
        {RATE, "1 b/s", "'1 b/s' is not a whole multiple of 1 byte per second", 0},
        {RATE, "9223373 TB/s", "9223373 TB/s is out of range; a bandwidth is at most 9223372 TB/s", 0},
        {FLOPS, "12", "a compute rate needs a unit, such as '12 Gflop/s'", 0},
        {FLOPS, "12 gflops", "'gflops' is not a unit of compute rate; did you mean 'Gflop/s'?", 3},
        {FLOPS, "12 Gflop", "'Gflop' is not a unit of compute rate; did you mean 'Gflop/s'?", 3},
        {FLOPS, "1e4 Pflop/s", "1e4 Pflop/s is out of range; a compute rate is at most 9223 Pflop/s", 0},
        {WHOLE, "", "'' is not a whole number", 0},
        {WHOLE, "-1", "'-1' is not a whole number", 0},
        {WHOLE, "1.5", "'1.5' is not a whole number", 1},
        {WHOLE, "12 x", "'12 x' is not a whole number", 3},
        {WHOLE, "9223372036854775808",
         "9223372036854775808 is out of range; a number is at most 9223372036854775807", 0},
        {WHOLE, "99999999999999999999999999999999999999999999999",
         "99999999999999999999999999999999999999999999999 is out of range; a number is at most "
         "9223372036854775807",
         0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct units_problem problem = {.text = ""};
        uint64_t value = 12345;
        if (read_kind(cases[i].kind, cases[i].text, &value, &problem))
            fail_msg("'%s' is taken for %llu", cases[i].text, (unsigned long long)value);
        assert_string_equal(problem.text, cases[i].message);
        if (problem.at != cases[i].at)
            fail_msg("'%s': the problem is said to be at %u", cases[i].text, problem.at);
        assert_int_equal(value, 12345);
    }
}

/* A long unit is cut between characters, so that the message stays UTF-8. */
static void long_units_are_cut(void **state)
{
    (void)state;
    struct units_problem problem;
    uint64_t value;
    char text[256] = "1 x";
    for (int i = 0; i < 60; i++)
        strcat(text, "\xc2\xb5");
    assert_false(units_size(text, &value, &problem));
    assert_non_null(strstr(problem.text, "\xc2\xb5' is not a unit of size, such as in '64 KiB'"));
    memset(text, '9', sizeof text - 1);
    assert_false(units_size(text, &value, &problem));
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},   {"-0.5", -0.5}, {" 1e3 ", 1000},
                {"+2", 2},  {"1e-9", 1e-9}, {"0e5", 0},
                {"0.0", 0}, {".5", 0.5},    {"1.7976931348623157e308", 1.7976931348623157e308}};
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "'' is not a number, such as 0.5"},
        {"abc", "'abc' is not a number, such as 0.5"},
        {"nan", "'nan' is not a number, such as 0.5"},
        {"inf", "'inf' is not a number, such as 0.5"},
        {"0x1p3", "'0x1p3' is not a number, such as 0.5"},
        {"1 2", "'1 2' is not a number, such as 0.5"},
        {"1e", "'1e' is not a number, such as 0.5"},
        {"1e999", "1e999 is out of range; a number is at most 1.79769e+308"},
        {"-1e999", "-1e999 is out of range; a number is at most 1.79769e+308"},
        {"1e-999", "1e-999 is too close to 0; write 0"},
    };
    struct units_problem problem;
    for (size_t i = 0; i < COUNT(good); i++) {
        double value = 77;
        assert_true(units_number(good[i].text, &value, &problem));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        double value = 77;
        assert_false(units_number(bad[i].text, &value, &problem));
        assert_string_equal(problem.text, bad[i].message);
        assert_true(value == 77);
    }
}

static void percentages_are_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0.5", 0.5}, {"1%", 0.01}, {" 2.5 % ", 0.025}, {"1.1%", 0.011}, {"-50%", -0.5}, {"1e2%", 1}};
    static const char *const bad[] = {"%", "1%%", "1%2", "x%", "1 2%", "nan%"};
    struct units_problem problem;
    for (size_t i = 0; i < COUNT(good); i++) {
        double value = 77;
        assert_true(units_number_or_percent(good[i].text, &value, &problem));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        double value = 77;
        assert_false(units_number_or_percent(bad[i], &value, &problem));
        assert_non_null(strstr(problem.text, bad[i]));
        assert_true(value == 77);
    }
}

static void printed_texts(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        uint64_t value;
        const char *text;
    } cases[] = {
        {TIME, 0, "0 ps"},
        {TIME, 1, "1 ps"},
        {TIME, 8000000, "8 us"},
        {TIME, 500000, "500 ns"},
        {TIME, 1234567, "1234567 ps"},
        {TIME, 1234500, "1.2345 us"},
        {TIME, 1500, "1.5 ns"},
        {TIME, PS_PER_S, "1 s"},
        {TIME, UINT64_C(60) * PS_PER_S, "60 s"},
        {TIME, INT64_MAX - 1, "9223372.036854775806 s"},
        {SIZE, 0, "0 B"},
        {SIZE, 1023, "1023 B"},
        {SIZE, 1000, "1 kB"},
        {SIZE, 1024, "1 KiB"},
        {SIZE, 1536, "1536 B"},
        {SIZE, 65536, "64 KiB"},
        {SIZE, 16000000000, "16 GB"},
        {SIZE, 10485760, "10 MiB"},
        {SIZE, INT64_MAX, "9223372036854775807 B"},
        {RATE, 12500000000, "12.5 GB/s"},
        {RATE, 76800000000, "76.8 GB/s"},
        {RATE, 1073741824, "1 GiB/s"},
        {RATE, 1, "1 B/s"},
        {FLOPS, 12000000000, "12 Gflop/s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buffer[64];
        assert_string_equal(print_kind(cases[i].kind, cases[i].value, buffer, sizeof buffer), cases[i].text);
    }
}

/* Values of every size, round ones and others, are read back from their printed text. */
static void printed_texts_read_back(void **state)
{
    (void)state;
    struct rng rng = rng_init(1, "test_units");
    for (int i = 0; i < 40000; i++) {
        uint64_t value = rng_next(&rng) >> (1 + rng_below(&rng, 63));
        for (uint64_t zeros = rng_below(&rng, 19); zeros && value <= INT64_MAX / 10; zeros--)
            value *= 10;
        if (value == INT64_MAX)
            continue; /* reads as the time "never" */
        for (enum kind kind = TIME; kind <= FLOPS; kind++) {
            char text[64];
            uint64_t again = value + 1;
            struct units_problem problem;
            print_kind(kind, value, text, sizeof text);
            if (!read_kind(kind, text, &again, &problem) || again != value)
                fail_msg("%llu is printed as '%s'", (unsigned long long)value, text);
        }
    }
}

static void printed_numbers_read_back(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(units_print_number(0.1, text, sizeof text), "0.1");
    assert_string_equal(units_print_number(2, text, sizeof text), "2");
    assert_string_equal(units_print_number(-1.0 / 3, text, sizeof text), "-0.3333333333333333");
    struct rng rng = rng_init(1, "test_units");
    for (int i = 0; i < 20000; i++) {
        double value = rng_exponential(&rng, 1e6), again;
        struct units_problem problem;
        units_print_number(value, text, sizeof text);
        assert_true(units_number(text, &again, &problem));
        assert_true(again == value);
    }
}

static void values_are_shown_in_readable_units(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(units_show_time(1234567890, 3, text, sizeof text), "1.23 ms");
    assert_string_equal(units_show_time(0, 3, text, sizeof text), "0 ps");
    assert_string_equal(units_show_time(999, 3, text, sizeof text), "999 ps");
    assert_string_equal(units_show_size(4718592, 3, text, sizeof text), "4.72 MB");
    assert_string_equal(units_show_size(1000, 4, text, sizeof text), "1.000 kB");
    assert_string_equal(units_show_size(12.5, 4, text, sizeof text), "12.5 B");
}

static void says(double ratio, const char *text, const char *than)
{
    const struct units_speed speed = units_speed_of(ratio);
    assert_string_equal(speed.text, text);
    assert_string_equal(speed.than, than);
    assert_true(speed.is_same == (strcmp(text, "as fast") == 0));
}

/* In per cent below 1.095, as a factor from there on; less than 0.05 % is nothing. */
static void speeds_are_said_in_words(void **state)
{
    (void)state;
    says(1, "as fast", "as");
    says(1.00049, "as fast", "as");
    says(1 / 1.00049, "as fast", "as");
    says(1.00051, "0.05 % faster", "than");
    says(1 / 1.0017, "0.17 % slower", "than");
    says(1 / 1.00996, "1.0 % slower", "than");
    says(7.7804 / 7.9951, "2.8 % slower", "than");
    says(1.0949, "9.5 % faster", "than");
    says(1.0951, "1.10 times as fast", "as");
    says(1 / 1.0951, "1.10 times slower", "than");
    says(1.994, "1.99 times as fast", "as");
    says(2, "2.0 times as fast", "as");
    says(1 / 9.94, "9.9 times slower", "than");
    says(49.21, "49 times as fast", "as");
    says(1.0 / 7185628742516, "7185628742516 times slower", "than");
    says(1e300, "1e+300 times as fast", "as");
    says(0, "inf times slower", "than");
}

static void one_column(const ps_t *times, size_t count, const char *const *shown)
{
    struct units_column column = units_column_of(times, count, 5);
    char text[64];
    for (size_t i = 0; i < count; i++)
        assert_string_equal(units_show_in(&column, times[i], text, sizeof text), shown[i]);
}

/* The unit comes from the largest time, the decimals from the smallest. Numbers up to 2000 may keep the
 * smaller unit. */
static void columns_have_one_unit(void **state)
{
    (void)state;
    const ps_t us = 1000000;
    one_column((const ps_t[]){16001280}, 1, (const char *const[]){"16.001 us"});
    one_column((const ps_t[]){16 * us, 672 * us, 0}, 3,
               (const char *const[]){"16.000 us", "672.000 us", "0.000 us"});
    one_column((const ps_t[]){843200, 37 * us}, 2, (const char *const[]){"0.843 us", "37.000 us"});
    one_column((const ps_t[]){843200, 8 * us}, 2, (const char *const[]){"0.8432 us", "8.0000 us"});
    one_column((const ps_t[]){999999, us}, 2, (const char *const[]){"1000.00 ns", "1000.00 ns"});
    one_column((const ps_t[]){783160, 1158240}, 2, (const char *const[]){"783.16 ns", "1158.24 ns"});
    one_column((const ps_t[]){783160, 2 * us - 1}, 2, (const char *const[]){"783.16 ns", "2000.00 ns"});
    one_column((const ps_t[]){783160, 2 * us}, 2, (const char *const[]){"0.7832 us", "2.0000 us"});
    one_column((const ps_t[]){4000, 1500 * 1000}, 2, (const char *const[]){"4.0000 ns", "1500.0000 ns"});
    one_column((const ps_t[]){1, 1500}, 2, (const char *const[]){"1 ps", "1500 ps"});
    one_column((const ps_t[]){us - 1000, us - 10}, 2, (const char *const[]){"999.00 ns", "999.99 ns"});
    one_column((const ps_t[]){2000, 8 * us}, 2, (const char *const[]){"0.0020 us", "8.0000 us"});
    one_column((const ps_t[]){17066, 8 * us}, 2, (const char *const[]){"0.0171 us", "8.0000 us"});
    one_column((const ps_t[]){us, 999 * 1000 * us}, 2, (const char *const[]){"0.001 ms", "999.000 ms"});
    one_column((const ps_t[]){us + 1000, 999 * 1000 * us}, 2,
               (const char *const[]){"0.00100 ms", "999.00000 ms"});
    one_column((const ps_t[]){843203, 999 * 1000 * us}, 2, (const char *const[]){"843.20 ns", "999.00 ms"});
    one_column((const ps_t[]){843200, 370 * us}, 2, (const char *const[]){"0.843 us", "370.000 us"});
    one_column((const ps_t[]){1, 17 * us * us}, 2, (const char *const[]){"1 ps", "17.000 s"});
    one_column((const ps_t[]){0, 0}, 2, (const char *const[]){"0 ps", "0 ps"});
    one_column((const ps_t[]){7, 99}, 2, (const char *const[]){"7 ps", "99 ps"});
    one_column((const ps_t[]){2 * us * us, 900000 * us * us}, 2,
               (const char *const[]){"2.0000 s", "900000.0000 s"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_one_unit),
        cmocka_unit_test(speeds_are_said_in_words),
        cmocka_unit_test(texts_read_as_exact_values),
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(long_units_are_cut),
        cmocka_unit_test(numbers),
        cmocka_unit_test(percentages_are_numbers),
        cmocka_unit_test(printed_texts),
        cmocka_unit_test(printed_texts_read_back),
        cmocka_unit_test(printed_numbers_read_back),
        cmocka_unit_test(values_are_shown_in_readable_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
