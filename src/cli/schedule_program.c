#include <inttypes.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/print.h"
#include "cli/schedule.h"
#include "engine/placement.h"
#include "output/standard.h"
#include "sim/jobs.h"
#include "sim/traffic.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* `helio schedule --trace`: the patterns of a program, and how static the program is. */

struct program_report {
    struct patterns patterns, others; /* others: of --against */
    struct patterns_shares shares;
    json_t *rows; /* NULL: a table */
};

/* ----------------------------------------------------------------- programs */

const char *schedule_program_name(const struct schedule_settings *settings)
{
    return settings->trace ? settings->trace : settings->workload;
}

static enum status open_program(const struct schedule_settings *settings, const char *name,
                                struct program **program)
{
    enum status status = settings->trace ? trace_open(name, program) : workload_open(name, program);
    if (status != STATUS_OK)
        return status;
    status = jobs_refuse_queue(*program, "helio schedule");
    if (status != STATUS_OK)
        (*program)->ops->close(*program);
    return status;
}

static enum status find_in(struct program *program, const struct config *config,
                           struct patterns_listener *listener, struct patterns *patterns)
{
    struct collective_config collective;
    struct patterns_options options = traffic_options(config, &collective);
    struct placement placement;
    options.listener = listener;
    enum status status = placement_open(config, program, &placement);
    if (status == STATUS_OK)
        status = patterns_find(program, &options, patterns);
    placement_close(&placement);
    return status;
}

/* The program's own setting counts for this program alone. */
static enum status find_with_setting(struct program *program, const struct config *config,
                                     struct patterns_listener *listener, struct patterns *patterns)
{
    struct config *own = config_copy(config);
    if (!own)
        return STATUS_FAILED;
    enum status status = config_assign(own, program->setting.parameter, program->setting.value, "--workload");
    if (status == STATUS_OK)
        status = find_in(program, own, listener, patterns);
    config_close(own);
    return status;
}

static enum status find_patterns(const struct schedule_settings *settings, const char *name,
                                 struct patterns_listener *listener, struct patterns *patterns)
{
    struct program *program;
    enum status status = open_program(settings, name, &program);
    if (status != STATUS_OK)
        return status;
    status = program->setting.parameter ? find_with_setting(program, settings->config, listener, patterns)
                                        : find_in(program, settings->config, listener, patterns);
    program->ops->close(program);
    return status;
}

enum status schedule_program_patterns(const struct schedule_settings *settings,
                                      struct patterns_listener *listener, struct patterns *patterns)
{
    return find_patterns(settings, schedule_program_name(settings), listener, patterns);
}

static enum status find_own_patterns(const struct schedule_settings *settings, const struct topo *topo,
                                     struct patterns *patterns)
{
    const char *name = schedule_program_name(settings);
    enum status status = find_patterns(settings, name, NULL, patterns);
    if (status != STATUS_OK)
        return status;
    if (patterns->nodes > topo->nodes) {
        diag_error("%s runs on %" PRIu32 " nodes, the topology %s has %" PRIu32, name, patterns->nodes,
                   settings->topology_text, topo->nodes);
        status = STATUS_BAD_INPUT;
    } else if (patterns->count == 0) {
        diag_error("%s sends no message from node to node", name);
        status = STATUS_BAD_INPUT;
    }
    if (status != STATUS_OK)
        patterns_free(patterns);
    return status;
}

static void copy_pairs(const struct program_pattern *from, struct tdm_pattern *to)
{
    for (size_t i = 0; i < from->pair_count; i++)
        tdm_pattern_add(to, from->pairs[i].source, from->pairs[i].destination);
}

enum status schedule_program_pattern(const struct schedule_settings *settings, const struct topo *topo,
                                     struct tdm_pattern *pattern)
{
    struct patterns patterns;
    enum status status = find_own_patterns(settings, topo, &patterns);
    if (status != STATUS_OK)
        return status;
    if (settings->only <= patterns.count) {
        copy_pairs(&patterns.patterns[settings->only - 1], pattern);
    } else {
        diag_error("--only: the program has %zu patterns, not %" PRIu64, patterns.count, settings->only);
        status = STATUS_BAD_INPUT;
    }
    patterns_free(&patterns);
    return status;
}

/* ------------------------------------------------------------------- report */

