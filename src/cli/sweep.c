#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sim/components.h"
#include "sweep/definition.h"
#include "sweep/sweep.h"

enum option { OPTION_OUTPUT, OPTION_JOBS, OPTION_SHARD, OPTION_DRY_RUN, OPTION_SET };

static const struct cli_option options[] = {
    [OPTION_OUTPUT] = {"--output", 'o', "RESULTS.db",
                       "where results are kept; runs that it has already are not run again"},
    [OPTION_JOBS] = {"--jobs", 'j', "N", "runs at the same time; as many as there are processors"},
    [OPTION_SHARD] = {"--shard", 0, "I/N",
                      "run the I-th of N parts, counted from 1; helio merge puts their results together"},
    [OPTION_DRY_RUN] = {"--dry-run", 0, NULL,
                        "say how many runs there are and what they would take; run nothing"},
    [OPTION_SET] = {"--set", 's', "PARAMETER=VALUE",
                    "set a parameter that the sweep does not vary; may be repeated"},
};

static const struct cli_command command = {
    .name = "sweep",
    .words = "EXPERIMENT.yaml -o RESULTS.db",
    .doc =
        "Runs an experiment for every combination of values that its `sweep:` lists, and keeps each result\n"
        "as soon as it is there: a sweep that was ended goes on where it was.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example, as sweep.yaml:\n"
             "  workload: alltoall:ranks=16,bytes=8KiB\n"
             "  fabric: [packet, fmu]\n"
             "  sweep: {fmu.count: [8, 16, 32]}\n"
             "  baseline: packet\n\n"
             "  helio sweep sweep.yaml -o results.db && helio export results.db",
};

struct sweep_command {
    struct config *config;
    struct definition definition;
    const char *file, *output;
    struct sweep_options options;
    bool dry_run;
};

/* ---------------------------------------------------------------------------------------------- arguments */

static enum status read_jobs(struct sweep_command *sweep, const char *value)
{
    enum { JOBS_AT_MOST = 1024 };
    struct units_problem problem;
    uint64_t jobs;
    if (!units_count(value, &jobs, &problem) || jobs < 1 || jobs > JOBS_AT_MOST) {
        diag_error("--jobs is a number from 1 to %d, not '%s'", JOBS_AT_MOST, value);
        return STATUS_BAD_INPUT;
    }
    sweep->options.jobs = (unsigned)jobs;
    return STATUS_OK;
}

static enum status read_shard(struct sweep_command *sweep, const char *value)
{
    unsigned shard, shards;
    int end = 0;
    if (sscanf(value, "%5u/%5u%n", &shard, &shards, &end) != 2 || value[end] || shard < 1 || shard > shards) {
        diag_error("--shard is I/N, such as 1/4 to 4/4, not '%s'", value);
        return STATUS_BAD_INPUT;
    }
    sweep->options.shard = shard - 1;
    sweep->options.shards = shards;
    return STATUS_OK;
}

static enum status apply(struct sweep_command *sweep, int found, const char *value)
{
    switch (found - CLI_OPTION) {
    case OPTION_OUTPUT:
        sweep->output = value;
        return STATUS_OK;
    case OPTION_JOBS:
        return read_jobs(sweep, value);
    case OPTION_SHARD:
        return read_shard(sweep, value);
    case OPTION_DRY_RUN:
        sweep->dry_run = true;
        return STATUS_OK;
    case OPTION_SET:
        return STATUS_OK; /* once the file has been read */
    }
    return STATUS_BAD_INPUT;
}

/* All but --set, which wins over the file and so comes behind it. */
static enum status read_options(struct sweep_command *sweep, int argc, char **argv, bool *help)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    enum status status = STATUS_OK;
    const char *value;
    for (int found; status == STATUS_OK && (found = cli_read(&reader, &value)) != CLI_END;) {
        *help = found == CLI_HELP;
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        if (found >= CLI_OPTION) {
            status = apply(sweep, found, value);
        } else if (sweep->file) {
            diag_error("helio sweep takes one experiment file, not also '%s'", value);
            status = STATUS_BAD_INPUT;
        } else {
            sweep->file = value;
        }
    }
    if (status == STATUS_OK && (!sweep->file || (!sweep->output && !sweep->dry_run))) {
        diag_error("helio sweep needs an experiment file and where to keep the results: %s", command.words);
        status = STATUS_BAD_INPUT;
    }
    return status;
}

