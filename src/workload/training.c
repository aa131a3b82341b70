#include "workload/training.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "workload/list.h"
#include "workload/phase.h"

/* --------------------------------------------------------------- parameters */

static const char *const model_names[] = {
    "llama-3-8b", "llama-3-70b", "llama-3-405b", "gpt-3-175b", "mixtral-8x7b", "deepseek-v3", NULL};
static const char *const schedule_names[] = {"gpipe", "1f1b", "interleaved", NULL};

#define TRAINING_COUNT(key, field, value, least, most, text)                                                 \
    {                                                                                                        \
        .name = key, .type = PARAM_COUNT, .offset = offsetof(struct training, field), .default_text = value, \
        .min = least, .max = most, .doc = text                                                               \
    }
#define TRAINING_OF_MODEL(key, field, text)                                                                  \
    TRAINING_COUNT(key, field, "0", "0", "10000000", text ", in place of the model's; 0 = the model's")
#define TRAINING_SWITCH(key, field, value, text)                                                             \
    {                                                                                                        \
        .name = key, .type = PARAM_BOOL, .offset = offsetof(struct training, field), .default_text = value,  \
        .doc = text                                                                                          \
    }

PARAM_TABLE(
    training_params, "training", struct training, "a step of training a transformer",
    {.name = "model",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct training, model),
     .default_text = "llama-3-70b",
     .choices = model_names,
     .doc = "a published model, whose numbers those below replace"},
    TRAINING_COUNT("gpus", gpus, "64", "1", "1000000", "GPUs; each is a rank"),
    TRAINING_COUNT("tensor", tensor, "8", "1", "1024", "GPUs that share each layer (tensor parallelism)"),
    TRAINING_COUNT("pipeline", pipeline, "1", "1", "1024", "stages of layers (pipeline parallelism)"),
    TRAINING_COUNT("data", data, "0", "0", "1000000",
                   "copies of the model (data parallelism); 0 = gpus / (tensor x pipeline)"),
    TRAINING_COUNT("expert", expert, "1", "1", "4096",
                   "GPUs that share the experts of a layer; divides data"),
    TRAINING_COUNT("micro_batches", micro_batches, "8", "1", "1000000",
                   "micro-batches of each copy in a step"),
    TRAINING_COUNT("micro_batch", micro_batch, "1", "1", "1000000", "sequences of a micro-batch"),
    {.name = "schedule",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct training, schedule),
     .default_text = "1f1b",
     .choices = schedule_names,
     .doc = "the order in which a stage takes its micro-batches"},
    TRAINING_COUNT("chunks", chunks, "1", "1", "64", "of layers in each stage, for schedule=interleaved"),
    TRAINING_COUNT("zero", zero, "0", "0", "3",
                   "what the copies share: 1 the optimizer's state, 2 gradients too, 3 parameters too"),
    TRAINING_SWITCH("sequence_parallel", sequence_parallel, "false",
                    "reduce-scatter and allgather in place of allreduce among tensor"),
    TRAINING_SWITCH("overlap", overlap, "true",
                    "calls among data go on while the GPU computes; false: each one is waited for"),
    TRAINING_SWITCH("recompute", recompute, "false", "the backward pass computes the forward pass again"),
    TRAINING_COUNT("steps", steps, "1", "1", "1000000", "steps of training"),
    {.name = "rate",
     .type = PARAM_FLOPS,
     .offset = offsetof(struct training, rate_flops),
     .default_text = "989 Tflop/s",
     .min = "1 flop/s",
     .doc = "operations of a GPU at its peak (NVIDIA H100 SXM: bfloat16, dense)"},
    {.name = "efficiency",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct training, efficiency),
     .default_text = "0.6",
     .min = "0.001",
     .max = "1",
     .doc = "share of the peak that matrix products reach"},
    {.name = "memory",
     .type = PARAM_RATE,
     .offset = offsetof(struct training, memory_bytes_per_s),
     .default_text = "3.35 TB/s",
     .min = "1 B/s",
     .doc = "rate of a GPU's memory, which bounds norms, sums and the optimizer (NVIDIA H100 SXM)"},
    TRAINING_COUNT("element", element_bytes, "2", "1", "8",
                   "bytes of an activation or parameter on the wire"),
    TRAINING_COUNT("gradient", gradient_bytes, "4", "1", "8", "bytes of a gradient on the wire"),
    {.name = "skew",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct training, skew),
     .default_text = "0",
     .min = "0",
     .max = "1",
     .doc = "of the tokens of experts: their shares grow from 1 - skew to 1 + skew of the mean"},
    TRAINING_OF_MODEL("layers", layers, "layers"), TRAINING_OF_MODEL("hidden", hidden, "size of a token"),
    TRAINING_OF_MODEL("heads", heads, "heads of attention"),
    TRAINING_OF_MODEL("kv_heads", kv_heads, "heads of keys and values"),
    TRAINING_OF_MODEL("ffn", ffn, "size of the feed-forward part, of an expert too"),
    TRAINING_OF_MODEL("vocabulary", vocabulary, "words"),
    TRAINING_OF_MODEL("sequence", sequence, "tokens of a sequence"));

