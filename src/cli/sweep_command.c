#include "cli/sweep_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/values.h"
#include "machine/machine.h"
#include "plugin/plugin.h"
#include "sim/components.h"
#include "sweep/findings.h"

const struct cli_option sweep_command_options[SWEEP_OPTIONS] = {
    [SWEEP_OUTPUT] = {"--output", 'o', "RESULTS.db",
                      "where results are kept; runs that it has already are not run again"},
    [SWEEP_SHARD] = {"--shard", 0, "I/N",
                     "run the I-th of N parts, counted from 1; helio merge puts their results together"},
    [SWEEP_DRY_RUN] = {"--dry-run", 0, NULL,
                       "say how many runs there are and what they would take; run nothing"},
    [SWEEP_SET] = {"--set", 's', "PARAMETER=VALUE",
                   "set a parameter that the sweep does not vary" CLI_REPEATS},
    [SWEEP_MACHINE] = CLI_MACHINE,
    [SWEEP_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [SWEEP_PLUGIN] = CLI_PLUGIN,
    [SWEEP_FORCE] = {"--force", 0, NULL, "run also what there seems to be too little memory for"},
    [SWEEP_JOBS] = {"--jobs", 'j', "N",
                    "runs at the same time; as many as there are processors that it may use"},
};

/* ---------------------------------------------------------------- arguments */

static enum status read_shard(struct sweep_command *sweep, const char *value)
{
    enum { SHARDS_AT_MOST = 99999 };
    uint64_t shard = 0, shards = 0;
    struct units_problem problem;
    const char *slash = strchr(value, '/');
    char *first = mem_format("%.*s", slash ? (int)(slash - value) : 0, value);
    bool valid = slash && units_count(first, &shard, &problem) && units_count(slash + 1, &shards, &problem) &&
                 shard >= 1 && shard <= shards && shards <= SHARDS_AT_MOST;
    free(first);
    if (!valid) {
        diag_error("--shard is I/N, such as 1/4 to 4/4, not '%s'", value);
        return STATUS_BAD_INPUT;
    }
    sweep->options.shard = (unsigned)shard - 1;
    sweep->options.shards = (unsigned)shards;
    return STATUS_OK;
}

static enum status apply_option(struct sweep_command *sweep, int found, const char *value)
{
    switch (found - CLI_OPTION) {
    case SWEEP_OUTPUT:
        sweep->output = value;
        return STATUS_OK;
    case SWEEP_JOBS:
        return cli_value_jobs(value, &sweep->options.jobs) ? STATUS_OK : STATUS_BAD_INPUT;
    case SWEEP_SHARD:
        return read_shard(sweep, value);
    case SWEEP_DRY_RUN:
        sweep->dry_run = true;
        return STATUS_OK;
    case SWEEP_FORCE:
        sweep->options.force = true;
        return STATUS_OK;
    case SWEEP_SET:
    case SWEEP_MACHINE:
    case SWEEP_AS_PUBLISHED:
        return STATUS_OK; /* applied once the file has been read */
    }
    return STATUS_BAD_INPUT;
}

/* All options except --set, which wins over the file and so is applied after it. */
static enum status read_options(struct sweep_command *sweep, struct cli_reader reader)
{
    const struct cli_command *command = reader.command;
    enum status status = STATUS_OK;
    const char *value;
    for (int found; status == STATUS_OK && (found = cli_read(&reader, &value)) != CLI_END;) {
        sweep->help = found == CLI_HELP;
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found >= CLI_OPTION) {
            status = apply_option(sweep, found, value);
        } else if (sweep->file) {
            diag_error("%s takes one experiment file, not also '%s'", cli_title(command), value);
            status = STATUS_BAD_INPUT;
        } else {
            sweep->file = value;
        }
    }
    if (status == STATUS_OK && (!sweep->file || (!sweep->output && !sweep->dry_run))) {
        diag_error("%s needs an experiment file and where to keep the results: %s", cli_title(command),
                   command->words);
        status = STATUS_BAD_INPUT;
    }
    return status;
}

