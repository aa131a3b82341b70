#include "cli/trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/group.h"
#include "cli/values.h"
#include "engine/params.h"
#include "graph/of_calls.h"
#include "output/quote.h"
#include "output/standard.h"
#include "sim/components.h"
#include "sim/jobs.h"
#include "sim/settle.h"
#include "sim/traffic.h"
#include "trace/chakra/write.h"
#include "trace/check/check.h"
#include "trace/goal/write.h"
#include "trace/output_name.h"
#include "trace/ti/decompile.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* ----------------------------------------------------------------- validate */

static const struct cli_option validate_options[] = {CLI_PLUGIN};

static const struct cli_command validate_command = {
    .name = "trace validate",
    .words = "PATH",
    .doc =
        "Reads every line of a trace, pairs up all sends and receives and compares the ranks' collectives.\n"
        "Of a graph (GOAL) also: nothing requires itself.\n"
        "Exit status 0: nothing is wrong; 2: errors have been reported.",
    .options = validate_options,
    .option_count = sizeof validate_options / sizeof *validate_options,
};

static bool take_validate(void *path, int found, const char *value)
{
    (void)found; /* there are no options */
    return cli_take_word(&validate_command, path, value, "trace");
}

static void print_check(const struct compiled_trace *compiled, const struct trace_check *check)
{
    quote_terminal(stdout, compiled->program.name);
    printf(": %u ranks, %llu lines\n", compiled->program.ranks, (unsigned long long)compiled->header->lines);
    printf("  lines         read; each is a known action with fields in range, init first, finalize last\n");
    printf("  requests      every wait has something to wait for\n");
    printf("  channels      %llu (source, destination, tag): ", (unsigned long long)check->channels);
    if (check->unmatched || check->truncated)
        printf("%llu do not pair up; messages larger than their receive: %llu\n",
               (unsigned long long)check->unmatched, (unsigned long long)check->truncated);
    else
        printf("as many sends as receives, no message larger than its receive\n");
    if (check->mailboxes)
        printf("  wildcards     on %llu of %u ranks: numbers of sends and receives compared, no sizes\n",
               (unsigned long long)check->mailboxes, compiled->program.ranks);
    printf("  collectives   %llu per rank", (unsigned long long)check->collectives);
    if (check->communicators)
        printf(", and those of %llu communicator%s", (unsigned long long)check->communicators,
               check->communicators == 1 ? "" : "s");
    printf(": ");
    if (check->disagreements)
        printf("ranks or communicators that differ: %llu\n", (unsigned long long)check->disagreements);
    else if (check->unequal)
        printf("sizes sent that are not those expected: %llu\n", (unsigned long long)check->unequal);
    else
        printf("the same order and roots on all %s, sizes as expected\n",
               check->communicators ? "their ranks" : "ranks");
}

static int validate(int argc, char **argv)
{
    const char *path = NULL;
    int found = cli_read_all(&validate_command, argc, argv, take_validate, &path);
    if (found != CLI_END)
        return cli_status(found);
    if (!path) {
        diag_error("helio trace validate needs a trace: %s", validate_command.words);
        return STATUS_BAD_INPUT;
    }
    struct compiled_trace *compiled;
    struct program *graph;
    enum status status = trace_open_either(path, &compiled, &graph);
    if (status != STATUS_OK)
        return status;
    if (graph)
        return cli_trace_graph_validate(graph);
    struct trace_check check;
    /* The checks report these line by line, so their summaries are left out. */
    compiled_report_notes(compiled, ~(1u << NOTE_NOT_RECEIVED | 1u << NOTE_NOT_SENT | 1u << NOTE_ORDER));
    bool right = check_trace(compiled, &check);
    print_check(compiled, &check);
    compiled->program.ops->close(&compiled->program);
    enum status written = standard_flush();
    return right ? written : STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------ convert */

enum convert_option { CONVERT_OUT, CONVERT_TO, CONVERT_SET, CONVERT_WORKLOAD };

static const struct cli_option convert_options[] = {
    [CONVERT_OUT] = {"--output", 'o', "OUT",
                     "what to write: a folder, NAME.tar.zst, a compiled file, or a file of GOAL"},
    [CONVERT_TO] = {"--to", 't', "ti|compiled|goal|goal-binary|chakra",
                    "text, the mapped form that opens at once, or the graph of the calls as GOAL or\n"
                    "as Chakra execution traces in a folder; without it: goal when OUT ends in .goal,\n"
                    "text when OUT ends in .tar.zst or PATH is compiled, else compiled"},
    [CONVERT_SET] =
        {"--set", 's', "PARAMETER=VALUE",
         "for graphs: compute.rate, compute.scale, and the algorithms of collective calls" CLI_REPEATS},
    [CONVERT_WORKLOAD] = {"--workload", 'w', "WORKLOAD",
                          "instead of a trace: a generated program, for graphs (helio run --workload help)"},
    CLI_PLUGIN,
};

static const struct cli_command convert_command = {
    .name = "trace convert",
    .words = "[PATH] -o OUT",
    .doc = "Writes a trace in another form. Text and compiled form keep every field of every line. GOAL\n"
           "has messages and times alone: collective calls become the messages of their algorithms.\n"
           "Chakra has the usual collective calls; others become messages.",
    .options = convert_options,
    .option_count = sizeof convert_options / sizeof *convert_options,
    .after = "Examples:\n"
             "  helio trace convert cg.S.4.tar.zst -o cg.S.4.helio\n"
             "  helio trace convert cg.S.4.helio -o cg.S.4 --to ti\n"
             "  helio trace convert cg.S.4.tar.zst -o cg.S.4.goal --set mpi.allreduce=ring\n"
             "  helio trace convert -w training:gpus=8 -o step --to chakra",
};

struct convert_arguments {
    const char *path, *workload, *out, *to;
    struct config *config; /* for graphs; NULL: not made yet */
};

static struct config *convert_config(struct convert_arguments *arguments)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    if (!arguments->config)
        arguments->config = config_open(tables, count);
    return arguments->config;
}

