#include "base/time.h"
#include "workload/phase.h"
#include "workload/training.h"

/* -------------------------------------------------------------------- calls */

/* Requests: sends of activations in turn, parameters of this layer and the next, gradients of each layer.
 * Those of a layer are two, one for its experts. */
enum { SEND_SLOTS = 4, FIRST_PARAMETER_SLOT = SLOT_FIRST + SEND_SLOTS, PARAMETER_SLOTS = 4 };
enum { FIRST_GRADIENT_SLOT = FIRST_PARAMETER_SLOT + PARAMETER_SLOTS };

uint32_t training_slots(const void *config)
{
    const struct training *training = config;
    return FIRST_GRADIENT_SLOT + 2 * (training->most_layers * (uint32_t)training->chunks + 1);
}

struct emitter {
    const struct training *training;
    struct phase *phase;
    struct training_place place;
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
    uint32_t group = training_tensor_group(training, emitter->place);
    uint64_t bytes = training_activation_bytes(training), element = training->element_bytes;
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
    struct call *call =
        emit_collective(emitter, CALL_ALLTOALLV, training_expert_group(training, emitter->place), 0,
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
    double bytes = TOUCHES * (double)training_activation_bytes(training);
    return training->sequence_parallel ? bytes / (double)training->tensor : bytes;
}

/* `times` 1: forward, 2: backward, whose products are those for the input and those for the parameters. */
static void emit_attention(const struct emitter *emitter, double times)
{
    const struct training *training = emitter->training;
    double flops =
        times * training_tokens(training) * training_attention_flops(training) / (double)training->tensor;
    emit_tensor(emitter, true);
    emit_compute(emitter, flops, times * half_layer_bytes(training));
    emit_tensor(emitter, false);
}

static void emit_ffn(const struct emitter *emitter, uint32_t layer, double times)
{
    const struct training *training = emitter->training;
    double flops =
        times * training_tokens(training) * training_ffn_flops(training, layer) / (double)training->tensor;
    bool has_experts = training_has_experts(training, layer);
    if (has_experts)
        flops *= training_load(training, emitter->place.data % (uint32_t)training->expert);
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

static bool is_first(struct training_place place, uint32_t chunk)
{
    return place.stage == 0 && chunk == 0;
}

static bool is_last(const struct training *training, struct training_place place, uint32_t chunk)
{
    return place.stage + 1 == training->pipeline && chunk + 1 == training->chunks;
}

/* The embedding or the logits: a vector for each word. */
static struct shard shard_of_words(const struct training *training)
{
    return (struct shard){.shared =
                              (uint64_t)training->of.vocabulary * training->of.hidden / training->tensor};
}

static struct shard shard_of_ends(const struct training *training, struct training_place place)
{
    uint64_t words = shard_of_words(training).shared;
    uint64_t sum = is_first(place, 0) ? words : 0;
    if (place.stage + 1 == training->pipeline && !(training->of.is_tied && training->pipeline == 1))
        sum += words;
    return (struct shard){.shared = sum};
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
    emit_collective(emitter, op, training_data_group(training, emitter->place), shared * element, element,
                    slot);
    if (shard.expert)
        emit_collective(emitter, op, training_replica_group(training, emitter->place), expert * element,
                        element, second);
}

static void emit_parameters(const struct emitter *emitter, struct shard shard, uint32_t slot)
{
    const struct training *training = emitter->training;
    uint64_t element = training->element_bytes, replicas = training->data / training->expert;
    emit_collective(emitter, CALL_ALLGATHER, training_data_group(training, emitter->place),
                    shard.shared / training->data * element, element, slot);
    if (shard.expert)
        emit_collective(emitter, CALL_ALLGATHER, training_replica_group(training, emitter->place),
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

static uint32_t parameter_slot(uint32_t index)
{
    return FIRST_PARAMETER_SLOT + index % 2 * 2;
}

/* With ZeRO 3 a layer's parameters come before it is computed, and with overlap while the one before is;
 * those of the logits as if they were the layer behind the last one. */
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
    if (begins)
        emit_parameters(emitter, shard_of(training, layer), parameter_slot(index));
    wait_for_both(emitter, parameter_slot(index));
    if (!ends)
        emit_parameters(emitter, shard_of(training, backward ? layer - 1 : layer + 1),
                        parameter_slot(index + 1));
    else if (!backward)
        emit_parameters(emitter, shard_of_words(training), parameter_slot(index + 1));
}

/* With ZeRO 3, which has no pipeline. The embedding's parameters are waited for. Those of the logits, which
 * emit_fetch has begun to get, stay for the backward pass if it is next. */
static void emit_fetch_words(const struct emitter *emitter, struct training_slot slot, bool ends)
{
    const struct training *training = emitter->training;
    if (training->zero < 3 || (slot.is_backward && (ends || training->schedule != TRAINING_GPIPE)))
        return;
    if (ends && training->overlap)
        wait_for_both(emitter, parameter_slot(training->most_layers));
    else
        emit_parameters(emitter, shard_of_words(training), 0);
}

/* The gradients of embedding and logits, which are whole where a backward pass ends. */
static void emit_word_gradients(const struct emitter *emitter)
{
    const struct training *training = emitter->training;
    uint32_t request = training->overlap ? gradient_slot(training, (uint32_t)training->chunks, 0) : 0;
    if (training->zero < 2 || training->data == 1)
        return;
    if (request) /* of the micro-batch before */
        wait_for_both(emitter, request);
    emit_gradients(emitter, shard_of_ends(training, emitter->place), request);
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

/* ------------------------------------------------------------ micro-batches */

/* The virtual stage before or after this one, if there is one. */
static bool neighbour(const struct training *training, struct training_place place, uint32_t chunk,
                      bool after, struct training_place *found)
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
static int32_t tag_of(const struct training *training, struct training_place place, struct training_slot slot,
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
    uint64_t bytes = training_activation_bytes(training);
    return training->sequence_parallel ? bytes / training->tensor : bytes;
}

static void emit_begin(const struct emitter *emitter, struct training_slot slot)
{
    const struct training *training = emitter->training;
    struct training_place from;
    if (neighbour(training, emitter->place, slot.chunk, slot.is_backward, &from))
        phase_recv(emitter->phase, training_rank_at(training, from),
                   tag_of(training, emitter->place, slot, true), boundary_bytes(training), DATATYPE_BYTE);
    emit_fetch_words(emitter, slot, false);
    if (!slot.is_backward && is_first(emitter->place, slot.chunk))
        emit_tensor(emitter, false); /* the embedding */
    if (slot.is_backward && is_last(training, emitter->place, slot.chunk)) {
        double flops =
            2 * training_tokens(training) * training_logits_flops(training) / (double)training->tensor;
        emit_compute(emitter, flops, 0);
        emit_tensor(emitter, false);
    }
}

static void emit_end(const struct emitter *emitter, struct training_slot slot, uint64_t at)
{
    const struct training *training = emitter->training;
    struct training_place to;
    emit_fetch_words(emitter, slot, true);
    if (slot.is_backward && is_first(emitter->place, slot.chunk)) {
        emit_tensor(emitter, true); /* the embedding's gradient */
        emit_word_gradients(emitter);
    }
    if (!slot.is_backward && is_last(training, emitter->place, slot.chunk)) {
        double flops = training_tokens(training) * training_logits_flops(training) / (double)training->tensor;
        emit_tensor(emitter, true);
        emit_compute(emitter, flops, 0);
        /* the largest logit, the sum of exponentials and the wanted logit of each token */
        emit_collective(emitter, CALL_ALLREDUCE, training_tensor_group(training, emitter->place),
                        training->micro_batch * training->of.sequence * 12, 4, 0);
    }
    if (!neighbour(training, emitter->place, slot.chunk, !slot.is_backward, &to))
        return;
    uint32_t request = SLOT_FIRST + (uint32_t)(at % SEND_SLOTS);
    phase_wait(emitter->phase, request); /* of a send long ago */
    phase_isend(emitter->phase, request, training_rank_at(training, to),
                tag_of(training, emitter->place, slot, false), boundary_bytes(training), DATATYPE_BYTE);
}

/* ------------------------------------------------------------ end of a step */

static struct shard shard_of_all(const struct training *training, struct training_place place)
{
    struct shard sum = shard_of_ends(training, place);
    for (uint32_t chunk = 0; chunk < training->chunks; chunk++) {
        uint32_t first, count = training_layers_of(training, place.stage, chunk, &first);
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
    struct training_place other = emitter->place;
    if (!training->of.is_tied || last == 0 || (other.stage != 0 && other.stage != last))
        return;
    other.stage = other.stage ? 0 : last;
    uint64_t bytes =
        (uint64_t)training->of.vocabulary * training->of.hidden / training->tensor * training->gradient_bytes;
    struct call *call = phase_next(emitter->phase, CALL_SENDRECV);
    if (!call)
        return;
    call->peer = call->source = (int32_t)training_rank_at(training, other);
    call->tag = INT32_MAX;
    call->bytes = call->recv_bytes = bytes;
    call->element_bytes = 1;
}

static void emit_step_end(const struct emitter *emitter)
{
    const struct training *training = emitter->training;
    struct shard all = shard_of_all(training, emitter->place), ends = shard_of_ends(training, emitter->place);
    emit_tied(emitter);
    if (training->data > 1 && training->zero < 2 && (!training->overlap || ends.shared))
        emit_gradients(emitter, training->overlap ? ends : all, 0);
    phase_waitall(emitter->phase, 0);
    emit_optimizer(emitter, all);
    if (training->data > 1 && (training->zero == 1 || training->zero == 2))
        emit_parameters(emitter, all, 0);
}

/* A step: for each position of the schedule what comes first, its layers, what comes last; and the end. */
bool training_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct training *training = config;
    uint64_t slots = 2 * training->micro_batches * training->chunks, each = training->most_layers + 2;
    uint64_t step = slots * each + 1, within = number % step;
    struct emitter emitter = {
        .training = training, .phase = phase, .place = training_place_of(training, rank)};
    if (number / step >= training->steps)
        return false;
    if (within == slots * each) {
        emit_step_end(&emitter);
        return true;
    }
    struct training_slot slot = training_slot_at(training, emitter.place.stage, within / each);
    uint32_t part = (uint32_t)(within % each), first;
    uint32_t count = training_layers_of(training, emitter.place.stage, slot.chunk, &first);
    if (part == 0)
        emit_begin(&emitter, slot);
    else if (part + 1 == each)
        emit_end(&emitter, slot, within / each);
    else if (part - 1 < count)
        emit_layer(&emitter, slot, first, count, slot.is_backward ? count - part : part - 1);
    return true;
}
