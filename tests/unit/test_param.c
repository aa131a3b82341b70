/* One parameter of each type: values, bounds, messages of refusal, and short texts that set a struct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/param.h"
#include "base/time.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct settings {
    ps_t latency_ps;
    uint64_t rate_bytes_per_s, flops, bytes, count;
    double scale;
    bool verbose;
    int colour;
    const char *file, *name;
    int parity;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static bool parse_parity(const struct param *self, const char *text, void *field,
                         struct param_problem *problem)
{
    size_t length = strlen(text);
    if (strcmp(text, "even") != 0 && strcmp(text, "odd") != 0) {
        strcpy(problem->text, self->name);
        strcat(problem->text, " is even or odd");
        problem->at = (uint32_t)length - 1;
        return false;
    }
    *(int *)field = *text == 'o';
    return true;
}

PARAM_TABLE(settings_params, "settings", struct settings, "one of each",
            {.name = "latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct settings, latency_ps),
             .default_text = "8 us",
             .doc = "a time",
             .min = "1 ns",
             .max = "1 s"},
            {.name = "rate",
             .type = PARAM_RATE,
             .offset = offsetof(struct settings, rate_bytes_per_s),
             .default_text = "12.5 GB/s",
             .doc = "a bandwidth",
             .min = "1 B/s"},
            {.name = "flops",
             .type = PARAM_FLOPS,
             .offset = offsetof(struct settings, flops),
             .default_text = "12 Gflop/s",
             .doc = "a compute rate"},
            {.name = "bytes",
             .type = PARAM_SIZE,
             .offset = offsetof(struct settings, bytes),
             .default_text = "65536 B",
             .doc = "a size",
             .max = "1 GiB"},
            {.name = "count",
             .type = PARAM_COUNT,
             .offset = offsetof(struct settings, count),
             .default_text = "1",
             .doc = "a number of things",
             .min = "1",
             .max = "64"},
            {.name = "scale",
             .type = PARAM_NUMBER,
             .offset = offsetof(struct settings, scale),
             .default_text = "1",
             .doc = "a factor",
             .min = "-0.5",
             .max = "2"},
            {.name = "verbose",
             .type = PARAM_BOOL,
             .offset = offsetof(struct settings, verbose),
             .default_text = "false",
             .doc = "a yes or no"},
            {.name = "colour",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct settings, colour),
             .default_text = "green",
             .doc = "a choice",
             .choices = colours},
            {.name = "file",
             .type = PARAM_TEXT,
             .offset = offsetof(struct settings, file),
             .doc = "a text without a default"},
            {.name = "name",
             .type = PARAM_TEXT,
             .offset = offsetof(struct settings, name),
             .default_text = "heliograph",
             .doc = "a text"},
            {.name = "parity",
             .type = PARAM_CUSTOM,
             .offset = offsetof(struct settings, parity),
             .default_text = "odd",
             .doc = "a type of its own",
             .parse = parse_parity});

static const struct param *named(const char *name)
{
    for (size_t i = 0; i < settings_params.count; i++)
        if (strcmp(settings_params.params[i].name, name) == 0)
            return &settings_params.params[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void defaults_fill_every_field(void **state)
{
    (void)state;
    struct settings settings = {.file = NULL};
    struct arena texts = {0};
    struct param_problem problem;
    assert_true(param_defaults(&settings_params, &settings, &texts, &problem));
    assert_int_equal(settings.latency_ps, 8000000);
    assert_int_equal(settings.rate_bytes_per_s, 12500000000);
    assert_int_equal(settings.flops, 12000000000);
    assert_int_equal(settings.bytes, 65536);
    assert_int_equal(settings.count, 1);
    assert_true(settings.scale == 1);
    assert_false(settings.verbose);
    assert_int_equal(settings.colour, 1);
    assert_null(settings.file);
    assert_string_equal(settings.name, "heliograph");
    assert_int_equal(settings.parity, 1);
    arena_free(&texts);
}

static void wrong_defaults_are_found(void **state)
{
    (void)state;
    const struct param wrong = {.name = "x", .type = PARAM_TIME, .default_text = "8", .doc = "no unit"};
    const struct param_table table = {"wrong", "", &wrong, 1, sizeof(ps_t)};
    ps_t value = 0;
    struct param_problem problem;
    assert_false(param_defaults(&table, &value, NULL, &problem));
    assert_string_equal(problem.text, "x = '8': a time needs a unit, such as '8 us'");
}

static void wrong_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
        uint32_t at;
    } cases[] = {
        {"latency", "8", "a time needs a unit, such as '8 us'", 0},
        {"latency", "999 ps", "latency is at least 1 ns, not 999 ps", 0},
        {"latency", "1.001 s", "latency is at most 1 s, not 1.001 s", 0},
        {"latency", "", "latency needs a value, such as 8 us", 0},
        {"latency", " \t ", "latency needs a value, such as 8 us", 0},
        {"file", "", "file needs a value", 0},
        {"rate", "0", "rate is at least 1 B/s, not 0", 0},
        {"rate", "12.5 MB", "'MB' is not a unit of bandwidth; did you mean 'MB/s'?", 5},
        {"flops", "1 Tflops", "'Tflops' is not a unit of compute rate; did you mean 'Tflop/s'?", 2},
        {"bytes", "1073741825 B", "bytes is at most 1 GiB, not 1073741825 B", 0},
        {"count", "0", "count is at least 1, not 0", 0},
        {"count", "65", "count is at most 64, not 65", 0},
        {"count", "1e1", "'1e1' is not a whole number", 1},
        {"scale", "-0.6", "scale is at least -0.5, not -0.6", 0},
        {"scale", "2.0001", "scale is at most 2, not 2.0001", 0},
        {"verbose", "yes", "'yes' is neither true nor false", 0},
        {"colour", "gren", "colour cannot be 'gren'; it is one of red, green, blue; did you mean 'green'?",
         0},
        {"colour", "0", "colour cannot be '0'; it is one of red, green, blue", 0},
        {"parity", "both", "parity is even or odd", 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct param *param = named(cases[i].name);
        struct settings settings, before;
        struct param_problem problem = {.text = ""};
        memset(&settings, 0x5a, sizeof settings);
        before = settings;
        if (param_parse(param, cases[i].text, (char *)&settings + param->offset, NULL, &problem))
            fail_msg("%s takes '%s'", cases[i].name, cases[i].text);
        assert_string_equal(problem.text, cases[i].message);
        assert_int_equal(problem.at, cases[i].at);
        assert_memory_equal(&settings, &before, sizeof settings);
    }
}

static void bounds_are_inclusive(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"latency", "1 ns"}, {"latency", "1000 ms"}, {"rate", "8 b/s"},
                                           {"bytes", "1 GiB"},  {"count", "64"},        {"scale", "-5e-1"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct param *param = named(cases[i][0]);
        struct settings settings;
        struct param_problem problem;
        if (!param_parse(param, cases[i][1], (char *)&settings + param->offset, NULL, &problem))
            fail_msg("%s", problem.text);
    }
}

/* A list of names that is too long for the message is cut. */
static void many_choices_are_cut(void **state)
{
    (void)state;
    const char *names[101];
    for (int i = 0; i < 100; i++)
        names[i] = "a-choice-with-a-long-name";
    names[100] = NULL;
    const struct param param = {.name = "x", .type = PARAM_CHOICE, .choices = names};
    struct param_problem problem;
    int field;
    assert_false(param_parse(&param, "b", &field, NULL, &problem));
    assert_int_equal(strlen(problem.text), sizeof problem.text - 1);
}