static bool take_convert(void *self, int found, const char *value)
{
    struct convert_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&convert_command, &arguments->path, value, "trace");
    if (found - CLI_OPTION == CONVERT_OUT)
        arguments->out = value;
    else if (found - CLI_OPTION == CONVERT_TO)
        arguments->to = value;
    else if (found - CLI_OPTION == CONVERT_WORKLOAD)
        arguments->workload = value;
    else
        return config_set(convert_config(arguments), value) == STATUS_OK;
    return true;
}

static enum status write_text(const char *path, const char *out)
{
    struct compiled_trace *compiled;
    enum status status = trace_open_compiled(path, &compiled);
    if (status != STATUS_OK)
        return status;
    status = decompile_write(compiled, out);
    compiled->program.ops->close(&compiled->program);
    return status;
}

enum convert_form { FORM_TI, FORM_COMPILED, FORM_GOAL, FORM_GOAL_BINARY, FORM_CHAKRA, FORMS };

static enum status write_as(const struct program *graph, const char *out, enum convert_form form)
{
    return form == FORM_CHAKRA ? chakra_write(graph, out) : goal_write(graph, out, form == FORM_GOAL_BINARY);
}

/* Whether the program is a graph that the form can have. */
static bool is_ready(const struct program *program, enum convert_form form)
{
    if (form != FORM_CHAKRA)
        return !graph_has_calls(program) && goal_has_times(program);
    return program->graph && !program->graph->has_calls_too && chakra_has_calls(program);
}

/* The graph of a program, which is its own if it has one. */
static enum status write_graph(const struct config *config, struct program *program, const char *out,
                               enum convert_form form)
{
    const struct compute_config *compute = config_of(config, &compute_params);
    struct collective_config collective;
    struct program *graph;
    const struct graph_of_calls_options options = {.patterns = traffic_options(config, &collective),
                                                   .ps_per_operation = compute_config_ps(compute),
                                                   .scale = compute->scale,
                                                   .whole_ns = form != FORM_CHAKRA,
                                                   .keeps = form == FORM_CHAKRA ? chakra_has_call : NULL};
    if (program->openloop) {
        diag_error("workload %s is traffic between nodes, without operations", program->name);
        return STATUS_BAD_INPUT;
    }
    if (is_ready(program, form) && compute->scale == 1)
        return write_as(program, out, form);
    enum status status = graph_of_calls(program, &options, &graph);
    if (status != STATUS_OK)
        return status;
    status = write_as(graph, out, form);
    graph->ops->close(graph);
    return status;
}

static enum status open_source(const struct convert_arguments *arguments, struct config *config,
                               struct program **program)
{
    if (!arguments->workload)
        return trace_open(arguments->path, program);
    enum status status = workload_open(arguments->workload, program);
    if (status != STATUS_OK)
        return status;
    status = jobs_refuse_queue(*program, "helio trace convert");
    if (status == STATUS_OK && (*program)->setting.parameter)
        status =
            config_assign(config, (*program)->setting.parameter, (*program)->setting.value, "--workload");
    if (status != STATUS_OK)
        (*program)->ops->close(*program);
    return status;
}

/* The machine chooses algorithms of collective calls, as in a run. */
static enum status convert_graph(struct convert_arguments *arguments, enum convert_form form)
{
    struct config *settled = NULL;
    struct program *program;
    enum status status = settle_config(convert_config(arguments), &settled);
    struct config *config = settled ? settled : arguments->config;
    if (status == STATUS_OK)
        status = open_source(arguments, config, &program);
    if (status == STATUS_OK) {
        status = write_graph(config, program, arguments->out, form);
        program->ops->close(program);
    }
    if (settled)
        config_close(settled);
    return status;
}

