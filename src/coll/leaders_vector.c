#include "coll/leaders_vector.h"

#include "coll/footprint.h"
#include "coll/node_steps.h"

/* ------------------------------------------------------------------ layout */

uint64_t leaders_vector_piece_most(uint32_t ranks, uint64_t limit)
{
    return leaders_vector_ends(ranks) + leaders_vector_round_up(ranks * limit);
}

uint64_t leaders_vector_message_most(uint32_t senders, uint32_t receivers, uint64_t limit)
{
    return leaders_vector_ends(senders) + senders * leaders_vector_piece_most(receivers, limit);
}

/* The most bytes that a copy takes: those that it would take if all nodes were as large as the largest. */
static uint64_t copy_most(uint64_t nodes, uint32_t most, uint64_t limit)
{
    uint64_t region = leaders_vector_round_up(nodes * sizeof(struct leaders_vector_piece)) +
                      nodes * leaders_vector_piece_most(most, limit);
    return most * region + 2 * nodes * leaders_vector_message_most(most, most, limit);
}

uint64_t leaders_vector_limit(uint32_t nodes, uint32_t most_here, uint64_t copy_bytes)
{
    const uint64_t most = LEADERS_VECTOR_STAGED_MAX;
    uint64_t empty = copy_most(nodes, most_here, 0), bytes = copy_most(nodes, most_here, most) - empty;
    if (empty >= copy_bytes)
        return 0;
    uint64_t limit = (copy_bytes - empty) / (bytes / most + 1) / 8 * 8;
    return limit < most ? limit : most;
}

/* ------------------------------------------------------------------ blocks */

struct leaders_vector {
    struct node_call node;
    uint64_t limit;   /* bytes of the longest block that is staged */
    uint32_t leaders; /* local ranks below it may lead */
};

static struct leaders_vector vector_of(const struct coll_call *call)
{
    struct leaders_vector self = {
        .node = node_call_of(call),
        .limit = leaders_vector_limit(node_count(call), node_most(call), COLL_FOOTPRINT_COPY)};
    self.leaders = call->leaders > 1 ? call->leaders : 1;
    if (self.leaders > self.node.here)
        self.leaders = self.node.here;
    return self;
}

static uint64_t block(const struct coll_call *call, uint32_t from, uint32_t to)
{
    const uint64_t *counts = call->all.counts;
    if (call->kind == COLL_GATHERV)
        return to != call->root ? 0 : counts ? counts[from] : call->bytes;
    if (call->kind == COLL_SCATTERV)
        return from != call->root ? 0 : counts ? counts[to] : call->bytes;
    return counts ? counts[from * call->all.stride + to] : call->bytes;
}

static uint64_t staged(const struct leaders_vector *self, uint32_t from, uint32_t to)
{
    uint64_t bytes = block(self->node.call, from, to);
    return bytes <= self->limit ? bytes : 0;
}

/* Where the block for or from `peer` is in a buffer of this rank, if somebody asks. */
static struct coll_span block_span(const struct leaders_vector *self, enum coll_buffer buffer, uint32_t peer,
                                   const struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    bool is_sent = buffer == COLL_SEND_BUFFER;
    uint64_t at = 0;
    for (uint32_t i = 0; sink->local && i < peer; i++)
        at += is_sent ? block(call, call->rank, i) : block(call, i, call->rank);
    return span_of(buffer, at, is_sent ? block(call, call->rank, peer) : block(call, peer, call->rank));
}

/* All staged blocks of a rank for the ranks of a node. */
static uint64_t piece(const struct leaders_vector *self, uint32_t from, uint32_t node)
{
    uint64_t bytes = 0;
    for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++)
        bytes += staged(self, from, node_member(self->node.call, node, local));
    return bytes;
}

/* All staged blocks of the ranks of a node for those of another. */
static uint64_t message(const struct leaders_vector *self, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (uint32_t local = 0; local < node_ranks(self->node.call, from); local++)
        bytes += piece(self, node_member(self->node.call, from, local), to);
    return bytes;
}

/* ---------------------------------------------------------- shared memory */

/* Where things are in the shared memory: the regions of the ranks with their pieces for all nodes, then for
 * each node the message to it and the message from it. */
