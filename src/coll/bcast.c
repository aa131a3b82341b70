#include "coll/algorithms.h"
#include "coll/tree.h"

/* The root has the data in its send buffer and no receive buffer; the others receive it and pass it on from
 * there. */
static struct coll_span data_of(const struct coll_call *call)
{
    return span_of(call->rank == call->root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, call->bytes);
}

static bool binomial(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    return tree_bcast(&tree, data_of(call), phase, sink);
}

const struct coll_algorithm coll_bcast_binomial = {
    .kind = COLL_BCAST,
    .name = "binomial",
    .doc = "binomial tree, larger subtrees first: P-1 messages in ceil(log2 P) rounds (Thakur, Rabenseifner, "
           "Gropp 2005)",
    .emit = binomial,
};

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    if (call->rank != call->root) {
        sink->recv(sink, call->root, data_of(call));
        return true;
    }
    for (uint32_t i = 0; i < call->size - 1; i++)
        sink->send(sink, rank_other_than(call->root, i), data_of(call));
    return true;
}

const struct coll_algorithm coll_bcast_linear = {
    .kind = COLL_BCAST,
    .name = "linear",
    .doc = "the root sends to everyone at once: P-1 messages in 1 round",
    .emit = linear,
};

/* Parts are numbered by virtual rank. The scatter leaves every part at its place, where the ring finds it. */
static bool scatter_allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size;
    struct tree tree = tree_of(call->rank, call->root, size);
    struct blocks parts = blocks_parts(size, call->bytes, call->element);
    enum coll_buffer buffer = data_of(call).buffer;
    uint32_t v = tree.virtual_rank;
    uint32_t scatter_phases = tree_bcast_phases(&tree);
    if (phase < scatter_phases)
        return tree_scatter_in_place(&tree, &parts, buffer, phase, sink);
    uint32_t step = phase - scatter_phases;
    if (step >= size - 1)
        return false;
    /* The root receives nothing: it has all data, and no receive buffer. */
    if (v > 0)
        sink->recv(sink, ring_down(call->rank, 1, size),
                   blocks_span(&parts, buffer, ring_down(v, step + 1, size), 1));
    if (v < size - 1)
        sink->send(sink, ring_up(call->rank, 1, size),
                   blocks_span(&parts, buffer, ring_down(v, step, size), 1));
    return true;
}

const struct coll_algorithm coll_bcast_scatter_allgather = {
    .kind = COLL_BCAST,
    .name = "scatter-allgather",
    .doc = "binomial scatter of P parts, then a ring that leaves out the root: P-1 + (P-1)^2 messages; any P "
           "(Barnett et al. 1994; Thakur, Rabenseifner, Gropp 2005)",
    .emit = scatter_allgather,
};
