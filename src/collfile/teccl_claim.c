#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "collfile/teccl_proof.h"

/* The time that TE-CCL gives for its schedule, beside the least time that the machine and its busiest link
 * allow. */

/* A chunk on a link. A switch copies a chunk of an allgather: one to the switch serves several from there on.
 */
struct load {
    uint32_t from, to, source, chunk;
    double volume;
};

static int compare_loads(const void *a, const void *b)
{
    const struct load *left = a, *right = b;
    int order = teccl_compare_numbers(left->from, right->from);
    if (!order)
        order = teccl_compare_numbers(left->to, right->to);
    if (!order)
        order = teccl_compare_numbers(left->source, right->source);
    return order ? order : teccl_compare_numbers(left->chunk, right->chunk);
}

static double busiest(const struct teccl_proof *proof, struct load *loads, size_t count)
{
    double most = 0, sum = 0;
    qsort(loads, count, sizeof *loads, compare_loads);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (loads[i].from != loads[i - 1].from || loads[i].to != loads[i - 1].to))
            sum = 0;
        else if (i > 0 && !proof->file->is_alltoall && compare_loads(&loads[i], &loads[i - 1]) == 0)
            continue;
        sum += loads[i].volume / teccl_link_of(&proof->machine, loads[i].from, loads[i].to).gb_s;
        most = fmax(most, sum);
    }
    return most;
}

static double load_s(const struct teccl_proof *proof, double chunk_bytes)
{
    const struct teccl_file *file = proof->file;
    size_t count = 0;
    struct load *loads = mem_alloc(file->flow_count + file->switch_count + 1, sizeof *loads, "links");
    for (size_t i = 0; i < file->flow_count; i++) {
        const struct teccl_hop *flow = &file->flows[i];
        uint32_t at = flow->from;
        for (uint32_t j = 0; j <= flow->switch_count; j++) {
            uint32_t next = j == flow->switch_count ? flow->to : file->switches[flow->first_switch + j];
            loads[count++] = (struct load){at, next, flow->source, flow->chunk, flow->volume};
            at = next;
        }
    }
    double most = busiest(proof, loads, count);
    free(loads);
    return most * chunk_bytes / 1e9;
}

void teccl_check_claim(struct teccl_proof *proof)
{
    const struct teccl_file *file = proof->file;
    struct collfile_claim *claim = &proof->proof->claim;
    uint32_t gpus = proof->gpus + teccl_missing_gpus(file);
    double chunk_bytes = file->bandwidth_gb_s * file->finish_s * 1e9 / gpus;
    double block_bytes = chunk_bytes * proof->blocks;
    claim->finish_s = file->finish_s;
    if (!(chunk_bytes > 0) || block_bytes > 1e15)
        return;
    if (proof->proof->bytes == 0)
        proof->proof->bytes = (uint64_t)llround(block_bytes);
    if (!proof->machine.name)
        return;
    snprintf(proof->proof->machine, sizeof proof->proof->machine, "%s, %u chassis of %u GPUs",
             proof->machine.name, proof->machine.chassis, proof->machine.gpus / proof->machine.chassis);
    claim->bound_s = teccl_bound(&proof->machine, file->is_alltoall, block_bytes, claim->bound_text,
                                 sizeof claim->bound_text);
    claim->load_s = load_s(proof, chunk_bytes);
}
