/* Experiment files and --set: what is read, where values come from, every message, and hostile files. */
#include "support/components.h"

/* "name=value origin" of every parameter that differs from its default, one per line. */
static void tell_changed(void *self, const struct param *param, const char *value, const char *origin)
{
    char *text = self;
    if (strcmp(origin, "default") != 0)
        sprintf(text + strlen(text), "%s=%s %s\n", param->name, value, origin);
}

static void expect_changed(const struct config *config, const char *expected)
{
    char text[4096] = "";
    config_each(config, text, tell_changed);
    assert_string_equal(text, expected);
}

/* ------------------------------------------------------------ what is read */

static void defaults(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    const struct run *run = config_of(config, &run_params);
    const struct link *link = config_of(config, &link_params);
    assert_null(run->trace);
    assert_string_equal(run->fabric, "ideal,hockney");
    assert_int_equal(run->seed, 1);
    assert_int_equal(link->latency_ps, 8000000);
    assert_int_equal(link->buffer_bytes, 65536);
    assert_true(link->loss == -0.5);
    expect_changed(config, "");
    config_close(config);
}

static void wrong_default_is_reported(void **state)
{
    (void)state;
    static const struct param wrong = {
        .name = "x.y", .type = PARAM_SIZE, .default_text = "64", .doc = "no unit"};
    static const struct param_table table = {"x", "wrong", &wrong, 1, sizeof(uint64_t)};
    const struct param_table *const list[] = {&table};
    struct said *said = collect_messages();
    assert_null(config_open(list, 1));
    assert_string_equal(said->text,
                        "helio: error: the default of x.y is wrong: a size needs a unit, such as '64 KiB'\n");
}

/* All ways to write the same settings: maps, whole names, lists in both styles, blocks, quotes, a byte order
 * mark. */
static void every_yaml_style_is_read(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "fabric: packet,fmu\nlink: {latency: 0.5 us, buffer: {size: 65536 B}}\n",
        "fabric: [packet, fmu]\nlink.latency: 500ns\nlink.buffer.size: 64KiB\n",
        "fabric:\n- packet\n- fmu\nlink:\n  latency: 500e3 ps\n  buffer.size: '64 KiB'\n",
        "\xef\xbb\xbf{fabric: [\"packet\", 'fmu'], 'link': {\"latency\": \"500\\x20ns\", buffer: {size: 64 "
        "KiB}}}",
        "%YAML 1.2\n---\nfabric: packet,fmu # two\n\n\nlink.latency: |\n  500 ns\nlink.buffer:\n  size: >-\n "
        "   64\n"
        "    KiB\n...\n",
        "fabric: &two [packet, fmu]\r\nlink.latency: 0.5 \xc2\xb5s\r\nlink.buffer.size: 64 KiB\r\n"};
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct config *config = config_open(tables, COUNT(tables));
        struct said *said = collect_messages();
        if (read_text(config, ways[i]) != STATUS_OK)
            fail_msg("%s", said->text);
        const struct link *link = config_of(config, &link_params);
        assert_string_equal(((const struct run *)config_of(config, &run_params))->fabric, "packet,fmu");
        assert_int_equal(link->latency_ps, 500000);
        assert_int_equal(link->buffer_bytes, 65536);
        config_close(config);
    }
}

