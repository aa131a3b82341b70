#include <inttypes.h>
#include <stdio.h>

#include "workload/list.h"

/* Windows of messages, as the OSU micro-benchmarks have them: a sender posts a whole window at once and waits
 * until it is sent. Then the receiver answers, and the next iteration begins. */

struct windows_config {
    uint64_t bytes, window, iterations, ranks, pairs;
};

enum {
    ANSWER_BYTES = 4, /* as osu_bw answers */
    ANSWER_TAG = 1,
    MOST_REQUESTS = 1 << 24, /* of one rank at once */
};

#define WINDOWS_PARAMS                                                                                       \
    {.name = "bytes",                                                                                        \
     .type = PARAM_SIZE,                                                                                     \
     .offset = offsetof(struct windows_config, bytes),                                                       \
     .default_text = "1 MiB",                                                                                \
     .doc = "size of each message"},                                                                         \
        {.name = "window",                                                                                   \
         .type = PARAM_COUNT,                                                                                \
         .offset = offsetof(struct windows_config, window),                                                  \
         .default_text = "64",                                                                               \
         .min = "1",                                                                                         \
         .max = "65536",                                                                                     \
         .doc = "messages that a sender posts at once"},                                                     \
    {                                                                                                        \
        .name = "iterations", .type = PARAM_COUNT, .offset = offsetof(struct windows_config, iterations),    \
        .default_text = "1", .min = "1", .max = "10000000", .doc = "number of windows, one after another"    \
    }

PARAM_TABLE(bandwidth_params, "bandwidth", struct windows_config,
            "rank 0 sends a window of messages to rank 1, which answers with 4 B (osu_bw)", WINDOWS_PARAMS);

PARAM_TABLE(bibw_params, "bibw", struct windows_config,
            "two ranks send each other a window of messages at once (osu_bibw)", WINDOWS_PARAMS);

PARAM_TABLE(message_rate_params, "message-rate", struct windows_config,
            "several pairs, each as bandwidth, side by side (osu_mbw_mr)",
            {.name = "pairs",
             .type = PARAM_COUNT,
             .offset = offsetof(struct windows_config, pairs),
             .default_text = "4",
             .min = "1",
             .max = "500000000",
             .doc = "pairs of ranks: rank i sends to rank i + pairs"},
            WINDOWS_PARAMS);

PARAM_TABLE(incast_params, "incast", struct windows_config,
            "all ranks send a window of messages to rank 0 at once, which answers each with 4 B",
            {.name = "ranks",
             .type = PARAM_COUNT,
             .offset = offsetof(struct windows_config, ranks),
             .default_text = "8",
             .min = "2",
             .max = "1000000",
             .doc = "number of ranks, with the receiver"},
            WINDOWS_PARAMS);

/* What the benchmark counts are the messages of the windows, and not the answers. */
static void count_rate(const struct windows_config *config, uint64_t senders, struct program *program)
{
    program->rate_messages = (double)senders * (double)config->window * (double)config->iterations;
    program->rate_bytes = program->rate_messages * (double)config->bytes;
}

static void post(const struct windows_config *config, bool is_send, uint64_t peer, uint64_t request,
                 struct call *call)
{
    call->op = is_send ? CALL_SEND : CALL_RECV;
    call->flags = CALL_IMMEDIATE;
    call->peer = (int32_t)peer;
    call->slot = SLOT_FIRST + (uint32_t)request;
    call->bytes = call->recv_bytes = config->bytes;
}

static void wait_for(uint64_t requests, struct call *call)
{
    call->op = CALL_WAITALL;
    call->expected = (uint32_t)requests;
}

static void answer(bool is_send, uint64_t peer, struct call *call)
{
    call->op = is_send ? CALL_SEND : CALL_RECV;
    call->peer = (int32_t)peer;
    call->tag = ANSWER_TAG;
    call->bytes = call->recv_bytes = ANSWER_BYTES;
}

static uint32_t window_slots(const void *config)
{
    return SLOT_FIRST + (uint32_t)((const struct windows_config *)config)->window;
}

/* A window, the wait for it, the answer. */
static uint64_t window_steps(const void *config)
{
    const struct windows_config *windows = config;
    return (windows->window + 2) * windows->iterations;
}

static void window_call(const struct windows_config *config, bool sends, uint64_t peer, uint64_t step,
                        struct call *call)
{
    const uint64_t at = step % (config->window + 2);
    if (at < config->window)
        post(config, sends, peer, at, call);
    else if (at == config->window)
        wait_for(config->window, call);
    else
        answer(!sends, peer, call);
}

static uint32_t two_ranks(const void *config)
{
    (void)config;
    return 2;
}

/* ---------------------------------------------------------------- bandwidth */

static bool bandwidth_prepare(const struct workload *workload, void *config, struct program *program,
                              struct workload_problem *problem)
{
    (void)workload, (void)problem;
    count_rate(config, 1, program);
    return true;
}

static void bandwidth_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    window_call(config, rank == 0, 1 - rank, step, call);
}