/* A parameter that the sweep varies cannot be set: the setting would have no effect. */
static enum status apply_setting(struct sweep_command *sweep, const char *text)
{
    struct param_assignment assignment;
    size_t length = strlen(text);
    param_split(text, 0, length, &assignment);
    enum status status = STATUS_OK;
    if (definition_overrides(&sweep->definition, assignment.name)) {
        diag_report(DIAG_ERROR,
                    &(struct diag_place){.file = "--set",
                                         .line = 1,
                                         .column = (uint32_t)assignment.name_at + 1,
                                         .span = (uint32_t)strlen(assignment.name),
                                         .source = text,
                                         .source_length = length},
                    "the sweep varies %s", assignment.name);
        status = STATUS_BAD_INPUT;
    }
    free(assignment.name);
    free(assignment.value);
    return status == STATUS_OK ? config_set(sweep->config, text) : status;
}

static enum status apply_machine(struct sweep_command *sweep, const char *machine, const char *option)
{
    if (!definition_overrides(&sweep->definition, "machine"))
        return cli_assign_machine(sweep->config, machine, option);
    diag_error("%s: the sweep varies machine", option);
    return STATUS_BAD_INPUT;
}

static enum status apply_settings(struct sweep_command *sweep, struct cli_reader reader)
{
    enum status status = STATUS_OK;
    const char *value;
    for (int found; status == STATUS_OK && (found = cli_read(&reader, &value)) != CLI_END;)
        if (found == CLI_OPTION + SWEEP_SET)
            status = apply_setting(sweep, value);
        else if (found == CLI_OPTION + SWEEP_MACHINE)
            status = apply_machine(sweep, value, "--machine");
        else if (found == CLI_OPTION + SWEEP_AS_PUBLISHED)
            status = apply_machine(sweep, MACHINE_AS_PUBLISHED, "--as-published");
    return status;
}

/* Plug-ins come first: the sweep may vary their parameters. */
static enum status read_file(struct sweep_command *sweep)
{
    size_t tables, length;
    char *text = config_load_file(sweep->file, &length);
    enum status status = text ? plugin_load_from_text(sweep->file, text, length) : STATUS_BAD_INPUT;
    if (status == STATUS_OK) {
        const struct param_table *const *params = components_params(&tables);
        sweep->config = config_open(params, tables);
        status = sweep->config
                     ? definition_read_text(&sweep->definition, sweep->config, sweep->file, text, length)
                     : STATUS_FAILED;
    }
    free(text);
    return status;
}

enum status sweep_command_init(struct sweep_command *sweep, const struct cli_command *command, int argc,
                               char **argv)
{
    const struct cli_reader reader = {.command = command, .argc = argc, .argv = argv, .next = 1};
    *sweep = (struct sweep_command){.file = NULL};
    enum status status = read_options(sweep, reader);
    if (status != STATUS_OK || sweep->help)
        return status;
    status = read_file(sweep);
    if (status == STATUS_OK)
        status = apply_settings(sweep, reader);
    if (status == STATUS_OK)
        status = plugin_note(sweep->config);
    if (status == STATUS_OK)
        status = definition_points(&sweep->definition, sweep->config, &sweep->points, &sweep->count);
    return status;
}

void sweep_command_free(struct sweep_command *sweep)
{
    definition_free(&sweep->definition);
    if (sweep->config)
        config_close(sweep->config);
}

/* --------------------------------------------------------------------- runs */

static const char *show_seconds(double time_s, char *text, size_t size)
{
    const double ps_per_s = 1e12, most_s = 9e6; /* what 64 bits of picoseconds hold */
    return units_show_time((ps_t)((time_s < most_s ? time_s : most_s) * ps_per_s), 3, text, size);
}

/* "1234", "1.23e+09" */
static const char *show_count(double count, char *text, size_t size)
{
    const double exact = 1e6;
    snprintf(text, size, count < exact ? "%.0f" : "%.3g", count);
    return text;
}

static const char *source_of(const struct sweep_forecast *forecast)
{
    if (!forecast->assumed)
        return "from the runs that are done";
    return forecast->assumed == forecast->to_run ? "assumed: nothing like it has been run yet"
                                                 : "assumed for fabrics that nothing has been run on yet";
}

