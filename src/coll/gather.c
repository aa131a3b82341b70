#include "coll/algorithms.h"
#include "coll/rooted.h"

/* ------------------------------------------------------------------- direct */

#define LINEAR_DOC "everyone sends to the root, which posts all receives at once: P-1 messages in 1 round"
#define WINDOWED_DOC                                                                                         \
    "the root posts `window` (32) receives at a time: P-1 messages in ceil((P-1)/window) rounds"

const struct coll_algorithm coll_gather_linear = {
    .kind = COLL_GATHER,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = rooted_linear,
};

const struct coll_algorithm coll_gather_windowed = {
    .kind = COLL_GATHER,
    .name = "windowed",
    .doc = WINDOWED_DOC,
    .emit = rooted_windowed,
    .has_windows = true,
};

const struct coll_algorithm coll_gatherv_linear = {
    .kind = COLL_GATHERV,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = rooted_linear,
};

const struct coll_algorithm coll_gatherv_windowed = {
    .kind = COLL_GATHERV,
    .name = "windowed",
    .doc = WINDOWED_DOC,
    .emit = rooted_windowed,
    .has_windows = true,
};

/* --------------------------------------------------------------------- tree */

static bool binomial(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    return tree_gather(&tree, &blocks, phase, sink);
}

const struct coll_algorithm coll_gather_binomial = {
    .kind = COLL_GATHER,
    .name = "binomial",
    .doc = "binomial tree, blocks of a subtree in one message: P-1 messages in ceil(log2 P) rounds (Thakur, "
           "Rabenseifner, Gropp 2005)",
    .emit = binomial,
    .scratch = rooted_tree_scratch,
};

/* ------------------------------------------------------------- synchronised */

/* The root asks one rank after another, and each answers with its block and an empty message. */
static bool linear_sync(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    const struct coll_span nothing = {COLL_SCRATCH, 0, 0};
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    if (call->rank != call->root) {
        if (phase == 0)
            sink->recv(sink, call->root, nothing);
        else if (phase == 1)
            sink->send(sink, call->root, own);
        else if (phase == 2)
            sink->send(sink, call->root, nothing);
        return phase <= 2;
    }
    if (phase >= call->size - 1 && phase > 0)
        return false;
    if (phase == 0)
        step_copy(sink, own, blocks_span(&blocks, COLL_RECV_BUFFER, call->root, 1));
    if (call->size > 1) {
        uint32_t peer = rank_other_than(call->root, phase);
        sink->recv(sink, peer, blocks_span(&blocks, COLL_RECV_BUFFER, peer, 1));
        sink->recv(sink, peer, nothing);
        sink->send(sink, peer, nothing);
    }
    return true;
}

const struct coll_algorithm coll_gather_linear_sync = {
    .kind = COLL_GATHER,
    .name = "linear-sync",
    .doc =
        "the root asks one rank after another, which sends its block and an empty message: 3(P-1) messages "
        "(Open MPI: linear_sync)",
    .emit = linear_sync,
};