static void print_head(const struct schedule_settings *settings, const struct program_report *report,
                       const struct topo *topo)
{
    char topology[TOPO_TEXT];
    const struct patterns *patterns = &report->patterns;
    cli_print_text("program      ", schedule_program_name(settings));
    printf("topology     %s\n", topo_print(topo, topology, sizeof topology));
    printf("algorithm    %s, %s routes\n", schedule_algorithm(settings), schedule_routes(settings));
    printf("main loop    %" PRIu64 " iterations\n", patterns->iterations);
    char bytes[SUM_TEXT];
    printf("bytes        %s in %" PRIu64 " messages\n", sum_print(patterns->bytes, bytes),
           patterns->messages);
    printf("recurring    %.1f %% of the bytes are in patterns of every iteration\n",
           patterns_percent(patterns, report->shares.recurring_bytes));
    if (settings->against) {
        printf("foreseen     %.1f %% are in patterns of ",
               patterns_percent(patterns, report->shares.foreseen_bytes));
        cli_print_text("", settings->against);
        printf("static       %.1f %% are both\n", patterns_percent(patterns, report->shares.static_bytes));
    }
    printf("\npattern      phases  iterations  foreseen  connections  degree  bound      messages           "
           "bytes\n");
}

static void add_row(const struct schedule_settings *settings, struct program_report *report, size_t index,
                    const struct schedule_outcome *outcome)
{
    const struct program_pattern *pattern = &report->patterns.patterns[index];
    bool foreseen = settings->against && pattern_is_in(pattern, &report->others);
    if (!report->rows) {
        char bytes[SUM_TEXT];
        printf("%7zu  %10" PRIu64 "  %10" PRIu64 "  %8s  %11zu  %6" PRIu32 "  %5" PRIu32 "  %12" PRIu64
               "  %14s\n",
               index + 1, pattern->phases, pattern->iterations,
               settings->against ? (foreseen ? "yes" : "no") : "-", pattern->pair_count,
               outcome->plan.schedule.degree, outcome->plan.bound, pattern->messages,
               sum_print(pattern->bytes, bytes));
        return;
    }
    json_t *row = json_make_object();
    json_put_count(row, "pattern", index + 1);
    json_put_count(row, "phases", pattern->phases);
    json_put_count(row, "iterations", pattern->iterations);
    json_put_count(row, "requests", pattern->pair_count);
    json_put_count(row, "degree", outcome->plan.schedule.degree);
    json_put_count(row, "lower_bound", outcome->plan.bound);
    json_put_flag(row, "proven_optimal", outcome->plan.schedule.degree == outcome->plan.bound);
    json_put_count(row, "messages", pattern->messages);
    json_put_count(row, "bytes", pattern->bytes);
    json_put_number(row, "seconds", outcome->seconds);
    if (settings->against)
        json_put_flag(row, "foreseen", foreseen);
    json_add(report->rows, row);
}

static enum status schedule_each(const struct schedule_settings *settings, const struct topo *topo,
                                 struct program_report *report)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < report->patterns.count && status == STATUS_OK; i++) {
        struct schedule_outcome outcome = {.topo = *topo};
        copy_pairs(&report->patterns.patterns[i], &outcome.pattern);
        status = schedule_outcome_make(settings, &outcome);
        if (status == STATUS_OK)
            add_row(settings, report, i, &outcome);
        schedule_outcome_free(&outcome);
    }
    return status;
}

static enum status print_json(const struct schedule_settings *settings, const struct program_report *report,
                              const struct topo *topo)
{
    char topology[TOPO_TEXT];
    const struct patterns *patterns = &report->patterns;
    json_t *object = json_make_object();
    json_put_text(object, "program", schedule_program_name(settings));
    json_put_text(object, "topology", topo_print(topo, topology, sizeof topology));
    json_put_text(object, "algorithm", schedule_algorithm(settings));
    json_put_text(object, "routes", schedule_routes(settings));
    json_put_count(object, "iterations", patterns->iterations);
    json_put_count(object, "messages", patterns->messages);
    json_put_count(object, "bytes", patterns->bytes);
    json_put_number(object, "recurring_percent", patterns_percent(patterns, report->shares.recurring_bytes));
    if (settings->against) {
        json_put_text(object, "against", settings->against);
        json_put_number(object, "foreseen_percent",
                        patterns_percent(patterns, report->shares.foreseen_bytes));
        json_put_number(object, "static_percent", patterns_percent(patterns, report->shares.static_bytes));
    }
    json_put(object, "patterns", json_incref(report->rows));
    return cli_print_json(object, SCHEDULE_DIGITS);
}

enum status schedule_program(const struct schedule_settings *settings, const struct topo *topo)
{
    struct program_report report = {.rows = settings->json ? json_make_list() : NULL};
    enum status status = find_own_patterns(settings, topo, &report.patterns);
    if (status == STATUS_OK && settings->against) {
        status = find_patterns(settings, settings->against, NULL, &report.others);
        if (status != STATUS_OK)
            patterns_free(&report.patterns);
    }
    if (status == STATUS_OK) {
        patterns_share(&report.patterns, settings->against ? &report.others : NULL, &report.shares);
        if (!settings->json)
            print_head(settings, &report, topo);
        status = schedule_each(settings, topo, &report);
        if (status == STATUS_OK)
            status = settings->json ? print_json(settings, &report, topo) : standard_flush();
        patterns_free(&report.patterns);
        patterns_free(&report.others);
    }
    json_decref(report.rows);
    return status;
}