/* A field has the bytes, and the value that results name has their text form. */
static void texts_may_be_any_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fabric, *value;
    } cases[] = {{"fabric: bytes:a%ff", "a\xff", "bytes:a%FF"},
                 {"fabric: [bytes:%61]", "a", "a"},
                 {"fabric: [a, bytes:%FF%2C, b]", "a,\xff,,b", "bytes:a,%FF,,b"},
                 {"fabric: [bytes:a%FF, bytes:%FE]", "a\xff,\xfe", "bytes:a%FF,%FE"},
                 {"fabric: ['bytes:bytes:', b]", "bytes:,b", "bytes:bytes:,b"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config *config = config_open(tables, COUNT(tables)), *copy;
        assert_int_equal(read_text(config, cases[i].text), STATUS_OK);
        copy = config_copy(config);
        assert_string_equal(((const struct run *)config_of(copy, &run_params))->fabric, cases[i].fabric);
        assert_string_equal(config_text(copy, "fabric"), cases[i].value);
        config_close(config);
        config_close(copy);
    }
    struct config *config = config_open(tables, COUNT(tables));
    assert_int_equal(config_assign(config, "trace", "a\xff", "test"), STATUS_OK);
    assert_string_equal(((const struct run *)config_of(config, &run_params))->trace, "a\xff");
    assert_string_equal(config_text(config, "trace"), "bytes:a%FF");
    config_close(config);
}

static void an_empty_experiment_file_is_valid(void **state)
{
    (void)state;
    static const char *const files[] = {"", "\n", "# nothing\n", "---\n", "---\n...\n", "{}", "~"};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct config *config = config_open(tables, COUNT(tables));
        struct said *said = collect_messages();
        enum status status = read_text(config, files[i]);
        if (i < 6)
            assert_int_equal(status, STATUS_OK);
        else
            assert_int_equal(said->errors, 1); /* a scalar is no map, whatever its text */
        expect_changed(config, "");
        config_close(config);
    }
}

/* The last setting wins. Each value knows its origin. */
static void a_change_of_a_copy_leaves_the_original(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    struct said *said = collect_messages();
    assert_int_equal(read_text(config, "trace: cg\nfabric: [packet, fmu]\nlink: {latency: 0.5 us}\n"),
                     STATUS_OK);
    struct config *copy = config_copy(config);
    assert_int_equal(config_set(copy, "link.latency=7us"), STATUS_OK);
    assert_int_equal(config_set(copy, "trace=lu"), STATUS_OK);
    expect_changed(config,
                   "trace=cg demo.yaml:1\nfabric=packet,fmu demo.yaml:2\nlink.latency=500 ns demo.yaml:3\n");
    config_close(config);
    expect_changed(copy, "trace=lu --set\nfabric=packet,fmu demo.yaml:2\nlink.latency=7 us --set\n");
    assert_string_equal(((const struct run *)config_of(copy, &run_params))->fabric, "packet,fmu");
    assert_int_equal(((const struct link *)config_of(copy, &link_params))->latency_ps, 7000000);
    config_close(copy);
    assert_int_equal(said->errors, 0);
}

static void every_value_has_its_origin(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    collect_messages();
    assert_int_equal(read_text(config, "\nlink:\n  latency: 0.5 us\n  rate: 100 Gb/s\nseed: 007\n"),
                     STATUS_OK);
    expect_changed(config,
                   "seed=7 demo.yaml:5\nlink.latency=500 ns demo.yaml:3\nlink.rate=12.5 GB/s demo.yaml:4\n");
    assert_int_equal(config_set(config, " link.latency = 3us "), STATUS_OK);
    assert_int_equal(config_set(config, "trace=a = b"), STATUS_OK);
    assert_int_equal(config_assign(config, "fabric", "fmu", "--fabric"), STATUS_OK);
    expect_changed(config, "trace=a = b --set\nfabric=fmu --fabric\nseed=7 demo.yaml:5\n"
                           "link.latency=3 us --set\nlink.rate=12.5 GB/s demo.yaml:4\n");
    assert_int_equal(read_text(config, "link.latency: 1 us"), STATUS_OK);
    expect_changed(config, "trace=a = b --set\nfabric=fmu --fabric\nseed=7 demo.yaml:5\n"
                           "link.latency=1 us demo.yaml:1\nlink.rate=12.5 GB/s demo.yaml:4\n");
    config_close(config);
}

