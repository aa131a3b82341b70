#include <inttypes.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "cli/values.h"
#include "trace/edit/repeat.h"
#include "trace/trace.h"

enum repeat_option { REPEAT_TIMES, REPEAT_OUT };

static const struct cli_option options[] = {
    [REPEAT_TIMES] = {"--times", 'n', "N", "how many times"},
    [REPEAT_OUT] = {"--output", 'o', "OUT",
                    "what to write: a folder of text, NAME.tar.zst, or NAME.helio, which is compiled"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "trace repeat",
    .words = "TRACE --times N -o OUT",
    .doc =
        "A trace several times in a row: what stands between init and finalize. Each of its requests must\n"
        "have been waited for.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example, ten times five iterations:\n"
             "  helio trace cut cg.S.4.tar.zst --iterations 3..7 -o cg.3-7\n"
             "  helio trace repeat cg.3-7 --times 10 -o cg.50",
};

struct repeat_arguments {
    const char *path, *out;
    uint64_t times;
};

static bool take_times(struct repeat_arguments *arguments, const char *value)
{
    if (!cli_value_count("--times", value, &arguments->times))
        return false;
    if (arguments->times >= 1 && arguments->times <= REPEAT_MOST)
        return true;
    diag_error("--times: '%s' is not from 1 to %d", value, REPEAT_MOST);
    return false;
}

static bool take(void *self, int found, const char *value)
{
    struct repeat_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->path, value, "trace");
    if (found == CLI_OPTION + REPEAT_TIMES)
        return take_times(arguments, value);
    arguments->out = value;
    return true;
}

int cli_trace_repeat(int argc, char **argv)
{
    struct repeat_arguments arguments = {.path = NULL};
    struct compiled_trace *source, *result;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!arguments.path || !arguments.times || !arguments.out) {
        diag_error("helio trace repeat needs a trace, --times N and -o OUT: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    enum status status = trace_open_compiled(arguments.path, &source);
    if (status != STATUS_OK)
        return status;
    compiled_report_notes(source, NOTES_ALL);
    status = repeat_make(source, arguments.times, arguments.out, &result);
    source->program.ops->close(&source->program);
    if (status != STATUS_OK)
        return status;
    status = edit_put(result, arguments.out);
    result->program.ops->close(&result->program);
    return status;
}
