#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sweep/sheet.h"

enum option { OPTION_MEANS };

static const struct cli_option options[] = {
    [OPTION_MEANS] =
        {"--means", 0, NULL,
         "a line for runs that differ in their seed alone: means, with 95 % confidence intervals"},
};

static const struct cli_command command = {
    .name = "export",
    .words = "RESULTS.db",
    .doc = "Prints the results of a sweep as comma-separated values, a line per run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static enum status export(const char *path, bool means) {
    struct store *store = NULL; struct sheet sheet = {.count = 0};
    enum status status = store_open(path, STORE_READ, &store);
    if (status == STATUS_OK) status = sheet_read(&sheet, store);
    if (status == STATUS_OK) status = means ? sheet_print_means(&sheet, stdout)
                                            : sheet_print_runs(&sheet, stdout);
    sheet_free(&sheet);
    store_close(store);
    return status;
}

int cli_export(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *path = NULL, *value;
    bool means = false;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found >= CLI_OPTION) {
            means = true;
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
    return export(path, means);
}
