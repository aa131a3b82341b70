#include <stdio.h>

#include "base/config.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "output/standard.h"
#include "sim/components.h"

static const struct cli_option options[] = {CLI_PLUGIN};

static const struct cli_command command = {
    .name = "params",
    .words = "[FILTER]",
    .doc = "Prints every parameter whose name contains FILTER (all without one) as an experiment file:\n"
           "commented, with defaults, ready to be edited and given to helio run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static bool take(void *filter, int found, const char *value)
{
    (void)found; /* there are no options */
    return cli_take_word(&command, filter, value, "filter");
}

int cli_params(int argc, char **argv)
{
    const char *filter = NULL;
    int found = cli_read_all(&command, argc, argv, take, &filter);
    if (found != CLI_END)
        return cli_status(found);
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    if (config_print_manual(tables, count, filter, stdout) == 0) {
        diag_error("no parameter's name contains '%s'", filter);
        return STATUS_BAD_INPUT;
    }
    return standard_flush();
}
