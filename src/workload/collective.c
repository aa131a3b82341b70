#include "workload/list.h"

/* Workloads that are one collective call after another. The ring_* ones are the synthetic benchmarks of the
 * FMU paper (section VI-B): an iteration calls the collective once per rank, each time with another root. */

struct repeat_config {
    uint64_t ranks, bytes, iterations;
};

#define REPEAT_PARAMS(default_bytes, default_iterations, bytes_doc)                                          \
    {.name = "ranks",                                                                                        \
     .type = PARAM_COUNT,                                                                                    \
     .offset = offsetof(struct repeat_config, ranks),                                                        \
     .default_text = "64",                                                                                   \
     .min = "1",                                                                                             \
     .max = "1000000000",                                                                                    \
     .doc = "number of ranks"},                                                                              \
        {.name = "bytes",                                                                                    \
         .type = PARAM_SIZE,                                                                                 \
         .offset = offsetof(struct repeat_config, bytes),                                                    \
         .default_text = default_bytes,                                                                      \
         .doc = bytes_doc},                                                                                  \
    {                                                                                                        \
        .name = "iterations", .type = PARAM_COUNT, .offset = offsetof(struct repeat_config, iterations),     \
        .default_text = default_iterations, .min = "1", .max = "10000000", .doc = "repetitions of the whole" \
    }

PARAM_TABLE(alltoall_params, "alltoall", struct repeat_config, "MPI_Alltoall",
            REPEAT_PARAMS("8 KiB", "1", "size of the block from each rank to each"));
PARAM_TABLE(ring_params, "ring", struct repeat_config, "a collective with every rank as root in turn",
            REPEAT_PARAMS("16 MiB", "100", "size of the vector"));

static uint32_t repeat_ranks(const void *config)
{
    return (uint32_t)((const struct repeat_config *)config)->ranks;
}

static uint64_t repeat_steps(const void *config)
{
    return ((const struct repeat_config *)config)->iterations;
}

static uint64_t ring_steps(const void *config)
{
    const struct repeat_config *ring = config;
    return ring->iterations * ring->ranks;
}

static void fill(const void *config, enum call_op op, struct call *call)
{
    call->op = (uint8_t)op;
    call->bytes = call->recv_bytes = ((const struct repeat_config *)config)->bytes;
    call->element_bytes = 1;
}

static void alltoall_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank, (void)step;
    fill(config, CALL_ALLTOALL, call);
}

static int32_t ring_root(const void *config, uint64_t step)
{
    return (int32_t)(step % ((const struct repeat_config *)config)->ranks);
}

static void ring_bcast_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    fill(config, CALL_BCAST, call);
    call->peer = ring_root(config, step);
}

static void ring_reduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    fill(config, CALL_REDUCE, call);
    call->peer = ring_root(config, step);
}

static void ring_allreduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank, (void)step;
    fill(config, CALL_ALLREDUCE, call);
}

const struct workload alltoall_workload = {
    .name = "alltoall",
    .doc = "MPI_Alltoall: alltoall:ranks=64,bytes=8KiB,iterations=1",
    .params = &alltoall_params,
    .ranks = repeat_ranks,
    .steps = repeat_steps,
    .call = alltoall_call,
};

const struct workload ring_bcast_workload = {
    .name = "ring-bcast",
    .doc = "MPI_Bcast from every rank in turn: ring-bcast:ranks=64,bytes=16MiB,iterations=2",
    .params = &ring_params,
    .ranks = repeat_ranks,
    .steps = ring_steps,
    .call = ring_bcast_call,
};

const struct workload ring_reduce_workload = {
    .name = "ring-reduce",
    .doc = "MPI_Reduce to every rank in turn: ring-reduce:ranks=64,bytes=16MiB,iterations=2",
    .params = &ring_params,
    .ranks = repeat_ranks,
    .steps = ring_steps,
    .call = ring_reduce_call,
};

const struct workload ring_allreduce_workload = {
    .name = "ring-allreduce",
    .doc = "MPI_Allreduce as often as there are ranks: ring-allreduce:ranks=64,bytes=16MiB,iterations=2",
    .params = &ring_params,
    .ranks = repeat_ranks,
    .steps = ring_steps,
    .call = ring_allreduce_call,
};
