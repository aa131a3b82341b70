#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sim/jobs.h"
#include "trace/output_name.h"
#include "trace/ti/write.h"
#include "workload/help.h"
#include "workload/workload.h"

enum gen_option { GEN_OUT, GEN_PLUGIN };

static const struct cli_option options[] = {
    [GEN_OUT] = {"--output", 'o', "DIR", "the folder to make, of rank-<k>.txt, k = rank + 1"},
    [GEN_PLUGIN] = CLI_PLUGIN,
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
             "helio gen help lists the workloads and their parameters, helio gen NAME:help those of one.\n"
             "helio run --workload runs the same without writing anything.",
};

struct gen_arguments {
    const char *spec, *folder;
};

static bool take(void *self, int found, const char *value)
{
    struct gen_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->spec, value, "workload");
    arguments->folder = value;
    return true;
}

static enum status generate(const char *spec, const char *folder)
{
    struct program *program;
    if (!output_name_fits(folder, 0, "a folder"))
        return STATUS_BAD_INPUT;
    enum status status = workload_open(spec, &program);
    if (status != STATUS_OK)
        return status;
    if (jobs_refuse_queue(program, "helio gen") != STATUS_OK) {
        status = STATUS_BAD_INPUT;
    } else if (program->openloop) {
        diag_error("workload %s is traffic between nodes, without calls that a trace could hold", spec);
        status = STATUS_BAD_INPUT;
    } else if (program->graph) {
        diag_error("workload %s has jobs that are graphs, which a trace of calls cannot hold; helio trace "
                   "convert --workload writes them as GOAL",
                   spec);
        status = STATUS_BAD_INPUT;
    } else {
        status = ti_write(program, folder);
        if (status == STATUS_OK && program->setting.parameter)
            diag_note("%s: a trace names no algorithm; run it with --set %s=%s", folder,
                      program->setting.parameter, program->setting.value);
    }
    program->ops->close(program);
    return status;
}

int cli_gen(int argc, char **argv)
{
    struct gen_arguments arguments = {.spec = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.spec && workload_help_is_wanted(arguments.spec))
        return workload_help_print(arguments.spec, stdout);
    if (arguments.spec && arguments.folder)
        return generate(arguments.spec, arguments.folder);
    diag_error("helio gen needs a workload and a folder: %s", command.words);
    return STATUS_BAD_INPUT;
}
