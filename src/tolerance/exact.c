#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "engine/free.h"
#include "engine/params.h"
#include "fabric/loggops.h"
#include "graph/of_calls.h"
#include "machine/machine.h"
#include "sim/traffic.h"
#include "tolerance/answer.h"

/* What the paths know. */
static const struct exact_param {
    const char *name;
    enum tolerance_variable variable;
    bool is_loggops;
} exact_params[] = {
    {"hockney.latency", TOLERANCE_LATENCY, false}, {"hockney.bandwidth", TOLERANCE_PER_BYTE, false},
    {"loggops.L", TOLERANCE_LATENCY, true},        {"loggops.G", TOLERANCE_PER_BYTE, true},
    {"loggops.o", TOLERANCE_OVERHEAD, true},       {"loggops.O", TOLERANCE_OVERHEAD_PER_BYTE, true},
};

static const struct exact_param *exact_param(const char *name)
{
    for (size_t i = 0; i < sizeof exact_params / sizeof *exact_params; i++)
        if (strcmp(exact_params[i].name, name) == 0)
            return &exact_params[i];
    return NULL;
}

bool tolerance_has_whole_ns(const struct tolerance_question *question, const struct tolerance_answer *answer)
{
    const struct exact_param *exact = exact_param(answer->param->name);
    int compat = question->experiment->chosen->compat;
    return exact && exact->is_loggops &&
           (compat == COMPAT_LOGGOPSIM ||
            (compat == COMPAT_ATLAHS && answer->kind != TOLERANCE_TIME_PER_BYTE));
}

/* With other rules a message takes the same time alone if a byte takes whole ns of the network only. */
static bool has_same_messages(const struct config *config)
{
    const struct loggops_config *loggops = config_of(config, &loggops_params);
    return loggops->g == 0 && loggops->O.numerator == 0 &&
           loggops->G.numerator % (loggops->G.denominator * (uint64_t)PS_PER_NS) == 0;
}

const char *tolerance_why_not_exact(const struct tolerance_question *question,
                                    const struct tolerance_answer *answer)
{
    const struct experiment *experiment = question->experiment;
    const struct config *config = experiment->config;
    const struct protocol_config *protocol = config_of(config, &protocol_params);
    const struct exact_param *exact = exact_param(answer->param->name);
    const char *fabric = experiment->fabrics[0]->name;
    if (question->by_runs)
        return "--runs asks for it";
    if (!exact || strncmp(exact->name, fabric, strlen(fabric)) != 0 || exact->name[strlen(fabric)] != '.')
        return "only the parameters of hockney, and L, G, o and O of loggops, have exact answers";
    if (experiment->chosen->compat != COMPAT_NONE && !(exact->is_loggops && has_same_messages(config)))
        return "compat has other rules";
    if (experiment->program->jobs)
        return "its program consists of several jobs";
    if (exact->is_loggops)
        return NULL;
    if (((const struct free_config *)config_of(config, &free_params))->count)
        return "messages of the parameter free take no time";
    if (((const struct node_config *)config_of(config, &node_params))->times.count > 0)
        return "messages within a node have times by size (intranode.times)";
    if (experiment->has_host)
        return "hosts have models of their own (host.system)";
    if (!kernel_config_is_none(kernel_config_of(config)))
        return "collective calls take more than their messages (collective.begin, collective.memory)";
    if (*(const ps_t *)config_field(config, "hockney.clock"))
        return "the times of messages are cut (hockney.clock)";
    if (protocol->handshakes || protocol->eager_done != EAGER_DONE_POST)
        return "rendezvous.handshakes is not 0, or mpi.eager_done is not post";
    return NULL;
}