/* ------------------------------------------------------------------- places */

struct training_place training_place_of(const struct training *training, uint32_t rank)
{
    uint32_t tensor = (uint32_t)training->tensor, data = (uint32_t)training->data;
    return (struct training_place){
        .tensor = rank % tensor, .data = rank / tensor % data, .stage = rank / tensor / data};
}

uint32_t training_rank_at(const struct training *training, struct training_place place)
{
    return place.tensor + (uint32_t)training->tensor * (place.data + (uint32_t)training->data * place.stage);
}

uint32_t training_tensor_group(const struct training *training, struct training_place place)
{
    return training->tensor_groups + place.data + (uint32_t)training->data * place.stage;
}

uint32_t training_data_group(const struct training *training, struct training_place place)
{
    return training->data_groups + place.tensor + (uint32_t)training->tensor * place.stage;
}

/* Consecutive copies share their experts. */
uint32_t training_expert_group(const struct training *training, struct training_place place)
{
    uint32_t of_stage = (uint32_t)(training->data / training->expert);
    uint32_t number = place.data / (uint32_t)training->expert;
    return training->expert_groups + number +
           of_stage * (place.tensor + (uint32_t)training->tensor * place.stage);
}

/* The copies of the same experts. */
uint32_t training_replica_group(const struct training *training, struct training_place place)
{
    uint32_t number = place.data % (uint32_t)training->expert;
    return training->replica_groups + number +
           (uint32_t)training->expert * (place.tensor + (uint32_t)training->tensor * place.stage);
}

static void add_member(struct training *training, uint32_t group, uint32_t size, uint32_t first_member,
                       uint32_t index, uint32_t rank)
{
    training->members[first_member + index] = rank;
    training->groups[group] = (struct group){.size = size, .world = &training->members[first_member]};
}

/* Each GPU is in one group of each kind. */
static void fill_groups(struct training *training)
{
    uint32_t gpus = (uint32_t)training->gpus, tensor = (uint32_t)training->tensor;
    uint32_t data = (uint32_t)training->data, expert = (uint32_t)training->expert, replicas = data / expert;
    for (uint32_t rank = 0; rank < gpus; rank++) {
        struct training_place place = training_place_of(training, rank);
        uint32_t group = training_tensor_group(training, place);
        add_member(training, group, tensor, (group - training->tensor_groups) * tensor, place.tensor, rank);
        group = training_data_group(training, place);
        add_member(training, group, data, gpus + (group - training->data_groups) * data, place.data, rank);
        group = training_expert_group(training, place);
        add_member(training, group, expert, 2 * gpus + (group - training->expert_groups) * expert,
                   place.data % expert, rank);
        group = training_replica_group(training, place);
        add_member(training, group, replicas, 3 * gpus + (group - training->replica_groups) * replicas,
                   place.data / expert, rank);
    }
}

static void make_groups(struct training *training, struct program *program)
{
    uint32_t gpus = (uint32_t)training->gpus, data = (uint32_t)training->data;
    uint32_t expert = (uint32_t)training->expert;
    training->tensor_groups = 1;
    training->data_groups = training->tensor_groups + gpus / (uint32_t)training->tensor;
    training->expert_groups = training->data_groups + gpus / data;
    training->replica_groups = training->expert_groups + gpus / expert;
    uint32_t count = training->replica_groups + gpus / (data / expert);
    training->groups = mem_alloc(count, sizeof *training->groups, "groups of GPUs");
    training->members = mem_alloc((size_t)gpus * 4, sizeof *training->members, "groups of GPUs");
    training->groups[0].size = gpus;
    fill_groups(training);
    program->groups = training->groups;
    program->group_count = count;
}

