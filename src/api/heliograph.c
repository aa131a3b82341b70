#define HELIOGRAPH_BUILDING
#include <heliograph.h>

#include <jansson.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "fabric/external.h"
#include "sim/components.h"
#include "sim/experiment.h"

/* libheliograph, include/heliograph.h: what the rooms below offer, behind names and types that stay. */

_Static_assert((int)HELIOGRAPH_FAILED == (int)STATUS_FAILED &&
                   (int)HELIOGRAPH_BAD_INPUT == (int)STATUS_BAD_INPUT,
               "a status goes out as it is");

struct run {
    struct result result;
    json_t *metrics; /* names and numbers */
};

struct heliograph {
    struct config *config;
    struct run *runs;
    size_t count;
    char *json;
};

/* ---------------------------------------------------------------------------------------- what was said */

static _Thread_local char *said;
static _Thread_local size_t said_length, said_capacity;

static void hear(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    size_t length = strlen(message);
    said = mem_grow(said, &said_capacity, said_length + length + 1, "messages");
    memcpy(said + said_length, message, length + 1);
    said_length += length;
}

static void listen(void)
{
    said_length = 0;
    if (said)
        *said = '\0';
    diag_set_sink(hear, NULL);
}

/* The program's own use of standard error is its own again. */
static enum heliograph_status answer(enum status status)
{
    diag_set_sink(NULL, NULL);
    return (enum heliograph_status)status;
}

const char *heliograph_said(void)
{
    return said ? said : "";
}

const char *heliograph_version(void)
{
    return HELIO_VERSION;
}

/* ------------------------------------------------------------------------------------------ experiments */

struct heliograph *heliograph_new(void)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    listen();
    struct config *config = config_new(tables, count);
    answer(STATUS_OK);
    if (!config)
        return NULL;
    struct heliograph *experiment = mem_alloc(1, sizeof *experiment, "an experiment");
    experiment->config = config;
    return experiment;
}

static void forget(struct heliograph *experiment)
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
    forget(experiment);
    config_free(experiment->config);
    free(experiment);
}

enum heliograph_status heliograph_load(struct heliograph *experiment, const char *path)
{
    listen();
    return answer(config_read_file(experiment->config, path));
}

enum heliograph_status heliograph_load_text(struct heliograph *experiment, const char *name, const char *text)
{
    listen();
    return answer(config_read_text(experiment->config, name, text, strlen(text)));
}

enum heliograph_status heliograph_set(struct heliograph *experiment, const char *parameter, const char *value)
{
    listen();
    return answer(config_assign(experiment->config, parameter, value, "heliograph_set"));
}

struct search {
    const char *name, *value;
};

static void look(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    struct search *search = self;
    if (strcmp(param->name, search->name) == 0)
        search->value = value;
}

const char *heliograph_get(const struct heliograph *experiment, const char *parameter)
{
    struct search search = {.name = parameter};
    config_each(experiment->config, &search, look);
    return search.value;
}

/* -------------------------------------------------------------------------------------------------- run */

static enum status run_all(struct heliograph *experiment, struct experiment *opened)
{
    enum status status = STATUS_OK;
    experiment->runs = mem_alloc(opened->fabric_count, sizeof *experiment->runs, "results");
    for (size_t i = 0; status == STATUS_OK && i < opened->fabric_count; i++) {
        struct run *run = &experiment->runs[experiment->count++];
        status = experiment_run(opened, i, &(struct experiment_watch){0}, &run->result);
        if (status != STATUS_OK)
            break;
        char *metrics = result_metrics_text(&run->result);
        run->metrics = json_loads(metrics, 0, NULL);
        free(metrics);
    }
    return status;
}

/* All runs as one object, as helio run --json has it. */
static enum status write_json(struct heliograph *experiment, struct experiment *opened)
{
    size_t length;
    FILE *out = open_memstream(&experiment->json, &length);
    if (!out) {
        diag_error("there is no memory for the results");
        return STATUS_FAILED;
    }
    struct result *results = mem_alloc(experiment->count, sizeof *results, "results");
    for (size_t i = 0; i < experiment->count; i++)
        results[i] = experiment->runs[i].result;
    struct manifest manifest = experiment_manifest(opened);
    enum status status = result_print_json(&manifest, results, experiment->count, out);
    free(results);
    fclose(out);
    return status;
}

enum heliograph_status heliograph_run(struct heliograph *experiment)
{
    struct experiment opened;
    listen();
    forget(experiment);
    enum status status = experiment_open(&opened, experiment->config);
    if (status == STATUS_OK)
        status = run_all(experiment, &opened);
    if (status == STATUS_OK)
        status = write_json(experiment, &opened);
    experiment_close(&opened);
    if (status != STATUS_OK)
        forget(experiment);
    return answer(status);
}

/* ---------------------------------------------------------------------------------------------- results */

size_t heliograph_runs(const struct heliograph *experiment)
{
    return experiment->count;
}

/* NULL where there is no such run. */
static const struct result *result_at(const struct heliograph *experiment, size_t run)
{
    return run < experiment->count ? &experiment->runs[run].result : NULL;
}

const char *heliograph_fabric(const struct heliograph *experiment, size_t run)
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
    return result ? result->bytes : 0;
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

/* -------------------------------------------------------------------------------- fabrics from outside */

/* The room below knows nothing of this header's types. */
struct foreign_state {
    const struct heliograph_fabric *fabric;
    void *state;
};

static void *begin(void *self, uint32_t nodes)
{
    const struct heliograph_fabric *fabric = self;
    void *state = fabric->begin ? fabric->begin(fabric->self, nodes) : fabric->self;
    if (fabric->begin && !state)
        return NULL;
    struct foreign_state *foreign = mem_alloc(1, sizeof *foreign, "a fabric from outside");
    *foreign = (struct foreign_state){.fabric = fabric, .state = state};
    return foreign;
}

static void transfer(void *state, const struct message *message, ps_t now, ps_t *visible, ps_t *sender_done,
                     ps_t *delivered)
{
    const struct foreign_state *foreign = state;
    const struct heliograph_message moved = {.source = message->source_node,
                                             .destination = message->destination_node,
                                             .bytes = message->bytes,
                                             .now_ps = now};
    struct heliograph_transfer done = {.visible_ps = now, .sender_done_ps = now, .delivered_ps = now};
    foreign->fabric->transfer(foreign->state, &moved, &done);
    *visible = done.visible_ps;
    *sender_done = done.sender_done_ps;
    *delivered = done.delivered_ps;
}

static void end(void *state)
{
    struct foreign_state *foreign = state;
    if (foreign->fabric->end)
        foreign->fabric->end(foreign->state);
    free(foreign);
}

enum heliograph_status heliograph_register_fabric(const struct heliograph_fabric *fabric)
{
    listen();
    struct heliograph_fabric *copy = mem_alloc(1, sizeof *copy, "a fabric from outside");
    *copy = *fabric;
    enum status status =
        fabric_add_external(&(struct fabric_external){.name = fabric->name,
                                                      .doc = fabric->doc,
                                                      .self = copy,
                                                      .begin = begin,
                                                      .transfer = fabric->transfer ? transfer : NULL,
                                                      .end = end});
    if (status != STATUS_OK)
        free(copy);
    return answer(status);
}
