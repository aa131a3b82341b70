#define HELIOGRAPH_BUILDING
#include <heliograph.h>

#include <setjmp.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_stream.h"
#include "output/json.h"
#include "plugin/plugin.h"
#include "sim/components.h"
#include "sim/experiment.h"

/* libheliograph, include/heliograph.h: experiments, behind names and types that stay. What programs register,
 * and plug-ins, are in the room plugin. */

_Static_assert((int)HELIOGRAPH_FAILED == (int)STATUS_FAILED &&
                   (int)HELIOGRAPH_BAD_INPUT == (int)STATUS_BAD_INPUT &&
                   (int)HELIOGRAPH_CANCELLED == (int)STATUS_CANCELLED,
               "a status goes out as it is");

struct api_run {
    struct result result;
    json_t *metrics; /* names and numbers */
};

struct heliograph {
    struct config *config;
    struct api_run *runs;
    size_t count;
    char *json;
    int (*progress)(void *self, const struct heliograph_progress *progress); /* NULL: nobody asks */
    void *progress_self;
};

/* ---------------------------------------------------------------- messages */

static _Thread_local char *messages;
static _Thread_local size_t messages_length, messages_capacity;

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    size_t length = strlen(message);
    messages = mem_grow(messages, &messages_capacity, messages_length + length + 1, "messages");
    memcpy(messages + messages_length, message, length + 1);
    messages_length += length;
}

/* A function that returns a status begins: what it reports is kept, and nothing is printed. */
static void collect_messages(void)
{
    messages_length = 0;
    if (messages)
        *messages = '\0';
    diag_set_sink(keep_message, NULL);
}

/* It ends: what the program itself reports by these rooms goes to standard error again. */
static enum heliograph_status finish(enum status status)
{
    diag_set_sink(NULL, NULL);
    return (enum heliograph_status)status;
}

const char *heliograph_last_error(void)
{
    return messages ? messages : "";
}

const char *heliograph_version(void)
{
    return HELIO_VERSION;
}

/* ------------------------------------------------------------- experiments */

struct heliograph *heliograph_new(void)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    collect_messages();
    struct config *config = config_open(tables, count);
    finish(STATUS_OK);
    if (!config)
        return NULL;
    struct heliograph *experiment = mem_alloc(1, sizeof *experiment, "an experiment");
    experiment->config = config;
    return experiment;
}

static void free_results(struct heliograph *experiment)
{
    for (size_t i = 0; i < experiment->count; i++) {
        result_free(&experiment->runs[i].result);
        json_decref(experiment->runs[i].metrics);
    }
    free(experiment->runs);
    free(experiment->json);
    experiment->runs = NULL;
    experiment->count = 0;
    experiment->json = NULL;
}

void heliograph_free(struct heliograph *experiment)
{
    if (!experiment)
        return;
    free_results(experiment);
    config_close(experiment->config);
    free(experiment);
}

/* Parts that were registered since have parameters as well, and plug-ins may have been loaded. */
static enum status extend(struct heliograph *experiment)
{
    size_t count;
    components_params(&count);
    return config_extend(experiment->config, count) ? plugin_note(experiment->config) : STATUS_FAILED;
}

static enum status load_text(struct heliograph *experiment, const char *name, const char *text, size_t length)
{
    enum status status = plugin_load_from_text(name, text, length);
    if (status == STATUS_OK)
        status = extend(experiment);
    return status == STATUS_OK ? config_read_text(experiment->config, name, text, length) : status;
}

enum heliograph_status heliograph_load(struct heliograph *experiment, const char *path)
{
    collect_messages();
    size_t length;
    char *text = config_load_file(path, &length);
    enum status status = text ? load_text(experiment, path, text, length) : STATUS_BAD_INPUT;
    free(text);
    return finish(status);
}

enum heliograph_status heliograph_load_text(struct heliograph *experiment, const char *name, const char *text)
{
    collect_messages();
    return finish(load_text(experiment, name, text, strlen(text)));
}

enum heliograph_status heliograph_set(struct heliograph *experiment, const char *parameter, const char *value)
{
    collect_messages();
    enum status status = extend(experiment);
    return finish(status == STATUS_OK ? config_assign(experiment->config, parameter, value, "heliograph_set")
                                      : status);
}

struct value_search {
    const char *name, *value;
};

static void match_value(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    struct value_search *search = self;
    if (strcmp(param->name, search->name) == 0)
        search->value = value;
}

const char *heliograph_get(const struct heliograph *experiment, const char *parameter)
{
    struct value_search search = {.name = parameter};
    config_each(experiment->config, &search, match_value);
    return search.value;
}

/* --------------------------------------------------------------------- run */

void heliograph_on_progress(struct heliograph *experiment,
                            int (*progress)(void *self, const struct heliograph_progress *progress),
                            void *self)
{
    experiment->progress = progress;
    experiment->progress_self = self;
}

/* What the program has been told of a run. */
struct told_progress {
    const struct heliograph *experiment;
    unsigned step_bits; /* it is told each 2^step_bits calls or messages */
    uint64_t call_steps, message_steps;
};

static bool pass_progress(void *self, const struct experiment_progress *at)
{
    struct told_progress *told = self;
    const struct heliograph *experiment = told->experiment;
    uint64_t call_steps = at->engine.calls >> told->step_bits;
    uint64_t message_steps = at->engine.messages >> told->step_bits;
    if (call_steps == told->call_steps && message_steps == told->message_steps)
        return true;
    told->call_steps = call_steps;
    told->message_steps = message_steps;
    const struct heliograph_progress progress = {.struct_size = sizeof progress,
                                                 .fabric = at->fabric,
                                                 .calls = at->engine.calls,
                                                 .total_calls = at->total_calls,
                                                 .now_ps = at->engine.now};
    return experiment->progress(experiment->progress_self, &progress) == 0;
}

