#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sweep/results_table.h"

enum option { OPTION_MEANS, OPTION_JSON };

static const struct cli_option options[] = {
    [OPTION_MEANS] =
        {"--means", 0, NULL,
         "a line for runs that differ in their seed alone: means, with 95 % confidence intervals"},
    [OPTION_JSON] = {"--json", 0, NULL,
                     "an object per line: id, all parameters, and the run as of helio run --json"},
};

static const struct cli_command command = {
    .name = "export",
    .words = "RESULTS.db",
    .doc = "Prints the results of a sweep as comma-separated values, a line per run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

/* Both texts are JSON already. */
static enum status print_object(void *self, const struct store_run *run)
{
    (void)self;
    if (run->done)
        printf("{\"id\":%" PRId64 ",\"parameters\":%s,\"run\":%s}\n", run->id, run->parameters, run->run);
    return STATUS_OK;
}

static enum status print_objects(struct store *store)
{
    enum status status = store_each(store, NULL, print_object);
    if (status != STATUS_OK || (fflush(stdout) == 0 && !ferror(stdout)))
        return status;
    diag_error("cannot write the results: %s", strerror(errno));
    return STATUS_FAILED;
}

static enum status print_results_table(struct store *store, bool means)
{
    struct results_table results_table;
    enum status status = results_table_read(&results_table, store);
    if (status == STATUS_OK)
        status = means ? results_table_print_means(&results_table, stdout)
                       : results_table_print_runs(&results_table, stdout);
    results_table_free(&results_table);
    return status;
}

static enum status export(const char *path, bool means, bool json) {
    struct store *store = NULL; if (means && json){
        diag_error("--json prints runs, and --means what they have in common; one of them, please");
        return STATUS_BAD_INPUT;}
enum status status = store_open(path, STORE_READ, &store);
if (status == STATUS_OK)
    status = json ? print_objects(store) : print_results_table(store, means);
store_close(store);
return status;
}

int cli_export(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *path = NULL, *value;
    bool means = false, json = false;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found >= CLI_OPTION) {
            means |= found == CLI_OPTION + OPTION_MEANS;
            json |= found == CLI_OPTION + OPTION_JSON;
        } else if (path) {
            diag_error(
                "helio export takes one file of results, not also '%s'; helio merge puts several together",
                value);
            return STATUS_BAD_INPUT;
        } else {
            path = value;
        }
    }
    if (!path) {
        diag_error("helio export needs a file of results: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    return export(path, means, json);
}
