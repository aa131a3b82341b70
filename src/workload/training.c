#include "workload/training.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "workload/list.h"
#include "workload/phase.h"

/* ---------------------------------------------------------------- parameters */

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

/* GPU = tensor index + tensor x (data index + data x stage). */
struct place {
    uint32_t tensor, data, stage;
};

static struct place place_of(const struct training *training, uint32_t rank)
{
    uint32_t tensor = (uint32_t)training->tensor, data = (uint32_t)training->data;
    return (struct place){
        .tensor = rank % tensor, .data = rank / tensor % data, .stage = rank / tensor / data};
}

static uint32_t rank_at(const struct training *training, struct place place)
{
    return place.tensor + (uint32_t)training->tensor * (place.data + (uint32_t)training->data * place.stage);
}

static uint32_t tensor_group(const struct training *training, struct place place)
{
    return training->tensor_groups + place.data + (uint32_t)training->data * place.stage;
}

static uint32_t data_group(const struct training *training, struct place place)
{
    return training->data_groups + place.tensor + (uint32_t)training->tensor * place.stage;
}

/* Consecutive copies share their experts. */
static uint32_t expert_group(const struct training *training, struct place place)
{
    uint32_t of_stage = (uint32_t)(training->data / training->expert);
    uint32_t number = place.data / (uint32_t)training->expert;
    return training->expert_groups + number +
           of_stage * (place.tensor + (uint32_t)training->tensor * place.stage);
}

/* The copies of the same experts. */
static uint32_t replica_group(const struct training *training, struct place place)
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
        struct place place = place_of(training, rank);
        uint32_t group = tensor_group(training, place);
        add_member(training, group, tensor, (group - training->tensor_groups) * tensor, place.tensor, rank);
        group = data_group(training, place);
        add_member(training, group, data, gpus + (group - training->data_groups) * data, place.data, rank);
        group = expert_group(training, place);
        add_member(training, group, expert, 2 * gpus + (group - training->expert_groups) * expert,
                   place.data % expert, rank);
        group = replica_group(training, place);
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
static uint32_t layers_of(const struct training *training, uint32_t stage, uint32_t chunk, uint32_t *first)
{
    uint32_t parts = (uint32_t)(training->pipeline * training->chunks), layers = training->of.layers;
    uint32_t part = chunk * (uint32_t)training->pipeline + stage, more = layers % parts,
             each = layers / parts;
    *first = part * each + (part < more ? part : more);
    return each + (part < more);
}

static bool is_first(struct place place, uint32_t chunk)
{
    return place.stage == 0 && chunk == 0;
}

static bool is_last(const struct training *training, struct place place, uint32_t chunk)
{
    return place.stage + 1 == training->pipeline && chunk + 1 == training->chunks;
}

static double tokens_of(const struct training *training)
{
    return (double)training->micro_batch * training->of.sequence;
}

/* Bytes of the activations of a micro-batch: whole tokens. */
static uint64_t activation_bytes(const struct training *training)
{
    return training->micro_batch * training->of.sequence * training->of.hidden * training->element_bytes;
}

/* Of the experts' tokens, the share of those that GPU `index` of the group has, times the group. */
static double load_of(const struct training *training, uint32_t index)
{
    return 1 - training->skew + 2 * training->skew * (index + 0.5) / (double)training->expert;
}

