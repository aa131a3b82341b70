#include "report/page.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/output.h"
#include "output/quote.h"
#include "report/assets.h"
#include "report/page_files.h"

struct report_page {
    struct output output;
    struct report_assets assets;
};

struct page_writer {
    FILE *file;
    const struct report_page *page;
    const struct report_content *content;
};

enum status report_page_open(const char *path, struct report_page **page)
{
    struct report_page opened;
    enum status status = report_assets_init(&opened.assets);
    if (status != STATUS_OK)
        return status;
    status = output_open(&opened.output, path);
    if (status != STATUS_OK) {
        report_assets_free(&opened.assets);
        return status;
    }
    *page = mem_alloc(1, sizeof **page, "the report");
    **page = opened;
    return STATUS_OK;
}

enum status report_page_close(struct report_page *page, enum status run)
{
    if (!page)
        return run;
    run = output_close(&page->output, run);
    report_assets_free(&page->assets);
    free(page);
    return run;
}

/* ----------------------------------------------------------------- escaping */

/* Program text inside a script element. The element ends at the first </script, even inside a string, and
 * <!-- changes its meaning. Both occur only in strings of the program, where a backslash behind the < changes
 * nothing. */
static void put_script(FILE *file, const char *text, size_t length)
{
    const char *end = text + length;
    for (; text < end; text++) {
        size_t left = (size_t)(end - text);
        bool ends = left >= 8 && strncasecmp(text, "</script", 8) == 0;
        bool hides = left >= 4 && memcmp(text, "<!--", 4) == 0;
        fputs(ends || hides ? "<\\" : (char[]){*text, '\0'}, file);
    }
}

/* JSON inside a script element, without the blanks between its tokens. In JSON a '<' occurs only in strings.
 */
static void put_json(FILE *file, const char *text, size_t length)
{
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        bool is_escape = in_string && text[i] == '\\' && i + 1 < length;
        if (text[i] == '"')
            in_string = !in_string;
        if (text[i] == '<')
            fputs("\\u003c", file);
        else if (in_string || (text[i] != ' ' && text[i] != '\n'))
            fputc(text[i], file);
        if (is_escape)
            fputc(text[++i], file);
    }
}

/* -------------------------------------------------------------------- parts */

static enum status put_title(const struct page_writer *writer)
{
    quote_markup(writer->file, writer->content->title);
    return STATUS_OK;
}

static enum status put_results(const struct page_writer *writer)
{
    put_json(writer->file, writer->content->results, strlen(writer->content->results));
    return STATUS_OK;
}

static enum status put_meanings(const struct page_writer *writer)
{
    put_json(writer->file, writer->content->meanings, strlen(writer->content->meanings));
    return STATUS_OK;
}

static enum status put_styles(const struct page_writer *writer)
{
    fwrite(page_css, 1, page_css_length, writer->file);
    return STATUS_OK;
}

static enum status put_program(const struct page_writer *writer)
{
    put_script(writer->file, kit_js, kit_js_length);
    switch (writer->content->program) {
    case REPORT_OF_RUN:
        put_script(writer->file, ranks_js, ranks_js_length);
        put_script(writer->file, path_js, path_js_length);
        put_script(writer->file, slack_js, slack_js_length);
        put_script(writer->file, jobs_js, jobs_js_length);
        put_script(writer->file, sites_js, sites_js_length);
        put_script(writer->file, calls_js, calls_js_length);
        put_script(writer->file, bursts_js, bursts_js_length);
        put_script(writer->file, fabric_js, fabric_js_length);
        put_script(writer->file, run_js, run_js_length);
        break;
    case REPORT_OF_PAPER:
        put_script(writer->file, verdicts_js, verdicts_js_length);
        put_script(writer->file, paper_js, paper_js_length);
        break;
    case REPORT_OF_PAPERS:
        put_script(writer->file, verdicts_js, verdicts_js_length);
        put_script(writer->file, papers_js, papers_js_length);
        break;
    case REPORT_OF_SWEEP:
        put_script(writer->file, sweep_js, sweep_js_length);
        break;
    case REPORT_OF_BREAKDOWN:
        put_script(writer->file, breakdown_js, breakdown_js_length);
        break;
    case REPORT_OF_SCHEDULE:
        put_script(writer->file, schedule_js, schedule_js_length);
        break;
    case REPORT_OF_CIRCUITS:
        put_script(writer->file, circuit_rows_js, circuit_rows_js_length);
        put_script(writer->file, circuit_film_js, circuit_film_js_length);
        put_script(writer->file, circuits_js, circuits_js_length);
        break;
    case REPORT_OF_COLLECTIVE:
        put_script(writer->file, collective_js, collective_js_length);
        break;
    case REPORT_OF_TOLERANCE:
        put_script(writer->file, tolerance_js, tolerance_js_length);
        break;
    case REPORT_OF_COST:
        put_script(writer->file, cost_js, cost_js_length);
        break;
    case REPORT_OF_CALIBRATION:
        put_script(writer->file, calibrate_js, calibrate_js_length);
        break;
    case REPORT_OF_FORECAST:
        put_script(writer->file, forecast_js, forecast_js_length);
        break;
    case REPORT_OF_COMPARISON:
        put_script(writer->file, compare_js, compare_js_length);
        break;
    }
    return STATUS_OK;
}

