#include "coll/algorithms.h"
#include "coll/node_steps.h"

/* Node-aware alltoall with the memory of OHIO's V2, but without its rounds. It is not part of the paper. Up
 * to `leaders` ranks of a node share the other nodes among themselves, and each posts all its messages at
 * once.
 *
 * Small blocks: each rank waits once. A rank that has staged its blocks raises a flag and waits for the
 * leaders. A leader raises its flag when all ranks have staged and all its messages have arrived. Large
 * blocks: after a barrier there is one flag for each node, raised when the message from that node has
 * arrived, so copies overlap with messages.
 *
 * There are two copies of shared memory, which calls use in turn. A rank stages a call in the same copy two
 * calls later. By then it knows from the call between that every rank has finished with the first one. */
enum { WAKE_ONCE_BYTES = 131072 }; /* up to this many bytes from node to node the ranks wait once */

static uint64_t blocks_of(const struct node_call *self, uint32_t other)
{
    return (uint64_t)self->here * node_ranks(self->call, other);
}

/* All ranks of the call must decide alike, so the largest node decides for all. With one node there is no
 * leader. */
static bool wakes_once(const struct node_call *self)
{
    uint64_t most = 0;
    for (uint32_t node = 0; node < self->nodes; node++)
        if (node_ranks(self->call, node) > most)
            most = node_ranks(self->call, node);
    return self->nodes > 1 && most * most * self->block_bytes <= WAKE_ONCE_BYTES;
}

/* Flags of small blocks: `come` of each leader and `staged` of each rank, both by local rank. Of large
 * blocks: one for each node. */
static uint32_t flag_come(uint32_t local)
{
    return local;
}

static uint32_t flag_staged(const struct node_call *self, uint32_t local)
{
    return self->here + local;
}

static bool is_leader(const struct node_call *self, uint32_t local)
{
    for (uint32_t round = 1; round < self->nodes; round++)
        if (node_leader_for(self, node_to(self, round)) == local)
            return true;
    return false;
}

static void stage(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < self->nodes; node++) {
        uint64_t before = node_first(self->call, node), there = node_ranks(self->call, node);
        node_copy(self, COLL_SEND_BUFFER, node, COLL_SHARED, before * self->here + self->local * there, sink);
    }
}

static uint64_t received_at(const struct node_call *self, uint32_t node)
{
    uint64_t at = (uint64_t)node_first(self->call, node) * self->here;
    return node == self->node ? at : at + (uint64_t)self->here * self->call->size;
}

static void copy_out(const struct node_call *self, uint32_t node, struct coll_sink *sink)
{
    uint32_t there = node_ranks(self->call, node);
    for (uint32_t source = 0; sink->local && source < there; source++)
        step_copy(sink,
                  node_shared(self, received_at(self, node) + (uint64_t)source * self->here + self->local, 1),
                  node_block(self, COLL_RECV_BUFFER, node, source));
}

static void post_all(const struct node_call *self, bool once, struct coll_sink *sink)
{
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t from = node_from(self, round), leader = node_leader_for(self, from);
        if (leader != self->local)
            continue;
        struct coll_span into = node_shared(self, received_at(self, from), blocks_of(self, from));
        if (once || self->here == 1)
            sink->recv(sink, node_member(self->call, from, leader), into);
        else
            sink->recv_raise(sink, node_member(self->call, from, leader), into, from);
    }
    for (uint32_t round = 1; round < self->nodes; round++) {
        uint32_t to = node_to(self, round), leader = node_leader_for(self, to);
        if (leader != self->local)
            continue;
        uint64_t at = (uint64_t)node_first(self->call, to) * self->here;
        sink->send(sink, node_member(self->call, to, leader), node_shared(self, at, blocks_of(self, to)));
    }
}

static void await_staged(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t local = 0; local < self->here; local++)
        if (local != self->local)
            sink->await(sink, flag_staged(self, local));
}

static bool is_only_leader(const struct node_call *self)
{
    for (uint32_t local = 0; local < self->here; local++)
        if (local != self->local && is_leader(self, local))
            return false;
    return true;
}

static void await_leaders(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t local = 0; local < self->here; local++)
        if (local != self->local && is_leader(self, local))
            sink->await(sink, flag_come(local));
}

static void copy_out_others(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t round = 1; round < self->nodes; round++)
        copy_out(self, node_from(self, round), sink);
}

/* A rank that is no leader stages, waits, and copies. */
static bool follow(const struct node_call *self, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0) {
        sink->raise(sink, flag_staged(self, self->local));
        await_leaders(self, sink);
    } else if (phase == 1) {
        copy_out(self, self->node, sink);
        copy_out_others(self, sink);
    }
    return phase < 2;
}

/* A leader stages, exchanges, raises its flag, waits for the other leaders, and copies. */
static bool lead(const struct node_call *self, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0) {
        if (!is_only_leader(self))
            sink->raise(sink, flag_staged(self, self->local));
        await_staged(self, sink);
    } else if (phase == 1) {
        post_all(self, true, sink);
        copy_out(self, self->node, sink);
    } else if (phase == 2 && self->here > 1) {
        sink->raise(sink, flag_come(self->local));
        await_leaders(self, sink);
    } else if (phase == 3) {
        copy_out_others(self, sink);
    }
    return phase < 4;
}

/* Phase 1 + k: copies what round k brought, and awaits the next round. The phase 1 of a leader ends when all
 * its messages have arrived. */
static bool emit_large(const struct node_call *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t round = phase - 1;
    if (phase > self->nodes)
        return false;
    if (phase == 1)
        post_all(self, false, sink);
    copy_out(self, node_from(self, round), sink);
    if (round + 1 < self->nodes && node_leader_for(self, node_from(self, round + 1)) != self->local)
        sink->await(sink, node_from(self, round + 1));
    return true;
}

static bool leaders(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct node_call self = node_call_of(call);
    bool small = wakes_once(&self);
    if (phase == 0)
        stage(&self, sink);
    if (!small && phase > 0)
        return emit_large(&self, phase, sink);
    if (!small)
        node_barrier(&self, sink);
    else if (is_leader(&self, self.local))
        return lead(&self, phase, sink);
    else
        return follow(&self, phase, sink);
    return true;
}

static uint64_t two_buffers(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return 2 * (uint64_t)self.here * call->size * call->bytes;
}

static uint32_t flag_count(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    if (self.here == 1)
        return 0;
    return self.nodes > 2 * self.here ? self.nodes : 2 * self.here;
}

const struct coll_algorithm coll_alltoall_leaders = {
    .kind = COLL_ALLTOALL,
    .name = "leaders",
    .doc = "as v2 without rounds: `leaders` (1) ranks of a node post all messages at once; N-1 a node, one "
           "wait a call",
    .emit = leaders,
    .node_aware = true,
    .shared = two_buffers,
    .flags = flag_count,
    .shared_copies = 2,
};
