#include "sweep/plan.h"

#include <string.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/text_index.h"
#include "output/json.h"
#include "sim/experiment.h"
#include "sim/result.h"
#include "sweep/findings.h"
#include "sweep/worker.h"

/* A program that points run. It stays open until all points are planned, and each point resolves it for its
 * own parameters. */
struct plan_input {
    struct program *program;
    char hash[TRACE_KEY_TEXT]; /* "": the program is generated */
};

struct sweep_planner {
    struct sweep_plan *plan;
    struct sweep_findings *findings; /* NULL: nobody asks */
    struct text_index names;         /* of the inputs */
    struct plan_input *inputs;
    size_t input_capacity;
};

/* ------------------------------------------------------------------- inputs */

/* What the parameters name. The caller frees it. */
static char *name_of(const struct experiment_config *chosen)
{
    return mem_format("%d%d %s\n%s", chosen->trace != NULL, chosen->workload != NULL,
                      chosen->trace ? chosen->trace : "", chosen->workload ? chosen->workload : "");
}

static const struct plan_input *find_input(const struct sweep_planner *planner,
                                           const struct experiment_config *chosen)
{
    char *name = name_of(chosen);
    size_t found = text_index_find(&planner->names, name);
    free(name);
    return found == SIZE_MAX ? NULL : &planner->inputs[found];
}

static const struct plan_input *add_input(struct sweep_planner *planner, struct experiment *experiment)
{
    char *name = name_of(experiment->chosen);
    size_t index = text_index_add(&planner->names, name);
    free(name);
    planner->inputs = mem_grow(planner->inputs, &planner->input_capacity, index + 1, "inputs of a sweep");
    struct plan_input *input = &planner->inputs[index];
    *input = (struct plan_input){.program = experiment->program};
    experiment->program_is_lent = true;
    if (experiment->chosen->trace)
        trace_key(input->program, input->hash);
    return input;
}

/* Opens the point's experiment, which checks it, and the input too when this is the first point that has it.
 * NULL: the point is wrong. */
static const struct plan_input *open_point(struct sweep_planner *planner, const struct config *config,
                                           struct experiment *experiment)
{
    const struct plan_input *known = find_input(planner, config_of(config, &experiment_params));
    if (known)
        return experiment_init_with(experiment, config, known->program) == STATUS_OK ? known : NULL;
    return experiment_init(experiment, config) == STATUS_OK ? add_input(planner, experiment) : NULL;
}

static void free_inputs(struct sweep_planner *planner)
{
    for (size_t i = 0; i < planner->names.count; i++)
        planner->inputs[i].program->ops->close(planner->inputs[i].program);
    text_index_free(&planner->names);
    free(planner->inputs);
}

/* --------------------------------------------------------------------- keys */

/* A run's key is a hash of what the run depends on: the name and value of every parameter, and the contents
 * of each file that a parameter names. For the trace the hash of its contents stands for its name, so a trace
 * that has moved is the same input. */
struct key_builder {
    const struct experiment *experiment;
    const struct plan_input *input;
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
    struct key_builder *builder = self;
    bool is_trace = strcmp(param->name, "trace") == 0;
    json_put_value(builder->parameters, param->name, value);
    if (!value)
        return;
    add_text(builder->hash, param->name);
    add_text(builder->hash, is_trace ? builder->input->hash : value);
    if (strcmp(param->name, "workload") == 0 && builder->input->program->jobs) /* which have traces */
        XXH3_128bits_update(builder->hash, builder->input->program->key, sizeof builder->input->program->key);
    add_contents(builder->hash, experiment_file(builder->experiment, param->name));
}

/* Fills in what a planned run has. The caller frees its key and its parameters. */
static void make_run(const struct experiment *experiment, const struct plan_input *input,
                     struct store_run *run)
{
    struct key_builder builder = {.experiment = experiment,
                                  .input = input,
                                  .hash = XXH3_createState(),
                                  .parameters = json_make_object()};
    if (!builder.hash)
        mem_exhausted("the key of a run");
    char program[64];
    snprintf(program, sizeof program, "helio %s results %d", HELIO_VERSION, RESULT_SCHEMA);
    XXH3_128bits_reset(builder.hash);
    add_text(builder.hash, program);
    config_each(experiment->config, &builder, add_parameter);
    XXH128_hash_t key = XXH3_128bits_digest(builder.hash);
    *run = (struct store_run){
        .key = mem_format("%016llx%016llx", (unsigned long long)key.high64, (unsigned long long)key.low64),
        .fabric = experiment->fabrics[0]->name,
        .program = input->program->name,
        .input_hash = input->hash,
        .calls = input->program->total_calls,
        .ranks = input->program->ranks,
        .parameters = json_take_line(builder.parameters, JSON_EXACT)};
    XXH3_freeState(builder.hash);
}

/* --------------------------------------------------------------------- plan */

