#include <stdio.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "extrapolate/extrapolate.h"
#include "graph/replicas.h"
#include "output/standard.h"
#include "trace/chakra/write.h"
#include "trace/image/format.h"
#include "trace/output_name.h"
#include "trace/ti/write.h"
#include "trace/trace.h"

enum extrapolate_option { EXTRAPOLATE_RANKS, EXTRAPOLATE_OUT, EXTRAPOLATE_APART };

static const struct cli_option options[] = {
    [EXTRAPOLATE_RANKS] = {"--ranks", 'n', "N", "the number of ranks wanted"},
    [EXTRAPOLATE_OUT] = {"--output", 'o', "DIR",
                         "the folder to make, of rank-<k>.txt, or of Chakra traces where TRACE is a graph;\n"
                         "without, only what was found is printed"},
    [EXTRAPOLATE_APART] = {"--apart", 0, "D",
                           "of one graph: the distance of ranks that are replicas of each other"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "trace extrapolate",
    .words = "TRACE [TRACE...] --ranks N [-o DIR]",
    .doc =
        "From traces of one program on several numbers of ranks to its trace on another number.\n"
        "Communication is extrapolated exactly or refused with the reason. If the other traces suffice, the\n"
        "largest is first predicted from them, call by call. Computation is a fit for each place in\n"
        "the program, and its largest error on the trace held back is printed. Prints the loops, partners\n"
        "and sizes that it found.\n"
        "Several traces of the same number of ranks must make the same calls; of their computation it takes\n"
        "the median.\n"
        "One trace is sufficient if it is a graph of Chakra whose ranks are replicas of each other, as in\n"
        "data-parallel training: it gets more of them, or is refused with the reason.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio gen npb:cg:class=S,ranks=4 -o cg.S.4\n"
             "  helio gen npb:cg:class=S,ranks=16 -o cg.S.16\n"
             "  helio trace extrapolate cg.S.4 cg.S.16 --ranks 64 -o cg.S.64\n"
             "\n"
             "A step of training on 8 GPUs, of which each has a replica 4 further on, on 64:\n"
             "  helio trace convert -w training:gpus=8,tensor=4 -o step8 --to chakra\n"
             "  helio trace extrapolate step8 --ranks 64 --apart 4 -o step64",
};

struct extrapolate_arguments {
    const char **paths;
    size_t count, capacity;
    const char *out;
    uint32_t ranks, apart;
};

static bool take_number(uint32_t *number, const char *option, const char *value)
{
    struct units_problem problem;
    uint64_t ranks;
    if (!units_count(value, &ranks, &problem) || ranks < 1 || ranks > TRACE_MOST_RANKS) {
        diag_error("%s: '%s' is not a number of ranks; 1 to %d is expected", option, value, TRACE_MOST_RANKS);
        return false;
    }
    *number = (uint32_t)ranks;
    return true;
}

static bool take(void *self, int found, const char *value)
{
    struct extrapolate_arguments *arguments = self;
    if (found == CLI_OPTION + EXTRAPOLATE_RANKS)
        return take_number(&arguments->ranks, "--ranks", value);
    if (found == CLI_OPTION + EXTRAPOLATE_APART)
        return take_number(&arguments->apart, "--apart", value);
    if (found == CLI_OPTION + EXTRAPOLATE_OUT) {
        arguments->out = value;
        return true;
    }
    arguments->paths =
        mem_grow(arguments->paths, &arguments->capacity, arguments->count + 1, "names of traces");
    arguments->paths[arguments->count++] = value;
    return true;
}

static int read_arguments(struct extrapolate_arguments *arguments, int argc, char **argv)
{
    int found = cli_read_all(&command, argc, argv, take, arguments);
    if (found != CLI_END)
        return found;
    if (!arguments->count || !arguments->ranks)
        diag_error("helio trace extrapolate needs traces and --ranks N: %s", command.words);
    else if (arguments->out && !output_name_fits(arguments->out, 0, "a folder"))
        return CLI_ERROR;
    else if (arguments->apart && arguments->count > 1)
        diag_error("--apart is for one trace, which is a graph");
    else
        return found;
    return CLI_ERROR;
}

static enum status write_result(const struct extrapolate_arguments *arguments,
                                struct extrapolation *extrapolation)
{
    extrapolation_print(extrapolation, stdout);
    enum status status = standard_flush();
    return status == STATUS_OK && arguments->out
               ? ti_write(extrapolation_program(extrapolation), arguments->out)
               : status;
}

/* Graphs are refused. */
static enum status open_calls(const char *path, struct program **program)
{
    struct compiled_trace *compiled;
    enum status status = trace_open_compiled(path, &compiled);
    if (status != STATUS_OK)
        return status;
    compiled_report_notes(compiled, NOTES_ALL);
    *program = &compiled->program;
    return STATUS_OK;
}

static enum status run(const struct extrapolate_arguments *arguments, struct program **programs,
                       size_t *opened)
{
    struct extrapolation *extrapolation;
    for (; *opened < arguments->count; (*opened)++) {
        enum status status = open_calls(arguments->paths[*opened], &programs[*opened]);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = extrapolation_open(programs, arguments->count, arguments->ranks, &extrapolation);
    if (status != STATUS_OK)
        return status;
    status = write_result(arguments, extrapolation);
    extrapolation_close(extrapolation);
    return status;
}

/* ----------------------------------------------------------------- replicas */

static void print_replicas(const struct program *source, const struct replicas *found, uint32_t ranks)
{
    printf("%s: %u ranks, %u times: %u\n", source->name, source->ranks, found->copies, ranks);
    if (found->groups)
        printf("  %u group%s of %u replicas, %u apart, get %u\n", found->groups,
               found->groups == 1 ? "" : "s", found->size, found->apart, found->size * found->copies);
    if (found->has_calls_of_all)
        printf("  collective calls of all ranks stay calls of all ranks\n");
    if (found->others)
        printf("  %u other group%s copied\n", found->others, found->others == 1 ? " is" : "s are");
}

static enum status add_replicas(const struct extrapolate_arguments *arguments, const struct program *source)
{
    struct program *program;
    struct replicas found;
    if (!source->graph) {
        diag_error("%s is a trace of calls: that takes traces on two numbers of ranks or more",
                   arguments->paths[0]);
        return STATUS_BAD_INPUT;
    }
    enum status status = replicas_add(source, arguments->ranks, arguments->apart, &found, &program);
    if (status != STATUS_OK)
        return status;
    print_replicas(source, &found, program->ranks);
    status = standard_flush();
    if (status == STATUS_OK && arguments->out)
        status = chakra_write(program, arguments->out);
    program->ops->close(program);
    return status;
}

static enum status run_one(const struct extrapolate_arguments *arguments)
{
    struct program *source;
    enum status status = trace_open(arguments->paths[0], &source);
    if (status != STATUS_OK)
        return status;
    status = add_replicas(arguments, source);
    source->ops->close(source);
    return status;
}

int cli_trace_extrapolate(int argc, char **argv)
{
    struct extrapolate_arguments arguments = {0};
    size_t opened = 0;
    int found = read_arguments(&arguments, argc, argv);
    enum status status = cli_status(found);
    if (found == CLI_END && arguments.count == 1) {
        status = run_one(&arguments);
    } else if (found == CLI_END) {
        struct program **programs = mem_alloc(arguments.count, sizeof *programs, "traces");
        status = run(&arguments, programs, &opened);
        for (size_t i = 0; i < opened; i++)
            programs[i]->ops->close(programs[i]);
        free(programs);
    }
    free(arguments.paths);
    return status;
}