/* ------------------------------------------------------------------- layers */

/* Layers are spread over the virtual stages, chunk x stages + stage; the first ones have one more. */
uint32_t training_layers_of(const struct training *training, uint32_t stage, uint32_t chunk, uint32_t *first)
{
    uint32_t parts = (uint32_t)(training->pipeline * training->chunks), layers = training->of.layers;
    uint32_t part = chunk * (uint32_t)training->pipeline + stage, more = layers % parts,
             each = layers / parts;
    *first = part * each + (part < more ? part : more);
    return each + (part < more);
}

double training_tokens(const struct training *training)
{
    return (double)training->micro_batch * training->of.sequence;
}

/* Bytes of the activations of a micro-batch: whole tokens. */
uint64_t training_activation_bytes(const struct training *training)
{
    return training->micro_batch * training->of.sequence * training->of.hidden * training->element_bytes;
}

/* Of the experts' tokens, the share of those that GPU `index` of the group has, times the group. */
double training_load(const struct training *training, uint32_t index)
{
    return 1 - training->skew + 2 * training->skew * (index + 0.5) / (double)training->expert;
}

/* --------------------------------------------------------------- dimensions */

enum { DIMENSION_TENSOR, DIMENSION_PIPELINE, DIMENSION_DATA, DIMENSION_EXPERT, DIMENSIONS };
static const char *const dimension_names[DIMENSIONS] = {"tensor", "pipeline", "data", "expert"};

/* The two ends differ in one index. Copies exchange gradients and parameters, and tokens with an alltoallv.
 */
static size_t dimension_of(const struct program_dimensions *dimensions, uint32_t source, uint32_t destination,
                           uint8_t op)
{
    const struct training *training =
        (const struct training *)((const char *)dimensions - offsetof(struct training, dimensions));
    const struct training_place from = training_place_of(training, source);
    const struct training_place to = training_place_of(training, destination);
    if (from.stage != to.stage)
        return DIMENSION_PIPELINE;
    if (op == CALL_ALLTOALLV)
        return DIMENSION_EXPERT;
    return from.data != to.data ? DIMENSION_DATA : DIMENSION_TENSOR;
}

/* ------------------------------------------------------------------ prepare */

static bool refuse(struct workload_problem *problem, const char *param, const char *format, uint64_t a,
                   uint64_t b)
{
    problem->param = param;
    snprintf(problem->text, sizeof problem->text, format, a, b);
    return false;
}

static void take_model(struct training *training)
{
    struct training_model *of = &training->of;
    const struct {
        uint64_t given;
        uint32_t *field;
    } fields[] = {{training->layers, &of->layers},    {training->hidden, &of->hidden},
                  {training->heads, &of->heads},      {training->kv_heads, &of->kv_heads},
                  {training->ffn, &of->ffn},          {training->vocabulary, &of->vocabulary},
                  {training->sequence, &of->sequence}};
    *of = training_models[training->model];
    if (training->hidden || training->heads || training->kv_heads)
        of->attention = of->score = 0;
    if (training->heads && !training->kv_heads)
        of->kv_heads = (uint32_t)training->heads;
    if (training->ffn && of->experts)
        of->expert_ffn = (uint32_t)training->ffn;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].given)
            *fields[i].field = (uint32_t)fields[i].given;
}

static bool check_dimensions(struct training *training, struct workload_problem *problem)
{
    uint64_t model = training->tensor * training->pipeline;
    if (training->gpus % model)
        return refuse(problem, "gpus", "%" PRIu64 " GPUs are no multiple of tensor x pipeline = %" PRIu64,
                      training->gpus, model);
    if (training->data && training->data * model != training->gpus)
        return refuse(problem, "data", "tensor x pipeline x data is %" PRIu64 ", and gpus is %" PRIu64,
                      training->data * model, training->gpus);
    training->data = training->gpus / model;
    if (training->data % training->expert)
        return refuse(problem, "expert", "%" PRIu64 " does not divide data, which is %" PRIu64,
                      training->expert, training->data);
    if (training->expert > 1 && !training->of.experts)
        return refuse(problem, "expert", "the model has no experts that %" PRIu64 " GPUs could share",
                      training->expert, 0);
    if (training->skew > 0 && !training->of.experts)
        return refuse(problem, "skew", "the model has no experts whose tokens could differ", 0, 0);
    if (training->skew > 0 && training->expert == 1)
        return refuse(problem, "skew", "each GPU has all experts: only with expert=2 and more do tokens move",
                      0, 0);
    if (training->of.experts && training->of.experts % training->expert)
        return refuse(problem, "expert", "%" PRIu64 " GPUs cannot share %" PRIu64 " experts",
                      training->expert, training->of.experts);
    return true;
}

