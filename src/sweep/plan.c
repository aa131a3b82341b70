#include "sweep/plan.h"

#include <jansson.h>
#include <string.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/experiment.h"
#include "sim/result.h"
#include "sweep/work.h"

/* A program of the points, open until all of them are planned: each settles it for its own parameters. */
struct input {
    char *trace, *workload; /* as the parameters have it; NULL = the other */
    struct program *program;
    char hash[TRACE_KEY_TEXT]; /* "" of what is generated */
};

struct planner {
    struct plan *plan;
    struct input *inputs;
    size_t input_count, input_capacity;
};

/* ----------------------------------------------------------------------------------------------- points */

struct config *sweep_config(const struct sweep_point *point)
{
    struct config *config = config_copy(point->base);
    enum status status = config ? STATUS_OK : STATUS_FAILED;
    for (size_t i = 0; status == STATUS_OK && i < point->count; i++) {
        const struct sweep_setting *setting = &point->settings[i];
        status =
            config_assign(config, setting->name, setting->value, setting->origin ? setting->origin : "sweep");
    }
    if (status == STATUS_OK)
        status = config_assign(config, "fabric", point->fabric, "sweep");
    if (status == STATUS_OK)
        return config;
    if (config)
        config_close(config);
    return NULL;
}

char *sweep_label(const struct sweep_point *point)
{
    char *label = mem_text(point->fabric);
    for (size_t i = 0; i < point->count; i++) {
        char *longer = mem_format("%s, %s=%s", label, point->settings[i].name, point->settings[i].value);
        free(label);
        label = longer;
    }
    return label;
}

/* ----------------------------------------------------------------------------------------------- inputs */

static const struct input *find_input(const struct planner *planner, const struct experiment_config *chosen)
{
    for (size_t i = 0; i < planner->input_count; i++) {
        const struct input *input = &planner->inputs[i];
        if (work_is_input(chosen, input->trace, input->workload))
            return input;
    }
    return NULL;
}

static const struct input *add_input(struct planner *planner, struct experiment *experiment)
{
    const struct experiment_config *chosen = experiment->chosen;
    planner->inputs =
        mem_grow(planner->inputs, &planner->input_capacity, planner->input_count + 1, "inputs of a sweep");
    struct input *input = &planner->inputs[planner->input_count++];
    *input = (struct input){.trace = chosen->trace ? mem_text(chosen->trace) : NULL,
                            .workload = chosen->workload ? mem_text(chosen->workload) : NULL,
                            .program = experiment->program};
    experiment->program_is_lent = true;
    if (chosen->trace)
        trace_key(input->program, input->hash);
    return input;
}

/* The point's experiment; opened, and thereby checked, its input with it when that is seen first. NULL: it is
 * wrong. */
static const struct input *open_point(struct planner *planner, const struct config *config,
                                      struct experiment *experiment)
{
    const struct input *known = find_input(planner, config_of(config, &experiment_params));
    if (known)
        return experiment_open_with(experiment, config, known->program) == STATUS_OK ? known : NULL;
    return experiment_open(experiment, config) == STATUS_OK ? add_input(planner, experiment) : NULL;
}

static void free_inputs(struct planner *planner)
{
    for (size_t i = 0; i < planner->input_count; i++) {
        planner->inputs[i].program->ops->close(planner->inputs[i].program);
        free(planner->inputs[i].trace);
        free(planner->inputs[i].workload);
    }
    free(planner->inputs);
}

/* ------------------------------------------------------------------------------------------------- keys */

/* What a run depends on: every parameter; for the trace, and for what else is read because a parameter says
 * so, instead or also the contents. */
struct description {
    const struct experiment *experiment;
    const struct input *input;
    XXH3_state_t *hash;
    json_t *parameters;
};

static void add_text(XXH3_state_t *hash, const char *text)
{
    XXH3_128bits_update(hash, text, strlen(text) + 1);
}

static void add_contents(XXH3_state_t *hash, const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char bytes[4096];
    for (size_t length; file && (length = fread(bytes, 1, sizeof bytes, file));)
        XXH3_128bits_update(hash, bytes, length);
    if (file)
        fclose(file);
}

static void add_parameter(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    struct description *description = self;
    bool is_trace = strcmp(param->name, "trace") == 0;
    json_object_set_new(description->parameters, param->name, value ? json_string(value) : json_null());
    if (!value)
        return;
    add_text(description->hash, param->name);
    add_text(description->hash, is_trace ? description->input->hash : value);
    add_contents(description->hash, experiment_file(description->experiment, param->name));
}