static enum status put_libraries(const struct page_writer *writer)
{
    const struct asset_text *assets = writer->page->assets.list;
    put_script(writer->file, assets[ASSET_D3].text, assets[ASSET_D3].length);
    fputs("\n", writer->file);
    put_script(writer->file, assets[ASSET_PLOT].text, assets[ASSET_PLOT].length);
    return STATUS_OK;
}

/* Both libraries require that their licence goes with every copy. */
static enum status put_licences(const struct page_writer *writer)
{
    for (int i = ASSET_D3_LICENCE; i <= ASSET_PLOT_LICENCE; i++) {
        const struct asset_text *licence = &writer->page->assets.list[i];
        char *text = mem_format("%.*s\n", (int)licence->length, licence->text);
        quote_markup(writer->file, text);
        free(text);
    }
    return STATUS_OK;
}

/* ----------------------------------------------------------------- template */

static const struct {
    const char *name;
    enum status (*put)(const struct page_writer *writer);
} parts[] = {
    {"title", put_title},     {"styles", put_styles},     {"libraries", put_libraries},
    {"results", put_results}, {"meanings", put_meanings}, {"licences", put_licences},
    {"program", put_program},
};

/* Writes the part whose name follows `{{` in the template. */
static enum status put_part(const struct page_writer *writer, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            return parts[i].put(writer);
    diag_error("the template of reports has an unknown part '%.*s'", (int)length, name);
    return STATUS_FAILED;
}

enum status report_page_put(struct report_page *page, const struct report_content *content)
{
    const struct page_writer writer = {.file = page->output.file, .page = page, .content = content};
    const char *next = page_html, *end = page_html + page_html_length;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && next < end) {
        const char *open = memmem(next, (size_t)(end - next), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        fwrite(next, 1, (size_t)((close ? open : end) - next), page->output.file);
        if (close)
            status = put_part(&writer, open + 2, (size_t)(close - open - 2));
        next = close ? close + 2 : end;
    }
    return status;
}

void report_page_note(const char *path)
{
    diag_note("the report is %s: a page for any browser", path);
}

enum status report_page_save(const char *path, const struct report_content *content)
{
    struct report_page *page = NULL;
    enum status status = report_page_open(path, &page);
    if (status == STATUS_OK)
        status = report_page_put(page, content);
    status = report_page_close(page, status);
    if (status == STATUS_OK)
        report_page_note(path);
    return status;
}

/* The text of a JSON object with the schema and our version. Frees the object. */
static char *take_results(json_t *results, const char *schema)
{
    json_put_text(results, "schema", schema);
    json_put_text(results, "version", HELIO_VERSION);
    return json_take_line(results, JSON_EXACT);
}

enum status report_page_put_json(struct report_page *page, const char *title, enum report_program program,
                                 const char *schema, json_t *results)
{
    char *text = take_results(results, schema);
    enum status status = report_page_put(
        page,
        &(struct report_content){.title = title, .results = text, .meanings = "{}", .program = program});
    free(text);
    return status;
}

enum status report_page_save_json(const char *path, const char *title, enum report_program program,
                                  const char *schema, json_t *results)
{
    char *text = take_results(results, schema);
    enum status status = report_page_save(
        path,
        &(struct report_content){.title = title, .results = text, .meanings = "{}", .program = program});
    free(text);
    return status;
}
