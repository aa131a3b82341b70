#include "cli/tolerance.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/values.h"
#include "output/standard.h"
#include "report/tolerance_page.h"
#include "sim/experiment.h"
#include "trace/input.h"

/* ---------------------------------------------------------------- arguments */

enum tolerance_option {
    TOLERANCE_TRACE,
    TOLERANCE_WORKLOAD,
    TOLERANCE_FABRIC,
    TOLERANCE_MACHINE,
    TOLERANCE_AS_PUBLISHED,
    TOLERANCE_SET,
    TOLERANCE_OF,
    TOLERANCE_FROM,
    TOLERANCE_TO,
    TOLERANCE_BY,
    TOLERANCE_RUNS,
    TOLERANCE_JSON,
    TOLERANCE_HTML,
    TOLERANCE_PLUGIN
};

static const struct cli_option options[] = {
    [TOLERANCE_TRACE] = {"--trace", 't', "PATH", "a trace of any form that helio run takes"},
    [TOLERANCE_WORKLOAD] = {"--workload", 'w', "NAME[:PARAMETER=VALUE,...]", "a generated program"},
    [TOLERANCE_FABRIC] = {"--fabric", 'f', "NAME", "the network, one"},
    [TOLERANCE_MACHINE] = CLI_MACHINE,
    [TOLERANCE_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [TOLERANCE_SET] = {"--set", 's', "PARAMETER=VALUE",
                       "set a parameter (helio params lists them)" CLI_REPEATS},
    [TOLERANCE_OF] = {"--of", 0, "PARAMETER[,...]",
                      "times or rates, one after another, such as hockney.latency"},
    [TOLERANCE_FROM] = {"--from", 0, "VALUE",
                        "the smallest value of the exact pieces (0; of a rate, a hundredth)"},
    [TOLERANCE_TO] = {"--to", 0, "VALUE", "the largest one (1 ms; of a rate, without end)"},
    [TOLERANCE_BY] =
        {"--by", 0, "PERCENT",
         "how much better and worse the values of the tornado are (10; with several parameters)"},
    [TOLERANCE_RUNS] = {"--runs", 0, NULL,
                        "bracket by runs, also where the longest path has an exact answer"},
    [TOLERANCE_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [TOLERANCE_HTML] = {"--html", 0, "FILE.html", "also write a page with the curve and the tornado"},
    [TOLERANCE_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "tolerance",
    .words = "[EXPERIMENT.yaml] [TRACE]",
    .doc = "How the time of a program depends on a parameter: how fast it grows now, where that changes, the "
           "values\n"
           "at which the program takes 1, 2 or 5 % longer, and the value beyond which nothing is gained.\n"
           "The parameters of fabrics without contention (hockney.latency, hockney.bandwidth, loggops.L, G, "
           "o, O)\n"
           "have exact answers, from the longest paths of the program; runs bracket all others.\n"
           "Several parameters are compared in a tornado chart: the one that matters most comes first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio tolerance cg.C.16.tar.zst --fabric hockney --as-published --of hockney.latency\n"
             "  helio tolerance cg.C.16.tar.zst --fabric packet --of packet.latency,packet.bandwidth --html "
             "t.html\n"
             "  helio tolerance x.goal --fabric loggops --of loggops.L --json",
};

struct tolerance_arguments {
    struct config *config;
    const char *file, *trace; /* NULL: not given */
    const char *of, *from, *to, *html;
    double by; /* a share; 0: not given */
    bool by_runs, json;
};

static const double DEFAULT_BY = 0.1;

/* "10" or "10%". */
static bool read_percent(const char *value, double *share)
{
    struct units_problem problem;
    size_t length = strlen(value);
    char *number = mem_text(value);
    if (length && number[length - 1] == '%')
        number[length - 1] = '\0';
    bool is_number = units_number(number, share, &problem) && *share >= 0.001 && *share <= 90;
    free(number);
    if (!is_number)
        diag_error("--by %s: a number of percent from 0.001 to 90, such as 10", value);
    *share /= 100;
    return is_number;
}

/* Words and plug-ins come first: a file may have parameters of plug-ins, and options win over the file. */
static bool take_word(void *self, int found, const char *value)
{
    struct tolerance_arguments *arguments = self;
    if (found != CLI_WORD)
        return true;
    const char **place = trace_input_is_likely(value) ? &arguments->trace : &arguments->file;
    return cli_take_word(&command, place, value, place == &arguments->trace ? "trace" : "experiment file");
}

static bool take(void *self, int found, const char *value)
{
    struct tolerance_arguments *arguments = self;
    struct config *config = arguments->config;
    static const char *const names[] = {
        [TOLERANCE_TRACE] = "trace", [TOLERANCE_WORKLOAD] = "workload", [TOLERANCE_FABRIC] = "fabric"};
    if (found == CLI_WORD)
        return true;
    switch (found - CLI_OPTION) {
    case TOLERANCE_TRACE:
    case TOLERANCE_WORKLOAD:
    case TOLERANCE_FABRIC:
        return config_assign(config, names[found - CLI_OPTION], value, options[found - CLI_OPTION].name) ==
               STATUS_OK;
    case TOLERANCE_MACHINE:
        return cli_assign_machine(config, value, "--machine") == STATUS_OK;
    case TOLERANCE_AS_PUBLISHED:
        return cli_assign_machine(config, MACHINE_AS_PUBLISHED, "--as-published") == STATUS_OK;
    case TOLERANCE_SET:
        return config_set(config, value) == STATUS_OK;
    case TOLERANCE_OF:
        arguments->of = value;
        return true;
    case TOLERANCE_FROM:
        arguments->from = value;
        return true;
    case TOLERANCE_TO:
        arguments->to = value;
        return true;
    case TOLERANCE_BY:
        return read_percent(value, &arguments->by);
    case TOLERANCE_RUNS:
        return arguments->by_runs = true;
    case TOLERANCE_HTML:
        arguments->html = value;
        return true;
    case TOLERANCE_JSON:
        arguments->json = true;
        return true;
    default:
        return true;
    }
}

/* ---------------------------------------------------------------------- run */

/* Answers for each name of --of. A name that stands twice is answered twice. */
static enum status answer_all(struct tolerance_question *question, const char *of,
                              struct tolerance_answer *answers, size_t *count)
{
    char *names = mem_text(of), *rest = names;
    enum status status = STATUS_OK;
    for (char *name; status == STATUS_OK && (name = strsep(&rest, ","));) {
        struct tolerance_answer *answer = &answers[(*count)++];
        status = tolerance_find_param(question, name, answer);
        if (status == STATUS_OK)
            status = tolerance_answer(question, answer);
    }
    free(names);
    return status;
}

static enum status show(const struct tolerance_report *report, const struct tolerance_arguments *arguments)
{
    enum { DIGITS = 15 };
    enum status status = STATUS_OK;
    if (arguments->html)
        status = tolerance_page_save(arguments->html, report->experiment->program->name,
                                     tolerance_json(report, true));
    if (status == STATUS_OK && arguments->json)
        return cli_print_json(tolerance_json(report, false), DIGITS);
    if (status == STATUS_OK) {
        tolerance_print(report);
        status = standard_flush();
    }
    return status;
}

/* Runs bracket a value wherever it is. */
static void warn_of_range(const struct tolerance_arguments *arguments, const struct tolerance_answer *answers,
                          size_t count)
{
    const bool has_range = arguments->from || arguments->to;
    char *names = mem_text("");
    for (size_t i = 0; has_range && i < count; i++)
        if (answers[i].why) {
            char *longer = mem_format("%s%s%s", names, *names ? ", " : "", answers[i].param->name);
            free(names);
            names = longer;
        }
    if (*names)
        diag_warning("--from and --to have no effect on %s: runs bracket it, without exact pieces", names);
    free(names);
}

static enum status answer_experiment(struct experiment *experiment,
                                     const struct tolerance_arguments *arguments)
{
    size_t most = 1;
    for (const char *at = arguments->of; (at = strchr(at, ',')); at++)
        most++;
    bool has_tornado = most > 1 || arguments->by > 0;
    struct tolerance_question question = {.config = arguments->config,
                                          .experiment = experiment,
                                          .from = arguments->from,
                                          .to = arguments->to,
                                          .by = !has_tornado        ? 0
                                                : arguments->by > 0 ? arguments->by
                                                                    : DEFAULT_BY,
                                          .fills = arguments->html != NULL,
                                          .by_runs = arguments->by_runs};
    struct tolerance_answer *answers = mem_alloc(most, sizeof *answers, "parameters");
    struct tolerance_report report = {
        .experiment = experiment, .by = question.by, .answers = answers, .critical = &question.critical};
    enum status status = answer_all(&question, arguments->of, answers, &report.count);
    if (status == STATUS_OK) {
        warn_of_range(arguments, answers, report.count);
        status = show(&report, arguments);
    }
    for (size_t i = 0; i < most; i++)
        tolerance_answer_free(&answers[i]);
    free(answers);
    tolerance_question_free(&question);
    return status;
}

static enum status answer(const struct tolerance_arguments *arguments)
{
    struct experiment experiment;
    if (!arguments->of) {
        diag_error("helio tolerance needs --of PARAMETER, such as --of hockney.latency");
        return STATUS_BAD_INPUT;
    }
    enum status status = experiment_init(&experiment, arguments->config);
    if (status == STATUS_OK && experiment.program->openloop) {
        diag_error("traffic between nodes has no time that could grow: tolerance needs ranks");
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && experiment.fabric_count > 1) {
        diag_error("helio tolerance takes one fabric");
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = answer_experiment(&experiment, arguments);
    experiment_free(&experiment);
    return status;
}

int cli_tolerance(int argc, char **argv)
{
    struct tolerance_arguments arguments = {.by = 0};
    int found = cli_read_all(&command, argc, argv, take_word, &arguments);
    enum status status = found == CLI_END ? given_open(arguments.file, arguments.trace, &arguments.config)
                                          : (enum status)cli_status(found);
    if (found == CLI_END && status == STATUS_OK) {
        found = cli_read_all(&command, argc, argv, take, &arguments);
        status = found == CLI_END ? answer(&arguments) : (enum status)cli_status(found);
    }
    if (arguments.config)
        config_close(arguments.config);
    return status;
}
