#include "sweep/worker.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/experiment.h"
#include "sim/result.h"

/* ----------------------------------------------------------------- messages */

/* A run's messages are kept until it has ended. Else those of several processes would mix. */
struct kept_messages {
    char *text;
    size_t length, capacity;
    bool errors_only;
};

static void keep_message(void *self, enum diag_level level, const char *message)
{
    struct kept_messages *kept = self;
    size_t length = strlen(message);
    if (kept->errors_only && level != DIAG_ERROR)
        return;
    kept->text = mem_grow(kept->text, &kept->capacity, kept->length + length + 1, "messages");
    memcpy(kept->text + kept->length, message, length + 1);
    kept->length += length;
}

/* --------------------------------------------------------------------- runs */

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool sweep_has_input(const struct experiment_config *chosen, const char *trace, const char *workload)
{
    return is_same(trace, chosen->trace) && is_same(workload, chosen->workload);
}

void sweep_worker_free(struct sweep_worker *worker)
{
    if (worker->program)
        worker->program->ops->close(worker->program);
    free(worker->trace);
    free(worker->workload);
    *worker = (struct sweep_worker){.parts_done = worker->parts_done, .room = worker->room};
}

/* Opens the experiment with the program that is open, or closes that one and opens another. */
static enum status open_experiment(struct sweep_worker *worker, const struct config *config,
                                   struct experiment *experiment)
{
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    if (worker->program && sweep_has_input(chosen, worker->trace, worker->workload))
        return experiment_init_with(experiment, config, worker->program);
    sweep_worker_free(worker);
    enum status status = experiment_init(experiment, config);
    if (status != STATUS_OK)
        return status;
    worker->program = experiment->program;
    worker->trace = chosen->trace ? mem_text(chosen->trace) : NULL;
    worker->workload = chosen->workload ? mem_text(chosen->workload) : NULL;
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

/* A point under way, and the parts of it that have been told. */
struct point_share {
    _Atomic uint64_t *parts_done;
    uint64_t told;
};

static void tell_share(struct point_share *share, uint64_t parts)
{
    if (!share->parts_done || parts <= share->told)
        return;
    *share->parts_done += parts - share->told;
    share->told = parts;
}

static bool pass_progress(void *self, const struct experiment_progress *at)
{
    double share = at->total ? (double)at->done / (double)at->total : 0;
    tell_share(self, (uint64_t)((share < 1 ? share : 1) * SWEEP_POINT_PARTS));
    return true;
}

static enum status run_config(struct sweep_worker *worker, const struct config *config,
                              struct kept_messages *kept, struct store_run *run)
{
    struct experiment experiment = {0};
    struct result result = {0};
    kept->errors_only = true; /* planning the points has reported the notes about an input */
    enum status status = open_experiment(worker, config, &experiment);
    kept->errors_only = false;
    struct point_share share = {.parts_done = worker->parts_done};
    const struct experiment_watch watch = {
        .progress = pass_progress, .self = &share, .wants_share = worker->parts_done != NULL};
    if (status == STATUS_OK)
        status = memory_admit(&experiment, &worker->room);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &watch, &result);
    tell_share(&share, SWEEP_POINT_PARTS);
    if (status == STATUS_OK)
        *run = run_of(&result);
    result_free(&result);
    experiment_free(&experiment);
    return status;
}

void sweep_worker_run(struct sweep_worker *worker, const struct sweep_point *point,
                      struct sweep_outcome *outcome)
{
    struct kept_messages kept = {.errors_only = false};
    diag_set_sink(keep_message, &kept);
    *outcome = (struct sweep_outcome){.status = STATUS_BAD_INPUT};
    struct config *config = sweep_config(point);
    if (config) {
        outcome->status = run_config(worker, config, &kept, &outcome->run);
        config_close(config);
    }
    diag_set_sink(NULL, NULL);
    outcome->messages = kept.text ? kept.text : mem_text("");
}

void sweep_outcome_free(struct sweep_outcome *outcome)
{
    store_run_free(&outcome->run);
    free(outcome->messages);
}

/* ------------------------------------------------------------------ packing */

/* Both ends run the same program on machines of one kind, so numbers are sent as they are in memory. */
struct packed_outcome {
    enum status status;
    ps_t makespan_ps;
    double idle_fraction, mean_bytes, wall_s;
    uint64_t messages, memory_bytes;
    sum_t bytes;
    uint64_t metrics_length, run_length,
        messages_length; /* of the texts that follow, each with its final 0 */
};

static char *put(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

void *sweep_outcome_pack(const struct sweep_outcome *outcome, size_t *length)
{
    const struct store_run *run = &outcome->run;
    const char *metrics = run->metrics ? run->metrics : "", *run_text = run->run ? run->run : "";
    struct packed_outcome packed = {.status = outcome->status,
                                    .makespan_ps = run->makespan_ps,
                                    .idle_fraction = run->idle_fraction,
                                    .mean_bytes = run->mean_bytes,
                                    .wall_s = run->wall_s,
                                    .messages = run->messages,
                                    .bytes = run->bytes,
                                    .memory_bytes = run->memory_bytes,
                                    .metrics_length = strlen(metrics) + 1,
                                    .run_length = strlen(run_text) + 1,
                                    .messages_length = strlen(outcome->messages) + 1};
    *length = sizeof packed + packed.metrics_length + packed.run_length + packed.messages_length;
    char *bytes = mem_alloc(*length, 1, "a packed result"), *at = bytes;
    at = put(at, (const char *)&packed, sizeof packed);
    at = put(at, metrics, packed.metrics_length);
    at = put(at, run_text, packed.run_length);
    put(at, outcome->messages, packed.messages_length);
    return bytes;
}

bool sweep_outcome_unpack(void *bytes, size_t length, struct sweep_outcome *outcome)
{
    struct packed_outcome packed;
    if (length < sizeof packed)
        return false;
    memcpy(&packed, bytes, sizeof packed);
    char *texts = (char *)bytes + sizeof packed;
    if (length != sizeof packed + packed.metrics_length + packed.run_length + packed.messages_length)
        return false;
    *outcome = (struct sweep_outcome){.status = packed.status,
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
                                      .messages = texts + packed.metrics_length + packed.run_length};
    return true;
}
