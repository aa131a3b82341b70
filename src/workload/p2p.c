#include "workload/list.h"

/* Workloads of point-to-point calls. */

struct pingpong_config {
    uint64_t bytes, iterations;
};

PARAM_TABLE(pingpong_params, "pingpong", struct pingpong_config, "two ranks send one message to and fro",
            {.name = "bytes",
             .type = PARAM_SIZE,
             .offset = offsetof(struct pingpong_config, bytes),
             .default_text = "8 B",
             .doc = "size of the message"},
            {.name = "iterations",
             .type = PARAM_COUNT,
             .offset = offsetof(struct pingpong_config, iterations),
             .default_text = "1",
             .min = "1",
             .max = "1000000000",
             .doc = "how often it goes to and fro"});

static uint32_t pingpong_ranks(const void *config)
{
    (void)config;
    return 2;
}

static uint64_t pingpong_steps(const void *config)
{
    return 2 * ((const struct pingpong_config *)config)->iterations;
}

static void pingpong_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    uint64_t bytes = ((const struct pingpong_config *)config)->bytes;
    call->op = step % 2 == rank ? CALL_SEND : CALL_RECV;
    call->peer = (int32_t)(1 - rank);
    call->bytes = call->recv_bytes = bytes;
}

const struct workload pingpong_workload = {
    .name = "pingpong",
    .doc = "two ranks send one message to and fro: pingpong:bytes=10MiB,iterations=1",
    .params = &pingpong_params,
    .ranks = pingpong_ranks,
    .steps = pingpong_steps,
    .call = pingpong_call,
};

/* ------------------------------------------------------------ dissemination */

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
             .doc = "size of every message; 0 is the barrier itself"},
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