/* ----------------------------------------------------------------- prepare */

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
    if (training->expert > 1 && (!training->of.experts || training->of.experts % training->expert))
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
                      "%" PRIu64 " shares gradients, which a pipeline of %" PRIu64
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
    double tokens = tokens_of(training) * training->of.top_k;
    if (training->sequence_parallel)
        tokens /= (double)training->tensor;
    if (size == 1)
        return;
    training->counts = mem_alloc(1 + size + size * size, sizeof *training->counts, "tokens of experts");
    for (size_t i = 0; i < size; i++) {
        uint64_t words = (uint64_t)(tokens * load_of(training, (uint32_t)i) / (double)size);
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
    training->most_layers = layers_of(training, 0, 0, &first);
    make_groups(training, program);
    make_counts(training, program);
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

/* -------------------------------------------------------------------- calls */

/* Requests: sends of activations in turn, parameters of this layer and the next, gradients of each layer.
 * Those of a layer are two, one for its experts. */
enum { SEND_SLOTS = 4, FIRST_PARAMETER_SLOT = SLOT_FIRST + SEND_SLOTS, PARAMETER_SLOTS = 4 };
enum { FIRST_GRADIENT_SLOT = FIRST_PARAMETER_SLOT + PARAMETER_SLOTS };

static uint32_t training_slots(const void *config)
{
    const struct training *training = config;
    return FIRST_GRADIENT_SLOT + 2 * (training->most_layers * (uint32_t)training->chunks + 1);
}

struct emitter {
    const struct training *training;
    struct phase *phase;
    struct place place;
};

static void emit_seconds(const struct emitter *emitter, double seconds)
{
    struct call *call = seconds > 0 ? phase_next(emitter->phase, CALL_SLEEP) : NULL;
    if (call)
        call->amount = seconds;
}

/* Matrix products of so many operations, and `bytes` through the memory. */
static void emit_compute(const struct emitter *emitter, double flops, double bytes)
{
    const struct training *training = emitter->training;
    emit_seconds(emitter, flops / ((double)training->rate_flops * training->efficiency) +
                              bytes / (double)training->memory_bytes_per_s);
}

/* `slot` 0: it is waited for. */
static struct call *emit_collective(const struct emitter *emitter, enum call_op op, uint32_t group,
                                    uint64_t bytes, uint64_t element, uint32_t slot)
{
    struct call *call = emitter->training->groups[group].size > 1 ? phase_next(emitter->phase, op) : NULL;
    if (!call)
        return NULL;
    call->group = call->context = group;
    call->bytes = call->recv_bytes = bytes;
    call->element_bytes = (uint8_t)element;
    call->flags = slot ? CALL_IMMEDIATE : 0;
    call->slot = slot;
    return call;
}

/* Among the GPUs that share a layer: the sum of all activations; or, where each has a part of the sequence,
 * the parts (`gathers`) or the sums of its part. */
static void emit_tensor(const struct emitter *emitter, bool gathers)
{
    const struct training *training = emitter->training;
    uint32_t group = tensor_group(training, emitter->place);
    uint64_t bytes = activation_bytes(training), element = training->element_bytes;
    if (!training->sequence_parallel && !gathers)
        emit_collective(emitter, CALL_ALLREDUCE, group, bytes, element, 0);
    else if (training->sequence_parallel)
        emit_collective(emitter, gathers ? CALL_ALLGATHER : CALL_REDUCE_SCATTER, group,
                        bytes / training->tensor, element, 0);
}

/* Tokens to the GPUs of their experts, or back. */
static void emit_tokens(const struct emitter *emitter, bool back)
{
    const struct training *training = emitter->training;
    uint32_t index = emitter->place.data % (uint32_t)training->expert;
    uint64_t all = 1, mine = 1 + training->expert + index * training->expert;
    struct call *call = emit_collective(emitter, CALL_ALLTOALLV, expert_group(training, emitter->place), 0,
                                        training->element_bytes, 0);
    if (!call)
        return;
    call->send_counts = back ? mine : all;
    call->recv_counts = back ? all : mine;
}

/* ------------------------------------------------------------------ a layer */

/* Norms and residual sums of half a layer: each token is read and written about five times. */
static double half_layer_bytes(const struct training *training)
{
    enum { TOUCHES = 5 };
    double bytes = TOUCHES * (double)activation_bytes(training);
    return training->sequence_parallel ? bytes / (double)training->tensor : bytes;
}

/* `times` 1: forward, 2: backward, whose products are those for the input and those for the parameters. */
static void emit_attention(const struct emitter *emitter, double times)
{
    const struct training *training = emitter->training;
    double flops =
        times * tokens_of(training) * training_attention_flops(training) / (double)training->tensor;
    emit_tensor(emitter, true);
    emit_compute(emitter, flops, times * half_layer_bytes(training));
    emit_tensor(emitter, false);
}

static void emit_ffn(const struct emitter *emitter, uint32_t layer, double times)
{
    const struct training *training = emitter->training;
    double flops =
        times * tokens_of(training) * training_ffn_flops(training, layer) / (double)training->tensor;
    bool has_experts = training_has_experts(training, layer);
    if (has_experts)
        flops *= load_of(training, emitter->place.data % (uint32_t)training->expert);
    emit_tensor(emitter, true);
    if (has_experts)
        emit_tokens(emitter, false);
    emit_compute(emitter, flops, times * half_layer_bytes(training));
    if (has_experts)
        emit_tokens(emitter, true);
    emit_tensor(emitter, false);
}

/* Parameters of a layer that this GPU has, and the parts of them that go over `data`: those of experts only
 * among their copies. */
struct shard {
    uint64_t shared, expert; /* parameters */
};

static struct shard shard_of(const struct training *training, uint32_t layer)
{
    return (struct shard){.shared = training_shared_parameters(training, layer) / training->tensor,
                          .expert = training_expert_parameters(training, layer) / training->tensor /
                                    training->expert};
}

/* Gradients of a shard: their sum on each copy, or with ZeRO a part of it. Two slots, one for experts. */
static void emit_gradients(const struct emitter *emitter, struct shard shard, uint32_t slot)
{
    const struct training *training = emitter->training;
    uint64_t element = training->gradient_bytes, replicas = training->data / training->expert;
    enum call_op op = training->zero ? CALL_REDUCE_SCATTER : CALL_ALLREDUCE;
    uint64_t shared = training->zero ? shard.shared / training->data : shard.shared;
    uint64_t expert = training->zero ? shard.expert / replicas : shard.expert;
    uint32_t second = slot ? slot + 1 : 0;
    emit_collective(emitter, op, data_group(training, emitter->place), shared * element, element, slot);
    if (shard.expert)
        emit_collective(emitter, op, replica_group(training, emitter->place), expert * element, element,
                        second);
}

static void emit_parameters(const struct emitter *emitter, struct shard shard, uint32_t slot)
{
    const struct training *training = emitter->training;
    uint64_t element = training->element_bytes, replicas = training->data / training->expert;
    emit_collective(emitter, CALL_ALLGATHER, data_group(training, emitter->place),
                    shard.shared / training->data * element, element, slot);
    if (shard.expert)
        emit_collective(emitter, CALL_ALLGATHER, replica_group(training, emitter->place),
                        shard.expert / replicas * element, element, slot ? slot + 1 : 0);
}

static void wait_for_both(const struct emitter *emitter, uint32_t slot)
{
    phase_wait(emitter->phase, slot);
    phase_wait(emitter->phase, slot + 1);
}

static uint32_t gradient_slot(const struct training *training, uint32_t chunk, uint32_t index)
{
    return FIRST_GRADIENT_SLOT + 2 * (chunk * training->most_layers + index);
}

/* With ZeRO 3 a layer's parameters come before it is computed, and with overlap while the one before is. */
static void emit_fetch(const struct emitter *emitter, uint32_t first, uint32_t count, uint32_t index,
                       bool backward)
{
    const struct training *training = emitter->training;
    if (training->zero < 3)
        return;
    uint32_t layer = first + index;
    if (!training->overlap) {
        emit_parameters(emitter, shard_of(training, layer), 0);
        return;
    }
    bool begins = backward ? index + 1 == count : index == 0,
         ends = backward ? index == 0 : index + 1 == count;
    uint32_t slot = FIRST_PARAMETER_SLOT + index % 2 * 2, other = FIRST_PARAMETER_SLOT + (index + 1) % 2 * 2;
    if (begins)
        emit_parameters(emitter, shard_of(training, layer), slot);
    wait_for_both(emitter, slot);
    if (!ends)
        emit_parameters(emitter, shard_of(training, backward ? layer - 1 : layer + 1), other);
}

static void emit_layer(const struct emitter *emitter, struct training_slot slot, uint32_t first,
                       uint32_t count, uint32_t index)
{
    const struct training *training = emitter->training;
    uint32_t layer = first + index;
    emit_fetch(emitter, first, count, index, slot.is_backward);
    if (!slot.is_backward) {
        emit_attention(emitter, 1);
        emit_ffn(emitter, layer, 1);
        return;
    }
    if (training->recompute) {
        emit_attention(emitter, 1);
        emit_ffn(emitter, layer, 1);
    }
    emit_ffn(emitter, layer, 2);
    emit_attention(emitter, 2);
    bool is_last_batch = training->schedule == TRAINING_GPIPE
                             ? slot.micro_batch == 0
                             : slot.micro_batch + 1 == training->micro_batches;
    bool is_summed = training->zero >= 2 || (training->overlap && is_last_batch);
    uint32_t request = training->overlap ? gradient_slot(training, slot.chunk, index) : 0;
    if (!is_summed || training->data == 1)
        return;
    if (request && training->zero >= 2) /* of the micro-batch before */
        wait_for_both(emitter, request);
    emit_gradients(emitter, shard_of(training, layer), request);
}

/* --------------------------------------------------------------- micro-batches */

/* The virtual stage before or after this one, if there is one. */
static bool neighbour(const struct training *training, struct place place, uint32_t chunk, bool after,
                      struct place *found)
{
    uint32_t stages = (uint32_t)training->pipeline;
    uint32_t part = chunk * stages + place.stage, parts = stages * (uint32_t)training->chunks;
    *found = place;
    if (after ? part + 1 == parts : part == 0)
        return false;
    found->stage = (after ? part + 1 : part - 1) % stages;
    return true;
}

/* Each boundary between virtual stages, direction and micro-batch has a tag of its own. */
static int32_t tag_of(const struct training *training, struct place place, struct training_slot slot,
                      bool receives)
{
    uint32_t part = slot.chunk * (uint32_t)training->pipeline + place.stage; /* boundary behind it */
    bool behind = slot.is_backward ? receives : !receives;
    uint32_t boundary = behind ? part + 1 : part;
    uint64_t tag = ((uint64_t)slot.micro_batch * 65536 + boundary) * 2 + slot.is_backward;
    return (int32_t)(tag % INT32_MAX);
}

static uint64_t boundary_bytes(const struct training *training)
{
    uint64_t bytes = activation_bytes(training);
    return training->sequence_parallel ? bytes / training->tensor : bytes;
}

static void emit_begin(const struct emitter *emitter, struct training_slot slot)
{
    const struct training *training = emitter->training;
    struct place from;
    if (neighbour(training, emitter->place, slot.chunk, slot.is_backward, &from))
        phase_recv(emitter->phase, rank_at(training, from), tag_of(training, emitter->place, slot, true),
                   boundary_bytes(training), DATATYPE_BYTE);
    if (!slot.is_backward && is_first(emitter->place, slot.chunk))
        emit_tensor(emitter, false); /* the embedding */
    if (slot.is_backward && is_last(training, emitter->place, slot.chunk)) {
        double flops = 2 * tokens_of(training) * training_logits_flops(training) / (double)training->tensor;
        emit_compute(emitter, flops, 0);
        emit_tensor(emitter, false);
    }
}

static void emit_end(const struct emitter *emitter, struct training_slot slot, uint64_t at)
{
    const struct training *training = emitter->training;
    struct place to;
    if (!slot.is_backward && is_last(training, emitter->place, slot.chunk)) {
        double flops = tokens_of(training) * training_logits_flops(training) / (double)training->tensor;
        emit_tensor(emitter, true);
        emit_compute(emitter, flops, 0);
        /* the largest logit, the sum of exponentials and the wanted logit of each token */
        emit_collective(emitter, CALL_ALLREDUCE, tensor_group(training, emitter->place),
                        training->micro_batch * training->of.sequence * 12, 4, 0);
    }
    if (!neighbour(training, emitter->place, slot.chunk, !slot.is_backward, &to))
        return;
    uint32_t request = SLOT_FIRST + (uint32_t)(at % SEND_SLOTS);
    phase_wait(emitter->phase, request); /* of a send long ago */
    phase_isend(emitter->phase, request, rank_at(training, to), tag_of(training, emitter->place, slot, false),
                boundary_bytes(training), DATATYPE_BYTE);
}

/* ------------------------------------------------------------- end of a step */

static struct shard shard_of_ends(const struct training *training, struct place place)
{
    uint64_t words = (uint64_t)training->of.vocabulary * training->of.hidden / training->tensor;
    uint64_t sum = is_first(place, 0) ? words : 0;
    if (place.stage + 1 == training->pipeline && !(training->of.is_tied && training->pipeline == 1))
        sum += words;
    return (struct shard){.shared = sum};
}

static struct shard shard_of_all(const struct training *training, struct place place)
{
    struct shard sum = shard_of_ends(training, place);
    for (uint32_t chunk = 0; chunk < training->chunks; chunk++) {
        uint32_t first, count = layers_of(training, place.stage, chunk, &first);
        for (uint32_t i = 0; i < count; i++) {
            struct shard shard = shard_of(training, first + i);
            sum.shared += shard.shared;
            sum.expert += shard.expert;
        }
    }
    return sum;
}

/* Adam in mixed precision: parameter, mean and variance of 4 bytes are read and written, the gradient is
 * read, the parameter is written as an element. */
static void emit_optimizer(const struct emitter *emitter, struct shard all)
{
    const struct training *training = emitter->training;
    double state = 6.0 * 4 + (double)training->gradient_bytes + (double)training->element_bytes;
    double shared = (double)all.shared, expert = (double)all.expert;
    if (training->zero) {
        shared /= (double)training->data;
        expert /= (double)(training->data / training->expert);
    }
    emit_compute(emitter, 0, state * (shared + expert));
}

/* Embedding and logits with the same parameters, on two stages: their gradients are added first. */
static void emit_tied(const struct emitter *emitter)
{
    const struct training *training = emitter->training;
    uint32_t last = (uint32_t)training->pipeline - 1;
    struct place other = emitter->place;
    if (!training->of.is_tied || last == 0 || (other.stage != 0 && other.stage != last))
        return;
    other.stage = other.stage ? 0 : last;
    uint64_t bytes =
        (uint64_t)training->of.vocabulary * training->of.hidden / training->tensor * training->gradient_bytes;
    struct call *call = phase_next(emitter->phase, CALL_SENDRECV);
    if (!call)
        return;
    call->peer = call->source = (int32_t)rank_at(training, other);
    call->tag = INT32_MAX;
    call->bytes = call->recv_bytes = bytes;
    call->element_bytes = 1;
}

static void emit_step_end(const struct emitter *emitter)
{
    const struct training *training = emitter->training;
    struct shard all = shard_of_all(training, emitter->place), ends = shard_of_ends(training, emitter->place);
    emit_tied(emitter);
    if (training->data > 1 && (training->overlap || training->zero >= 2)) {
        if (ends.shared)
            emit_gradients(emitter, ends, 0);
    } else if (training->data > 1) {
        emit_gradients(emitter, all, 0);
    }
    phase_waitall(emitter->phase, 0);
    emit_optimizer(emitter, all);
    if (training->data > 1 && (training->zero == 1 || training->zero == 2))
        emit_parameters(emitter, all, 0);
}

/* A step: for each position of the schedule what comes first, its layers, what comes last; and the end. */
static bool training_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct training *training = config;
    uint64_t slots = 2 * training->micro_batches * training->chunks, each = training->most_layers + 2;
    uint64_t step = slots * each + 1, within = number % step;
    struct emitter emitter = {.training = training, .phase = phase, .place = place_of(training, rank)};
    if (number / step >= training->steps)
        return false;
    if (within == slots * each) {
        emit_step_end(&emitter);
        return true;
    }
    struct training_slot slot = training_slot_at(training, emitter.place.stage, within / each);
    uint32_t part = (uint32_t)(within % each), first;
    uint32_t count = layers_of(training, emitter.place.stage, slot.chunk, &first);
    if (part == 0)
        emit_begin(&emitter, slot);
    else if (part + 1 == each)
        emit_end(&emitter, slot, within / each);
    else if (part - 1 < count)
        emit_layer(&emitter, slot, first, count, slot.is_backward ? count - part : part - 1);
    return true;
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
