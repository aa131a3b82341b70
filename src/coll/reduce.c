#include "coll/algorithms.h"
#include "coll/tree.h"

static bool binomial(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    bool is_root = call->rank == call->root;
    struct coll_span sum = span_of(is_root ? COLL_RECV_BUFFER : COLL_SCRATCH, 0, call->bytes);
    struct coll_span incoming = span_of(COLL_SCRATCH, is_root ? 0 : call->bytes, call->bytes);
    return tree_reduce(&tree, sum, incoming, phase, sink);
}

static uint64_t binomial_scratch(const struct coll_call *call)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    if (tree.children == 0)
        return 0;
    return call->rank == call->root ? call->bytes : 2 * call->bytes;
}

const struct coll_algorithm coll_reduce_binomial = {
    .kind = COLL_REDUCE,
    .name = "binomial",
    .doc =
        "binomial tree, smaller subtrees first: P-1 messages in ceil(log2 P) rounds (Thakur, Rabenseifner, "
        "Gropp 2005)",
    .emit = binomial,
    .scratch = binomial_scratch,
};

/* One rank after another, so the root needs room for one vector instead of P-1. */
static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct coll_span sum = span_of(COLL_RECV_BUFFER, 0, call->bytes);
    struct coll_span incoming = span_of(COLL_SCRATCH, 0, call->bytes);
    if (call->rank != call->root) {
        if (phase == 0)
            sink->send(sink, call->root, own);
        return phase == 0;
    }
    if (phase >= call->size)
        return false;
    if (phase == 0)
        step_copy(sink, own, sum);
    else
        step_reduce(sink, incoming, sum);
    if (phase < call->size - 1)
        sink->recv(sink, rank_other_than(call->root, phase), incoming);
    return true;
}

static uint64_t linear_scratch(const struct coll_call *call)
{
    return call->rank == call->root && call->size > 1 ? call->bytes : 0;
}

const struct coll_algorithm coll_reduce_linear = {
    .kind = COLL_REDUCE,
    .name = "linear",
    .doc = "the root receives and adds one rank after another: P-1 messages in P-1 rounds",
    .emit = linear,
    .scratch = linear_scratch,
};
