#include "coll/algorithms.h"
#include "coll/steps.h"
#include "coll/tree.h"

static const struct coll_span nothing = {COLL_SCRATCH, 0, 0};

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 1 || call->size == 1)
        return false;
    void (*step)(struct coll_sink *, uint32_t, struct coll_span) =
        (call->rank == 0) == (phase == 0) ? sink->recv : sink->send;
    if (call->rank > 0) {
        step(sink, 0, nothing);
        return true;
    }
    for (uint32_t peer = 1; peer < call->size; peer++)
        step(sink, peer, nothing);
    return true;
}

const struct coll_algorithm coll_barrier_linear = {
    .kind = COLL_BARRIER,
    .name = "linear",
    .doc = "all to rank 0, then rank 0 to all: 2(P-1) empty messages in 2 rounds",
    .emit = linear,
};

static bool dissemination(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase >= log2_ceil(call->size))
        return false;
    uint32_t distance = UINT32_C(1) << phase;
    step_exchange(sink, ring_up(call->rank, distance, call->size), nothing,
                  ring_down(call->rank, distance, call->size), nothing);
    return true;
}

const struct coll_algorithm coll_barrier_dissemination = {
    .kind = COLL_BARRIER,
    .name = "dissemination",
    .doc = "in round k a signal to the rank 2^k further on: P ceil(log2 P) empty messages (Hensgen, Finkel, "
           "Manber 1988)",
    .emit = dissemination,
};

/* The ranks beyond a power of two wait for the rank that is a power of two below them. */
static bool recursive_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rounds = log2_floor(call->size), power = UINT32_C(1) << rounds, rank = call->rank;
    bool helps = rank < call->size - power;
    if (rank >= power) {
        if (phase == 0)
            step_exchange(sink, rank - power, nothing, rank - power, nothing);
        return phase == 0;
    }
    if (helps && phase-- == 0) {
        sink->recv(sink, rank + power, nothing);
        return true;
    }
    if (phase < rounds) {
        uint32_t peer = rank ^ UINT32_C(1) << phase;
        step_exchange(sink, peer, nothing, peer, nothing);
    } else if (phase == rounds && helps) {
        sink->send(sink, rank + power, nothing);
    } else {
        return false;
    }
    return true;
}

const struct coll_algorithm coll_barrier_recursive_doubling = {
    .kind = COLL_BARRIER,
    .name = "recursive-doubling",
    .doc = "signals along the bits of the rank: Q log2 Q + 2(P-Q) empty messages, Q the power of two below P "
           "(Open MPI: recursive_doubling)",
    .emit = recursive_doubling,
};

/* Up the binomial tree, and down again. */
static bool tree(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, 0, call->size);
    if (phase < tree.children) {
        sink->recv(sink, tree_child(&tree, phase), nothing);
        return true;
    }
    phase -= tree.children;
    if (call->rank > 0 && phase < 2) {
        if (phase == 0)
            sink->send(sink, tree_parent(&tree), nothing);
        else
            sink->recv(sink, tree_parent(&tree), nothing);
        return true;
    }
    return tree_bcast(&tree, nothing, call->rank > 0 ? phase - 1 : phase, sink);
}

const struct coll_algorithm coll_barrier_tree = {
    .kind = COLL_BARRIER,
    .name = "tree",
    .doc =
        "up a binomial tree and down again: 2(P-1) empty messages in 2 ceil(log2 P) rounds (Open MPI: tree)",
    .emit = tree,
};
