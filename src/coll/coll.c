#include "coll/coll.h"

#include "coll/blocks.h"
#include "coll/tuning.h"

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

uint64_t coll_compared_bytes(const struct coll_call *call)
{
    if (call->kind != COLL_ALLGATHERV && call->kind != COLL_REDUCE_SCATTER)
        return call->bytes;
    return blocks_of_call_bytes(call) / call->size;
}

const struct coll_algorithm *coll_choose(const struct coll_choice *choice, const struct coll_call *call)
{
    if (choice->tuning)
        return coll_tuned(choice->tuning, call);
    if (choice->count == 1)
        return choice->algorithm[0];
    uint64_t bytes = coll_compared_bytes(call);
    uint32_t i = 0;
    while (i < choice->count - 1 && bytes > choice->limit[i])
        i++;
    return choice->algorithm[i];
}

/* ------------------------------------------------------------------- bytes */

/* True if that many blocks do not pass the limit together. */
static bool equal_blocks_fit(uint64_t count, uint64_t bytes)
{
    uint64_t sum;
    return !__builtin_mul_overflow(count, bytes, &sum) && sum <= COLL_BYTES_AT_MOST;
}

static bool given_blocks_fit(const uint64_t *bytes, uint32_t count, uint64_t limit)
{
    uint64_t left = limit;
    for (uint32_t i = 0; bytes && i < count; i++) {
        if (bytes[i] > left)
            return false;
        left -= bytes[i];
    }
    return true;
}

/* The blocks of one buffer: those given, or equal ones. */
static bool blocks_fit(const uint64_t *given, const struct coll_call *call, uint64_t times, uint64_t limit)
{
    return given ? given_blocks_fit(given, call->size, limit)
                 : equal_blocks_fit(call->size * times, call->bytes);
}

/* The blocks between all ranks pass through a rank of a node-aware alltoall. */
static bool alltoall_fits(const struct coll_call *call, bool node_aware)
{
    uint64_t times = node_aware ? call->size : 1, limit = COLL_BYTES_AT_MOST / times;
    return blocks_fit(call->send_bytes, call, times, limit) &&
           blocks_fit(call->recv_bytes, call, times, limit);
}

bool coll_bytes_fit(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    /* Vectors that may lie in the shared memory of a node. */
    uint64_t staged = algorithm->shared && call->kind != COLL_ALLGATHERV ? call->size : 1;
    switch (call->kind) {
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
        return alltoall_fits(call, algorithm->node_aware);
    case COLL_ALLGATHER:
    case COLL_GATHER:
    case COLL_SCATTER:
        return equal_blocks_fit(call->size, call->bytes);
    case COLL_ALLGATHERV:
    case COLL_REDUCE_SCATTER:
        return blocks_fit(call->recv_bytes, call, staged, COLL_BYTES_AT_MOST / staged);
    case COLL_GATHERV:
    case COLL_SCATTERV: /* only the root has all lengths */
        return given_blocks_fit(call->send_bytes, call->size, COLL_BYTES_AT_MOST) &&
               given_blocks_fit(call->recv_bytes, call->size, COLL_BYTES_AT_MOST);
    case COLL_REDUCE:
    case COLL_ALLREDUCE:
        return !algorithm->shared || equal_blocks_fit(staged, call->bytes);
    default:
        return true;
    }
}

uint32_t coll_parts(const struct coll_algorithm *algorithm, const struct coll_call *call, uint64_t splits)
{
    uint64_t elements = call->bytes / call->element;
    bool has_counts = call->kind == COLL_ALLTOALLV || call->kind == COLL_ALLGATHERV ||
                      call->kind == COLL_GATHERV || call->kind == COLL_SCATTERV ||
                      (call->kind == COLL_REDUCE_SCATTER && call->recv_bytes);
    if (splits < 2 || has_counts || algorithm->node_aware || !elements)
        return 1;
    return (uint32_t)(splits < elements ? splits : elements);
}

uint64_t coll_part_bytes(const struct coll_call *call, uint32_t parts, uint32_t part)
{
    uint64_t elements = call->bytes / call->element, rest = call->bytes % call->element;
    uint64_t each = elements / parts, more = elements % parts;
    return (each + (part < more)) * call->element + (part + 1 == parts ? rest : 0);
}
