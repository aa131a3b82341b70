#include "coll/families.h"
#include "coll/node_steps.h"

/* Beyond the paper: the memory of OHIO's V2, without its rounds. Up to `leaders` ranks of a node share the
 * other nodes among themselves, and each posts all its messages at once. Small blocks: one flag a leader,
 * when all it waits for has come, so that a rank is woken once. Large ones: one flag a node, when its message
 * has come, and the copies overlap with the messages under way. Shared memory is there twice, for calls in
 * turns: whoever stages the next call but one has met everybody at the barrier of the next. */
enum { WAKE_ONCE_BYTES = 32768 }; /* what a node may send another one for the ranks to wait for everything */

static uint64_t blocks_of(const struct node_call *self, uint32_t other)
{
    return (uint64_t)self->here * node_ranks(self->call, other);
}

/* All ranks of the call must decide alike, so it is the largest node that does, not this one. */
static bool wakes_once(const struct node_call *self)
{
    uint64_t most = 0;
    for (uint32_t node = 0; node < self->nodes; node++)
        if (node_ranks(self->call, node) > most)
            most = node_ranks(self->call, node);
    return most * most * self->block_bytes <= WAKE_ONCE_BYTES;
}

/* Flags of nodes, or with `once` of leaders, which have the numbers of their local ranks. */
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
    node_barrier(self, sink);
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

static void await_leaders(const struct node_call *self, struct coll_sink *sink)
{
    for (uint32_t local = 0; local < self->here; local++)
        if (local != self->local && is_leader(self, local))
            sink->await(sink, local);
}

/* Phase 2: leaders say that theirs has come, and wait for one another; all others, who waited in phase 1,
 * copy. Phase 3: leaders copy. */
static bool emit_small(const struct node_call *self, uint32_t phase, struct coll_sink *sink)
{
    bool leads = is_leader(self, self->local);
    uint32_t last = leads ? 3 : 2;
    if (phase > last)
        return false;
    if (phase == 1 && leads)
        post_all(self, true, sink);
    if (phase == 1)
        copy_out(self, self->node, sink);
    if (phase == 2 && leads && self->here > 1)
        sink->raise(sink, self->local);
    if (phase == last - 1)
        await_leaders(self, sink);
    for (uint32_t round = 1; phase == last && round < self->nodes; round++)
        copy_out(self, node_from(self, round), sink);
    return true;
}

/* Phase 1 + k: copies of what round k brought, while the next one is awaited; a leader's phase 1 ends when
 * all its own have come. */
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
    if (phase == 0) {
        stage(&self, sink);
        return true;
    }
    return wakes_once(&self) ? emit_small(&self, phase, sink) : emit_large(&self, phase, sink);
}

static uint64_t two_buffers(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return 2 * (uint64_t)self.here * call->size * call->bytes;
}

static uint32_t flag_a_node_or_leader(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    if (self.here == 1)
        return 0;
    return self.nodes > self.here ? self.nodes : self.here;
}

const struct coll_algorithm coll_alltoall_leaders = {
    .kind = COLL_ALLTOALL,
    .name = "leaders",
    .doc = "as v2 without rounds: `leaders` (1) ranks of a node post all messages at once; N-1 a node, one "
           "barrier a call",
    .emit = leaders,
    .node_aware = true,
    .shared = two_buffers,
    .flags = flag_a_node_or_leader,
    .shared_copies = 2,
};