static void refused_values_change_nothing(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    collect_messages();
    assert_int_equal(config_set(config, "link.latency=1 us"), STATUS_OK);
    assert_int_equal(config_set(config, "link.latency=2"), STATUS_BAD_INPUT);
    assert_int_equal(read_text(config, "link.latency: 2 s\nseed: [1, 2]\n"), STATUS_BAD_INPUT);
    expect_changed(config, "link.latency=1 us --set\n");
    assert_int_equal(((const struct link *)config_of(config, &link_params))->latency_ps, 1000000);
    config_close(config);
}

/* ---------------------------------------------------------------- messages */

static void messages_of_files(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        /* names */
        {"sede: 3", "demo.yaml:1:1: error: there is no parameter 'sede'; did you mean 'seed'?\n"
                    " 1 | sede: 3\n"
                    "   | ^~~~\n"},
        {"link: {latency: 1 us,\n  rat: 1 GB/s}",
         "demo.yaml:2:3: error: there is no parameter 'link.rat'; did you "
         "mean 'link.rate'?\n"
         " 2 |   rat: 1 GB/s}\n"
         "   |   ^~~\n"},
        {"lnik: {latency: 1 us}", "demo.yaml:1:1: error: there is no parameter 'lnik'; did you mean 'link'?\n"
                                  " 1 | lnik: {latency: 1 us}\n"
                                  "   | ^~~~\n"},
        {"link: 8 us", "demo.yaml:1:1: error: link is a map of parameters, such as link.latency\n"
                       " 1 | link: 8 us\n"
                       "   | ^~~~\n"},
        {"link: {x: {y: 1}}", "demo.yaml:1:8: error: there is no parameter 'link.x'\n"
                              " 1 | link: {x: {y: 1}}\n"
                              "   |        ^\n"},
        {"duplex: half", "demo.yaml:1:1: error: there is no parameter 'duplex'; did you mean 'link.duplex'?\n"
                         " 1 | duplex: half\n"
                         "   | ^~~~~~\n"},
        {"\n: 3", "demo.yaml:2:1: error: there is no parameter ''\n"
                  " 2 | : 3\n"
                  "   | ^\n"},
        {"? {a: b}\n: 3", "demo.yaml:1:3: error: a parameter's name is expected here\n"
                          " 1 | ? {a: b}\n"
                          "   |   ^\n"},
        /* twice */
        {"seed: 1\nseed: 2", "demo.yaml:2:1: error: seed is given twice\n"
                             " 2 | seed: 2\n"
                             "   | ^~~~\n"},
        {"link: {latency: 1 us}\nlink.latency: 1 us", "demo.yaml:2:1: error: link.latency is given twice\n"
                                                      " 2 | link.latency: 1 us\n"
                                                      "   | ^~~~~~~~~~~~\n"},
        {"link: {latency: 1 us}\nlink: {rate: 1 B/s}", "demo.yaml:2:1: error: the map link is given twice\n"
                                                       " 2 | link: {rate: 1 B/s}\n"
                                                       "   | ^~~~\n"},
        /* values */
        {"link:\n  latency: 8", "demo.yaml:2:12: error: a time needs a unit, such as '8 us'\n"
                                " 2 |   latency: 8\n"
                                "   |            ^\n"},
        {"link.buffer.size: 64 KB",
         "demo.yaml:1:22: error: 'KB' is ambiguous; write kB (1000 bytes) or KiB (1024 "
         "bytes)\n"
         " 1 | link.buffer.size: 64 KB\n"
         "   |                      ^~\n"},
        {"link.latency: \"8 US\"", "demo.yaml:1:18: error: 'US' is not a unit of time; did you mean 'us'?\n"
                                   " 1 | link.latency: \"8 US\"\n"
                                   "   |                  ^~\n"},
        {"link.latency: \"8 U\\x53\"",
         "demo.yaml:1:16: error: 'US' is not a unit of time; did you mean 'us'?\n"
         " 1 | link.latency: \"8 U\\x53\"\n"
         "   |                ^\n"},
        {"link: {latency: 8 \xc2\xb5x, rat: 1}",
         "demo.yaml:1:19: error: '\xc2\xb5x' is not a unit of time; did you mean '\xc2\xb5s'?\n"
         " 1 | link: {latency: 8 \xc2\xb5x, rat: 1}\n"
         "   |                   ^~\n"
         "demo.yaml:1:24: error: there is no parameter 'link.rat'; did you mean 'link.rate'?\n"
         " 1 | link: {latency: 8 \xc2\xb5x, rat: 1}\n"
         "   |                       ^~~\n"},
        {"link.rate: 0", "demo.yaml:1:12: error: link.rate is at least 1 B/s, not 0\n"
                         " 1 | link.rate: 0\n"
                         "   |            ^\n"},
        {"link.duplex: fill",
         "demo.yaml:1:14: error: link.duplex cannot be 'fill'; it is one of full, half; did you "
         "mean 'full'?\n"
         " 1 | link.duplex: fill\n"
         "   |              ^~~~\n"},
        {"verbose: yes", "demo.yaml:1:10: error: 'yes' is neither true nor false\n"
                         " 1 | verbose: yes\n"
                         "   |          ^~~\n"},
        {"seed: [1]", "demo.yaml:1:7: error: seed is a single value, such as 1\n"
                      " 1 | seed: [1]\n"
                      "   |       ^\n"},
        {"seed: {a: 1}", "demo.yaml:1:7: error: seed is a single value, such as 1\n"
                         " 1 | seed: {a: 1}\n"
                         "   |       ^\n"},
        {"fabric: [a, [b]]", "demo.yaml:1:13: error: a list of single values is expected here\n"
                             " 1 | fabric: [a, [b]]\n"
                             "   |             ^\n"},
        {"fabric: [a, bytes:%x]",
         "demo.yaml:1:19: error: behind 'bytes:' a '%' is followed by two hexadecimal "
         "digits; '%' itself is %25\n"
         " 1 | fabric: [a, bytes:%x]\n"
         "   |                   ^\n"},
        {"fabric: [a, ~]", "demo.yaml:1:13: error: an item of this list is empty\n"
                           " 1 | fabric: [a, ~]\n"
                           "   |             ^\n"},
        {"fabric: []", "demo.yaml:1:9: error: fabric needs a value, such as ideal,hockney\n"
                       " 1 | fabric: []\n"
                       "   |         ^\n"},
        {"\nseed:\ntrace: null", "demo.yaml:2:1: error: seed needs a value, such as 1\n"
                                 " 2 | seed:\n"
                                 "   | ^\n"
                                 "demo.yaml:3:8: error: trace needs a value\n"
                                 " 3 | trace: null\n"
                                 "   |        ^\n"},
        {"trace: \"a\\nb\"", "demo.yaml:1:9: error: names and values are one line of text without control "
                             "characters\n"
                             " 1 | trace: \"a\\nb\"\n"
                             "   |         ^\n"},
        {"\"seed\\0x\": 5", "demo.yaml:1:2: error: names and values are one line of text without control "
                            "characters\n"
                            " 1 | \"seed\\0x\": 5\n"
                            "   |  ^\n"},
        /* YAML that experiment files do not allow */
        {"seed: &a 3\nlink.latency: *a", "demo.yaml:2:15: error: aliases are not read; write the value "
                                         "out\n"
                                         " 2 | link.latency: *a\n"
                                         "   |               ^\n"},
        {"link: {<<: {rate: 1 B/s}}", "demo.yaml:1:8: error: merge keys are not read; write the "
                                      "parameters out\n"
                                      " 1 | link: {<<: {rate: 1 B/s}}\n"
                                      "   |        ^~\n"},
        {"seed: !!int 3\nlink: !x {rate: 1 B/s}", "demo.yaml:1:7: error: tags are not read; leave it "
                                                  "out\n"
                                                  " 1 | seed: !!int 3\n"
                                                  "   |       ^\n"
                                                  "demo.yaml:2:7: error: tags are not read; leave it "
                                                  "out\n"
                                                  " 2 | link: !x {rate: 1 B/s}\n"
                                                  "   |       ^\n"},
        {"seed: 3\n---\nsede: 4", "demo.yaml:2:1: error: a second document begins here; a file has one\n"
                                  " 2 | ---\n"
                                  "   | ^\n"},
        {"seed: 3\n...\n\nsede: 4", "demo.yaml:4:1: error: a second document begins here; a file has one\n"
                                    " 4 | sede: 4\n"
                                    "   | ^\n"},
        {"- seed",
         "demo.yaml:1:1: error: an experiment file is a map of parameters, such as 'fabric: hockney'\n"
         " 1 | - seed\n"
         "   | ^\n"},
        {"seed: 3\nlink: ]", "demo.yaml:2:7: error: flow sequence with invalid extra closing bracket\n"
                             " 2 | link: ]\n"
                             "   |       ^\n"},
        {"seed: 3\ntrace: caf\xe9", "demo.yaml:2:11: error: byte 0xe9; the file has to be UTF-8 text\n"
                                    " 2 | trace: caf?\n"
                                    "   |           ^\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config *config = config_open(tables, COUNT(tables));
        struct said *said = collect_messages();
        assert_int_equal(read_text(config, cases[i][0]), STATUS_BAD_INPUT);
        assert_string_equal(said->text, cases[i][1]);
        config_close(config);
    }
}

