#include "workload/training.h"

/* All forward, then all backward, the last one first (Huang et al. 2019, GPipe). */
static struct training_slot gpipe(uint64_t batches, uint64_t at)
{
    bool is_backward = at >= batches;
    return (struct training_slot){.is_backward = is_backward,
                                  .micro_batch = (uint32_t)(is_backward ? 2 * batches - 1 - at : at)};
}

/* Position `at` of a schedule that begins with `warmup` forward passes and goes on with one forward, one
 * backward in turn: which of the forward, or of the backward passes it is. */
static struct training_slot in_turn(uint64_t total, uint64_t warmup, uint64_t at, uint64_t *pass)
{
    struct training_slot slot = {.is_backward = false};
    if (at < warmup) {
        *pass = at;
    } else if (at - warmup < 2 * (total - warmup)) {
        slot.is_backward = (at - warmup) % 2;
        *pass = (at - warmup) / 2 + (slot.is_backward ? 0 : warmup);
    } else {
        slot.is_backward = true;
        *pass = at - total;
    }
    return slot;
}

/* Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 2.2. */
static struct training_slot one_forward_one_backward(const struct training *training, uint32_t stage,
                                                     uint64_t at)
{
    uint64_t warmup = training->pipeline - 1 - stage, pass;
    if (warmup > training->micro_batches)
        warmup = training->micro_batches;
    struct training_slot slot = in_turn(training->micro_batches, warmup, at, &pass);
    slot.micro_batch = (uint32_t)pass;
    return slot;
}

/* The same with several chunks of layers in each stage: groups of as many micro-batches as there are stages
 * pass through chunk after chunk. */
static struct training_slot interleaved(const struct training *training, uint32_t stage, uint64_t at)
{
    uint64_t stages = training->pipeline, chunks = training->chunks, total = training->micro_batches * chunks;
    uint64_t warmup = (stages - stage - 1) * 2 + (chunks - 1) * stages, pass;
    if (warmup > total)
        warmup = total;
    struct training_slot slot = in_turn(total, warmup, at, &pass);
    uint64_t chunk = pass % (stages * chunks) / stages;
    slot.chunk = (uint32_t)(slot.is_backward ? chunks - 1 - chunk : chunk);
    slot.micro_batch = (uint32_t)(pass / (stages * chunks) * stages + pass % stages);
    return slot;
}

struct training_slot training_slot_at(const struct training *training, uint32_t stage, uint64_t at)
{
    if (training->schedule == TRAINING_GPIPE)
        return gpipe(training->micro_batches, at);
    return training->schedule == TRAINING_1F1B ? one_forward_one_backward(training, stage, at)
                                               : interleaved(training, stage, at);
}
