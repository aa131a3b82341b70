#include "workload/list.h"
#include "workload/repeat.h"

/* The synthetic benchmarks of the FMU paper (section VI-B): an iteration calls the collective once for each
 * rank, and each time another rank is the root. */

PARAM_TABLE(ring_params, "ring", struct repeat_config, "a collective with every rank as root in turn",
            REPEAT_PARAMS("16 MiB", "100", "size of the vector"));

static uint64_t ring_steps(const void *config)
{
    const struct repeat_config *ring = config;
    return ring->iterations * ring->ranks;
}

static int32_t ring_root(const void *config, uint64_t step)
{
    return (int32_t)(step % ((const struct repeat_config *)config)->ranks);
}

static void ring_bcast_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    repeat_call(config, CALL_BCAST, call);
    call->peer = ring_root(config, step);
}

static void ring_reduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    repeat_call(config, CALL_REDUCE, call);
    call->peer = ring_root(config, step);
}

static void ring_allreduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank, (void)step;
    repeat_call(config, CALL_ALLREDUCE, call);
}

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
    .doc = "MPI_Allreduce once for each rank: ring-allreduce:ranks=64,bytes=16MiB,iterations=2",
    .params = &ring_params,
    .ranks = repeat_ranks,
    .steps = ring_steps,
    .call = ring_allreduce_call,
};
