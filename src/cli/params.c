#include <stdio.h>

#include "base/config.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sim/components.h"

static const struct cli_command command = {
    .name = "params",
    .words = "[FILTER]",
    .doc = "Prints every parameter whose name contains FILTER (all without one) as an experiment file:\n"
           "commented, with defaults, ready to be edited and given to helio run.",
};

int cli_params(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *filter = NULL, *word;
    for (int found; (found = cli_read(&reader, &word)) != CLI_END;) {
        if (found == CLI_HELP)
            return STATUS_OK;
        if (found == CLI_ERROR)
            return STATUS_BAD_INPUT;
        if (filter) {
            diag_error("helio params takes one filter, not also '%s'", word);
            return STATUS_BAD_INPUT;
        }
        filter = word;
    }
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    if (config_print_manual(tables, count, filter, stdout) == 0) {
        diag_error("no parameter's name contains '%s'", filter);
        return STATUS_BAD_INPUT;
    }
    return fflush(stdout) ? STATUS_FAILED : STATUS_OK;
}