static enum status run_all(struct heliograph *experiment, struct experiment *opened)
{
    enum status status = STATUS_OK;
    experiment->runs = mem_alloc(opened->fabric_count, sizeof *experiment->runs, "results");
    for (size_t i = 0; status == STATUS_OK && i < opened->fabric_count; i++) {
        struct told_progress told = {.experiment = experiment,
                                     .step_bits = opened->program->openloop ? 16 : 20};
        const struct experiment_watch watch = {.progress = experiment->progress ? pass_progress : NULL,
                                               .self = &told};
        struct api_run *run = &experiment->runs[experiment->count++];
        status = experiment_run(opened, i, &watch, &run->result);
        if (status != STATUS_OK)
            break;
        char *metrics = result_metrics_text(&run->result);
        run->metrics = json_read_object(metrics);
        free(metrics);
    }
    return status;
}

/* All runs as one object, as helio run --json has it. */
static enum status write_json(struct heliograph *experiment, struct experiment *opened)
{
    size_t length;
    FILE *out = memory_stream_open(&experiment->json, &length);
    struct result *results = mem_alloc(experiment->count, sizeof *results, "results");
    for (size_t i = 0; i < experiment->count; i++)
        results[i] = experiment->runs[i].result;
    struct manifest manifest = experiment_manifest(opened);
    enum status status = result_print_json(&manifest, results, experiment->count, out);
    free(results);
    fclose(out);
    return status;
}

static enum status run_experiment(struct heliograph *experiment)
{
    struct experiment opened;
    free_results(experiment);
    enum status status = extend(experiment);
    if (status != STATUS_OK)
        return status;
    status = experiment_init(&opened, experiment->config);
    if (status == STATUS_OK)
        status = run_all(experiment, &opened);
    if (status == STATUS_OK)
        status = write_json(experiment, &opened);
    experiment_free(&opened);
    return status;
}

static void leave(void *self)
{
    longjmp(*(jmp_buf *)self, 1);
}

/* A program does not end because a run takes more memory than there is; what the run had is lost. */
static enum status run_guarded(struct heliograph *experiment)
{
    jmp_buf out;
    if (setjmp(out))
        return STATUS_FAILED;
    mem_on_failure(leave, &out);
    return run_experiment(experiment);
}

enum heliograph_status heliograph_run(struct heliograph *experiment)
{
    collect_messages();
    enum status status = run_guarded(experiment);
    mem_on_failure(NULL, NULL);
    if (status != STATUS_OK)
        free_results(experiment);
    return finish(status);
}

/* ----------------------------------------------------------------- results */

size_t heliograph_run_count(const struct heliograph *experiment)
{
    return experiment->count;
}

/* NULL where there is no such run. */
static const struct result *result_at(const struct heliograph *experiment, size_t run)
{
    return run < experiment->count ? &experiment->runs[run].result : NULL;
}

const char *heliograph_run_fabric(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    return result ? result->fabric : NULL;
}

int64_t heliograph_makespan_ps(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    return result ? result->makespan : 0;
}

double heliograph_idle_fraction(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    return result ? result_idle_fraction(result) : 0;
}

uint64_t heliograph_messages(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    return result ? result->messages : 0;
}

uint64_t heliograph_bytes(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    if (!result)
        return 0;
    return result->bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)result->bytes;
}

uint32_t heliograph_ranks(const struct heliograph *experiment, size_t run)
{
    const struct result *result = result_at(experiment, run);
    return result ? result->ranks : 0;
}

static struct rank_row row_at(const struct heliograph *experiment, size_t run, uint32_t rank)
{
    const struct result *result = result_at(experiment, run);
    return result && rank < result->ranks ? result->rows[rank] : (struct rank_row){.finish = 0};
}

int64_t heliograph_rank_finish_ps(const struct heliograph *experiment, size_t run, uint32_t rank)
{
    return row_at(experiment, run, rank).finish;
}

int64_t heliograph_rank_compute_ps(const struct heliograph *experiment, size_t run, uint32_t rank)
{
    return row_at(experiment, run, rank).compute;
}

int64_t heliograph_rank_idle_ps(const struct heliograph *experiment, size_t run, uint32_t rank)
{
    return row_at(experiment, run, rank).idle;
}

int heliograph_metric(const struct heliograph *experiment, size_t run, const char *name, double *value)
{
    const json_t *number =
        run < experiment->count ? json_object_get(experiment->runs[run].metrics, name) : NULL;
    if (!json_is_number(number))
        return 0;
    *value = json_number_value(number);
    return 1;
}

const char *heliograph_json(const struct heliograph *experiment)
{
    return experiment->json;
}

/* --------------------------------------------------------- parts, plug-ins */

enum heliograph_status heliograph_register_fabric(const struct heliograph_fabric *fabric)
{
    collect_messages();
    return finish(plugin_register_fabric(fabric));
}

enum heliograph_status heliograph_register_topology(const struct heliograph_topology *topology)
{
    collect_messages();
    return finish(plugin_register_topology(topology));
}

enum heliograph_status heliograph_register_workload(const struct heliograph_workload *workload)
{
    collect_messages();
    return finish(plugin_register_workload(workload));
}

enum heliograph_status heliograph_register_trace_format(const struct heliograph_trace_format *format)
{
    collect_messages();
    return finish(plugin_register_trace_format(format));
}

enum heliograph_status heliograph_register_collective(const struct heliograph_collective *collective)
{
    collect_messages();
    return finish(plugin_register_collective(collective));
}

enum heliograph_status heliograph_load_plugin(const char *path)
{
    collect_messages();
    return finish(plugin_load(path));
}