static void canonical_forms(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"latency", "0.5 us", "500 ns"},
        {"rate", "100 Gb/s", "12.5 GB/s"},
        {"flops", "12e9flop/s", "12 Gflop/s"},
        {"bytes", "65536 B", "64 KiB"},
        {"count", "0010", "10"},
        {"scale", "1.500", "1.5"},
        {"verbose", "true", "true"},
        {"colour", "red", "red"},
        {"file", "a  b", "a  b"},
        {"parity", "even", "even"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buffer[64];
        assert_string_equal(param_canonical(named(cases[i][0]), cases[i][1], buffer, sizeof buffer),
                            cases[i][2]);
    }
}

/* ------------------------------------------------------------- short texts */

static void add_message(void *self, enum diag_level level, const char *message)
{
    (void)level;
    strcat(self, message);
}

static enum status read_list(const char *origin, size_t at, struct settings *settings, struct arena *texts,
                             char *messages)
{
    *messages = '\0';
    memset(settings, 0, sizeof *settings);
    diag_set_sink(add_message, messages);
    enum status status = param_parse_list(&settings_params, "<workload spec>", origin, at, settings, texts);
    diag_set_sink(NULL, NULL);
    return status;
}

static void lists_are_read(void **state)
{
    (void)state;
    struct settings settings;
    struct arena texts = {0};
    char messages[4096];
    assert_int_equal(read_list("x:", 2, &settings, &texts, messages), STATUS_OK);
    assert_int_equal(settings.count, 1);
    assert_int_equal(read_list("x:count=3,bytes=8KiB,file=a=b.txt", 2, &settings, &texts, messages),
                     STATUS_OK);
    assert_int_equal(settings.count, 3);
    assert_int_equal(settings.bytes, 8192);
    assert_string_equal(settings.file, "a=b.txt");
    assert_int_equal(settings.latency_ps, 8000000);
    assert_int_equal(read_list(" count = 3 ,\tcolour = blue ", 0, &settings, &texts, messages), STATUS_OK);
    assert_int_equal(settings.colour, 2);
    assert_string_equal(messages, "");
    arena_free(&texts);
}

