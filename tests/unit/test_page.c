/* The page of a report is complete, contains the data, and is safe with any text in the data. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "report/assets.h"
#include "report/compare_page.h"
#include "report/page.h"

#define HOSTILE "</script><!--<script>&\"' ü  \\\" : 1, \\"

static char folder[] = "/tmp/heliograph-page-XXXXXX";
static char *path;
static char said[2048];

static const char *const asset_names[] = {"d3.min.js", "plot.umd.min.js", "d3.LICENSE", "plot.LICENSE"};

static void collect_messages(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s", message);
}

static void write_asset(const char *name, const char *text)
{
    char *file_path = mem_format("%s/%s", folder, name);
    FILE *file = fopen(file_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(file_path);
}

static int make_folder(void **state)
{
    (void)state;
    diag_set_sink(collect_messages, NULL);
    if (!mkdtemp(folder))
        return -1;
    path = mem_format("%s/report.html", folder);
    return 0;
}

static int make_assets(void **state)
{
    (void)state;
    said[0] = '\0';
    write_asset("d3.min.js", "var d3 = '</script>', hidden = '<!-- <script>';");
    write_asset("plot.umd.min.js", "var Plot = '</SCRIPT >';");
    write_asset("d3.LICENSE", "Copyright of <d3>");
    write_asset("plot.LICENSE", "Copyright of Plot & others");
    return setenv("HELIO_ASSETS", folder, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asset_names / sizeof *asset_names; i++) {
        char *file = mem_format("%s/%s", folder, asset_names[i]);
        unlink(file);
        free(file);
    }
    unlink(path);
    free(path);
    diag_set_sink(NULL, NULL);
    return rmdir(folder); /* fails if a file was left behind */
}

/* ---------------------------------------------------------------- a result */

struct settings {
    const char *title;
};
PARAM_TABLE(settings_params, "settings", struct settings, "for the test",
            {.name = "settings.title",
             .type = PARAM_TEXT,
             .offset = offsetof(struct settings, title),
             .doc = "with " HOSTILE " in its doc"});

static const struct metric metrics[] = {{"pivot_bytes", METRIC_BYTES, 0, "smallest </script> message"}};
static const struct metric_table metric_table = {metrics, 1, sizeof(uint64_t)};

/* Writes a page of two fabrics to `where`. Returns the status. */
static enum status write_page(const char *where)
{
    const struct param_table *tables[] = {&settings_params};
    struct config *config = config_open(tables, 1);
    assert_int_equal(config_assign(config, "settings.title", HOSTILE, "--set"), STATUS_OK);
    struct rank_row rows[] = {{3 * PS_PER_S, 2 * PS_PER_S, PS_PER_S, 0, 0},
                              {2 * PS_PER_S, 2 * PS_PER_S, 0, 0, 0}};
    uint64_t pivot = 37066;
    struct result results[] = {
        {.fabric = "packet", .ranks = 2, .rows = rows, .makespan = 3 * PS_PER_S},
        {.fabric = "hybrid",
         .ranks = 2,
         .rows = rows,
         .makespan = 2 * PS_PER_S,
         .metrics = &metric_table,
         .statistics = &pivot},
    };
    results[0].sizes[4] = (struct size_class){.count = 7, .bytes = 70};
    struct manifest manifest = {.config = config,
                                .seed = 1,
                                .program = HOSTILE,
                                .inputs = {{.path = "dir/" HOSTILE, .hash = "00ff"}},
                                .input_count = 1};
    struct report_page *page = NULL;
    enum status status = report_page_open(where, &page);
    if (status == STATUS_OK)
        status = report_page_write(page, &manifest, results, 2);
    status = report_page_close(page, status);
    config_close(config);
    return status;
}

/* The text of the file. The caller frees it. */
static char *read_page(void)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t capacity = 1 << 20;
    char *text = mem_alloc(capacity, 1, "a page");
    size_t length = fread(text, 1, capacity - 1, file);
    assert_true(length > 1000 && length < capacity - 1);
    fclose(file);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strcasestr(at, word)); at += strlen(word))
        count++;
    return count;
}

/* The JSON in the script element with this id. */
static json_t *embedded(const char *text, const char *id)
{
    char *mark = mem_format("id=\"%s\">", id);
    const char *begin = strstr(text, mark);
    assert_non_null(begin);
    begin += strlen(mark);
    const char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_error_t error;
    json_t *json = json_loadb(begin, (size_t)(end - begin), 0, &error);
    assert_non_null(json);
    free(mark);
    return json;
}

/* ------------------------------------------------------------------- tests */

static void no_data_ends_an_element_of_the_page(void **state)
{
    (void)state;
    assert_int_equal(write_page(path), STATUS_OK);
    char *text = read_page();
    assert_int_equal(count_of(text, "</script"), 4); /* results, meanings, libraries, program */
    assert_int_equal(count_of(text, "<script type"), 2);
    assert_int_equal(count_of(text, "\n<script>\n"), 2);
    assert_int_equal(count_of(text, "<!--"), 0);
    assert_int_equal(count_of(text, "</style>"), 1);
    assert_int_equal(count_of(text, "{{"), 0);
    assert_non_null(strstr(text, "<title>&lt;/script&gt;&lt;!--&lt;script&gt;&amp;&quot;&#39; ü"));
    assert_non_null(strstr(text, "var d3 = '<\\/script>', hidden = '<\\!-- <script>';"));
    assert_non_null(strstr(text, "Copyright of &lt;d3&gt;"));
    assert_string_equal(text + strlen(text) - 8, "</html>\n");
    free(text);
}

