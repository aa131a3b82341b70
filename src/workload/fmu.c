#include "workload/list.h"
#include "workload/repeat.h"

/* The synthetic benchmarks of the FMU paper (section VI-B): an iteration calls the collective once for each
 * rank, and each time another rank is the root. */

PARAM_TABLE(fmu_benchmark_params, "a benchmark of the FMU paper", struct repeat_config,
            "a collective with every rank as root in turn",
            REPEAT_PARAMS("16 MiB", "100", "size of the vector"));

static uint64_t fmu_steps(const void *config)
{
    const struct repeat_config *fmu = config;
    return fmu->iterations * fmu->ranks;
}

static int32_t fmu_root(const void *config, uint64_t step)
{
    return (int32_t)(step % ((const struct repeat_config *)config)->ranks);
}

static void fmu_bcast_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    repeat_call(config, CALL_BCAST, call);
    call->peer = fmu_root(config, step);
}

static void fmu_reduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank;
    repeat_call(config, CALL_REDUCE, call);
    call->peer = fmu_root(config, step);
}

static void fmu_allreduce_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank, (void)step;
    repeat_call(config, CALL_ALLREDUCE, call);
}

const struct workload fmu_bcast_workload = {
    .name = "fmu-bcast",
    .misnomer = "ring-bcast",
    .meant = "fmu-bcast, the benchmark of the FMU paper, or collective:op=bcast, one broadcast",
    .doc = "MPI_Bcast from every rank in turn: fmu-bcast:ranks=64,bytes=16MiB,iterations=2",
    .params = &fmu_benchmark_params,
    .ranks = repeat_ranks,
    .steps = fmu_steps,
    .call = fmu_bcast_call,
};

const struct workload fmu_reduce_workload = {
    .name = "fmu-reduce",
    .misnomer = "ring-reduce",
    .meant = "fmu-reduce, the benchmark of the FMU paper, or collective:op=reduce, one reduction",
    .doc = "MPI_Reduce to every rank in turn: fmu-reduce:ranks=64,bytes=16MiB,iterations=2",
    .params = &fmu_benchmark_params,
    .ranks = repeat_ranks,
    .steps = fmu_steps,
    .call = fmu_reduce_call,
};

const struct workload fmu_allreduce_workload = {
    .name = "fmu-allreduce",
    .misnomer = "ring-allreduce",
    .meant = "fmu-allreduce, the benchmark of the FMU paper, or collective:op=allreduce,algorithm=ring, an "
             "allreduce round a ring",
    .doc = "MPI_Allreduce once for each rank: fmu-allreduce:ranks=64,bytes=16MiB,iterations=2",
    .params = &fmu_benchmark_params,
    .ranks = repeat_ranks,
    .steps = fmu_steps,
    .call = fmu_allreduce_call,
};
