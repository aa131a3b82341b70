#include "coll/algorithms.h"
#include "coll/node_steps.h"

/* Node-aware alltoall in which every rank of a node exchanges with its share of the other nodes. The data
 * path of G. Chochia, D. Solt, J. Hursey, "Applying on Node Aggregation Methods to MPI Alltoall Collectives:
 * Matrix Block Aggregation Algorithm" (EuroMPI 2022).
 *
 * The blocks of this node for another node form a matrix with a row for each source. The ranks of the node
 * aggregate it in shared memory. The rank that has the other node in its share sends it as one message. The
 * matrix from the other node arrives in shared memory, and each rank takes out its column. A barrier
 * separates the steps, so nothing overlaps (OHIO, Table I).
 *
 * Nodes a and b exchange through their local ranks (a + b) modulo the smaller number of ranks. */
static uint32_t rank_for(const struct node_call *self, uint32_t other)
{
    uint32_t there = node_ranks(self->call, other);
    return (self->node + other) % (self->here < there ? self->here : there);
}

static uint64_t matrix_at(const struct node_call *self, uint32_t node)
{
    return (uint64_t)node_first(self->call, node) * self->here;
}

static uint64_t received_at(const struct node_call *self, uint32_t node)
{
    return node == self->node ? matrix_at(self, node)
                              : matrix_at(self, node) + (uint64_t)self->here * self->call->size;
}

static void aggregate(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < self->nodes; node++)
        node_copy(self, COLL_SEND_BUFFER, node, COLL_SHARED,
                  matrix_at(self, node) + (uint64_t)self->local * node_ranks(self->call, node), sink);
}

static void exchange(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t from = node_from(self, round), share = rank_for(self, from);
        if (share == self->local)
            sink->recv(sink, node_member(self->call, from, share),
                       node_shared(self, received_at(self, from),
                                   (uint64_t)node_ranks(self->call, from) * self->here));
    }
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t to = node_to(self, round), share = rank_for(self, to);
        if (share == self->local)
            sink->send(
                sink, node_member(self->call, to, share),
                node_shared(self, matrix_at(self, to), (uint64_t)node_ranks(self->call, to) * self->here));
    }
}

static void take_columns(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < self->nodes; node++)
        for (uint32_t source = 0; source < node_ranks(self->call, node); source++)
            step_copy(
                sink,
                node_shared(self, received_at(self, node) + (uint64_t)source * self->here + self->local, 1),
                node_block(self, COLL_RECV_BUFFER, node, source));
}

static bool chochia(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct node_call self = node_call_of(call);
    switch (phase) {
    case 0:
        aggregate(&self, sink);
        node_barrier(&self, sink);
        return true;
    case 1:
        exchange(&self, sink);
        return true;
    case 2:
        if (self.nodes > 1) /* with one node there is no message */
            node_barrier(&self, sink);
        return true;
    case 3:
        take_columns(&self, sink);
        node_barrier(&self, sink);
        return true;
    default:
        return false;
    }
}

static uint64_t two_matrices(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return 2 * (uint64_t)self.here * call->size * call->bytes;
}

const struct coll_algorithm coll_alltoall_chochia = {
    .kind = COLL_ALLTOALL,
    .name = "chochia",
    .doc =
        "aggregated on the node, then every rank exchanges with its share of the nodes; N-1 messages a node "
        "(Chochia, Solt, Hursey 2022)",
    .emit = chochia,
    .node_aware = true,
    .shared = two_matrices,
};
