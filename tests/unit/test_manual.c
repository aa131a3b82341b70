/* The manual of parameters is an experiment file. This tests its text, and that reading it changes
 * nothing. */
#include "support/components.h"

#include "sim/components.h"

static char *manual(const struct param_table *const *list, size_t count, const char *filter, size_t *printed)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    *printed = config_print_manual(list, count, filter, NULL, out);
    fclose(out);
    return text;
}

static void the_manual_shows_all_parameters(void **state)
{
    (void)state;
    size_t printed;
    char *text = manual(tables, COUNT(tables), NULL, &printed);
    assert_int_equal(printed, 9);
    assert_string_equal(
        text, "# ---- run: what runs\n\n"
              "# a trace\n#trace:\n\n"
              "# one or several\nfabric: ideal,hockney\n\n"
              "# of all\nseed: 1\n\n"
              "# say more\nverbose: false\n\n"
              "# ---- link: one link: latency + size / rate\n\n"
              "# of a message of no bytes\n# at most 1 s\nlink.latency: 8 us\n\n"
              "# of one message\n# at least 1 B/s\nlink.rate: 12.5 GB/s\n\n"
              "# what it stores, in a sentence that is long enough to be continued on a second line, "
              "as wide as lines of the\n# manual are\n"
              "# from 1 B to 1 GiB\nlink.buffer.size: 64 KiB\n\n"
              "# full or half\n# one of: full, half\nlink.duplex: full\n\n"
              "# a number\nlink.loss: -0.5\n\n");
    free(text);
    text = manual(tables, COUNT(tables), "buffer", &printed);
    assert_int_equal(printed, 1);
    assert_int_equal(strncmp(text, "# ---- link: ", 13), 0);
    free(text);
    text = manual(tables, COUNT(tables), "nothing", &printed);
    assert_int_equal(printed, 0);
    assert_string_equal(text, "");
    free(text);
}

/* The values of one configuration in the order of the tables, to compare with another configuration. */
struct values {
    struct {
        char *value;
        bool from_file;
    } list[512];
    size_t count;
};

static void keep(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)param;
    struct values *values = self;
    assert_true(values->count < COUNT(values->list));
    values->list[values->count].value = mem_text(value ? value : "(none)");
    values->list[values->count++].from_file = strcmp(origin, "default") != 0;
}

/* Reading the manual sets every parameter that has a default to this default. */
static void expect_round_trip(const struct param_table *const *list, size_t count)
{
    size_t printed;
    struct values before = {.count = 0}, after = {.count = 0};
    struct config *config = config_open(list, count);
    char *text = manual(list, count, NULL, &printed);
    config_each(config, &before, keep);
    struct said *said = collect_messages();
    if (read_text(config, text) != STATUS_OK)
        fail_msg("%s", said->text);
    config_each(config, &after, keep);
    assert_int_equal(before.count, printed);
    assert_int_equal(after.count, printed);
    for (size_t i = 0; i < printed; i++) {
        assert_string_equal(after.list[i].value, before.list[i].value);
        assert_int_equal(after.list[i].from_file, strcmp(before.list[i].value, "(none)") != 0);
        free(before.list[i].value);
        free(after.list[i].value);
    }
    free(text);
    config_close(config);
}

static void manual_reads_back(void **state)
{
    (void)state;
    expect_round_trip(tables, COUNT(tables));
    size_t count;
    const struct param_table *const *components = components_params(&count);
    expect_round_trip(components, count);
}

/* Defaults that YAML would read as another type are in quotes. */
static void manual_quotes_what_needs_it(void **state)
{
    (void)state;
    static const char *const texts[] = {"null",      "~",       "a: b", "a #b",  "#a",  "[a]",  "{a",
                                        "*a",        "&a",      "!a",   "|",     ">",   "it's", "'a'",
                                        "\"a\"",     "%a",      "@a",   "`a",    "- a", "? a",  ": a",
                                        "a:",        "-",       "a,b",  "-5 us", "--a", "a b",  "a\\tb",
                                        "---",       "...",     ",a",   "a\tb",  " a ", "]",    "}",
                                        "x:y",       "a#b",     "0x1F", "true",  "1e3", "<<",   "=",
                                        "\xc2\xb5s", "\"\\\t\""};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const struct param param = {
            .name = "t.x", .type = PARAM_TEXT, .default_text = texts[i], .doc = "a text"};
        const struct param_table table = {"t", "one text", &param, 1, sizeof(const char *)};
        const struct param_table *const list[] = {&table};
        expect_round_trip(list, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_manual_shows_all_parameters, stop_collecting),
        cmocka_unit_test_teardown(manual_reads_back, stop_collecting),
        cmocka_unit_test_teardown(manual_quotes_what_needs_it, stop_collecting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
