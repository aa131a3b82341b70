#include "workload/list.h"

/* The dissemination barrier (Hensgen, Finkel, Manber 1988), as point-to-point calls: mpi.barrier does not
 * change them. */

struct dissemination_config {
    uint64_t ranks, bytes, iterations;
};

PARAM_TABLE(dissemination_params, "dissemination", struct dissemination_config,
            "in round k every rank sends to the rank 2^k further and receives from the rank 2^k before",
            {.name = "ranks",
             .type = PARAM_COUNT,
             .offset = offsetof(struct dissemination_config, ranks),
             .default_text = "64",
             .min = "1",
             .max = "1000000000",
             .doc = "number of ranks"},
            {.name = "bytes",
             .type = PARAM_SIZE,
             .offset = offsetof(struct dissemination_config, bytes),
             .default_text = "0 B",
             .doc = "size of every message; 0 for a barrier"},
            {.name = "iterations",
             .type = PARAM_COUNT,
             .offset = offsetof(struct dissemination_config, iterations),
             .default_text = "1",
             .min = "1",
             .max = "10000000",
             .doc = "barriers in a row"});

static uint32_t dissemination_ranks(const void *config)
{
    return (uint32_t)((const struct dissemination_config *)config)->ranks;
}

static uint64_t rounds_of(uint64_t ranks)
{
    return ranks > 1 ? (uint64_t)(64 - __builtin_clzll(ranks - 1)) : 0;
}

static uint64_t dissemination_steps(const void *config)
{
    const struct dissemination_config *dissemination = config;
    return rounds_of(dissemination->ranks) * dissemination->iterations;
}

static void dissemination_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    const struct dissemination_config *dissemination = config;
    uint64_t round = step % rounds_of(dissemination->ranks);
    uint64_t distance = UINT64_C(1) << round;
    call->op = CALL_SENDRECV;
    call->peer = (int32_t)((rank + distance) % dissemination->ranks);
    call->source = (int32_t)((rank + dissemination->ranks - distance) % dissemination->ranks);
    call->tag = (int32_t)round;
    call->bytes = call->recv_bytes = dissemination->bytes;
}

const struct workload dissemination_workload = {
    .name = "dissemination",
    .doc = "the dissemination barrier as sendrecv calls: dissemination:ranks=65536",
    .params = &dissemination_params,
    .ranks = dissemination_ranks,
    .steps = dissemination_steps,
    .call = dissemination_call,
};
