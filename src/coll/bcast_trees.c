#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/shapes.h"

/* Broadcast along trees of other shapes than the binomial tree: a rank receives the vector, and then sends it
 * to all its children at once. The root has it in its send buffer. */
static bool along(enum shape_kind kind, const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = ring_down(call->rank, call->root, call->size);
    struct coll_span data = span_of(v == 0 ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, call->bytes);
    struct shape shape;
    shape_of(kind, v, call->size, &shape);
    if (v > 0 && phase-- == 0) {
        sink->recv(sink, ring_up(call->root, shape.parent, call->size), data);
        return true;
    }
    if (phase > 0 || shape.count == 0)
        return false;
    for (uint32_t i = 0; i < shape.count; i++)
        sink->send(sink, ring_up(call->root, shape.child[i], call->size), data);
    return true;
}

static bool chain(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_CHAIN, call, phase, sink);
}

static bool binary(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_BINARY, call, phase, sink);
}

static bool knomial(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_KNOMIAL, call, phase, sink);
}

static bool doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_DOUBLING, call, phase, sink);
}

const struct coll_algorithm coll_bcast_line = {
    .kind = COLL_BCAST,
    .name = "line",
    .doc = "from rank to rank, without segments: P-1 messages in P-1 rounds (Open MPI: chain, pipeline)",
    .emit = chain,
};

const struct coll_algorithm coll_bcast_binary = {
    .kind = COLL_BCAST,
    .name = "binary",
    .doc = "binary tree: P-1 messages in floor(log2 P) rounds (Open MPI: binary_tree)",
    .emit = binary,
};

const struct coll_algorithm coll_bcast_knomial = {
    .kind = COLL_BCAST,
    .name = "knomial",
    .doc = "tree along the digits to base 4: P-1 messages in at most ceil(log4 P) rounds (Open MPI: knomial)",
    .emit = knomial,
};

const struct coll_algorithm coll_bcast_doubling = {
    .kind = COLL_BCAST,
    .name = "doubling",
    .doc = "binomial tree with near children first: P-1 messages in at most floor(log2 P) rounds (Open MPI: "
           "binomial)",
    .emit = doubling,
};

/* ------------------------------------------------------------- split binary */

/* The binary tree, half of the vector to each side of it. Then each odd virtual rank exchanges halves with
 * the next one; the last one gets the other half from the root, if there is no next one. */
static struct coll_span half_of(const struct coll_call *call, uint32_t v, bool other)
{
    struct blocks halves = blocks_parts(2, call->bytes, call->element);
    bool lower = (v % 2 != 0) != other;
    return blocks_span(&halves, v == 0 ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, lower ? 0 : 1, 1);
}

static uint32_t actual(const struct coll_call *call, uint32_t v)
{
    return ring_up(call->root, v, call->size);
}

static void send_halves(const struct coll_call *call, uint32_t v, const struct shape *shape,
                        struct coll_sink *sink)
{
    struct blocks halves = blocks_parts(2, call->bytes, call->element);
    for (uint32_t i = 0; i < shape->count; i++)
        sink->send(sink, actual(call, shape->child[i]),
                   v > 0 ? half_of(call, v, false)
                         : blocks_span(&halves, COLL_SEND_BUFFER, shape->child[i] % 2 ? 0 : 1, 1));
}

static void complete_halves(const struct coll_call *call, uint32_t v, struct coll_sink *sink)
{
    uint32_t last = call->size - 1, peer = v % 2 ? v + 1 : v - 1;
    bool last_is_alone = last % 2 != 0;
    struct blocks halves = blocks_parts(2, call->bytes, call->element);
    if (v == 0) {
        if (last_is_alone)
            sink->send(sink, actual(call, last), blocks_span(&halves, COLL_SEND_BUFFER, 1, 1));
    } else if (last_is_alone && v == last) {
        sink->recv(sink, call->root, half_of(call, v, true));
    } else {
        step_exchange(sink, actual(call, peer), half_of(call, v, false), actual(call, peer),
                      half_of(call, v, true));
    }
}

static bool split_binary(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = ring_down(call->rank, call->root, call->size);
    struct shape shape;
    if (call->size < 3)
        return along(SHAPE_CHAIN, call, phase, sink);
    shape_of(SHAPE_BINARY, v, call->size, &shape);
    if (v > 0 && phase-- == 0)
        sink->recv(sink, actual(call, shape.parent), half_of(call, v, false));
    else if (shape.count > 0 && phase-- == 0)
        send_halves(call, v, &shape, sink);
    else if (phase == 0)
        complete_halves(call, v, sink);
    else
        return false;
    return true;
}

const struct coll_algorithm coll_bcast_split_binary = {
    .kind = COLL_BCAST,
    .name = "split-binary",
    .doc =
        "binary tree with half of the vector to each side, then pairs exchange halves: about 2(P-1) messages "
        "(Open MPI: split_binary_tree)",
    .emit = split_binary,
};