static void lists_report_every_error(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"x:count=three", "<workload spec>:1:9: error: 'three' is not a whole number\n"
                          " 1 | x:count=three\n"
                          "   |         ^~~~~\n"},
        {"x:cout=3,bytes=8 kib,",
         "<workload spec>:1:3: error: settings has no parameter 'cout'; did you mean 'count'?\n"
         " 1 | x:cout=3,bytes=8 kib,\n"
         "   |   ^~~~\n"
         "<workload spec>:1:18: error: 'kib' is not a unit of size; did you mean 'KiB'?\n"
         " 1 | x:cout=3,bytes=8 kib,\n"
         "   |                  ^~~\n"
         "<workload spec>:1:22: error: a parameter is missing here, such as latency=8 us\n"
         " 1 | x:cout=3,bytes=8 kib,\n"
         "   |                      ^\n"},
        {"x:count,file", "<workload spec>:1:3: error: count needs a value: count=1\n"
                         " 1 | x:count,file\n"
                         "   |   ^~~~~\n"
                         "<workload spec>:1:9: error: file needs a value: file=...\n"
                         " 1 | x:count,file\n"
                         "   |         ^~~~\n"},
        {"x:count=1, count=", "<workload spec>:1:12: error: count is given twice\n"
                              " 1 | x:count=1, count=\n"
                              "   |            ^~~~~\n"},
        {"x:count= ", "<workload spec>:1:10: error: count needs a value, such as 1\n"
                      " 1 | x:count= \n"
                      "   |          ^\n"},
        {"x:,", "<workload spec>:1:3: error: a parameter is missing here, such as latency=8 us\n"
                " 1 | x:,\n"
                "   |   ^\n"
                "<workload spec>:1:4: error: a parameter is missing here, such as latency=8 us\n"
                " 1 | x:,\n"
                "   |    ^\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct settings settings;
        struct arena texts = {0};
        char messages[4096];
        assert_int_equal(read_list(cases[i][0], 2, &settings, &texts, messages), STATUS_BAD_INPUT);
        assert_string_equal(messages, cases[i][1]);
        arena_free(&texts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(wrong_defaults_are_found),
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(bounds_are_inclusive),
        cmocka_unit_test(many_choices_are_cut),
        cmocka_unit_test(canonical_forms),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(lists_report_every_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
