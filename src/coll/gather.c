#include "coll/families.h"
#include "coll/tree.h"

/* ------------------------------------------------------------------- direct */

/* The root takes `window` blocks at a time, in rank order. A rank other than the root knows its own length
 * alone, which is all that this needs; nobody could forward blocks of unknown length, so gatherv has no tree.
 */
static bool direct(const struct coll_call *call, uint32_t window, uint32_t phase, struct coll_sink *sink)
{
    if (call->rank != call->root) {
        if (phase == 0)
            sink->send(sink, call->root, span_of(COLL_SEND_BUFFER, 0, call->bytes));
        return phase == 0;
    }
    uint64_t done = (uint64_t)phase * window, others = call->size - 1;
    if (done >= others && phase > 0)
        return false;
    const uint64_t *given = call->kind == COLL_GATHERV ? call->recv_bytes : NULL;
    struct blocks blocks = blocks_given(call->size, given, call->bytes, sink->local);
    struct coll_span own = blocks_span(&blocks, COLL_RECV_BUFFER, call->root, 1);
    if (phase == 0)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, own.bytes), own);
    for (uint64_t i = done; i < others && i < done + window; i++) {
        uint32_t peer = rank_other_than(call->root, (uint32_t)i);
        sink->recv(sink, peer, blocks_span(&blocks, COLL_RECV_BUFFER, peer, 1));
    }
    return true;
}

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return direct(call, call->size, phase, sink);
}

static bool windowed(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return direct(call, window_of(call), phase, sink);
}

#define LINEAR_DOC "everyone sends to the root, which posts all receives at once: P-1 messages in 1 round"
#define WINDOWED_DOC                                                                                         \
    "the root posts `window` (32) receives at a time: P-1 messages in ceil((P-1)/window) rounds"

const struct coll_algorithm coll_gather_linear = {
    .kind = COLL_GATHER,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
};

const struct coll_algorithm coll_gather_windowed = {
    .kind = COLL_GATHER,
    .name = "windowed",
    .doc = WINDOWED_DOC,
    .emit = windowed,
};

const struct coll_algorithm coll_gatherv_linear = {
    .kind = COLL_GATHERV,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = linear,
};

const struct coll_algorithm coll_gatherv_windowed = {
    .kind = COLL_GATHERV,
    .name = "windowed",
    .doc = WINDOWED_DOC,
    .emit = windowed,
};

/* --------------------------------------------------------------------- tree */

static bool binomial(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    return tree_gather(&tree, &blocks, phase, sink);
}

static uint64_t binomial_scratch(const struct coll_call *call)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    return tree_gather_scratch(&tree, &blocks);
}

const struct coll_algorithm coll_gather_binomial = {
    .kind = COLL_GATHER,
    .name = "binomial",
    .doc = "binomial tree, blocks of a subtree in one message: P-1 messages in ceil(log2 P) rounds (Thakur, "
           "Rabenseifner, "
           "Gropp 2005)",
    .emit = binomial,
    .scratch = binomial_scratch,
};
