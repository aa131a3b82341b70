#include "workload/list.h"

/* Two ranks and one message. */

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
             .doc = "number of round trips"});

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
    .misnomer = "osu_latency",
    .meant = "pingpong, half a round trip of which is what osu_latency prints",
    .doc = "two ranks send one message to and fro: pingpong:bytes=10MiB,iterations=1",
    .params = &pingpong_params,
    .ranks = pingpong_ranks,
    .steps = pingpong_steps,
    .call = pingpong_call,
};
