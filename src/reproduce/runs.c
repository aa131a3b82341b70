#include "reproduce/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"

enum run_state { RUN_WANTED, RUN_DONE, RUN_FAILED };

struct run {
    char *fabric, *workload, *settings;
    enum run_state state;
    struct run_facts facts;
    char *reason; /* why it failed */
};

struct runs {
    struct run **list; /* facts must not move: they have been handed out */
    size_t count, capacity;
};

const struct run_facts run_unknown = {
    .makespan_s = NAN, .idle_fraction = NAN, .messages = NAN, .bytes = NAN, .mean_bytes = NAN};

double run_metric(const struct run_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->metric_count; i++)
        if (strcmp(facts->metrics[i].name, name) == 0)
            return facts->metrics[i].value;
    return NAN;
}

struct runs *runs_new(void)
{
    return mem_alloc(1, sizeof(struct runs), "runs");
}

static void run_free(struct run *run)
{
    for (size_t i = 0; i < run->facts.metric_count; i++)
        free(run->facts.metrics[i].name);
    free(run->facts.metrics);
    free(run->fabric);
    free(run->workload);
    free(run->settings);
    free(run->reason);
    free(run);
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        run_free(runs->list[i]);
    free(runs->list);
    free(runs);
}

static struct run *find(const struct runs *runs, const char *fabric, const char *workload,
                        const char *settings)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = runs->list[i];
        if (strcmp(run->settings, settings) == 0 && strcmp(run->workload, workload) == 0 &&
            strcmp(run->fabric, fabric) == 0)
            return run;
    }
    return NULL;
}

const struct run_facts *runs_ask(struct runs *runs, const char *fabric, const char *workload,
                                 const char *settings, const char **reason)
{
    struct run *run = find(runs, fabric, workload, settings ? settings : "");
    if (!run) {
        run = mem_alloc(1, sizeof *run, "a run");
        *run = (struct run){.fabric = mem_text(fabric),
                            .workload = mem_text(workload),
                            .settings = mem_text(settings ? settings : ""),
                            .facts = run_unknown};
        runs->list = mem_grow(runs->list, &runs->capacity, runs->count + 1, "runs");
        runs->list[runs->count++] = run;
    }
    if (run->state == RUN_FAILED)
        *reason = run->reason;
    return &run->facts;
}

/* ---------------------------------------------------------------------------------------------------- run */

/* Keeps the first error of a run, up to the end of its line, and says none: it goes with the item's row. */
static void keep_reason(void *self, enum diag_level level, const char *message)
{
    struct run *run = self;
    if (level == DIAG_ERROR && !run->reason)
        run->reason = mem_format("%.*s", (int)strcspn(message, "\n"), message);
}

static enum status configure(struct config *config, const struct run *run)
{
    enum status status = config_assign(config, "workload", run->workload, "the paper");
    if (status == STATUS_OK)
        status = config_assign(config, "fabric", run->fabric, "the paper");
    char *settings = mem_text(run->settings), *rest = settings;
    for (char *setting; status == STATUS_OK && (setting = strsep(&rest, " "));)
        if (*setting)
            status = config_set(config, setting);
    free(settings);
    return status;
}

static double metric_value(const struct metric *metric, const void *statistics)
{
    const void *field = (const char *)statistics + metric->offset;
    switch (metric->type) {
    case METRIC_COUNT:
    case METRIC_BYTES:
        return (double)*(const uint64_t *)field;
    case METRIC_TIME:
        return (double)*(const ps_t *)field / (double)PS_PER_S;
    case METRIC_RATIO:
        return *(const double *)field;
    default:
        return NAN; /* a series */
    }
}

static void take_facts(struct run_facts *facts, const struct result *result)
{
    const struct metric_table *table = result->metrics;
    *facts = (struct run_facts){.makespan_s = (double)result->makespan / (double)PS_PER_S,
                                .idle_fraction = result_idle_fraction(result),
                                .messages = (double)result->messages,
                                .bytes = (double)result->bytes,
                                .mean_bytes =
                                    result->messages ? (double)result->bytes / (double)result->messages : 0};
    if (!table)
        return;
    facts->metrics = mem_alloc(table->count, sizeof *facts->metrics, "metrics");
    facts->metric_count = table->count;
    for (size_t i = 0; i < table->count; i++)
        facts->metrics[i] =
            (struct run_metric){.name = mem_text(table->metrics[i].name),
                                .value = metric_value(&table->metrics[i], result->statistics)};
}

static enum status carry_out(struct run *run, const struct config *config)
{
    struct experiment experiment;
    struct result result = {0};
    enum status status = experiment_open(&experiment, config);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &(struct experiment_watch){0}, &result);
    if (status == STATUS_OK)
        take_facts(&run->facts, &result);
    result_free(&result);
    experiment_close(&experiment);
    return status;
}

static void do_run(struct run *run)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    diag_set_sink(keep_reason, run);
    struct config *config = config_new(tables, count);
    enum status status = config ? configure(config, run) : STATUS_FAILED;
    if (status == STATUS_OK)
        status = carry_out(run, config);
    if (config)
        config_free(config);
    diag_set_sink(NULL, NULL);
    run->state = status == STATUS_OK ? RUN_DONE : RUN_FAILED;
    if (status != STATUS_OK && !run->reason)
        run->reason = mem_text("the run failed");
}

static void show_progress(const char *name, size_t done, size_t all)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (done < all)
        fprintf(stderr, "%s: %zu of %zu runs", name, done, all);
    fflush(stderr);
}

size_t runs_catch_up(struct runs *runs, const char *name)
{
    size_t all = 0, done = 0;
    for (size_t i = 0; i < runs->count; i++)
        all += runs->list[i]->state == RUN_WANTED;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->list[i]->state == RUN_WANTED) {
            show_progress(name, done++, all);
            do_run(runs->list[i]);
        }
    if (all)
        show_progress(name, all, all);
    return all;
}