static void messages_of_settings(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"link.latency=8", "--set:1:14: error: a time needs a unit, such as '8 us'\n"
                           " 1 | link.latency=8\n"
                           "   |              ^\n"},
        {" link.latncy = 8 us", "--set:1:2: error: there is no parameter 'link.latncy'; did you mean "
                                "'link.latency'?\n"
                                " 1 |  link.latncy = 8 us\n"
                                "   |  ^~~~~~~~~~~\n"},
        {"link.latency", "--set:1:13: error: a value is missing; write --set PARAMETER=VALUE\n"
                         " 1 | link.latency\n"
                         "   |             ^\n"},
        {"link.latency=", "--set:1:14: error: link.latency needs a value, such as 8 us\n"
                          " 1 | link.latency=\n"
                          "   |              ^\n"},
        {"=8", "--set:1:1: error: there is no parameter ''\n"
               " 1 | =8\n"
               "   | ^\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config *config = config_open(tables, COUNT(tables));
        struct said *said = collect_messages();
        assert_int_equal(config_set(config, cases[i][0]), STATUS_BAD_INPUT);
        assert_string_equal(said->text, cases[i][1]);
        config_close(config);
    }
    struct config *config = config_open(tables, COUNT(tables));
    struct said *said = collect_messages();
    assert_int_equal(config_assign(config, "seed", "x", "--seed"), STATUS_BAD_INPUT);
    assert_string_equal(said->text, "--seed:1:1: error: 'x' is not a whole number\n 1 | x\n   | ^\n");
    config_close(config);
}

