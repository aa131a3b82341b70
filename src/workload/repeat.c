#include "workload/repeat.h"

uint32_t repeat_ranks(const void *config)
{
    return (uint32_t)((const struct repeat_config *)config)->ranks;
}

uint64_t repeat_steps(const void *config)
{
    return ((const struct repeat_config *)config)->iterations;
}

void repeat_call(const void *config, enum call_op op, struct call *call)
{
    call->op = (uint8_t)op;
    call->bytes = call->recv_bytes = ((const struct repeat_config *)config)->bytes;
    call->element_bytes = 1;
}
