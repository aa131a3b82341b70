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
