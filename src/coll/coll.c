#include "coll/coll.h"

#include "coll/blocks.h"

static const char *const kind_names[COLL_KINDS] = {
    [COLL_BARRIER] = "barrier",
    [COLL_BCAST] = "bcast",
    [COLL_REDUCE] = "reduce",
    [COLL_ALLREDUCE] = "allreduce",
    [COLL_ALLTOALL] = "alltoall",
    [COLL_ALLTOALLV] = "alltoallv",
    [COLL_ALLGATHER] = "allgather",
    [COLL_ALLGATHERV] = "allgatherv",
    [COLL_GATHER] = "gather",
    [COLL_GATHERV] = "gatherv",
    [COLL_SCATTER] = "scatter",
    [COLL_SCATTERV] = "scatterv",
    [COLL_REDUCE_SCATTER] = "reduce_scatter",
    [COLL_SCAN] = "scan",
    [COLL_EXSCAN] = "exscan",
};

const char *coll_kind_name(enum coll_kind kind)
{
    return kind_names[kind];
}

bool coll_sizes_agree(enum coll_kind kind)
{
    return kind != COLL_BARRIER && kind != COLL_ALLTOALLV && kind != COLL_GATHERV && kind != COLL_SCATTERV;
}

static uint64_t compared_bytes(const struct coll_call *call)
{
    if (call->kind != COLL_ALLGATHERV && call->kind != COLL_REDUCE_SCATTER)
        return call->bytes;
    struct blocks blocks = blocks_given(call->size, call->recv_bytes, call->bytes, true);
    return blocks_bytes(&blocks, 0, call->size) / call->size;
}

const struct coll_algorithm *coll_choose(const struct coll_choice *choice, const struct coll_call *call)
{
    if (choice->count == 1)
        return choice->algorithm[0];
    uint64_t bytes = compared_bytes(call);
    uint32_t i = 0;
    while (i < choice->count - 1 && bytes > choice->limit[i])
        i++;
    return choice->algorithm[i];
}