static void print_forecast(const struct sweep_forecast *forecast, unsigned workers, const char *worker,
                           const struct memory_room *room)
{
    char work[32], time[32], memory[64];
    const char *source = source_of(forecast);
    double time_s = sweep_forecast_time_s(forecast, workers);
    char count[32];
    printf("runs    %zu, of which %zu are to be run\n", forecast->runs, forecast->to_run);
    printf("time    %s of work, %s with %u %s (%s)\n", show_seconds(forecast->work_s, work, sizeof work),
           show_seconds(time_s, time, sizeof time), workers, worker, source);
    printf("work    %s calls", show_count(forecast->calls, count, sizeof count));
    printf(", about %s messages", show_count(forecast->messages, count, sizeof count));
    printf(", %s of them in the largest run\n", show_count(forecast->most_messages, count, sizeof count));
    printf("memory  %s for the largest run%s\n",
           units_show_size(forecast->memory_bytes, 3, memory, sizeof memory),
           forecast->memory_bytes > room->bytes ? ": more than there is for each of the runs at a time, "
                                                  "so refused without --force"
                                                : "");
}

enum status sweep_command_forecast(struct sweep_command *sweep, unsigned workers, const char *one,
                                   const char *several)
{
    struct store *store = NULL;
    struct sweep_forecast forecast;
    struct sweep_findings findings;
    const struct memory_room room = sweep_room(&sweep->options, workers);
    bool is_there = sweep->output && access(sweep->output, F_OK) == 0;
    enum status status = is_there ? store_open(sweep->output, STORE_READ, &store)
                                  : store_open(":memory:", STORE_WRITE, &store);
    sweep_findings_init(&findings, &sweep->definition, sweep->points, sweep->count);
    if (status == STATUS_OK)
        status = sweep_forecast(store, sweep->points, sweep->count, &sweep->options, &findings, &forecast);
    if (status == STATUS_OK) {
        unused_params_warn_of_points(&findings.unused);
        print_forecast(&forecast, workers, workers == 1 ? one : several, &room);
        sweep_findings_note_unequal(&findings);
    }
    sweep_findings_free(&findings);
    store_close(store);
    return status;
}

static bool is_called(void *self, const char *operation)
{
    return store_calls(self, operation);
}

/* Says what was done. */
static void note_success(const struct sweep_command *sweep, const struct sweep_plan *plan, double wall_s)
{
    char time[32];
    diag_note("%zu of %zu runs: %zu new, %zu kept, in %s; see helio report %s", plan->kept + plan->todo_count,
              plan->runs, plan->todo_count, plan->kept, show_seconds(wall_s, time, sizeof time),
              sweep->output);
}

enum status sweep_command_run(struct sweep_command *sweep, struct worker_pool *worker_pool)
{
    struct store *store = NULL;
    struct sweep_plan plan;
    struct sweep_findings findings;
    double began = clock_seconds_now();
    sweep->options.definition = &sweep->definition;
    /* The plan is made before the file of results is opened, so that a wrong point leaves no new file behind.
     * To remove it later would be wrong: another process may use it by then. */
    sweep_findings_init(&findings, &sweep->definition, sweep->points, sweep->count);
    enum status status = sweep_plan_init(&plan, sweep->points, sweep->count, &findings);
    if (status == STATUS_OK)
        unused_params_warn_of_points(&findings.unused);
    if (status == STATUS_OK)
        status = store_open(sweep->output, STORE_WRITE, &store);
    if (status == STATUS_OK)
        status = sweep_run_plan(&plan, worker_pool, store, &sweep->options, NULL);
    else if (worker_pool)
        worker_pool->shutdown(worker_pool);
    if (status == STATUS_OK) {
        note_success(sweep, &plan, clock_seconds_now() - began);
        unused_algorithms_warn(&findings.unused, is_called, store);
        sweep_findings_note_unequal(&findings);
    }
    sweep_findings_free(&findings);
    store_close(store);
    sweep_plan_free(&plan);
    return status;
}