static struct tolerance_costs costs_of(const struct config *config, const struct exact_param *exact)
{
    const struct loggops_config *loggops = config_of(config, &loggops_params);
    const struct protocol_config *protocol = config_of(config, &protocol_params);
    const struct compute_config *compute = config_of(config, &compute_params);
    const struct node_config *node = config_of(config, &node_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    struct tolerance_costs costs = {.variable = exact->variable,
                                    .is_loggops = exact->is_loggops,
                                    .scale = compute->scale,
                                    .ps_per_operation = compute_config_ps(compute)};
    if (exact->is_loggops) {
        costs.latency = loggops->L;
        costs.overhead = loggops->o;
        costs.G_numerator = loggops->G.numerator;
        costs.G_denominator = loggops->G.denominator;
        costs.O_numerator = loggops->O.numerator;
        costs.O_denominator = loggops->O.denominator;
        costs.eager_bytes = loggops->S;
        costs.ranks_per_node = 1;
        return costs;
    }
    costs.host_send = machine->send_ps;
    costs.nic = machine->nic_latency_ps;
    costs.host_receive = machine->receive_ps;
    costs.latency = *(const ps_t *)config_field(config, "hockney.latency");
    costs.G_numerator = (uint64_t)PS_PER_S;
    costs.G_denominator = *(const uint64_t *)config_field(config, "hockney.bandwidth");
    costs.O_denominator = 1;
    costs.eager_bytes = protocol->eager_threshold_bytes;
    costs.ranks_per_node = node_config_ranks(node);
    costs.node_latency = node->latency_ps;
    costs.node_rate_bytes_per_s = node->bandwidth_bytes_per_s;
    return costs;
}

/* ----------------------------------------------------------------- interval */

static bool read_x(const char *option, const char *text, enum tolerance_kind kind, struct tolerance_at *x)
{
    struct units_problem problem, as_rate;
    ps_t time;
    uint64_t rate;
    if (kind != TOLERANCE_RATE && units_time(text, &time, &problem)) {
        *x = (struct tolerance_at){time, 1};
        return true;
    }
    if (kind != TOLERANCE_TIME && units_rate(text, &rate, &as_rate) && rate) {
        *x = tolerance_ratio(PS_PER_S, (__int128)rate);
        return true;
    }
    diag_error("%s %s: %s", option, text,
               kind == TOLERANCE_RATE ? "a rate above 0, such as '12.5 GB/s'" : problem.text);
    return false;
}

/* Up to 1 ms, or 100 times as slow; per byte, 1 ns if it is 0. A rate has no upper end: it begins there. */
static enum status find_interval(const struct tolerance_question *question, struct tolerance_answer *answer)
{
    struct tolerance_at from = {0, 1}, to = {PS_PER_S / 1000, 1};
    const char *low = question->from, *high = question->to;
    if (answer->kind != TOLERANCE_TIME)
        to = answer->base_x.numerator
                 ? tolerance_ratio((__int128)100 * answer->base_x.numerator, answer->base_x.denominator)
                 : (struct tolerance_at){PS_PER_NS, 1};
    if (answer->kind == TOLERANCE_RATE) { /* a small rate is a long time */
        low = question->to;
        high = question->from;
    }
    if ((low && !read_x(low == question->to ? "--to" : "--from", low, answer->kind, &from)) ||
        (high && !read_x(high == question->to ? "--to" : "--from", high, answer->kind, &to)))
        return STATUS_BAD_INPUT;
    if (tolerance_compare(from, to) >= 0) {
        diag_error("--to is not above --from");
        return STATUS_BAD_INPUT;
    }
    answer->from = from;
    answer->to = to;
    return STATUS_OK;
}

/* ------------------------------------------------------------------- answer */

static struct tolerance_point point_at(enum tolerance_kind kind, struct tolerance_at x)
{
    return (struct tolerance_point){true, tolerance_value_of(kind, x), x};
}

static double seconds_at(struct program_paths *paths, const struct tolerance *pieces, struct tolerance_at x)
{
    return tolerance_time(tolerance_line_at(paths, pieces, x), x) / (double)PS_PER_S;
}

/* x when the value is `percent` in 1000 % of itself: of a rate, x is its inverse. */
static struct tolerance_at scaled(const struct tolerance_answer *answer, int64_t thousandths)
{
    const int64_t all = 100000;
    __int128 times = answer->kind == TOLERANCE_RATE ? all : thousandths;
    __int128 by = answer->kind == TOLERANCE_RATE ? thousandths : all;
    return tolerance_ratio(answer->base_x.numerator * times, answer->base_x.denominator * by);
}

/* Products of the values with times fit 128 bits. */
static enum status check_values(struct program_paths *paths, const struct tolerance_answer *answer)
{
    const int64_t most = INT64_C(1) << 50;
    if (answer->base_x.denominator < most && answer->from.denominator < most &&
        answer->to.denominator < most &&
        seconds_at(paths, &answer->pieces, answer->base_x) < 0x1p62 / (double)PS_PER_S)
        return STATUS_OK;
    diag_error("the values of %s, or the time of the program, are too large for an exact answer",
               answer->param->name);
    return STATUS_BAD_INPUT;
}

static enum status find_answer(struct program_paths *paths, const struct tolerance_question *question,
                               const struct program *graph, struct tolerance_answer *answer)
{
    struct tolerance_line now = program_paths_longest(paths, answer->base_x, false);
    int64_t by = (int64_t)(question->by * 100000 + 0.5);
    int64_t slower = answer->kind == TOLERANCE_RATE ? -by : by;
    enum status status = check_values(paths, answer);
    if (status != STATUS_OK)
        return status;
    tolerance_count_shares(paths, graph, answer->base_x, &answer->shares);
    tolerance_find(paths, answer->from, answer->to, &answer->pieces);
    answer->makespan_s = tolerance_time(now, answer->base_x) / (double)PS_PER_S;
    answer->slope = (double)now.k;
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++) {
        struct tolerance_at x;
        if (tolerance_limit(paths, &answer->pieces, answer->base_x, tolerance_percents[i], &x))
            answer->limits[i] = point_at(answer->kind, x);
    }
    struct tolerance_at end;
    answer->depends = tolerance_floor(paths, &answer->pieces, &end);
    answer->best_s = seconds_at(paths, &answer->pieces, (struct tolerance_at){0, 1});
    if (answer->depends && (end.numerator || answer->kind != TOLERANCE_RATE))
        answer->gain_end = point_at(answer->kind, end);
    if (by) {
        answer->better_s = seconds_at(paths, &answer->pieces, scaled(answer, 100000 - slower));
        answer->worse_s = seconds_at(paths, &answer->pieces, scaled(answer, 100000 + slower));
    }
    return STATUS_OK;
}

