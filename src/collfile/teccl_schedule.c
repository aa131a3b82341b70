#include "base/mem.h"
#include "collfile/builder.h"
#include "collfile/teccl_proof.h"

/* The messages of an output of TE-CCL, each of which waits for what it passes on. */

/* Flows in the order in which they are sent. */
static int compare_epochs(const void *a, const void *b, void *self)
{
    const struct teccl_hop *flows = self;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = teccl_compare_numbers(flows[left].epoch, flows[right].epoch);
    return order ? order : teccl_compare_numbers(left, right);
}

/* Calls `on` for each flow that has to have come before this one can be sent. */
typedef void on_needed(void *self, uint32_t flow);
static void for_needed(const struct teccl_proof *proof, uint32_t number, on_needed *on, void *self)
{
    const struct teccl_hop *flow = &proof->file->flows[number];
    struct teccl_hop key = {.source = flow->source, .chunk = flow->chunk, .to = flow->from};
    double needed = proof->file->is_alltoall ? proof->left[number] : 1, come = 0;
    if (flow->from == flow->source)
        return;
    for (size_t i = teccl_search(proof->file, proof->arriving, &key, TECCL_BY_ARRIVAL);
         i < proof->file->flow_count && come < needed - TECCL_TOLERANCE; i++) {
        const struct teccl_hop *other = &proof->file->flows[proof->arriving[i]];
        if (other->source != key.source || other->chunk != key.chunk || other->to != key.to ||
            other->epoch >= flow->epoch)
            break;
        on(self, proof->arriving[i]);
        come += other->volume;
    }
}

struct sending {
    struct collfile_schedule *schedule;
    uint32_t *message_of; /* of each flow */
    bool *is_known;       /* flows whose message the rank has waited for */
    uint32_t round;
};

static void note_round(void *self, uint32_t flow)
{
    struct sending *sending = self;
    uint32_t round = sending->schedule->messages[sending->message_of[flow]].round;
    if (round > sending->round)
        sending->round = round;
}

static void note_wait(void *self, uint32_t flow)
{
    struct sending *sending = self;
    if (!sending->is_known[flow])
        builder_do(sending->schedule, COLLFILE_WAIT, sending->message_of[flow]);
    sending->is_known[flow] = true;
}

void teccl_make_schedule(struct teccl_proof *proof, struct collfile_schedule *schedule)
{
    const struct teccl_file *file = proof->file;
    struct sending sending = {.schedule = schedule};
    uint32_t *order = mem_alloc(file->flow_count + 1, sizeof *order, "flows");
    sending.message_of = mem_alloc(file->flow_count + 1, sizeof *sending.message_of, "flows");
    sending.is_known = mem_alloc(file->flow_count + 1, sizeof *sending.is_known, "flows");
    for (uint32_t i = 0; i < file->flow_count; i++)
        order[i] = i;
    qsort_r(order, file->flow_count, sizeof *order, compare_epochs, file->flows);
    schedule->chunks = proof->blocks;
    builder_begin(schedule, proof->ranks);
    for (size_t i = 0; i < file->flow_count; i++) {
        const struct teccl_hop *flow = &file->flows[order[i]];
        sending.round = 0;
        for_needed(proof, order[i], note_round, &sending);
        sending.message_of[order[i]] =
            builder_message(schedule, proof->gpu_of[flow->from], proof->gpu_of[flow->to], ++sending.round);
        builder_part(schedule, file->is_alltoall ? flow->chunk / proof->gpus : flow->chunk, flow->volume);
        if (sending.round > proof->proof->rounds)
            proof->proof->rounds = sending.round;
    }
    for (uint32_t gpu = 0; gpu < proof->ranks; gpu++) {
        for (size_t i = 0; i < file->flow_count; i++)
            if (proof->gpu_of[file->flows[order[i]].from] == gpu) {
                for_needed(proof, order[i], note_wait, &sending);
                builder_do(schedule, COLLFILE_SEND, sending.message_of[order[i]]);
            }
        builder_end_rank(schedule, gpu);
    }
    free(order);
    free(sending.message_of);
    free(sending.is_known);
}
