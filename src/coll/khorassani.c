#include "coll/algorithms.h"
#include "coll/node_steps.h"

/* Node-aware alltoall in two levels, for long blocks. Within the node, every rank gets the blocks of the node
 * for the ranks that it serves on other nodes. Between nodes, ranks with the same local rank exchange. The
 * data path of K. S. Khorassani et al., "Adaptive and Hierarchical Large Message All-to-all Communication
 * Algorithms for Large-scale Dense GPU Systems" (CCGrid 2021); shared memory takes the place of copies
 * between GPUs.
 *
 * Local rank j modulo `here` serves local rank j of another node. With equal nodes each rank serves one:
 * (N-1) PPN messages a node. A message is for the receiving rank alone, so it goes straight to the receive
 * buffer. Staging for the next node overlaps with the messages of this one.
 *
 * Shared memory, in blocks: [node][destination][source] at before * here + destination * here + source.
 * Scratch takes the messages from nodes whose ranks are not consecutive, in the order of nodes. */
static uint64_t staged_at(const struct node_call *self, uint32_t node, uint32_t destination)
{
    return ((uint64_t)node_first(self->call, node) + destination) * self->here;
}

static void stage(const struct node_call *self, uint32_t node, struct coll_sink *sink)
{
    for (uint32_t local = 0; sink->local && local < node_ranks(self->call, node); local++)
        step_copy(sink, node_block(self, COLL_SEND_BUFFER, node, local),
                  node_shared(self, staged_at(self, node, local) + self->local, 1));
    node_barrier(self, sink);
}

static bool is_consecutive(const struct node_call *self, uint32_t node)
{
    return node_run(self->call, node, 0) == node_ranks(self->call, node);
}

static struct coll_span arrival(const struct node_call *self, uint32_t node)
{
    uint64_t bytes = node_ranks(self->call, node) * self->block_bytes;
    if (is_consecutive(self, node))
        return span_of(COLL_RECV_BUFFER, node_member(self->call, node, 0) * self->block_bytes, bytes);
    return span_of(COLL_SCRATCH, node_first(self->call, node) * self->block_bytes, bytes);
}

static void exchange(const struct node_call *self, uint32_t round, struct coll_sink *sink)
{
    uint32_t to = node_to(self, round), from = node_from(self, round);
    uint32_t server = self->local % node_ranks(self->call, from);
    sink->recv(sink, node_member(self->call, from, server), arrival(self, from));
    for (uint32_t local = self->local; local < node_ranks(self->call, to); local += self->here)
        sink->send(sink, node_member(self->call, to, local),
                   node_shared(self, staged_at(self, to, local), self->here));
}

static void sort_out(const struct node_call *self, uint32_t round, struct coll_sink *sink)
{
    uint32_t from = node_from(self, round);
    if (sink->local && !is_consecutive(self, from))
        node_copy(self, COLL_RECV_BUFFER, from, COLL_SCRATCH, node_first(self->call, from), sink);
}

/* Phase k: the messages of round k, the sorting of what round k - 1 brought, and the staging for round k + 1.
 * The blocks within the node come last, as round N. */
static bool khorassani(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct node_call self = node_call_of(call);
    if (phase > self.nodes)
        return false;
    bool last = phase == self.nodes;
    if (phase > 0 && !last)
        exchange(&self, phase, sink);
    if (phase > 1)
        sort_out(&self, phase - 1, sink);
    if (!last) {
        stage(&self, phase + 1 < self.nodes ? node_to(&self, phase + 1) : self.node, sink);
        return true;
    }
    if (sink->local)
        node_copy(&self, COLL_RECV_BUFFER, self.node, COLL_SHARED, staged_at(&self, self.node, self.local),
                  sink);
    /* With three nodes or more no barrier is needed: a rank that stages again has exchanged with every rank
     * of its node since the last use of the memory. */
    if (self.nodes <= 2)
        node_barrier(&self, sink);
    return true;
}

static uint64_t one_buffer(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return (uint64_t)self.here * call->size * call->bytes;
}

static uint64_t scratch(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    for (uint32_t node = 0; node < self.nodes; node++)
        if (node != self.node && !is_consecutive(&self, node))
            return call->size * call->bytes;
    return 0;
}

const struct coll_algorithm coll_alltoall_khorassani = {
    .kind = COLL_ALLTOALL,
    .name = "khorassani",
    .doc = "each rank sends what its node has for its counterparts; (N-1) PPN messages a node, staging "
           "overlapped (Khorassani et al. 2021)",
    .emit = khorassani,
    .node_aware = true,
    .scratch = scratch,
    .shared = one_buffer,
};
