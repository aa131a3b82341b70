#include "coll/algorithms.h"
#include "coll/rooted.h"

/* ------------------------------------------------------------------- direct */

#define LINEAR_DOC   "the root posts all sends at once: P-1 messages in 1 round"
#define WINDOWED_DOC "the root posts `window` (32) sends at a time: P-1 messages in ceil((P-1)/window) rounds"

const struct coll_algorithm coll_scatter_linear = {
    .kind = COLL_SCATTER,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = rooted_linear,
};

const struct coll_algorithm coll_scatter_windowed = {
    .kind = COLL_SCATTER,
    .name = "windowed",
    .doc = WINDOWED_DOC,
    .emit = rooted_windowed,
    .has_windows = true,
};

const struct coll_algorithm coll_scatterv_linear = {
    .kind = COLL_SCATTERV,
    .name = "linear",
    .doc = LINEAR_DOC,
    .emit = rooted_linear,
};

const struct coll_algorithm coll_scatterv_windowed = {
    .kind = COLL_SCATTERV,
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
    return tree_scatter(&tree, &blocks, COLL_SEND_BUFFER, phase, sink);
}

const struct coll_algorithm coll_scatter_binomial = {
    .kind = COLL_SCATTER,
    .name = "binomial",
    .doc = "binomial tree, blocks of a subtree in one message: P-1 messages in ceil(log2 P) rounds (Thakur, "
           "Rabenseifner, Gropp 2005)",
    .emit = binomial,
    .scratch = rooted_tree_scratch,
};