/* The first message says what a graph does not have: "FILE:12: error: WHAT". */
static void keep_reason(void *self, enum diag_level level, const char *message)
{
    struct tolerance_question *question = self;
    static const char error[] = "error: ";
    const char *what = strstr(message, error);
    if (level != DIAG_ERROR || question->no_graph || !what)
        return;
    what += sizeof error - 1;
    question->no_graph = mem_format("its calls are no graph: %.*s", (int)strcspn(what, "\n"), what);
}

static enum status make_graph(struct tolerance_question *question)
{
    struct program *program = question->experiment->program;
    const struct config *config = question->experiment->config;
    struct collective_config collective;
    const struct graph_of_calls_options options = {.patterns = traffic_options(config, &collective),
                                                   .ps_per_operation =
                                                       compute_config_ps(config_of(config, &compute_params)),
                                                   .scale = 1};
    if (question->graph)
        return STATUS_OK;
    if (graph_has_calls(program)) {
        const struct diag_silence silence = diag_begin_silence(); /* runs take any program */
        diag_set_sink(keep_reason, question);
        enum status status = graph_of_calls(program, &options, &question->graph);
        diag_end_silence(&silence);
        return status;
    }
    question->graph = program;
    return STATUS_OK;
}

/* Up to this share of the time a run of calls may differ from the longest path: a tenth of the smallest
 * limit.
 */
static const double most_difference = 0.001;

/* A run that took `seconds` where the longest path takes `path`. The path answers all the same if the program
 * is a graph, since that is what its arrows ask for, and if calls hardly differ. Otherwise, and with other
 * rules, runs answer. */