static enum convert_form form_of(const struct convert_arguments *arguments)
{
    if (cli_ends_in(arguments->out, ".goal"))
        return FORM_GOAL;
    bool is_text = cli_ends_in(arguments->out, ".tar.zst") ||
                   (arguments->path && cli_ends_in(arguments->path, ".helio"));
    return is_text ? FORM_TI : FORM_COMPILED;
}

static enum status convert_to(struct convert_arguments *arguments)
{
    static const char *const forms[FORMS] = {"ti", "compiled", "goal", "goal-binary", "chakra"};
    static const struct {
        unsigned forms;
        const char *what;
    } names[FORMS] = {[FORM_TI] = {OUTPUT_NAME_ARCHIVE, "a folder"},
                      [FORM_COMPILED] = {OUTPUT_NAME_COMPILED, "a compiled trace"},
                      [FORM_GOAL] = {OUTPUT_NAME_GOAL, "a file of GOAL"},
                      [FORM_GOAL_BINARY] = {OUTPUT_NAME_GOAL, "a file of GOAL"},
                      [FORM_CHAKRA] = {0, "a folder"}};
    enum convert_form form = 0;
    if (!arguments->to)
        form = form_of(arguments);
    while (arguments->to && form < FORMS && strcmp(arguments->to, forms[form]) != 0)
        form++;
    if (arguments->workload && form < FORM_GOAL) {
        diag_error("a workload is written as GOAL (--to goal) or Chakra (--to chakra); helio gen writes its "
                   "calls as text");
        return STATUS_BAD_INPUT;
    }
    if (form < FORMS && !output_name_fits(arguments->out, names[form].forms, names[form].what))
        return STATUS_BAD_INPUT;
    if (arguments->config && form < FORM_GOAL) {
        diag_error(
            "--set is for graphs, which have times: --to goal, goal-binary or chakra; a trace of calls gets "
            "such values when it is run");
        return STATUS_BAD_INPUT;
    }
    switch (form) {
    case FORM_TI:
        return write_text(arguments->path, arguments->out);
    case FORM_COMPILED:
        return trace_compile_to(arguments->path, arguments->out);
    case FORM_GOAL:
    case FORM_GOAL_BINARY:
    case FORM_CHAKRA:
        return convert_graph(arguments, form);
    default:
        diag_error("'%s' is not a form of a trace; ti, compiled, goal, goal-binary and chakra are%s",
                   arguments->to, diag_did_you_mean(diag_nearest_of(arguments->to, forms, FORMS)));
        return STATUS_BAD_INPUT;
    }
}

static int convert(int argc, char **argv)
{
    struct convert_arguments arguments = {0};
    int found = cli_read_all(&convert_command, argc, argv, take_convert, &arguments);
    enum status status = STATUS_BAD_INPUT;
    if (found != CLI_END)
        status = (enum status)cli_status(found);
    else if (arguments.path && arguments.workload)
        diag_error("a trace and a workload: one of them is converted");
    else if ((arguments.path || arguments.workload) && arguments.out)
        status = convert_to(&arguments);
    else if (!arguments.path && !arguments.workload)
        diag_error("helio trace convert needs a trace: %s", convert_command.words);
    else
        diag_error("helio trace convert needs -o OUT: where to write");
    if (arguments.config)
        config_close(arguments.config);
    return status;
}

/* -------------------------------------------------------------- subcommands */

static const struct cli_subcommand commands[] = {
    {"info", cli_trace_info, "what a trace consists of: calls, messages, sizes", NULL},
    {"validate", validate, "check every line, all sends and receives, all collectives", NULL},
    {"convert", convert, "to text, an archive, the compiled form, GOAL or Chakra", NULL},
    {"cut", cli_trace_cut, "a part: iterations, or from one collective to another", NULL},
    {"filter", cli_trace_filter, "some ranks, one communicator, or some kinds of calls", NULL},
    {"merge", cli_trace_merge, "several programs side by side", NULL},
    {"repeat", cli_trace_repeat, "a program several times in a row", NULL},
    {"extrapolate", cli_trace_extrapolate, "from several numbers of ranks to another", NULL},
};

const struct cli_group cli_trace_group = {
    .title = "helio trace",
    .doc = "Looks at, checks, converts, edits and scales traces. A trace is a folder of rank-<k>.txt in\n"
           "SimGrid's time-independent format, an index file that names one such file per rank, an archive\n"
           "of the folder (.tar.zst, .tar.gz, .tar.xz, .tar), a compiled trace, or a file of GOAL.",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

int cli_trace(int argc, char **argv)
{
    return cli_group_run(&cli_trace_group, argc, argv);
}
