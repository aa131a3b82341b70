#include "coll/algorithms.h"
#include "coll/steps.h"

/* Scan and exscan. A rank passes on the sum up to and with its own vector. Scan has this sum in the receive
 * buffer. Exscan has it in scratch, and the sum without the own vector in the receive buffer. */
static bool inclusive(const struct coll_call *call)
{
    return call->kind == COLL_SCAN;
}

static struct coll_span own_of(const struct coll_call *call)
{
    return span_of(COLL_SEND_BUFFER, 0, call->bytes);
}

static struct coll_span result_of(const struct coll_call *call)
{
    return span_of(COLL_RECV_BUFFER, 0, call->bytes);
}

/* ------------------------------------------------------------------- linear */

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span own = own_of(call), result = result_of(call);
    struct coll_span through = inclusive(call) ? result : span_of(COLL_SCRATCH, 0, call->bytes);
    bool first = call->rank == 0, last = call->rank == call->size - 1;
    if (!first && phase-- == 0) {
        sink->recv(sink, call->rank - 1, result);
        return true;
    }
    if (phase > 0)
        return false;
    if (first && inclusive(call))
        step_copy(sink, own, result);
    if (!first && !inclusive(call) && !last)
        step_copy(sink, result, through);
    if (!first && (inclusive(call) || !last))
        step_reduce(sink, own, through);
    if (!last)
        sink->send(sink, call->rank + 1, first ? own : through);
    return true;
}

static uint64_t linear_exscan_scratch(const struct coll_call *call)
{
    return call->rank > 0 && call->rank < call->size - 1 ? call->bytes : 0;
}

#define LINEAR_DOC "a chain: rank r adds its vector and passes the sum to r+1: P-1 messages in P-1 rounds"

const struct coll_algorithm coll_scan_linear = {
    .kind = COLL_SCAN,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
};

const struct coll_algorithm coll_exscan_linear = {
    .kind = COLL_EXSCAN,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
    .scratch = linear_exscan_scratch,
};

/* ------------------------------------------------------- recursive doubling */

/* In round `phase` a rank sends to the rank 2^phase further on, if there is one. If there is none, there is
 * none in later rounds either. */
static bool still_sends(const struct coll_call *call, uint32_t phase)
{
    return UINT64_C(1) << phase < call->size - call->rank;
}

/* Adds what round `phase - 1` brought; before round 0 the own vector is all there is. Exscan updates the sum
 * that it passes on as long as it still sends. */
static void combine_incoming(const struct coll_call *call, uint32_t phase, struct coll_span through,
                             struct coll_span incoming, struct coll_sink *sink)
{
    bool needed = inclusive(call) || still_sends(call, phase);
    if (phase == 0) {
        if (needed)
            step_copy(sink, own_of(call), through);
        return;
    }
    if (call->rank < UINT32_C(1) << (phase - 1))
        return; /* no rank is that far below */
    if (needed)
        step_reduce(sink, incoming, through);
    if (inclusive(call))
        return;
    if (phase == 1)
        step_copy(sink, incoming, result_of(call));
    else
        step_reduce(sink, incoming, result_of(call));
}

static bool recursive_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rank = call->rank, size = call->size, rounds = log2_ceil(size);
    if (phase > rounds)
        return false;
    struct coll_span through = inclusive(call) ? result_of(call) : span_of(COLL_SCRATCH, 0, call->bytes);
    struct coll_span incoming = span_of(COLL_SCRATCH, inclusive(call) ? 0 : call->bytes, call->bytes);
    combine_incoming(call, phase, through, incoming, sink);
    if (phase == rounds)
        return true;
    uint32_t distance = UINT32_C(1) << phase;
    if (rank >= distance)
        sink->recv(sink, rank - distance, incoming);
    if (still_sends(call, phase))
        sink->send(sink, rank + distance, through);
    return true;
}

static uint64_t recursive_doubling_scratch(const struct coll_call *call)
{
    uint64_t incoming = call->rank > 0 ? call->bytes : 0;
    return inclusive(call) ? incoming : call->bytes + incoming;
}

#define DOUBLING_DOC                                                                                         \
    "partial sums to r+2^k in round k: ceil(log2 P) rounds, fewer than P ceil(log2 P) messages; any P "      \
    "(Hillis, "                                                                                              \
    "Steele 1986)"

const struct coll_algorithm coll_scan_recursive_doubling = {
    .kind = COLL_SCAN,
    .name = "recursive-doubling",
    .doc = DOUBLING_DOC,
    .emit = recursive_doubling,
    .scratch = recursive_doubling_scratch,
};

const struct coll_algorithm coll_exscan_recursive_doubling = {
    .kind = COLL_EXSCAN,
    .name = "recursive-doubling",
    .doc = DOUBLING_DOC,
    .emit = recursive_doubling,
    .scratch = recursive_doubling_scratch,
};