static uint64_t region_at(const struct leaders_vector *self, uint32_t local, uint32_t node)
{
    uint64_t at = 0;
    for (uint32_t before = 0; before <= local; before++)
        for (uint32_t other = 0; other < (before < local ? self->node.nodes : node); other++)
            at += piece(self, node_member(self->node.call, self->node.node, before), other);
    return at;
}

static uint64_t messages_before(const struct leaders_vector *self, uint32_t node)
{
    uint64_t at = region_at(self, self->node.here - 1, self->node.nodes);
    for (uint32_t other = 0; other < node; other++)
        if (other != self->node.node)
            at += message(self, self->node.node, other) + message(self, other, self->node.node);
    return at;
}

static struct coll_span outgoing(const struct leaders_vector *self, uint32_t node,
                                 const struct coll_sink *sink)
{
    return span_of(COLL_SHARED, sink->local ? messages_before(self, node) : 0,
                   message(self, self->node.node, node));
}

static struct coll_span incoming(const struct leaders_vector *self, uint32_t node,
                                 const struct coll_sink *sink)
{
    uint64_t sent = sink->local ? message(self, self->node.node, node) : 0;
    return span_of(COLL_SHARED, sink->local ? messages_before(self, node) + sent : 0,
                   message(self, node, self->node.node));
}

static uint64_t shared_bytes(const struct coll_call *call)
{
    struct leaders_vector self = vector_of(call);
    return messages_before(&self, self.node.nodes);
}

/* ------------------------------------------------------------------- flags */

static bool leads_for(const struct leaders_vector *self, uint32_t local, uint32_t node)
{
    return node != self->node.node && node_leader_for(&self->node, node) == local;
}

/* A rank that receives messages for its node raises a flag when they have come. */
static bool receives(const struct leaders_vector *self, uint32_t local)
{
    for (uint32_t node = 0; node < self->node.nodes; node++)
        if (leads_for(self, local, node) && message(self, node, self->node.node) > 0)
            return true;
    return false;
}

static uint32_t flags_before(const struct leaders_vector *self, uint32_t local)
{
    uint32_t flags = 0;
    for (uint32_t before = 0; before < local; before++)
        flags += receives(self, before);
    return flags;
}

static uint32_t flag_count(const struct coll_call *call)
{
    struct leaders_vector self = vector_of(call);
    return self.node.here > 1 ? flags_before(&self, self.leaders) : 0;
}

/* Something for this rank comes through the leader. */
static bool expects(const struct leaders_vector *self, uint32_t local)
{
    for (uint32_t node = 0; node < self->node.nodes; node++) {
        if (!leads_for(self, local, node))
            continue;
        for (uint32_t there = 0; there < node_ranks(self->node.call, node); there++)
            if (staged(self, node_member(self->node.call, node, there), self->node.call->rank) > 0)
                return true;
    }
    return false;
}

/* ------------------------------------------------------------------- steps */

static void stage(const struct leaders_vector *self, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < self->node.nodes; node++) {
        uint64_t at = region_at(self, self->node.local, node);
        for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++) {
            uint32_t to = node_member(self->node.call, node, local);
            uint64_t bytes = staged(self, self->node.call->rank, to);
            if (bytes > 0)
                step_copy(sink, block_span(self, COLL_SEND_BUFFER, to, sink),
                          span_of(COLL_SHARED, at, bytes));
            at += bytes;
        }
    }
}

/* The pieces of all ranks of this node, in their order. */
static void write_message(const struct leaders_vector *self, uint32_t node, struct coll_sink *sink)
{
    uint64_t at = sink->local ? messages_before(self, node) : 0;
    for (uint32_t local = 0; sink->local && local < self->node.here; local++) {
        uint64_t bytes = piece(self, node_member(self->node.call, self->node.node, local), node);
        step_copy(sink, span_of(COLL_SHARED, region_at(self, local, node), bytes),
                  span_of(COLL_SHARED, at, bytes));
        at += bytes;
    }
}

/* Copies what the ranks of `node` have for this rank. Their pieces are in the regions, or follow each other
 * in the message from that node. */
