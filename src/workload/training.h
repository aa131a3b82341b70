#ifndef HELIO_WORKLOAD_TRAINING_H
#define HELIO_WORKLOAD_TRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "call/call.h"
#include "call/dimensions.h"

/* A step of training a transformer on GPUs, each of which is a rank: what each one computes, and which
 * collective calls on which groups it makes in between. docs/training.md has the equations and their sources.
 *
 *   training.h, training.c    the workload: parameters and groups
 *   training_calls.c          the calls of a rank
 *   training_model.c          models, and how many parameters and operations their layers have
 *   training_schedule.c       in which order a stage of the pipeline takes its micro-batches */

/* A decoder: equal layers, behind an embedding and before the logits. */
struct training_model {
    const char *name, *source;
    uint32_t layers, hidden, heads, kv_heads, ffn, vocabulary, sequence;
    uint32_t matrices;                                   /* of a feed-forward part: 2, or 3 with a gate */
    uint32_t experts, top_k, shared_experts, expert_ffn; /* experts 0: a dense model */
    uint32_t dense_layers;                               /* of a model with experts: the first ones */
    uint64_t attention; /* parameters of the attention of a layer; 0 = from heads, kv_heads and hidden */
    uint32_t score;     /* sizes of a head in scores and values together; 0 = 2 hidden / heads */
    bool is_tied;       /* embedding and logits share their parameters */
};

extern const struct training_model training_models[];
extern const uint32_t training_model_count;

enum training_schedule { TRAINING_GPIPE, TRAINING_1F1B, TRAINING_INTERLEAVED };

struct training {
    /* as the user gives them; 0 of a number of the model: that of the preset */
    int model, schedule;
    uint64_t gpus, tensor, pipeline, data, expert, micro_batches, micro_batch, chunks, zero, steps;
    uint64_t layers, hidden, heads, kv_heads, ffn, vocabulary, sequence;
    bool sequence_parallel, overlap, recompute;
    uint64_t rate_flops, memory_bytes_per_s, element_bytes, gradient_bytes;
    double efficiency, skew;

    /* derived */
    struct training_model of;
    struct group *groups;
    uint32_t *members;
    uint64_t *counts;
    uint32_t tensor_groups, data_groups, expert_groups, replica_groups; /* the first of each kind */
    uint32_t most_layers;                                               /* of a chunk */
    struct program_dimensions dimensions;
};

/* GPU = tensor index + tensor x (data index + data x stage). */
struct training_place {
    uint32_t tensor, data, stage;
};

struct training_place training_place_of(const struct training *training, uint32_t rank);
uint32_t training_rank_at(const struct training *training, struct training_place place);

/* The groups of a GPU. Consecutive copies share their experts; the last group has the copies of its experts.
 */
uint32_t training_tensor_group(const struct training *training, struct training_place place);
uint32_t training_data_group(const struct training *training, struct training_place place);
uint32_t training_expert_group(const struct training *training, struct training_place place);
uint32_t training_replica_group(const struct training *training, struct training_place place);

/* The layers of a chunk of a stage: how many, from *first on. */
uint32_t training_layers_of(const struct training *training, uint32_t stage, uint32_t chunk, uint32_t *first);

/* Of a micro-batch: its tokens, and the bytes of their activations. */
double training_tokens(const struct training *training);
uint64_t training_activation_bytes(const struct training *training);

/* The share of the experts' tokens that GPU `index` of the group has, times the group. */
double training_load(const struct training *training, uint32_t index);

struct phase;
uint32_t training_slots(const void *config);
bool training_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase);

/* Of one layer of the whole model: parameters outside experts, and in its experts. */
uint64_t training_shared_parameters(const struct training *training, uint32_t layer);
uint64_t training_expert_parameters(const struct training *training, uint32_t layer);
uint64_t training_parameters(const struct training *training); /* of the model */

/* Floating-point operations of the forward pass of one token through parts of a layer of the whole model. */
double training_attention_flops(const struct training *training);
double training_ffn_flops(const struct training *training, uint32_t layer);
double training_logits_flops(const struct training *training);
bool training_has_experts(const struct training *training, uint32_t layer);

/* What a stage does at position `at` of its schedule, of 2 x micro_batches x chunks. */
struct training_slot {
    bool is_backward;
    uint32_t micro_batch, chunk;
};
struct training_slot training_slot_at(const struct training *training, uint32_t stage, uint64_t at);

#endif