/* ---------------------------------------------------- files that mean harm */

/* A text of `head` and repeated `body`, up to `length` bytes. */
static char *repeat(const char *head, const char *body, size_t length)
{
    char *text = mem_alloc(length + strlen(head) + strlen(body) + 1, 1, "a hostile file");
    size_t used = strlen(head), step = strlen(body);
    memcpy(text, head, used + 1);
    for (; used < length; used += step)
        memcpy(text + used, body, step + 1);
    return text;
}

/* Each file is refused quickly, with a bounded number of messages. */
static void hostile_files_end_early(void **state)
{
    (void)state;
    enum { LARGE = 1000000, ERRORS_AT_MOST = 20 };
    static const char *const cases[][2] = {
        {"", "["},
        {"", "{a: "},
        {"", "- "},
        {"", "? "},
        {"link: ", "["},
        {"link: ", "{x: "},
        {"fabric: [[", "[],"},
        {"", "k: 1\n"},
        {"seed: ", "1"},
        {"", "x"},
        {"", "\"a\": &a *a\n"},
        {"fabric: [", "*a,"},
        {"fabric: [", "{},"},
        {"seed: \"", "\n"},
        {"seed: '", "a\n"},
        {"%TAG !e! tag:x:\n", "%TAG !e! tag:x:\n"},
        {"", "---\n"},
        {"", "!"},
        {"", "&a "},
        {"seed: ", "!!int "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config *config = config_open(tables, COUNT(tables));
        char *text = repeat(cases[i][0], cases[i][1], LARGE);
        struct said *said = collect_messages();
        assert_int_equal(config_read_text(config, "hostile.yaml", text, strlen(text)), STATUS_BAD_INPUT);
        assert_in_range(said->errors, 1, ERRORS_AT_MOST);
        expect_changed(config, "");
        free(text);
        config_close(config);
    }
}

static void errors_are_reported_up_to_a_limit(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    char *text = repeat("", "nonsense: 1\n", 12 * 25);
    struct said *said = collect_messages();
    assert_int_equal(read_text(config, text), STATUS_BAD_INPUT);
    assert_int_equal(said->errors, 20);
    assert_non_null(strstr(said->text, "demo.yaml:20:1: error: there is no parameter 'nonsense'\n"));
    assert_non_null(strstr(
        said->text, "helio: note: demo.yaml: these are 20 errors; the rest of the file has not been read\n"));
    free(text);
    config_close(config);
}

static void control_bytes_are_refused(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    struct said *said = collect_messages();
    assert_int_equal(config_read_text(config, "nul.yaml", "seed: 1\0\n", 9), STATUS_BAD_INPUT);
    assert_string_equal(said->text, "nul.yaml:1:8: error: byte 0x00; the file has to be UTF-8 text\n"
                                    " 1 | seed: 1 \n"
                                    "   |        ^\n");
    config_close(config);
}

static void files_that_cannot_be_read_are_errors(void **state)
{
    (void)state;
    struct config *config = config_open(tables, COUNT(tables));
    struct said *said = collect_messages();
    assert_int_equal(config_read_file(config, "does/not/exist.yaml"), STATUS_BAD_INPUT);
    assert_string_equal(said->text,
                        "helio: error: cannot read does/not/exist.yaml: No such file or directory\n");
    said = collect_messages();
    assert_int_equal(config_read_file(config, "tests"), STATUS_BAD_INPUT);
    assert_string_equal(said->text, "helio: error: cannot read tests: Is a directory\n");
    said = collect_messages();
    assert_int_equal(config_read_file(config, "/dev/zero"), STATUS_BAD_INPUT);
    assert_string_equal(said->text,
                        "helio: error: /dev/zero is larger than 1 MiB; an experiment file is not\n");
    config_close(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(defaults, stop_collecting),
        cmocka_unit_test_teardown(wrong_default_is_reported, stop_collecting),
        cmocka_unit_test_teardown(every_yaml_style_is_read, stop_collecting),
        cmocka_unit_test_teardown(texts_may_be_any_bytes, stop_collecting),
        cmocka_unit_test_teardown(an_empty_experiment_file_is_valid, stop_collecting),
        cmocka_unit_test_teardown(every_value_has_its_origin, stop_collecting),
        cmocka_unit_test_teardown(a_change_of_a_copy_leaves_the_original, stop_collecting),
        cmocka_unit_test_teardown(refused_values_change_nothing, stop_collecting),
        cmocka_unit_test_teardown(messages_of_files, stop_collecting),
        cmocka_unit_test_teardown(messages_of_settings, stop_collecting),
        cmocka_unit_test_teardown(hostile_files_end_early, stop_collecting),
        cmocka_unit_test_teardown(errors_are_reported_up_to_a_limit, stop_collecting),
        cmocka_unit_test_teardown(control_bytes_are_refused, stop_collecting),
        cmocka_unit_test_teardown(files_that_cannot_be_read_are_errors, stop_collecting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
