#include "tolerance/tolerance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/print.h"
#include "engine/params.h"
#include "fabric/list.h"
#include "fabric/loggops.h"
#include "graph/of_calls.h"
#include "output/json.h"
#include "output/quote.h"
#include "output/standard.h"
#include "plugin/plugin.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/traffic.h"
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
    TOLERANCE_JSON,
    TOLERANCE_PLUGIN
};

static const struct cli_option options[] = {
    [TOLERANCE_TRACE] = {"--trace", 't', "PATH", "a trace of any form that helio run takes"},
    [TOLERANCE_WORKLOAD] = {"--workload", 'w', "NAME[:PARAMETER=VALUE,...]", "a generated program"},
    [TOLERANCE_FABRIC] = {"--fabric", 'f', "NAME", "the network, one"},
    [TOLERANCE_MACHINE] = CLI_MACHINE,
    [TOLERANCE_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [TOLERANCE_SET] = {"--set", 's', "PARAMETER=VALUE",
                       "set a parameter (helio params lists them); may be repeated"},
    [TOLERANCE_OF] = {"--of", 0, "PARAMETER[,...]",
                      "times or rates, one after another, such as hockney.latency"},
    [TOLERANCE_FROM] = {"--from", 0, "TIME", "the smallest latency of the pieces (0)"},
    [TOLERANCE_TO] = {"--to", 0, "TIME", "the largest one (1 ms)"},
    [TOLERANCE_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [TOLERANCE_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "tolerance",
    .words = "[EXPERIMENT.yaml] [TRACE]",
    .doc =
        "How the time of a program depends on a parameter: how fast it grows now, where that changes, and "
        "how\n"
        "much of the parameter the program bears until it takes 1, 2 or 5 % longer.\n"
        "Latencies of fabrics without contention (hockney.latency, loggops.L) have exact answers, from the\n"
        "longest paths of the program; all others are bracketed by runs.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio tolerance cg.C.16.tar.zst --fabric hockney --as-published --of hockney.latency\n"
             "  helio tolerance x.goal --fabric loggops --of loggops.L --json",
};

struct tolerance_arguments {
    struct config *config;
    const char *file, *trace; /* NULL: not given */
    const char *of;
    ps_t from, to;
    bool json;
    enum status status;
};

static bool read_time(const char *option, const char *value, ps_t *time)
{
    struct units_problem problem;
    if (units_time(value, time, &problem))
        return true;
    diag_error("%s %s: %s", option, value, problem.text);
    return false;
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
    static const char *const names[] = {[TOLERANCE_TRACE] = "trace",
                                        [TOLERANCE_WORKLOAD] = "workload",
                                        [TOLERANCE_FABRIC] = "fabric",
                                        [TOLERANCE_MACHINE] = "machine"};
    if (found == CLI_WORD)
        return true;
    switch (found - CLI_OPTION) {
    case TOLERANCE_TRACE:
    case TOLERANCE_WORKLOAD:
    case TOLERANCE_FABRIC:
    case TOLERANCE_MACHINE:
        return config_assign(config, names[found - CLI_OPTION], value, options[found - CLI_OPTION].name) ==
               STATUS_OK;
    case TOLERANCE_AS_PUBLISHED:
        return config_assign(config, "machine", MACHINE_AS_PUBLISHED, "--as-published") == STATUS_OK;
    case TOLERANCE_SET:
        return config_set(config, value) == STATUS_OK;
    case TOLERANCE_OF:
        arguments->of = value;
        return true;
    case TOLERANCE_FROM:
        return read_time("--from", value, &arguments->from);
    case TOLERANCE_TO:
        return read_time("--to", value, &arguments->to);
    case TOLERANCE_JSON:
        arguments->json = true;
        return true;
    default:
        return true;
    }
}

/* ---------------------------------------------------------------- an answer */

static const unsigned percents[] = {1, 2, 5};
enum { PERCENTS = 3 };

/* What is known of one parameter. Latencies are in s, rates in bytes a second. */
struct answer {
    const struct param *param;
    double base, makespan_s, slope;
    bool is_exact;
    const char *why;            /* it is not */
    struct tolerance tolerance; /* exact */
    struct tolerance_at limits[PERCENTS];
    double limit[PERCENTS];
    bool has_limit[PERCENTS];
    size_t runs;
};

static double seconds_of(struct tolerance_at at)
{
    return (double)at.numerator / (double)at.denominator / (double)PS_PER_S;
}

/* -------------------------------------------------------------------- exact */

/* NULL: the paths of the program give an exact answer. */
static const char *why_not_exact(const struct experiment *experiment, const char *of)
{
    const struct config *config = experiment->config;
    const struct machine_config *machine = config_of(config, &machine_params);
    const struct protocol_config *protocol = config_of(config, &protocol_params);
    bool is_hockney = strcmp(of, "hockney.latency") == 0, is_loggops = strcmp(of, "loggops.L") == 0;
    if (!is_hockney && !is_loggops)
        return "only hockney.latency and loggops.L have exact answers";
    if (strncmp(of, experiment->fabrics[0]->name, strlen(experiment->fabrics[0]->name)) != 0)
        return "it is no parameter of this fabric";
    if (is_loggops)
        return NULL;
    if (experiment->has_host || machine->send_ps || machine->receive_ps || machine->nic_latency_ps)
        return "hosts and NICs take time for messages, one after another (--as-published has none)";
    if (protocol->handshakes || protocol->eager_done != EAGER_DONE_POST)
        return "rendezvous.handshakes is not 0, or mpi.eager_done is not post";
    return NULL;
}

static struct tolerance_costs costs_of(const struct config *config, bool is_loggops)
{
    const struct loggops_config *loggops = config_of(config, &loggops_params);
    const struct protocol_config *protocol = config_of(config, &protocol_params);
    const struct compute_config *compute = config_of(config, &compute_params);
    const struct node_config *node = config_of(config, &node_params);
    const uint64_t *rate = config_field(config, "hockney.bandwidth");
    struct tolerance_costs costs = {.is_loggops = is_loggops, .ps_per_operation = compute_config_ps(compute)};
    if (is_loggops) {
        costs.overhead = loggops->o;
        costs.G_numerator = loggops->G.numerator;
        costs.G_denominator = loggops->G.denominator;
        costs.O_numerator = loggops->O.numerator;
        costs.O_denominator = loggops->O.denominator;
        costs.eager_bytes = loggops->S;
        costs.ranks_per_node = 1;
        return costs;
    }
    costs.G_numerator = (uint64_t)PS_PER_S;
    costs.G_denominator = *rate;
    costs.eager_bytes = protocol->eager_threshold_bytes;
    costs.ranks_per_node = node_config_ranks(node);
    costs.node_latency = node->latency_ps;
    costs.node_rate_bytes_per_s = node->bandwidth_bytes_per_s;
    return costs;
}

static void find_exact(struct program_paths *paths, const struct tolerance_arguments *arguments, ps_t base,
                       struct answer *answer)
{
    const struct tolerance_at at = {base, 1};
    tolerance_find(paths, arguments->from, arguments->to, &answer->tolerance);
    struct tolerance_line now = program_paths_longest(paths, at, false);
    answer->makespan_s = tolerance_time(now, at) / (double)PS_PER_S;
    answer->slope = (double)now.k;
    for (size_t i = 0; i < PERCENTS; i++) {
        answer->has_limit[i] =
            tolerance_limit(paths, &answer->tolerance, at, arguments->to, percents[i], &answer->limits[i]);
        answer->limit[i] = seconds_of(answer->limits[i]);
    }
}

static enum status answer_exactly(const struct experiment *experiment,
                                  const struct tolerance_arguments *arguments, struct answer *answer)
{
    struct program *program = experiment->program, *graph = program;
    struct collective_config collective;
    bool is_loggops = strcmp(experiment->fabrics[0]->name, loggops_fabric.name) == 0;
    const struct tolerance_costs costs = costs_of(experiment->config, is_loggops);
    const struct graph_of_calls_options of_calls = {.patterns =
                                                        traffic_options(experiment->config, &collective),
                                                    .ps_per_operation = costs.ps_per_operation};
    enum status status = graph_has_calls(program) ? graph_of_calls(program, &of_calls, &graph) : STATUS_OK;
    struct program_paths *paths = NULL;
    if (status != STATUS_OK)
        return status;
    status = program_paths_open(graph, &costs, &paths);
    if (status == STATUS_OK) {
        find_exact(paths, arguments, *(const ps_t *)config_field(experiment->config, answer->param->name),
                   answer);
        program_paths_close(paths);
    }
    if (graph != program)
        graph->ops->close(graph);
    return status;
}

/* ------------------------------------------------------------------ bracket */

/* The program's time with another value. */
static enum status run_with(const struct config *config, const struct param *param, double value,
                            double *seconds)
{
    struct config *copy = config_copy(config);
    struct experiment experiment;
    struct result result;
    char text[64];
    const struct experiment_watch watch = {.progress = NULL};
    if (param->type == PARAM_TIME)
        units_print_time((ps_t)(value * (double)PS_PER_S + 0.5), text, sizeof text);
    else
        units_print_rate((uint64_t)(value + 0.5), text, sizeof text);
    enum status status = copy ? config_assign(copy, param->name, text, "--of") : STATUS_FAILED;
    if (status == STATUS_OK) {
        status = experiment_init(&experiment, copy);
        if (status == STATUS_OK) {
            status = experiment_run(&experiment, 0, &watch, &result);
            *seconds = (double)result.makespan / (double)PS_PER_S;
            result_free(&result);
        }
        experiment_free(&experiment);
    }
    if (copy)
        config_close(copy);
    return status;
}

/* A value that is `times` as slow: a longer time, or a lower rate. */
static double slower(const struct answer *answer, double times)
{
    return answer->param->type == PARAM_TIME ? answer->base * times : answer->base / times;
}

/* The time may jump; the answer is the last value found that is within the limit, next to one that is not. */
static enum status bracket(const struct config *config, struct answer *answer, size_t which)
{
    enum { DOUBLINGS = 24, HALVINGS = 16 };
    double allowed = answer->makespan_s * (1 + percents[which] / 100.0), good = 1, bad = 0, seconds = 0;
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && bad == 0 && i < DOUBLINGS; i++) {
        status = run_with(config, answer->param, slower(answer, good * 2), &seconds);
        answer->runs++;
        if (seconds > allowed)
            bad = good * 2;
        else
            good *= 2;
    }
    answer->has_limit[which] = bad != 0;
    for (int i = 0; status == STATUS_OK && bad != 0 && i < HALVINGS; i++) {
        double middle = (good + bad) / 2;
        status = run_with(config, answer->param, slower(answer, middle), &seconds);
        answer->runs++;
        if (seconds > allowed)
            bad = middle;
        else
            good = middle;
    }
    answer->limit[which] = slower(answer, good);
    return status;
}

static enum status answer_by_runs(const struct config *config, struct answer *answer)
{
    const double step = 1.01;
    double beyond;
    if (answer->base == 0) {
        diag_error("%s is 0 here, from which no bracket grows; set it to a small value", answer->param->name);
        return STATUS_BAD_INPUT;
    }
    enum status status = run_with(config, answer->param, answer->base, &answer->makespan_s);
    if (status == STATUS_OK)
        status = run_with(config, answer->param, slower(answer, step), &beyond);
    answer->runs = 2;
    if (status != STATUS_OK)
        return status;
    double change = answer->param->type == PARAM_TIME ? answer->base * (step - 1)
                                                      : (step - 1) / answer->base; /* seconds of each byte */
    answer->slope = (beyond - answer->makespan_s) / change;
    for (size_t i = 0; status == STATUS_OK && i < PERCENTS; i++)
        status = bracket(config, answer, i);
    return status;
}

/* -------------------------------------------------------------------- print */

/* "30519/2 ns": exactly. */
static const char *exact_text(struct tolerance_at at, char *buffer, size_t size)
{
    __int128 denominator = (__int128)at.denominator * PS_PER_NS;
    int64_t numerator = at.numerator, a = numerator, b = (int64_t)(denominator > INT64_MAX ? 1 : denominator);
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (denominator > INT64_MAX || a == 0)
        snprintf(buffer, size, "%" PRId64 "/%" PRId64 " ps", numerator, at.denominator);
    else if (denominator / a == 1)
        snprintf(buffer, size, "%" PRId64 " ns", numerator / a);
    else
        snprintf(buffer, size, "%" PRId64 "/%" PRId64 " ns", numerator / a, (int64_t)(denominator / a));
    return buffer;
}

static json_t *answer_json(const struct answer *answer)
{
    json_t *object = json_make_object(), *points = json_make_list(), *limits = json_make_object();
    json_t *exactly = json_make_object();
    char text[80];
    json_put_value(object, "of", answer->param->name);
    json_put_number(object, "base", answer->base);
    json_put_number(object, "makespan_s", answer->makespan_s);
    json_put_number(object, "slope", answer->slope);
    for (size_t i = 1; i < answer->tolerance.count; i++) {
        const struct tolerance_piece *piece = &answer->tolerance.pieces[i];
        json_t *point = json_make_object();
        json_put_number(point, "at", seconds_of(piece->from));
        json_put_value(point, "at_exact", exact_text(piece->from, text, sizeof text));
        json_put_number(point, "slope", (double)piece->line.k);
        json_add(points, point);
    }
    json_put(object, "breakpoints", points);
    for (size_t i = 0; i < PERCENTS; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u%%", percents[i]);
        if (answer->has_limit[i])
            json_put_number(limits, name, answer->limit[i]);
        else
            json_put(limits, name, json_make_text(NULL));
        if (answer->has_limit[i] && answer->is_exact)
            json_put_value(exactly, name, exact_text(answer->limits[i], text, sizeof text));
    }
    json_put(object, "tolerance", limits);
    json_put(object, "tolerance_exact", exactly);
    json_put_flag(object, "exact", answer->is_exact);
    if (!answer->is_exact)
        json_put_count(object, "runs", answer->runs);
    return object;
}

static const char *show(const struct answer *answer, double value, char *buffer, size_t size)
{
    return answer->param->type == PARAM_TIME
               ? units_show_time((ps_t)(value * (double)PS_PER_S + 0.5), 6, buffer, size)
               : units_show_rate(value, 6, buffer, size);
}

/* Of many pieces those around the value: all are in the JSON. */
enum { SHOWN_BEFORE = 4, SHOWN = 9 };

static void print_pieces(const struct answer *answer)
{
    const struct tolerance *tolerance = &answer->tolerance;
    const struct tolerance_at base = {(int64_t)(answer->base * (double)PS_PER_S + 0.5), 1};
    size_t here = (size_t)(tolerance_piece_at(tolerance, base) - tolerance->pieces);
    size_t first = here > SHOWN_BEFORE ? here - SHOWN_BEFORE : 0, end = first + SHOWN;
    char value[64], exact[80];
    if (end > tolerance->count)
        end = tolerance->count;
    printf("  %-16s%-26s%s\n", "from", "exactly", "messages on the longest path");
    for (size_t i = first; i < end; i++)
        printf("  %-16s%-26s%" PRId64 "%s\n",
               show(answer, seconds_of(tolerance->pieces[i].from), value, sizeof value),
               exact_text(tolerance->pieces[i].from, exact, sizeof exact), tolerance->pieces[i].line.k,
               i == here ? "  <- here" : "");
    if (end - first < tolerance->count)
        printf("  %zu of %zu pieces; --json has all\n", end - first, tolerance->count);
}

static void print_answer(const struct experiment *experiment, const struct answer *answer)
{
    char value[64], time[64];
    quote_terminal(stdout, experiment->program->name);
    printf(" on %s, %s = %s: %s\n", experiment->fabrics[0]->name, answer->param->name,
           show(answer, answer->base, value, sizeof value),
           units_show_time((ps_t)(answer->makespan_s * (double)PS_PER_S + 0.5), 6, time, sizeof time));
    if (answer->is_exact) {
        printf("  exact: %.0f message%s on the longest path, whose latencies are %.2f %% of the time\n",
               answer->slope, answer->slope == 1 ? "" : "s",
               100 * answer->slope * answer->base / answer->makespan_s);
        print_pieces(answer);
    } else {
        printf("  bracketed by %zu runs: %s\n", answer->runs, answer->why);
    }
    for (size_t i = 0; i < PERCENTS; i++)
        printf("  %u %% longer: %s\n", percents[i],
               answer->has_limit[i] ? show(answer, answer->limit[i], value, sizeof value) : "never");
}

/* ---------------------------------------------------------------------- run */

static enum status find_param(const struct experiment *experiment, const char *name, struct answer *answer)
{
    answer->param = components_param(name);
    if (!answer->param) {
        diag_error("there is no parameter '%s'; helio params lists them", name);
        return STATUS_BAD_INPUT;
    }
    if (answer->param->type != PARAM_TIME && answer->param->type != PARAM_RATE) {
        diag_error("%s is neither a time nor a rate", name);
        return STATUS_BAD_INPUT;
    }
    answer->base = answer->param->type == PARAM_TIME
                       ? (double)*(const ps_t *)config_field(experiment->config, name) / (double)PS_PER_S
                       : (double)*(const uint64_t *)config_field(experiment->config, name);
    return STATUS_OK;
}

static enum status answer_one(const struct experiment *experiment,
                              const struct tolerance_arguments *arguments, const char *name, json_t *answers)
{
    struct answer answer = {.param = NULL};
    enum status status = find_param(experiment, name, &answer);
    if (status != STATUS_OK)
        return status;
    answer.why = why_not_exact(experiment, name);
    answer.is_exact = !answer.why;
    status = answer.is_exact ? answer_exactly(experiment, arguments, &answer)
                             : answer_by_runs(arguments->config, &answer);
    if (status == STATUS_OK && arguments->json)
        json_add(answers, answer_json(&answer));
    else if (status == STATUS_OK)
        print_answer(experiment, &answer);
    free(answer.tolerance.pieces);
    return status;
}

/* One parameter is an object, several are a list of objects. */
static enum status print_json(const struct experiment *experiment, json_t *answers)
{
    enum { DIGITS = 15 };
    bool is_one = json_array_size(answers) == 1;
    json_t *object = is_one ? json_copy_members(json_array_get(answers, 0)) : json_make_object();
    json_put_value(object, "program", experiment->program->name);
    json_put_value(object, "fabric", experiment->fabrics[0]->name);
    if (is_one)
        json_decref(answers);
    else
        json_put(object, "parameters", answers);
    return cli_print_json(object, DIGITS);
}

static enum status answer_all(const struct experiment *experiment,
                              const struct tolerance_arguments *arguments)
{
    json_t *answers = json_make_list();
    char *names = mem_text(arguments->of), *rest = names;
    enum status status = STATUS_OK;
    if (experiment->fabric_count > 1) {
        diag_error("helio tolerance takes one fabric");
        status = STATUS_BAD_INPUT;
    }
    for (char *name; status == STATUS_OK && (name = strsep(&rest, ","));)
        status = answer_one(experiment, arguments, name, answers);
    free(names);
    if (status == STATUS_OK && arguments->json)
        return print_json(experiment, answers);
    json_decref(answers);
    return status == STATUS_OK ? standard_flush() : status;
}

static enum status answer(const struct tolerance_arguments *arguments)
{
    struct experiment experiment;
    enum status status = STATUS_BAD_INPUT;
    if (!arguments->of) {
        diag_error("helio tolerance needs --of PARAMETER, such as --of hockney.latency");
        return STATUS_BAD_INPUT;
    }
    if (arguments->to <= arguments->from) {
        diag_error("--to is not above --from");
        return STATUS_BAD_INPUT;
    }
    status = experiment_init(&experiment, arguments->config);
    if (status == STATUS_OK && experiment.program->openloop) {
        diag_error("traffic between nodes has no time that could grow: tolerance needs ranks");
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = answer_all(&experiment, arguments);
    experiment_free(&experiment);
    return status;
}

static enum status make_config(struct tolerance_arguments *arguments)
{
    size_t count, length = 0;
    char *text = NULL;
    enum status status = STATUS_OK;
    if (arguments->file) {
        text = config_load_file(arguments->file, &length);
        status = text ? plugin_load_from_text(arguments->file, text, length) : STATUS_BAD_INPUT;
    }
    const struct param_table *const *tables = components_params(&count);
    arguments->config = config_open(tables, count);
    if (status == STATUS_OK && !arguments->config)
        status = STATUS_FAILED;
    if (status == STATUS_OK && text)
        status = config_read_text(arguments->config, arguments->file, text, length);
    if (status == STATUS_OK && arguments->trace)
        status = config_assign(arguments->config, "trace", arguments->trace, "--trace");
    free(text);
    return status;
}

int cli_tolerance(int argc, char **argv)
{
    struct tolerance_arguments arguments = {.to = PS_PER_S / 1000};
    int found = cli_read_all(&command, argc, argv, take_word, &arguments);
    enum status status = found == CLI_END ? make_config(&arguments) : (enum status)cli_status(found);
    if (found == CLI_END && status == STATUS_OK) {
        found = cli_read_all(&command, argc, argv, take, &arguments);
        status = found == CLI_END ? answer(&arguments) : (enum status)cli_status(found);
    }
    if (arguments.config)
        config_close(arguments.config);
    return status;
}
