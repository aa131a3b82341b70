#include "sweep/work.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/experiment.h"
#include "sim/result.h"

/* ------------------------------------------------------------------------------------------ what is said */

/* Messages of a run are kept until it has ended: those of several processes would be mixed up. */
struct ear {
    char *text;
    size_t length, capacity;
    bool errors_only;
};

static void hear(void *self, enum diag_level level, const char *message)
{
    struct ear *ear = self;
    size_t length = strlen(message);
    if (ear->errors_only && level != DIAG_ERROR)
        return;
    ear->text = mem_grow(ear->text, &ear->capacity, ear->length + length + 1, "messages");
    memcpy(ear->text + ear->length, message, length + 1);
    ear->length += length;
}

/* ------------------------------------------------------------------------------------------------- runs */

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool work_is_input(const struct experiment_config *chosen, const char *trace, const char *workload)
{
    return is_same(trace, chosen->trace) && is_same(workload, chosen->workload);
}

void work_close(struct work *work)
{
    if (work->program)
        work->program->ops->close(work->program);
    free(work->trace);
    free(work->workload);
    *work = (struct work){0};
}

/* The experiment, its program the one that is open, or another that takes that one's place. */
static enum status open_experiment(struct work *work, const struct config *config,
                                   struct experiment *experiment)
{
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    if (work->program && work_is_input(chosen, work->trace, work->workload))
        return experiment_open_with(experiment, config, work->program);
    work_close(work);
    enum status status = experiment_open(experiment, config);
    if (status != STATUS_OK)
        return status;
    work->program = experiment->program;
    work->trace = chosen->trace ? mem_text(chosen->trace) : NULL;
    work->workload = chosen->workload ? mem_text(chosen->workload) : NULL;
    experiment->program_is_lent = true;
    return STATUS_OK;
}

static struct store_run run_of(const struct result *result)
{
    return (struct store_run){.done = true,
                              .makespan_ps = result->makespan,
                              .idle_fraction = result_idle_fraction(result),
                              .messages = result->messages,
                              .bytes = result->bytes,
                              .mean_bytes = result_mean_bytes(result),
                              .metrics = result_metrics_text(result),
                              .run = result_run_text(result),
                              .wall_s = result->wall_s,
                              .memory_bytes = result->usage.bytes};
}

static enum status run_config(struct work *work, const struct config *config, struct ear *ear,
                              struct store_run *run)
{
    struct experiment experiment = {0};
    struct result result = {0};
    ear->errors_only = true; /* what there is to note about an input was noted when the points were planned */
    enum status status = open_experiment(work, config, &experiment);
    ear->errors_only = false;
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &(struct experiment_watch){0}, &result);
    if (status == STATUS_OK)
        *run = run_of(&result);
    result_free(&result);
    experiment_close(&experiment);
    return status;
}

void work_point(struct work *work, const struct sweep_point *point, struct outcome *outcome)
{
    struct ear ear = {.errors_only = false};
    diag_set_sink(hear, &ear);
    *outcome = (struct outcome){.status = STATUS_BAD_INPUT};
    struct config *config = sweep_config(point);
    if (config) {
        outcome->status = run_config(work, config, &ear, &outcome->run);
        config_close(config);
    }
    diag_set_sink(NULL, NULL);
    outcome->said = ear.text ? ear.text : mem_text("");
}

void outcome_free(struct outcome *outcome)
{
    store_run_free(&outcome->run);
    free(outcome->said);
}

/* ---------------------------------------------------------------------------------------- over the wire */

/* Both ends are the same program on like machines, so numbers go as they lie in memory. */
struct packed {
    enum status status;
    ps_t makespan_ps;
    double idle_fraction, mean_bytes, wall_s;
    uint64_t messages, bytes, memory_bytes;
    uint64_t metrics_length, run_length, said_length; /* the texts behind, each with its end */
};

static char *put(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

void *outcome_pack(const struct outcome *outcome, size_t *length)
{
    const struct store_run *run = &outcome->run;
    const char *metrics = run->metrics ? run->metrics : "", *run_text = run->run ? run->run : "";
    struct packed packed = {.status = outcome->status,
                            .makespan_ps = run->makespan_ps,
                            .idle_fraction = run->idle_fraction,
                            .mean_bytes = run->mean_bytes,
                            .wall_s = run->wall_s,
                            .messages = run->messages,
                            .bytes = run->bytes,
                            .memory_bytes = run->memory_bytes,
                            .metrics_length = strlen(metrics) + 1,
                            .run_length = strlen(run_text) + 1,
                            .said_length = strlen(outcome->said) + 1};
    *length = sizeof packed + packed.metrics_length + packed.run_length + packed.said_length;
    char *bytes = mem_alloc(*length, 1, "results on their way"), *at = bytes;
    at = put(at, (const char *)&packed, sizeof packed);
    at = put(at, metrics, packed.metrics_length);
    at = put(at, run_text, packed.run_length);
    put(at, outcome->said, packed.said_length);
    return bytes;
}

bool outcome_unpack(void *bytes, size_t length, struct outcome *outcome)
{
    struct packed packed;
    if (length < sizeof packed)
        return false;
    memcpy(&packed, bytes, sizeof packed);
    char *texts = (char *)bytes + sizeof packed;
    if (length != sizeof packed + packed.metrics_length + packed.run_length + packed.said_length)
        return false;
    *outcome = (struct outcome){.status = packed.status,
                                .run = {.done = packed.status == STATUS_OK,
                                        .makespan_ps = packed.makespan_ps,
                                        .idle_fraction = packed.idle_fraction,
                                        .mean_bytes = packed.mean_bytes,
                                        .wall_s = packed.wall_s,
                                        .messages = packed.messages,
                                        .bytes = packed.bytes,
                                        .memory_bytes = packed.memory_bytes,
                                        .metrics = texts,
                                        .run = texts + packed.metrics_length},
                                .said = texts + packed.metrics_length + packed.run_length};
    return true;
}