static void a_page_loads_nothing_from_outside(void **state)
{
    (void)state;
    assert_int_equal(write_page(path), STATUS_OK);
    char *text = read_page();
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_int_equal(count_of(text, " src="), 0);
    assert_int_equal(count_of(text, "<link"), 0);
    assert_int_equal(count_of(text, "@import"), 0);
    assert_int_equal(count_of(text, "http:"), 0);
    assert_int_equal(count_of(text, "https:"), 0);
    free(text);
}

static void the_data_come_back(void **state)
{
    (void)state;
    assert_int_equal(write_page(path), STATUS_OK);
    char *text = read_page();
    json_t *results = embedded(text, "results"), *manifest = json_object_get(results, "manifest");
    assert_string_equal(json_string_value(json_object_get(manifest, "program")), HOSTILE);
    json_t *run = json_array_get(json_object_get(results, "runs"), 0);
    assert_string_equal(json_string_value(json_object_get(run, "fabric")), "packet");
    json_t *sizes = json_object_get(run, "message_sizes");
    assert_int_equal(json_array_size(sizes), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(sizes, 0), "from_bytes")), 8);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(sizes, 0), "count")), 7);

    json_t *meanings = embedded(text, "meanings");
    json_t *parameter = json_array_get(json_object_get(meanings, "parameters"), 0);
    assert_string_equal(json_string_value(json_object_get(parameter, "value")), HOSTILE);
    assert_string_equal(json_string_value(json_object_get(parameter, "origin")), "--set");
    json_t *metric = json_object_get(json_object_get(meanings, "metrics"), "pivot_bytes");
    assert_string_equal(json_string_value(json_object_get(metric, "unit")), "bytes");
    json_decref(results);
    json_decref(meanings);
    free(text);
}

static void the_same_results_give_the_same_page(void **state)
{
    (void)state;
    assert_int_equal(write_page(path), STATUS_OK);
    char *once = read_page();
    assert_int_equal(write_page(path), STATUS_OK);
    char *again = read_page();
    assert_string_equal(once, again);
    free(once);
    free(again);
}

static void a_comparison_has_both_results(void **state)
{
    (void)state;
    assert_int_equal(write_page(path), STATUS_OK);
    char *text = read_page();
    json_t *first = embedded(text, "results"), *second = json_deep_copy(first);
    free(text);
    json_array_remove(json_object_get(second, "runs"), 0);
    json_object_set_new(json_array_get(json_object_get(second, "runs"), 0), "fabric", json_string(HOSTILE));
    const struct compare_page_side a = {.name = HOSTILE, .result = first},
                                   b = {.name = "b.json", .result = second};
    assert_int_equal(compare_page_save(path, &a, &b, json_pack("{s:s}", "text", HOSTILE)), STATUS_OK);
    text = read_page();
    assert_int_equal(count_of(text, "</script"), 4);
    assert_int_equal(count_of(text, "<script type"), 2);
    json_t *results = embedded(text, "results"), *meanings = embedded(text, "meanings");
    const json_t *of_a = json_object_get(results, "a"), *of_b = json_object_get(results, "b");
    assert_string_equal(json_string_value(json_object_get(of_a, "name")), HOSTILE);
    assert_true(json_equal(json_object_get(of_a, "result"), first));
    assert_true(json_equal(json_object_get(of_b, "result"), second));
    const json_t *styles = json_object_get(meanings, "fabrics"); /* packet, hybrid, and the other name */
    assert_int_equal(json_array_size(styles), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(styles, 2), "fabric")), HOSTILE);
    json_decref(results);
    json_decref(meanings);
    json_decref(first);
    json_decref(second);
    free(text);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(write_page("/dev/full"), STATUS_FAILED);
    assert_non_null(strstr(said, "cannot write /dev/full: No space left on device"));
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(write_page("/nowhere/report.html"), STATUS_FAILED);
    assert_non_null(strstr(said, "cannot write /nowhere/report.html"));
}

static void missing_libraries_are_named_with_a_remedy(void **state)
{
    (void)state;
    char *plot = mem_format("%s/plot.umd.min.js", folder);
    unlink(path);
    unlink(plot);
    free(plot);
    assert_int_equal(write_page(path), STATUS_FAILED);
    assert_non_null(strstr(said, folder));
    assert_non_null(strstr(said, "tools/report-assets"));
    assert_int_equal(access(path, F_OK), -1);
    assert_null(report_assets_folder());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_data_ends_an_element_of_the_page, make_assets),
        cmocka_unit_test_setup(a_page_loads_nothing_from_outside, make_assets),
        cmocka_unit_test_setup(the_data_come_back, make_assets),
        cmocka_unit_test_setup(the_same_results_give_the_same_page, make_assets),
        cmocka_unit_test_setup(a_comparison_has_both_results, make_assets),
        cmocka_unit_test_setup(a_full_disk_is_an_error, make_assets),
        cmocka_unit_test_setup(a_folder_that_is_not_there_is_an_error, make_assets),
        cmocka_unit_test_setup(missing_libraries_are_named_with_a_remedy, make_assets),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
