#include "coll/algorithms.h"
#include "coll/node_steps.h"

/* Gather, alltoall of the leaders, scatter. The data path of J. L. Träff, A. Rougier, "MPI Collectives and
 * Datatypes for Hierarchical All-to-all Communication" (EuroMPI/ASIA 2014). It uses no shared memory: the
 * ranks of a node send their whole send buffer to local rank 0, and get their whole receive buffer from it.
 * The paper describes the layout of the blocks with derived datatypes; here the copies that a library makes
 * for them are steps of the schedule.
 *
 * Scratch of the leader, in blocks: `gathered` has the send buffers as they arrive, later what the other
 * leaders sent; `packed` has the blocks by node, later the receive buffers; `own` has what the ranks of the
 * node have for each other. */
static uint64_t buffer_blocks(const struct node_call *self)
{
    return (uint64_t)self->here * self->call->size;
}

static struct coll_span gathered(const struct node_call *self, uint64_t first, uint64_t blocks)
{
    return span_of(COLL_SCRATCH, first * self->block_bytes, blocks * self->block_bytes);
}

static struct coll_span packed(const struct node_call *self, uint64_t first, uint64_t blocks)
{
    return gathered(self, buffer_blocks(self) + first, blocks);
}

static struct coll_span own(const struct node_call *self, uint64_t first)
{
    return gathered(self, 2 * buffer_blocks(self) + first, 1);
}

/* The first block of the other node, packed or gathered. */
static uint64_t part_at(const struct node_call *self, uint32_t node)
{
    return (uint64_t)node_first(self->call, node) * self->here;
}

static struct coll_span whole(const struct node_call *self, enum coll_buffer buffer)
{
    return span_of(buffer, 0, self->call->size * self->block_bytes);
}

static void gather(const struct node_call *self, struct coll_sink *sink)
{
    uint64_t size = self->call->size;
    for (uint32_t local = 1; local < self->here; local++)
        sink->recv(sink, node_member(self->call, self->node, local), gathered(self, local * size, size));
    step_copy(sink, whole(self, COLL_SEND_BUFFER), gathered(self, 0, size));
}

static void pack(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t source = 0; sink->local && source < self->here; source++)
        for (uint32_t rank = 0; rank < self->call->size; rank++) {
            uint32_t node = node_of(self->call, rank), local = node_local_of(self->call, rank);
            uint64_t place = (uint64_t)source * node_ranks(self->call, node) + local;
            step_copy(sink, gathered(self, (uint64_t)source * self->call->size + rank, 1),
                      node == self->node ? own(self, place) : packed(self, part_at(self, node) + place, 1));
        }
}

static void exchange(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t from = node_from(self, round);
        sink->recv(sink, node_member(self->call, from, 0),
                   gathered(self, part_at(self, from), (uint64_t)node_ranks(self->call, from) * self->here));
    }
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t to = node_to(self, round);
        sink->send(sink, node_member(self->call, to, 0),
                   packed(self, part_at(self, to), (uint64_t)node_ranks(self->call, to) * self->here));
    }
}

static void unpack(const struct node_call *self, struct coll_sink *sink)
{
    uint64_t size = self->call->size;
    for (uint32_t local = 0; sink->local && local < self->here; local++)
        for (uint32_t rank = 0; rank < size; rank++) {
            uint32_t node = node_of(self->call, rank);
            uint64_t place = (uint64_t)node_local_of(self->call, rank) * self->here + local;
            struct coll_span from =
                node == self->node ? own(self, place) : gathered(self, part_at(self, node) + place, 1);
            step_copy(sink, from,
                      local == 0 ? span_of(COLL_RECV_BUFFER, rank * self->block_bytes, self->block_bytes)
                                 : packed(self, local * size + rank, 1));
        }
}

static void scatter(const struct node_call *self, struct coll_sink *sink)
{
    uint64_t size = self->call->size;
    for (uint32_t local = 1; local < self->here; local++)
        sink->send(sink, node_member(self->call, self->node, local), packed(self, local * size, size));
}

static bool traff(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct node_call self = node_call_of(call);
    if (self.local != 0) {
        if (phase == 0)
            step_exchange(sink, node_member(call, self.node, 0), whole(&self, COLL_SEND_BUFFER),
                          node_member(call, self.node, 0), whole(&self, COLL_RECV_BUFFER));
        return phase == 0;
    }
    switch (phase) {
    case 0:
        gather(&self, sink);
        return true;
    case 1:
        pack(&self, sink);
        exchange(&self, sink);
        return true;
    case 2:
        unpack(&self, sink);
        scatter(&self, sink);
        return true;
    default:
        return false;
    }
}

static uint64_t scratch(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    if (self.local != 0)
        return 0;
    return (2 * buffer_blocks(&self) + (uint64_t)self.here * self.here) * call->bytes;
}

const struct coll_algorithm coll_alltoall_traff = {
    .kind = COLL_ALLTOALL,
    .name = "traff",
    .doc =
        "gathered by a leader a node, exchanged among leaders, scattered, all as messages; N-1 between nodes "
        "(Traeff, Rougier 2014)",
    .emit = traff,
    .node_aware = true,
    .scratch = scratch,
};