static void note_run(const struct tolerance_question *question, struct tolerance_answer *answer,
                     struct tolerance_at x, double path, double seconds)
{
    if (question->experiment->chosen->compat != COMPAT_NONE)
        answer->why = "compat has other rules: a run takes another time than the longest path";
    else if (!question->experiment->program->graph && fabs(seconds - path) > most_difference * path)
        answer->why = "cores work for messages: a run differs from the longest path by over 0.1 %";
    if (answer->why)
        tolerance_answer_free(answer);
    else
        answer->beside[answer->beside_count++] =
            (struct tolerance_run_beside){tolerance_value_of(answer->kind, x), path, seconds};
}

/* A run of a graph, on LogGOPS or with hosts can take another time than the longest path, which leaves out
 * that cores and NICs are busy. `at`: NULL, or a value of a time. A run rounds the time of the bytes of each
 * message up, at most four times. */
static enum status compare_with_run(const struct tolerance_question *question,
                                    struct tolerance_answer *answer, const struct tolerance_at *at)
{
    char text[64];
    struct tolerance_at x = at ? *at : answer->base_x;
    double seconds = 0,
           rounding = answer->kind == TOLERANCE_TIME ? 1 : 4 * (double)(answer->shares.messages + 1);
    double path = answer->makespan_s;
    if (answer->why || (at && tolerance_has_whole_ns(question, answer) && x.numerator % PS_PER_NS))
        return STATUS_OK;
    if (at) {
        path = tolerance_time(tolerance_piece_at(&answer->pieces, x)->line, x) / (double)PS_PER_S;
        units_print_time(x.numerator, text, sizeof text);
    }
    enum status status = tolerance_run(question, answer->param, at ? text : NULL, &seconds);
    double beyond = fabs(seconds - path) - path * 1e-15;
    if (status == STATUS_OK && beyond > rounding / (double)PS_PER_S)
        note_run(question, answer, x, path, seconds);
    return status;
}

static enum status answer_by_paths(struct tolerance_question *question, const struct tolerance_costs *costs,
                                   struct tolerance_answer *answer)
{
    struct program_paths *paths = NULL;
    if (make_graph(question) != STATUS_OK) {
        answer->why = question->no_graph ? question->no_graph : "its calls are no graph";
        return STATUS_OK;
    }
    if (question->graph->graph->has_any) {
        answer->why = "receives from any source or with any tag: times decide which message they meet";
        return STATUS_OK;
    }
    enum status status = program_paths_open(question->graph, costs, &paths);
    if (status != STATUS_OK)
        return status;
    status = find_answer(paths, question, question->graph, answer);
    program_paths_close(paths);
    return status;
}

/* A fifth of the time went to the first use of small pages. */
enum status tolerance_answer_exactly(struct tolerance_question *question, struct tolerance_answer *answer)
{
    const struct exact_param *exact = exact_param(answer->param->name);
    const struct tolerance_costs costs = costs_of(question->experiment->config, exact);
    enum status status = find_interval(question, answer);
    if (status != STATUS_OK)
        return status;
    mem_prefers_large_pages = true;
    status = answer_by_paths(question, &costs, answer);
    mem_prefers_large_pages = false;
    bool can_wait =
        exact->is_loggops || question->experiment->program->graph || costs.host_send || costs.host_receive;
    const struct tolerance_at *const values[] = {NULL, &answer->from, &answer->to};
    const size_t runs = answer->why || !can_wait ? 0 : answer->kind == TOLERANCE_TIME ? 3 : 1;
    for (size_t i = 0; status == STATUS_OK && i < runs; i++)
        status = compare_with_run(question, answer, values[i]);
    return status;
}

void tolerance_question_free(struct tolerance_question *question)
{
    if (question->graph && question->graph != question->experiment->program)
        question->graph->ops->close(question->graph);
    question->graph = NULL;
    free(question->no_graph);
    question->no_graph = NULL;
    tolerance_shares_free(&question->critical);
}
