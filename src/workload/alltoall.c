#include "workload/list.h"
#include "workload/repeat.h"

PARAM_TABLE(alltoall_params, "alltoall", struct repeat_config, "MPI_Alltoall",
            REPEAT_PARAMS("8 KiB", "1", "size of the block from each rank to each"));
static void alltoall_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)rank, (void)step;
    repeat_call(config, CALL_ALLTOALL, call);
}

const struct workload alltoall_workload = {
    .name = "alltoall",
    .doc = "MPI_Alltoall: alltoall:ranks=64,bytes=8KiB,iterations=1",
    .params = &alltoall_params,
    .ranks = repeat_ranks,
    .steps = repeat_steps,
    .call = alltoall_call,
};
