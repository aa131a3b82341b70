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
#include "sim/memory.h"
#include "sim/unused.h"

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
    bool is_forced; /* heliograph_force */
};

/* ---------------------------------------------------------------- messages */

static _Thread_local char *messages;
static _Thread_local size_t messages_length, messages_capacity;
static _Thread_local bool messages_lost; /* there was no memory for one */
static _Thread_local bool have_error;    /* one of the messages is an error */

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    size_t length = strlen(message), needed = messages_length + length + 1;
    if (needed > messages_capacity) {
        /* Not mem_grow: it reports a lack of memory, which comes here. */
        char *grown = realloc(messages, 2 * needed);
        messages_lost |= !grown;
        if (!grown)
            return;
        messages = grown;
        messages_capacity = 2 * needed;
    }
    memcpy(messages + messages_length, message, length + 1);
    messages_length += length;
    have_error |= level == DIAG_ERROR;
}

/* A call begins: what it reports is kept, and nothing is printed. */
static void collect_messages(void)
{
    messages_length = 0;
    messages_lost = have_error = false;
    if (messages)
        *messages = '\0';
    diag_set_sink(keep_message, NULL);
}

static const char no_memory[] = "heliograph: error: out of memory\n";

const char *heliograph_last_error(void)
{
    if (messages_lost && !have_error)
        return no_memory;
    return messages ? messages : "";
}

const char *heliograph_version(void)
{
    return HELIO_VERSION;
}

/* ------------------------------------------------------------- experiments */

/* A program does not end because a call needs more memory than there is; what the call had is lost. */
typedef enum status api_work(void *self);

static void leave(void *self)
{
    longjmp(*(jmp_buf *)self, 1);
}

static enum heliograph_status call_guarded(api_work *work, void *self)
{
    jmp_buf out;
    enum status status;
    collect_messages();
    if (setjmp(out)) {
        status = STATUS_FAILED;
        if (!have_error) /* memory ran out where messages were dropped */
            keep_message(NULL, DIAG_ERROR, no_memory);
    } else {
        mem_on_failure(leave, &out);
        status = work(self);
    }
    mem_on_failure(NULL, NULL);
    diag_set_sink(NULL, NULL); /* what the program itself reports by these rooms is printed again */
    return (enum heliograph_status)status;
}

static enum status make_experiment(void *self)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    if (!config)
        return STATUS_FAILED;
    struct heliograph **experiment = self;
    *experiment = mem_alloc(1, sizeof **experiment, "an experiment");
    (*experiment)->config = config;
    return STATUS_OK;
}

struct heliograph *heliograph_new(void)
{
    struct heliograph *experiment = NULL;
    return call_guarded(make_experiment, &experiment) == HELIOGRAPH_OK ? experiment : NULL;
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

struct api_input {
    struct heliograph *experiment;
    const char *name, *text; /* a file and its text, or a parameter and its value */
    size_t length;
};

static void refuse(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)self;
    config_key_error(reader, node,
                     "%s is for helio sweep; an experiment of the library makes one run on each fabric",
                     node->key);
}

static const struct config_section of_sweeps[] = {{"sweep", refuse}, {"seeds", refuse}, {"baseline", refuse}};

static enum status load_text(void *self)
{
    const struct api_input *input = self;
    enum status status = plugin_load_from_text(input->name, input->text, input->length);
    if (status == STATUS_OK)
        status = extend(input->experiment);
    if (status != STATUS_OK)
        return status;
    return config_read_text_with(input->experiment->config, input->name, input->text, input->length,
                                 of_sweeps, sizeof of_sweeps / sizeof *of_sweeps, NULL);
}

static enum status load_file(void *self)
{
    struct api_input input = *(struct api_input *)self;
    char *text = config_load_file(input.name, &input.length);
    input.text = text;
    enum status status = text ? load_text(&input) : STATUS_BAD_INPUT;
    free(text);
    return status;
}

static enum status set_parameter(void *self)
{
    const struct api_input *input = self;
    enum status status = extend(input->experiment);
    if (status != STATUS_OK)
        return status;
    return config_assign(input->experiment->config, input->name, input->text, "heliograph_set");
}

enum heliograph_status heliograph_load(struct heliograph *experiment, const char *path)
{
    return call_guarded(load_file, &(struct api_input){.experiment = experiment, .name = path});
}

enum heliograph_status heliograph_load_text(struct heliograph *experiment, const char *name, const char *text)
{
    return call_guarded(
        load_text,
        &(struct api_input){.experiment = experiment, .name = name, .text = text, .length = strlen(text)});
}

enum heliograph_status heliograph_set(struct heliograph *experiment, const char *parameter, const char *value)
{
    return call_guarded(set_parameter,
                        &(struct api_input){.experiment = experiment, .name = parameter, .text = value});
}

struct value_search {
    const char *name, *value;
    bool is_found;
};

static void match_value(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    struct value_search *search = self;
    if (strcmp(param->name, search->name) != 0)
        return;
    search->value = value;
    search->is_found = true;
}

int heliograph_has(const struct heliograph *experiment, const char *parameter)
{
    struct value_search search = {.name = parameter};
    config_each(experiment->config, &search, match_value);
    return search.is_found;
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

void heliograph_force(struct heliograph *experiment, int force)
{
    experiment->is_forced = force != 0;
}

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

/* The experiment gets its results when all of them are there: those of a run that ran out of memory are not
 * even good enough to be freed. */
static enum status run_experiment(void *self)
{
    struct heliograph *experiment = self, results = *experiment;
    struct experiment opened;
    struct unused_params unused = {.set_count = 0};
    enum status status = extend(experiment);
    if (status != STATUS_OK)
        return status;
    status = experiment_init(&opened, experiment->config);
    if (status == STATUS_OK) { /* what is wrong with the experiment was an error before this */
        unused_params_add(&unused, experiment->config, &opened);
        unused_params_warn(&unused);
    }
    if (status == STATUS_OK && !experiment->is_forced) {
        const struct memory_room room = memory_room_find();
        status = memory_admit(&opened, &room);
    }
    if (status == STATUS_OK)
        status = experiment_hash_inputs(&opened);
    if (status == STATUS_OK)
        status = run_all(&results, &opened);
    if (status == STATUS_OK) {
        unused_algorithms_warn(&unused, unused_result_calls, &results.runs[0].result);
        unused_shapes_warn(&unused, &results.runs[0].result);
        unused_computation_warn(&unused, &results.runs[0].result);
    }
    if (status == STATUS_OK)
        status = write_json(&results, &opened);
    unused_params_free(&unused);
    experiment_free(&opened);
    *experiment = results;
    return status;
}

enum heliograph_status heliograph_run(struct heliograph *experiment)
{
    free_results(experiment);
    enum heliograph_status status = call_guarded(run_experiment, experiment);
    if (status != HELIOGRAPH_OK)
        free_results(experiment);
    return status;
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

#define REGISTER(part)                                                                                       \
    static enum status register_##part(void *self)                                                           \
    {                                                                                                        \
        return plugin_register_##part(self);                                                                 \
    }                                                                                                        \
    enum heliograph_status heliograph_register_##part(const struct heliograph_##part *part)                  \
    {                                                                                                        \
        return call_guarded(register_##part, (void *)part);                                                  \
    }
REGISTER(fabric)
REGISTER(topology)
REGISTER(workload)
REGISTER(trace_format)
REGISTER(collective)
#undef REGISTER

static enum status load_plugin(void *path)
{
    return plugin_load(path);
}

enum heliograph_status heliograph_load_plugin(const char *path)
{
    return call_guarded(load_plugin, (void *)path);
}
