#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "trace/edit/side.h"
#include "trace/trace.h"

enum trace_merge_option { MERGE_OUT };

static const struct cli_option options[] = {
    [MERGE_OUT] = {"--output", 'o', "OUT",
                   "what to write: a folder of text, NAME.tar.zst, or NAME.helio, which is compiled"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "trace merge",
    .words = "TRACE TRACE [TRACE...] -o OUT",
    .doc =
        "Several programs side by side as one, on one network: the ranks of the first trace, then those of\n"
        "the second, and so on. What was MPI_COMM_WORLD of each becomes a communicator of its ranks.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Example:\n"
        "  helio trace merge cg.S.4.tar.zst lu.S.4.tar.zst -o both\n\n"
        "helio run -w jobs:FILE.yaml runs programs beside each other without a merged trace, with other\n"
        "placements and start times, and says how much they slow each other down.",
};

struct trace_merge_arguments {
    const char **paths, *out;
    size_t count, capacity;
};

static bool take(void *self, int found, const char *value)
{
    struct trace_merge_arguments *arguments = self;
    if (found == CLI_OPTION + MERGE_OUT) {
        arguments->out = value;
        return true;
    }
    arguments->paths =
        mem_grow(arguments->paths, &arguments->capacity, arguments->count + 1, "names of traces");
    arguments->paths[arguments->count++] = value;
    return true;
}

static enum status merge(const struct trace_merge_arguments *arguments)
{
    struct compiled_trace **sources = mem_alloc(arguments->count, sizeof *sources, "traces"), *result;
    enum status status = STATUS_OK;
    size_t opened = 0;
    for (; status == STATUS_OK && opened < arguments->count; opened += status == STATUS_OK) {
        status = trace_open_compiled(arguments->paths[opened], &sources[opened]);
        if (status == STATUS_OK)
            compiled_report_notes(sources[opened], NOTES_ALL);
    }
    if (status == STATUS_OK)
        status = side_make(sources, opened, arguments->out, &result);
    else
        while (opened--)
            sources[opened]->program.ops->close(&sources[opened]->program);
    free(sources);
    if (status != STATUS_OK)
        return status;
    status = edit_put(result, arguments->out);
    result->program.ops->close(&result->program);
    return status;
}

int cli_trace_merge(int argc, char **argv)
{
    struct trace_merge_arguments arguments = {0};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    enum status status = cli_status(found);
    if (found == CLI_END && (arguments.count < 2 || !arguments.out)) {
        diag_error("helio trace merge needs two traces or more and -o OUT: %s", command.words);
        status = STATUS_BAD_INPUT;
    } else if (found == CLI_END) {
        status = merge(&arguments);
    }
    free(arguments.paths);
    return status;
}