const struct workload bandwidth_workload = {
    .name = "bandwidth",
    .misnomer = "osu_bw",
    .meant = "bandwidth, which sends what osu_bw sends",
    .doc = "a window of messages to one rank: bandwidth:bytes=1MiB,window=64",
    .params = &bandwidth_params,
    .prepare = bandwidth_prepare,
    .ranks = two_ranks,
    .steps = window_steps,
    .call = bandwidth_call,
    .slots_of = window_slots,
};

/* --------------------------------------------------------------------- bibw */

static bool bibw_prepare(const struct workload *workload, void *config, struct program *program,
                         struct workload_problem *problem)
{
    (void)workload, (void)problem;
    count_rate(config, 2, program);
    return true;
}

static uint32_t bibw_slots(const void *config)
{
    return SLOT_FIRST + 2 * (uint32_t)((const struct windows_config *)config)->window;
}

static uint64_t bibw_steps(const void *config)
{
    const struct windows_config *windows = config;
    return (2 * windows->window + 1) * windows->iterations;
}

/* All receives, all sends, the wait. */
static void bibw_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    const struct windows_config *windows = config;
    const uint64_t at = step % (2 * windows->window + 1);
    if (at < 2 * windows->window)
        post(windows, at >= windows->window, 1 - rank, at, call);
    else
        wait_for(2 * windows->window, call);
}

const struct workload bibw_workload = {
    .name = "bibw",
    .misnomer = "osu_bibw",
    .meant = "bibw, which sends what osu_bibw sends",
    .doc = "two ranks send each other a window of messages: bibw:bytes=1MiB,window=64",
    .params = &bibw_params,
    .prepare = bibw_prepare,
    .ranks = two_ranks,
    .steps = bibw_steps,
    .call = bibw_call,
    .slots_of = bibw_slots,
};

/* ------------------------------------------------------------- message-rate */

static bool message_rate_prepare(const struct workload *workload, void *config, struct program *program,
                                 struct workload_problem *problem)
{
    (void)workload, (void)problem;
    count_rate(config, ((const struct windows_config *)config)->pairs, program);
    return true;
}

static uint32_t message_rate_ranks(const void *config)
{
    return (uint32_t)(2 * ((const struct windows_config *)config)->pairs);
}

static void message_rate_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    const uint64_t pairs = ((const struct windows_config *)config)->pairs;
    const bool sends = rank < pairs;
    window_call(config, sends, sends ? rank + pairs : rank - pairs, step, call);
}

const struct workload message_rate_workload = {
    .name = "message-rate",
    .misnomer = "osu_mbw_mr",
    .meant = "message-rate, which sends what osu_mbw_mr sends",
    .doc = "a window of messages in each of several pairs: message-rate:pairs=8,bytes=8B",
    .params = &message_rate_params,
    .prepare = message_rate_prepare,
    .ranks = message_rate_ranks,
    .steps = window_steps,
    .call = message_rate_call,
    .slots_of = window_slots,
};

/* ------------------------------------------------------------------- incast */

static uint64_t incast_requests(const struct windows_config *config)
{
    return (config->ranks - 1) * config->window;
}

static bool incast_prepare(const struct workload *workload, void *config, struct program *program,
                           struct workload_problem *problem)
{
    const struct windows_config *windows = config;
    (void)workload;
    count_rate(windows, windows->ranks - 1, program);
    if (incast_requests(windows) <= MOST_REQUESTS)
        return true;
    problem->param = "window";
    snprintf(problem->text, sizeof problem->text,
             "rank 0 would have %" PRIu64 " receives at once, and at most %d are possible; make ranks or "
             "window smaller",
             incast_requests(windows), MOST_REQUESTS);
    return false;
}

static uint32_t incast_ranks(const void *config)
{
    return (uint32_t)((const struct windows_config *)config)->ranks;
}

static uint32_t incast_slots(const void *config)
{
    return SLOT_FIRST + (uint32_t)incast_requests(config);
}

/* Of the receiver, which has most: a sender does nothing in the steps that it does not need. */
static uint64_t steps_of_incast(const struct windows_config *config)
{
    return incast_requests(config) + 1 + (config->ranks - 1);
}

static uint64_t incast_steps(const void *config)
{
    const struct windows_config *windows = config;
    return steps_of_incast(windows) * windows->iterations;
}

/* The first message of each sender first, then the second ones. */
static void receiver_call(const struct windows_config *config, uint64_t at, struct call *call)
{
    const uint64_t senders = config->ranks - 1, requests = incast_requests(config);
    if (at < requests)
        post(config, false, 1 + at % senders, at, call);
    else if (at == requests)
        wait_for(requests, call);
    else
        answer(true, at - requests, call);
}

static void incast_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    const struct windows_config *windows = config;
    const uint64_t at = step % steps_of_incast(windows);
    if (rank == 0)
        receiver_call(windows, at, call);
    else if (at < windows->window + 2)
        window_call(windows, true, 0, at, call);
    else
        call->op = CALL_NOTHING;
}

const struct workload incast_workload = {
    .name = "incast",
    .doc = "all ranks send a window of messages to one: incast:ranks=32,bytes=64KiB,window=1",
    .params = &incast_params,
    .prepare = incast_prepare,
    .ranks = incast_ranks,
    .steps = incast_steps,
    .call = incast_call,
    .slots_of = incast_slots,
};
