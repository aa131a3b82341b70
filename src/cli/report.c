#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/text_index.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "report/page.h"
#include "sweep/results_table.h"

enum report_option { REPORT_OUTPUT };

static const struct cli_option options[] = {
    [REPORT_OUTPUT] = {"--output", 'o', "FILE.html", "the page: one file that needs no network"},
};

static const struct cli_command command = {
    .name = "report",
    .words = "RESULTS.db -o FILE.html",
    .doc = "Draws the results of a sweep as one page: which fabric is fastest, the time and the speedup by "
           "each\n"
           "parameter that was varied, and all numbers. helio run --html draws those of one run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

/* The one program, "alltoall:ranks=16"; or the workload without what the sweep varies of it; or how many
 * programs there are. To be freed. */
static char *title_of(const struct results_table *results_table)
{
    struct text_index programs = {.count = 0}, workloads = {.count = 0};
    for (size_t i = 0; i < results_table->count; i++) {
        const char *workload = results_table_value(&results_table->rows[i], "workload");
        text_index_add(&programs, results_table->rows[i].program);
        text_index_add(&workloads, workload ? workload : "");
    }
    bool is_one = workloads.count == 1 && *workloads.texts[0];
    char *title = programs.count == 1 ? mem_text(programs.texts[0])
                  : is_one            ? mem_text(workloads.texts[0])
                                      : mem_format("A sweep of %zu programs", programs.count);
    text_index_free(&programs);
    text_index_free(&workloads);
    return title;
}

static enum status write_page(const struct results_table *results_table, const char *path)
{
    char *title = title_of(results_table), *results = results_table_json(results_table);
    enum status status = report_page_save(
        path, &(struct report_content){
                  .title = title, .results = results, .meanings = "{}", .program = REPORT_OF_SWEEP});
    free(title);
    free(results);
    return status;
}

static enum status report(const char *results, const char *output)
{
    struct store *store = NULL;
    struct results_table results_table = {.count = 0};
    progress_begin("drawing the page", 0);
    enum status status = store_open(results, STORE_READ, &store);
    if (status == STATUS_OK)
        status = results_table_read(&results_table, store);
    if (status == STATUS_OK && !results_table.count) {
        diag_error("%s has no finished run; helio sweep makes runs", results);
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = write_page(&results_table, output);
    progress_end();
    if (status == STATUS_OK)
        results_note_unfinished(results_table.unfinished, results_table.count + results_table.unfinished);
    results_table_free(&results_table);
    store_close(store);
    return status;
}

struct report_arguments {
    const char *results, *output;
};

static bool take(void *self, int found, const char *value)
{
    struct report_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_results(&command, &arguments->results, value);
    arguments->output = value;
    return true;
}

int cli_report(int argc, char **argv)
{
    struct report_arguments arguments = {.results = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.results && arguments.output)
        return report(arguments.results, arguments.output);
    diag_error("helio report needs results and a page to write: %s", command.words);
    return STATUS_BAD_INPUT;
}
