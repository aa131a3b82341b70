#ifndef HELIO_COLL_NODE_STEPS_H
#define HELIO_COLL_NODE_STEPS_H

#include "coll/nodes.h"
#include "coll/steps.h"

/* What the node-aware algorithms of alltoall share. There are N nodes. The node of this rank has `here`
 * ranks, another node has `there`. A block is what one rank has for another, M bytes. */
struct node_call {
    const struct coll_call *call;
    uint64_t block_bytes; /* M */
    uint32_t nodes;       /* N */
    uint32_t node, local;
    uint32_t here;
};

static inline struct node_call node_call_of(const struct coll_call *call)
{
    uint32_t node = node_of(call, call->rank);
    return (struct node_call){.call = call,
                              .block_bytes = call->bytes,
                              .nodes = node_count(call),
                              .node = node,
                              .local = node_local_of(call, call->rank),
                              .here = node_ranks(call, node)};
}

/* The node to exchange with in a round, as ranks do in pairwise exchange. In round k = 1 ... N - 1, node i
 * exchanges with node i xor k if N is a power of two; otherwise it sends to i + k and receives from i - k.
 * Round 0 is the node itself. */
static inline uint32_t node_to(const struct node_call *self, uint32_t round)
{
    bool power_of_two = (self->nodes & (self->nodes - 1)) == 0;
    return power_of_two ? self->node ^ round : ring_up(self->node, round, self->nodes);
}

static inline uint32_t node_from(const struct node_call *self, uint32_t round)
{
    bool power_of_two = (self->nodes & (self->nodes - 1)) == 0;
    return power_of_two ? self->node ^ round : ring_down(self->node, round, self->nodes);
}

/* The local rank through which this node and the other one exchange, the same on both nodes: up to
 * call->leaders ranks of a node share the other nodes among themselves. */
static inline uint32_t node_leader_for(const struct node_call *self, uint32_t other)
{
    uint32_t there = node_ranks(self->call, other), leaders = self->call->leaders ? self->call->leaders : 1;
    uint32_t fewest = self->here < there ? self->here : there;
    return (self->node + other) % (leaders < fewest ? leaders : fewest);
}

/* A barrier, unless the rank is alone on its node. */
static inline void node_barrier(const struct node_call *self, struct coll_sink *sink)
{
    if (self->here > 1)
        sink->barrier(sink);
}

/* `blocks` blocks of the node's shared memory, from block `first` on. */
static inline struct coll_span node_shared(const struct node_call *self, uint64_t first, uint64_t blocks)
{
    return span_of(COLL_SHARED, first * self->block_bytes, blocks * self->block_bytes);
}

/* Copies between the send or receive buffer of this rank, which is ordered by rank, and the blocks of the
 * ranks of `node`, which lie together in `memory` from block `first` on. Consecutive ranks are copied at
 * once. */
static inline void node_copy(const struct node_call *self, enum coll_buffer buffer, uint32_t node,
                             enum coll_buffer memory, uint64_t first, struct coll_sink *sink)
{
    uint32_t ranks = node_ranks(self->call, node);
    for (uint32_t local = 0, run; local < ranks; local += run) {
        run = node_run(self->call, node, local);
        uint64_t bytes = run * self->block_bytes;
        struct coll_span ordered =
            span_of(buffer, node_member(self->call, node, local) * self->block_bytes, bytes);
        struct coll_span together = span_of(memory, (first + local) * self->block_bytes, bytes);
        if (buffer == COLL_SEND_BUFFER)
            step_copy(sink, ordered, together);
        else
            step_copy(sink, together, ordered);
    }
}

/* The block of this rank for or from local rank `local` of `node`, in a buffer that is ordered by rank. */
static inline struct coll_span node_block(const struct node_call *self, enum coll_buffer buffer,
                                          uint32_t node, uint32_t local)
{
    return span_of(buffer, node_member(self->call, node, local) * self->block_bytes, self->block_bytes);
}

#endif