static bool check_pipeline(const struct training *training, struct workload_problem *problem)
{
    bool is_interleaved = training->schedule == TRAINING_INTERLEAVED;
    if (training->chunks > 1 && !is_interleaved)
        return refuse(problem, "chunks", "%" PRIu64 " chunks in each stage need schedule=interleaved",
                      training->chunks, 0);
    if (is_interleaved && training->pipeline < 2)
        return refuse(problem, "schedule", "interleaved needs a pipeline of at least 2 stages", 0, 0);
    if (is_interleaved && training->micro_batches % training->pipeline)
        return refuse(problem, "micro_batches",
                      "%" PRIu64 " is no multiple of pipeline, %" PRIu64 ", as interleaved needs",
                      training->micro_batches, training->pipeline);
    if (training->pipeline * training->chunks > training->of.layers)
        return refuse(problem, "pipeline", "%" PRIu64 " stages and chunks for %" PRIu64 " layers",
                      training->pipeline * training->chunks, training->of.layers);
    if (training->zero > 1 && training->pipeline > 1)
        return refuse(problem, "zero",
                      "zero=%" PRIu64 " shares gradients, which a pipeline of %" PRIu64
                      " stages keeps until its last micro-batch; take zero=1",
                      training->zero, training->pipeline);
    return true;
}

static bool check_model(const struct training *training, struct workload_problem *problem)
{
    const struct training_model *of = &training->of;
    if (of->hidden % of->heads)
        return refuse(problem, "heads", "%" PRIu64 " heads do not divide hidden, which is %" PRIu64,
                      of->heads, of->hidden);
    if (of->kv_heads > of->heads)
        return refuse(problem, "kv_heads", "%" PRIu64 " are more than heads, %" PRIu64, of->kv_heads,
                      of->heads);
    if (of->heads % training->tensor)
        return refuse(problem, "tensor", "%" PRIu64 " GPUs cannot share %" PRIu64 " heads", training->tensor,
                      of->heads);
    return true;
}

/* counts[1 ...]: what a GPU sends to each of its expert group; then, for each GPU of the group, what it
 * receives from each. */
static void make_counts(struct training *training, struct program *program)
{
    size_t size = (size_t)training->expert;
    double tokens = training_tokens(training) * training->of.top_k;
    if (training->sequence_parallel)
        tokens /= (double)training->tensor;
    if (size == 1)
        return;
    training->counts = mem_alloc(1 + size + size * size, sizeof *training->counts, "tokens of experts");
    for (size_t i = 0; i < size; i++) {
        uint64_t words = (uint64_t)(tokens * training_load(training, (uint32_t)i) / (double)size);
        training->counts[1 + i] = words * training->of.hidden * training->element_bytes;
        for (size_t k = 0; k < size; k++)
            training->counts[1 + size + i * size + k] = training->counts[1 + i];
    }
    program->counts = training->counts;
}

static bool training_prepare(const struct workload *workload, void *config, struct program *program,
                             struct workload_problem *problem)
{
    struct training *training = config;
    uint32_t first;
    (void)workload;
    take_model(training);
    if (!check_model(training, problem) || !check_dimensions(training, problem) ||
        !check_pipeline(training, problem))
        return false;
    training->most_layers = training_layers_of(training, 0, 0, &first);
    make_groups(training, program);
    make_counts(training, program);
    training->dimensions =
        (struct program_dimensions){.names = dimension_names, .count = DIMENSIONS, .of = dimension_of};
    program->dimensions = &training->dimensions;
    return true;
}

static void training_release(void *config)
{
    struct training *training = config;
    free(training->groups);
    free(training->members);
    free(training->counts);
}

static uint32_t training_ranks(const void *config)
{
    return (uint32_t)((const struct training *)config)->gpus;
}

const struct workload training_workload = {
    .name = "training",
    .doc = "a step of training a transformer: training:model=llama-3-70b,gpus=1024,tensor=8,pipeline=8",
    .params = &training_params,
    .prepare = training_prepare,
    .release = training_release,
    .ranks = training_ranks,
    .phase = training_phase,
    .slots_of = training_slots,
};