static enum status add_draft(struct sweep_plan *plan, size_t index, const struct experiment *experiment,
                             const struct plan_input *input)
{
    struct store_run run;
    make_run(experiment, input, &run);
    enum status status = store_plan(plan->drafts, &run);
    plan->run_of[index] = (size_t)run.id - 1;
    if ((size_t)run.id > plan->runs)
        plan->runs = (size_t)run.id;
    free((char *)run.key);
    free((char *)run.parameters);
    return status;
}

/* The error before this says what is wrong, and the note says which of many points it is about. */
static void name_point(const struct sweep_plan *plan, size_t index)
{
    if (plan->count == 1)
        return;
    char *label = sweep_label(&plan->points[index]);
    diag_note("this is the run %s", label);
    free(label);
}

static enum status plan_point(struct sweep_planner *planner, size_t index)
{
    struct config *config = sweep_config(&planner->plan->points[index]);
    if (!config)
        return STATUS_BAD_INPUT;
    struct experiment experiment;
    const struct plan_input *input = open_point(planner, config, &experiment);
    enum status status = STATUS_BAD_INPUT;
    if (input)
        status = add_draft(planner->plan, index, &experiment, input);
    else
        name_point(planner->plan, index);
    if (input && planner->findings)
        sweep_findings_add(planner->findings, config, &experiment);
    experiment_free(&experiment);
    config_close(config);
    return status;
}

static enum status plan_points(struct sweep_plan *plan, struct sweep_findings *findings)
{
    struct sweep_planner planner = {.plan = plan, .findings = findings};
    enum status status = store_begin(plan->drafts);
    progress_begin("planning the runs", plan->count);
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++) {
        status = plan_point(&planner, i);
        progress_tell(i + 1);
    }
    progress_end();
    if (status == STATUS_OK)
        status = store_commit(plan->drafts);
    free_inputs(&planner);
    return status;
}

enum status sweep_plan_init(struct sweep_plan *plan, const struct sweep_point *points, size_t count,
                            struct sweep_findings *findings)
{
    *plan = (struct sweep_plan){
        .points = points, .count = count, .run_of = mem_alloc(count, sizeof *plan->run_of, "a sweep")};
    /* On disk, because a million runs have gigabytes of parameters. */
    enum status status = store_open(STORE_TEMPORARY, STORE_WRITE, &plan->drafts);
    return status == STATUS_OK ? plan_points(plan, findings) : status;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    store_close(plan->drafts);
    free(plan->run_of);
    free(plan->ids);
    free(plan->todo);
}

/* -------------------------------------------------------- lookup in a store */

struct plan_lookup {
    struct sweep_plan *plan;
    struct store *store;
    enum status (*find)(struct store *store, struct store_run *run); /* store_plan or store_find */
    bool *scheduled; /* of each run: it is done, or in the list of runs to do */
};

static enum status look_up(void *self, const struct store_run *draft)
{
    struct plan_lookup *lookup = self;
    struct store_run run = *draft;
    enum status status = lookup->find(lookup->store, &run);
    lookup->plan->ids[draft->id - 1] = run.id;
    lookup->scheduled[draft->id - 1] = run.done;
    lookup->plan->kept += run.done;
    return status;
}

static void list_todo(struct plan_lookup *lookup, const struct sweep_options *options)
{
    struct sweep_plan *plan = lookup->plan;
    for (size_t i = 0; i < plan->count; i++) {
        const size_t run = plan->run_of[i]; /* several points may have one, as the baseline of each */
        bool *scheduled = &lookup->scheduled[run];
        bool ours = !options->shards || run % options->shards == options->shard;
        if (*scheduled || !ours)
            continue;
        plan->todo[plan->todo_count++] = i;
        *scheduled = true;
    }
}

static enum status look_up_all(struct plan_lookup *lookup, const struct sweep_options *options)
{
    struct sweep_plan *plan = lookup->plan;
    plan->ids = mem_alloc(plan->runs, sizeof *plan->ids, "a sweep");
    plan->todo = mem_alloc(plan->runs, sizeof *plan->todo, "a sweep");
    lookup->scheduled = mem_alloc(plan->runs, sizeof *lookup->scheduled, "a sweep");
    enum status status = store_each(plan->drafts, lookup, look_up);
    if (status == STATUS_OK)
        list_todo(lookup, options);
    free(lookup->scheduled);
    return status;
}

enum status sweep_plan_enter(struct sweep_plan *plan, struct store *store,
                             const struct sweep_options *options)
{
    enum status status =
        look_up_all(&(struct plan_lookup){.plan = plan, .store = store, .find = store_plan}, options);
    store_close(plan->drafts);
    plan->drafts = NULL;
    return status;
}

enum status sweep_plan_compare(struct sweep_plan *plan, struct store *store,
                               const struct sweep_options *options)
{
    return look_up_all(&(struct plan_lookup){.plan = plan, .store = store, .find = store_find}, options);
}
