#include "coll/algorithms.h"
#include "coll/steps.h"

/* Scan and exscan as MPICH does them: in round k a rank exchanges the sum of its group of 2^k ranks with
 * rank xor 2^k. What comes from below belongs to the result too. Scratch: the sum of the group, then what
 * arrives. */

/* Whether the sum of the group before `round` reaches a rank above the group: in some later round k, from
 * this rank or from one below it that gets the sum before. */
static bool is_needed(const struct coll_call *call, uint32_t round)
{
    uint32_t lowest = call->rank; /* that has the sum before round k */
    for (uint32_t k = round; k < log2_ceil(call->size); k++) {
        uint32_t bit = UINT32_C(1) << k;
        if (!(call->rank & bit) && lowest + bit < call->size)
            return true;
        lowest &= ~bit;
    }
    return false;
}

static void add_arrived(const struct coll_call *call, uint32_t round, struct coll_sink *sink)
{
    uint32_t peer = call->rank ^ UINT32_C(1) << round;
    struct coll_span result = span_of(COLL_RECV_BUFFER, 0, call->bytes);
    struct coll_span group = span_of(COLL_SCRATCH, 0, call->bytes);
    struct coll_span arrival = span_of(COLL_SCRATCH, call->bytes, call->bytes);
    if (peer >= call->size)
        return;
    if (is_needed(call, round + 1))
        step_reduce(sink, arrival, group);
    if (peer > call->rank)
        return;
    /* The lowest set bit is the first round in which anything comes from below. */
    bool is_first = call->kind == COLL_EXSCAN && (uint32_t)__builtin_ctz(call->rank) == round;
    if (is_first)
        step_copy(sink, arrival, result);
    else
        step_reduce(sink, arrival, result);
}

static bool exchange(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rounds = log2_ceil(call->size), peer = call->rank ^ UINT32_C(1) << phase % 32;
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct coll_span group = span_of(COLL_SCRATCH, 0, call->bytes);
    if (phase > rounds)
        return false;
    if (phase > 0) {
        add_arrived(call, phase - 1, sink);
    } else {
        if (call->size > 1)
            step_copy(sink, own, group);
        if (call->kind == COLL_SCAN)
            step_copy(sink, own, span_of(COLL_RECV_BUFFER, 0, call->bytes));
    }
    if (phase < rounds && peer < call->size)
        step_exchange(sink, peer, group, peer, span_of(COLL_SCRATCH, call->bytes, call->bytes));
    return true;
}

static uint64_t exchange_scratch(const struct coll_call *call)
{
    return call->size > 1 ? 2 * call->bytes : 0;
}

#define EXCHANGE_DOC                                                                                         \
    "sums of groups along the bits of the rank, in both directions: at most P ceil(log2 P) messages; any P " \
    "(MPICH: recursive_doubling)"

const struct coll_algorithm coll_scan_exchange = {
    .kind = COLL_SCAN,
    .name = "exchange",
    .doc = EXCHANGE_DOC,
    .emit = exchange,
    .scratch = exchange_scratch,
};

const struct coll_algorithm coll_exscan_exchange = {
    .kind = COLL_EXSCAN,
    .name = "exchange",
    .doc = EXCHANGE_DOC,
    .emit = exchange,
    .scratch = exchange_scratch,
};