static void take(const struct leaders_vector *self, uint32_t node, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    uint64_t at = sink->local && node != self->node.node ? incoming(self, node, sink).offset : 0;
    for (uint32_t local = 0; sink->local && local < node_ranks(call, node); local++) {
        uint32_t from = node_member(call, node, local);
        uint64_t before = 0, bytes = staged(self, from, call->rank);
        for (uint32_t here = 0; here < self->node.local; here++)
            before += staged(self, from, node_member(call, self->node.node, here));
        if (node == self->node.node)
            at = region_at(self, local, node);
        if (bytes > 0)
            step_copy(sink, span_of(COLL_SHARED, at + before, bytes),
                      block_span(self, COLL_RECV_BUFFER, from, sink));
        at += piece(self, from, self->node.node);
    }
}

/* Long blocks go first in both directions, since messages of a pair of ranks match in their order. */
static void receive(const struct leaders_vector *self, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    for (uint32_t i = 1; i < call->size; i++) {
        uint32_t from = ring_down(call->rank, i, call->size);
        if (block(call, from, call->rank) > self->limit)
            sink->recv(sink, from, block_span(self, COLL_RECV_BUFFER, from, sink));
    }
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t from = node_from(&self->node, round);
        if (leads_for(self, self->node.local, from) && message(self, from, self->node.node) > 0)
            sink->recv(sink, node_member(call, from, self->node.local), incoming(self, from, sink));
    }
}

static void send(const struct leaders_vector *self, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    for (uint32_t i = 1; i < call->size; i++) {
        uint32_t to = ring_up(call->rank, i, call->size);
        if (block(call, call->rank, to) > self->limit)
            sink->send(sink, to, block_span(self, COLL_SEND_BUFFER, to, sink));
    }
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t to = node_to(&self->node, round);
        if (!leads_for(self, self->node.local, to) || message(self, self->node.node, to) == 0)
            continue;
        write_message(self, to, sink);
        sink->send(sink, node_member(call, to, self->node.local), outgoing(self, to, sink));
    }
}

static void keep_long(const struct leaders_vector *self, struct coll_sink *sink)
{
    uint32_t rank = self->node.call->rank;
    if (block(self->node.call, rank, rank) > self->limit)
        step_copy(sink, block_span(self, COLL_SEND_BUFFER, rank, sink),
                  block_span(self, COLL_RECV_BUFFER, rank, sink));
}

/* A flag is the number of its rank among those that receive. */
static void meet_leaders(const struct leaders_vector *self, struct coll_sink *sink)
{
    if (self->node.here > 1 && receives(self, self->node.local))
        sink->raise(sink, flags_before(self, self->node.local));
    for (uint32_t local = 0; self->node.here > 1 && local < self->leaders; local++)
        if (local != self->node.local && expects(self, local))
            sink->await(sink, flags_before(self, local));
}

static bool leaders(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct leaders_vector self = vector_of(call);
    if (phase == 0) {
        stage(&self, sink);
        node_barrier(&self.node, sink);
    } else if (phase == 1) {
        receive(&self, sink);
        send(&self, sink);
        keep_long(&self, sink);
        take(&self, self.node.node, sink);
    } else if (phase == 2) {
        meet_leaders(&self, sink);
    } else if (phase == 3) {
        for (uint32_t round = 1; round < self.node.nodes; round++)
            take(&self, node_from(&self.node, round), sink);
    }
    return phase < 4;
}

/* -------------------------------------------------------------------- list */

#define VECTOR_ALGORITHM(of)                                                                                 \
    {                                                                                                        \
        .kind = (of), .name = "leaders",                                                                     \
        .doc = "shared memory within nodes; blocks of up to 16 KiB in one message from node to node: at "    \
               "most N-1 a "                                                                                 \
               "node; longer ones directly",                                                                 \
        .emit = leaders, .node_aware = true, .shared = shared_bytes, .flags = flag_count,                    \
        .shared_copies = 2, .own_flags = true,                                                               \
    }

const struct coll_algorithm *coll_leaders_vector(enum coll_kind kind)
{
    static const struct coll_algorithm algorithms[] = {
        VECTOR_ALGORITHM(COLL_ALLTOALLV), VECTOR_ALGORITHM(COLL_GATHERV), VECTOR_ALGORITHM(COLL_SCATTERV)};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (algorithms[i].kind == kind)
            return &algorithms[i];
    return NULL;
}