/* Fills in what a planned run has; its texts are to be freed. */
static void describe(const struct experiment *experiment, const struct input *input, struct store_run *run)
{
    struct description description = {
        .experiment = experiment, .input = input, .hash = XXH3_createState(), .parameters = json_object()};
    char program[64];
    snprintf(program, sizeof program, "helio %s results %d", HELIO_VERSION, RESULT_SCHEMA);
    XXH3_128bits_reset(description.hash);
    add_text(description.hash, program);
    config_each(experiment->config, &description, add_parameter);
    XXH128_hash_t key = XXH3_128bits_digest(description.hash);
    char *parameters = json_dumps(description.parameters, JSON_COMPACT);
    *run = (struct store_run){
        .key = mem_format("%016llx%016llx", (unsigned long long)key.high64, (unsigned long long)key.low64),
        .fabric = experiment->fabrics[0]->name,
        .program = input->program->name,
        .input_hash = input->hash,
        .calls = input->program->total_calls,
        .ranks = input->program->ranks,
        .parameters = mem_text(parameters ? parameters : "{}")};
    free(parameters);
    json_decref(description.parameters);
    XXH3_freeState(description.hash);
}

/* ------------------------------------------------------------------------------------------------- plan */

static enum status add_draft(struct plan *plan, size_t index, const struct experiment *experiment,
                             const struct input *input)
{
    struct store_run run;
    describe(experiment, input, &run);
    enum status status = store_plan(plan->drafts, &run);
    plan->run_of[index] = (size_t)run.id - 1;
    if ((size_t)run.id > plan->runs)
        plan->runs = (size_t)run.id;
    free((char *)run.key);
    free((char *)run.parameters);
    return status;
}

/* An error says what is wrong; which of many points it is wrong for is another matter. */
static void name_point(const struct plan *plan, size_t index)
{
    if (plan->count == 1)
        return;
    char *label = sweep_label(&plan->points[index]);
    diag_note("this is the run %s", label);
    free(label);
}

static enum status plan_point(struct planner *planner, size_t index)
{
    struct config *config = sweep_config(&planner->plan->points[index]);
    if (!config)
        return STATUS_BAD_INPUT;
    struct experiment experiment;
    const struct input *input = open_point(planner, config, &experiment);
    enum status status = STATUS_BAD_INPUT;
    if (input)
        status = add_draft(planner->plan, index, &experiment, input);
    else
        name_point(planner->plan, index);
    experiment_close(&experiment);
    config_close(config);
    return status;
}

static enum status plan_points(struct plan *plan)
{
    struct planner planner = {.plan = plan};
    enum status status = store_begin(plan->drafts);
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++)
        status = plan_point(&planner, i);
    if (status == STATUS_OK)
        status = store_commit(plan->drafts);
    free_inputs(&planner);
    return status;
}

enum status plan_make(struct plan *plan, const struct sweep_point *points, size_t count)
{
    *plan = (struct plan){
        .points = points, .count = count, .run_of = mem_alloc(count, sizeof *plan->run_of, "a sweep")};
    /* On the disk: a million runs have gigabytes of parameters. */
    enum status status = store_open(STORE_TEMPORARY, STORE_WRITE, &plan->drafts);
    return status == STATUS_OK ? plan_points(plan) : status;
}

void plan_free(struct plan *plan)
{
    store_close(plan->drafts);
    free(plan->run_of);
    free(plan->ids);
    free(plan->todo);
}

/* ------------------------------------------------------------------------------------------- in a store */

struct entry {
    struct plan *plan;
    struct store *store;
    enum status (*look)(struct store *store, struct store_run *run); /* for a draft: store_plan or _find */
    bool *settled; /* of each run: it is done, or stands in the list of what is to be done */
};

static enum status enter(void *self, const struct store_run *draft)
{
    struct entry *entry = self;
    struct store_run run = *draft;
    enum status status = entry->look(entry->store, &run);
    entry->plan->ids[draft->id - 1] = run.id;
    entry->settled[draft->id - 1] = run.done;
    return status;
}

static void list_todo(struct entry *entry, const struct sweep_options *options)
{
    struct plan *plan = entry->plan;
    for (size_t i = 0; i < plan->count; i++) {
        bool *settled = &entry->settled[plan->run_of[i]];
        bool ours = !options->shards || i % options->shards == options->shard;
        if (*settled || !ours)
            continue;
        plan->todo[plan->todo_count++] = i;
        *settled = true;
    }
}

static enum status enter_all(struct entry *entry, const struct sweep_options *options)
{
    struct plan *plan = entry->plan;
    plan->ids = mem_alloc(plan->runs, sizeof *plan->ids, "a sweep");
    plan->todo = mem_alloc(plan->runs, sizeof *plan->todo, "a sweep");
    entry->settled = mem_alloc(plan->runs, sizeof *entry->settled, "a sweep");
    enum status status = store_each(plan->drafts, entry, enter);
    if (status == STATUS_OK)
        list_todo(entry, options);
    free(entry->settled);
    return status;
}

enum status plan_enter(struct plan *plan, struct store *store, const struct sweep_options *options)
{
    enum status status =
        enter_all(&(struct entry){.plan = plan, .store = store, .look = store_plan}, options);
    store_close(plan->drafts);
    plan->drafts = NULL;
    return status;
}

enum status plan_compare(struct plan *plan, struct store *store, const struct sweep_options *options)
{
    return enter_all(&(struct entry){.plan = plan, .store = store, .look = store_find}, options);
}
