#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "trace/ti/write.h"
#include "workload/workload.h"

enum gen_option { GEN_OUT };

static const struct cli_option options[] = {
    [GEN_OUT] = {"--output", 'o', "DIR", "the folder to make, of rank-<k>.txt, k = rank + 1"},
};

static const struct cli_command command = {
    .name = "gen",
    .words = "WORKLOAD -o DIR",
    .doc = "Writes a generated workload as a trace in SimGrid's time-independent format.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio gen npb:cg:class=S,ranks=4 -o cg.S.4\n"
             "  helio gen alltoall:ranks=64,bytes=8KiB -o alltoall.64\n\n"
             "helio run --workload runs the same without writing anything.",
};

int cli_gen(int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *spec = NULL, *folder = NULL, *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found >= CLI_OPTION) {
            folder = value;
        } else if (spec) {
            diag_error("helio gen takes one workload, not also '%s'", value);
            return STATUS_BAD_INPUT;
        } else {
            spec = value;
        }
    }
    if (!spec || !folder) {
        diag_error("helio gen needs a workload and a folder: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    struct program *program;
    enum status status = workload_open(spec, &program);
    if (status != STATUS_OK)
        return status;
    if (program->openloop) {
        diag_error("workload %s is traffic between nodes, without calls that a trace could hold", spec);
        status = STATUS_BAD_INPUT;
    } else {
        status = ti_write(program, folder);
    }
    program->ops->close(program);
    return status;
}