static enum status apply_settings(struct sweep_command *sweep, int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    enum status status = STATUS_OK;
    const char *value;
    for (int found; status == STATUS_OK && (found = cli_read(&reader, &value)) != CLI_END;)
        if (found == CLI_OPTION + OPTION_SET)
            status = config_set(sweep->config, value);
    return status;
}

/* ----------------------------------------------------------------------------------------------- progress */

struct progress {
    double began_s, shown_s;
    bool visible;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void wipe(struct progress *progress)
{
    if (progress->visible)
        fprintf(stderr, "\r\033[K");
    progress->visible = false;
}

/* On a terminal only, after two seconds, and wiped at the end. */
static void show(void *self, size_t ended, size_t to_run)
{
    enum { FIRST_AFTER_S = 2 };
    const double every_s = 0.2;
    struct progress *progress = self;
    double now_s = seconds_now(), elapsed_s = now_s - progress->began_s;
    if (ended == to_run)
        wipe(progress);
    if (!ended || ended == to_run || elapsed_s < FIRST_AFTER_S || now_s - progress->shown_s < every_s ||
        !isatty(STDERR_FILENO))
        return;
    progress->shown_s = now_s;
    progress->visible = true;
    fprintf(stderr, "\r\033[K%zu of %zu runs, %.0f s to go", ended, to_run,
            elapsed_s * (double)(to_run - ended) / (double)ended);
    fflush(stderr);
}

/* --------------------------------------------------------------------------------------------------- runs */

static unsigned jobs_of(const struct sweep_command *sweep)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return sweep->options.jobs ? sweep->options.jobs : online > 0 ? (unsigned)online : 1;
}

static void print_forecast(const struct sweep_command *sweep, const struct sweep_forecast *forecast)
{
    char memory[64];
    unsigned jobs = jobs_of(sweep);
    const char *source =
        forecast->learnt_from ? "from the runs that are done" : "assumed: nothing has been run yet";
    printf("runs    %zu, of which %zu are to be run\n", forecast->runs, forecast->to_run);
    printf("time    %.3g s of work, %.3g s with %u %s (%s)\n", forecast->work_s, forecast->work_s / jobs,
           jobs, jobs == 1 ? "job" : "jobs", source);
    printf("memory  %s for the largest run, beside its trace (%s)\n",
           units_show_size((double)forecast->memory_bytes, 3, memory, sizeof memory), source);
}

static enum status dry_run(const struct sweep_command *sweep, const struct sweep_point *points, size_t count)
{
    struct store *store = NULL;
    struct sweep_forecast forecast;
    bool is_there = sweep->output && access(sweep->output, F_OK) == 0;
    enum status status = store_open(is_there ? sweep->output : ":memory:", STORE_WRITE, &store);
    if (status == STATUS_OK)
        status = sweep_forecast(store, points, count, &sweep->options, &forecast);
    if (status == STATUS_OK)
        print_forecast(sweep, &forecast);
    store_close(store);
    return status;
}

static enum status run_points(struct sweep_command *sweep, const struct sweep_point *points, size_t count)
{
    struct store *store = NULL;
    struct progress progress = {.began_s = seconds_now()};
    sweep->options.progress = show;
    sweep->options.self = &progress;
    bool is_new = access(sweep->output, F_OK) != 0;
    enum status status = store_open(sweep->output, STORE_WRITE, &store);
    if (status == STATUS_OK)
        status = definition_note(&sweep->definition, store);
    if (status == STATUS_OK)
        status = sweep_run(store, points, count, &sweep->options, NULL);
    wipe(&progress);
    store_close(store);
    if (status == STATUS_BAD_INPUT && is_new)
        unlink(sweep->output); /* nothing has been run, so nothing is to be left */
    return status;
}

static enum status run_sweep(struct sweep_command *sweep)
{
    struct sweep_point *points;
    size_t count;
    enum status status = definition_points(&sweep->definition, sweep->config, &points, &count);
    if (status != STATUS_OK)
        return status;
    return sweep->dry_run ? dry_run(sweep, points, count) : run_points(sweep, points, count);
}

int cli_sweep(int argc, char **argv)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct sweep_command sweep = {.config = config_new(tables, count)};
    if (!sweep.config)
        return STATUS_FAILED;
    bool help = false;
    enum status status = read_options(&sweep, argc, argv, &help);
    if (status == STATUS_OK && !help)
        status = definition_read_file(&sweep.definition, sweep.config, sweep.file);
    if (status == STATUS_OK && !help)
        status = apply_settings(&sweep, argc, argv);
    if (status == STATUS_OK && !help)
        status = run_sweep(&sweep);
    definition_free(&sweep.definition);
    config_free(sweep.config);
    return status;
}
