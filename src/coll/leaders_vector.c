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

/* A sum of the terms with numbers below `next`. The sum moves from number to number. Ranks in a ring move it
 * by one each time, and rounds of N nodes that exchange in pairs by log N on average. */
struct running_sum {
    uint32_t next;
    uint64_t sum;
};

/* One phase of one rank. In scatterv, and in an alltoallv in which all ranks send the same lengths, the
 * staged lengths of one rank say all: they are the *row*. */
struct leaders_vector {
    struct node_call node;
    uint64_t limit;   /* bytes of the longest block that is staged */
    uint32_t leaders; /* local ranks below it may lead */
    bool has_row;
    uint32_t row_rank; /* a rank that has the row */
    /* Sums that have been asked for: so each length is counted about once. */
    struct running_sum sent, received; /* of the lengths of this rank's blocks, by rank */
    struct running_sum row_pieces;     /* of the pieces of the row, by node */
    struct running_sum messages;       /* of all messages of this node, by node */
    uint32_t row_node;                 /* of this node, or none, the piece has row_piece bytes */
    uint64_t row_piece;
    uint64_t row_bytes, regions_bytes; /* UNKNOWN: not asked for yet */
};

enum { NO_NODE = UINT32_MAX };
static const uint64_t UNKNOWN = UINT64_MAX;

static struct leaders_vector vector_of(const struct coll_call *call)
{
    struct leaders_vector self = {
        .node = node_call_of(call),
        .limit = leaders_vector_limit(node_count(call), node_most(call), COLL_FOOTPRINT_COPY),
        .has_row = call->kind == COLL_SCATTERV ||
                   (call->kind == COLL_ALLTOALLV && (!call->all.counts || call->all.stride == 0)),
        .row_rank = call->kind == COLL_SCATTERV ? call->root : call->rank,
        .row_node = NO_NODE,
        .row_bytes = UNKNOWN,
        .regions_bytes = UNKNOWN};
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

static uint64_t sent_to(struct leaders_vector *self, uint32_t peer)
{
    return block(self->node.call, self->node.call->rank, peer);
}

static uint64_t received_from(struct leaders_vector *self, uint32_t peer)
{
    return block(self->node.call, peer, self->node.call->rank);
}

/* Moves the sum to `end`, and returns it. */
static uint64_t sum_before(struct leaders_vector *self, struct running_sum *running, uint32_t end,
                           uint64_t (*term)(struct leaders_vector *self, uint32_t number))
{
    while (running->next < end)
        running->sum += term(self, running->next++);
    while (running->next > end)
        running->sum -= term(self, --running->next);
    return running->sum;
}

static uint64_t block_place(struct leaders_vector *self, bool is_sent, uint32_t peer)
{
    const struct coll_call *call = self->node.call;
    if (call->kind == (is_sent ? COLL_GATHERV : COLL_SCATTERV)) /* the buffer has one block */
        return 0;
    if (!call->all.counts)
        return peer * call->bytes;
    return sum_before(self, is_sent ? &self->sent : &self->received, peer, is_sent ? sent_to : received_from);
}

/* Where the block for or from `peer` is in a buffer of this rank, if somebody asks. */
static struct coll_span block_span(struct leaders_vector *self, enum coll_buffer buffer, uint32_t peer,
                                   const struct coll_sink *sink)
{
    bool is_sent = buffer == COLL_SEND_BUFFER;
    return span_of(buffer, sink->local ? block_place(self, is_sent, peer) : 0,
                   is_sent ? sent_to(self, peer) : received_from(self, peer));
}

/* ------------------------------------------------------- pieces, messages */

/* Whether the rank has the row. Else, if there is a row, it has no staged blocks. */
static bool has_the_row(const struct leaders_vector *self, uint32_t from)
{
    return self->node.call->kind == COLL_ALLTOALLV || from == self->row_rank;
}

static uint64_t count_piece(const struct leaders_vector *self, uint32_t from, uint32_t node)
{
    uint64_t bytes = 0;
    for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++)
        bytes += staged(self, from, node_member(self->node.call, node, local));
    return bytes;
}

static uint64_t row_piece(struct leaders_vector *self, uint32_t node)
{
    if (self->row_node != node)
        self->row_piece = count_piece(self, self->row_rank, node);
    self->row_node = node;
    return self->row_piece;
}

/* All staged blocks of a rank for the ranks of a node. */
static uint64_t piece(struct leaders_vector *self, uint32_t from, uint32_t node)
{
    const struct coll_call *call = self->node.call;
    if (call->kind == COLL_GATHERV)
        return node == node_of(call, call->root) ? staged(self, from, call->root) : 0;
    if (self->has_row)
        return has_the_row(self, from) ? row_piece(self, node) : 0;
    return count_piece(self, from, node);
}

/* All pieces of a rank for the nodes before `node`. */
static uint64_t pieces_before(struct leaders_vector *self, uint32_t from, uint32_t node)
{
    const struct coll_call *call = self->node.call;
    if (call->kind == COLL_GATHERV)
        return node > node_of(call, call->root) ? staged(self, from, call->root) : 0;
    if (self->has_row)
        return has_the_row(self, from) ? sum_before(self, &self->row_pieces, node, row_piece) : 0;
    uint64_t bytes = 0;
    for (uint32_t before = 0; before < node; before++)
        bytes += count_piece(self, from, before);
    return bytes;
}

/* All staged blocks of a rank: its region. */
static uint64_t region_bytes(struct leaders_vector *self, uint32_t from)
{
    const struct coll_call *call = self->node.call;
    if (!self->has_row)
        return pieces_before(self, from, self->node.nodes);
    if (self->row_bytes == UNKNOWN) {
        self->row_bytes = 0;
        for (uint32_t to = 0; to < call->size; to++)
            self->row_bytes += staged(self, self->row_rank, to);
    }
    return has_the_row(self, from) ? self->row_bytes : 0;
}

/* All staged blocks of the ranks of a node for those of another. */
static uint64_t message(struct leaders_vector *self, uint32_t from, uint32_t to)
{
    const struct coll_call *call = self->node.call;
    uint64_t bytes = 0;
    if (call->kind == COLL_SCATTERV)
        return from == node_of(call, call->root) ? row_piece(self, to) : 0;
    if (self->has_row)
        return node_ranks(call, from) * row_piece(self, to);
    if (call->kind == COLL_GATHERV && to != node_of(call, call->root))
        return 0;
    for (uint32_t local = 0; local < node_ranks(call, from); local++)
        bytes += piece(self, node_member(call, from, local), to);
    return bytes;
}

/* Whether the message has a staged block. */
static bool has_message(struct leaders_vector *self, uint32_t from, uint32_t to)
{
    if (self->has_row)
        return message(self, from, to) > 0;
    for (uint32_t local = 0; local < node_ranks(self->node.call, from); local++)
        if (piece(self, node_member(self->node.call, from, local), to) > 0)
            return true;
    return false;
}

/* ---------------------------------------------------------- shared memory */

/* Where things are in the shared memory: the regions of the ranks with their pieces for all nodes, then for
 * each node the message to it and the message from it. */
static uint64_t region_at(struct leaders_vector *self, uint32_t local)
{
    uint64_t at = 0;
    for (uint32_t before = 0; before < local; before++)
        at += region_bytes(self, node_member(self->node.call, self->node.node, before));
    return at;
}

static uint64_t messages_with(struct leaders_vector *self, uint32_t node)
{
    uint32_t here = self->node.node;
    return node == here ? 0 : message(self, here, node) + message(self, node, here);
}

static uint64_t messages_before(struct leaders_vector *self, uint32_t node)
{
    if (self->regions_bytes == UNKNOWN)
        self->regions_bytes = region_at(self, self->node.here);
    return self->regions_bytes + sum_before(self, &self->messages, node, messages_with);
}

static struct coll_span outgoing(struct leaders_vector *self, uint32_t node, const struct coll_sink *sink)
{
    return span_of(COLL_SHARED, sink->local ? messages_before(self, node) : 0,
                   message(self, self->node.node, node));
}

static struct coll_span incoming(struct leaders_vector *self, uint32_t node, const struct coll_sink *sink)
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
static bool receives(struct leaders_vector *self, uint32_t local)
{
    for (uint32_t node = 0; node < self->node.nodes; node++)
        if (leads_for(self, local, node) && has_message(self, node, self->node.node))
            return true;
    return false;
}

static uint32_t flags_before(struct leaders_vector *self, uint32_t local)
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

static void stage(struct leaders_vector *self, struct coll_sink *sink)
{
    uint64_t at = sink->local ? region_at(self, self->node.local) : 0;
    for (uint32_t node = 0; sink->local && node < self->node.nodes; node++)
        for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++) {
            uint32_t to = node_member(self->node.call, node, local);
            uint64_t bytes = staged(self, self->node.call->rank, to);
            if (bytes > 0)
                step_copy(sink, block_span(self, COLL_SEND_BUFFER, to, sink),
                          span_of(COLL_SHARED, at, bytes));
            at += bytes;
        }
}

/* The pieces of all ranks of this node, in their order. */
static void write_message(struct leaders_vector *self, uint32_t node, struct coll_sink *sink)
{
    uint64_t at = sink->local ? messages_before(self, node) : 0, region = 0;
    for (uint32_t local = 0; sink->local && local < self->node.here; local++) {
        uint32_t from = node_member(self->node.call, self->node.node, local);
        uint64_t bytes = piece(self, from, node);
        step_copy(sink, span_of(COLL_SHARED, region + pieces_before(self, from, node), bytes),
                  span_of(COLL_SHARED, at, bytes));
        at += bytes;
        region += region_bytes(self, from);
    }
}

/* What the rank's piece for this node has before the block for this rank. */
static uint64_t before_mine(const struct leaders_vector *self, uint32_t from)
{
    const struct coll_call *call = self->node.call;
    uint64_t bytes = 0;
    for (uint32_t local = 0; call->kind != COLL_GATHERV && local < self->node.local; local++)
        bytes += staged(self, from, node_member(call, self->node.node, local));
    return bytes;
}

/* Copies what the ranks of `node` have for this rank. Their pieces are in the regions, or follow each other
 * in the message from that node. */
static void take(struct leaders_vector *self, uint32_t node, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    bool is_here = node == self->node.node;
    if (!sink->local)
        return;
    uint64_t at = is_here ? 0 : incoming(self, node, sink).offset;
    uint64_t of_row = self->has_row ? before_mine(self, self->row_rank) : 0;
    for (uint32_t local = 0; local < node_ranks(call, node); local++) {
        uint32_t from = node_member(call, node, local);
        uint64_t bytes = staged(self, from, call->rank);
        if (bytes > 0) {
            uint64_t before = self->has_row ? of_row : before_mine(self, from);
            before += is_here ? pieces_before(self, from, node) : 0;
            step_copy(sink, span_of(COLL_SHARED, at + before, bytes),
                      block_span(self, COLL_RECV_BUFFER, from, sink));
        }
        at += is_here ? region_bytes(self, from) : piece(self, from, self->node.node);
    }
}

/* Long blocks go first in both directions, since messages of a pair of ranks match in their order. */
static void receive(struct leaders_vector *self, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    for (uint32_t i = 1; i < call->size; i++) {
        uint32_t from = ring_down(call->rank, i, call->size);
        if (received_from(self, from) > self->limit)
            sink->recv(sink, from, block_span(self, COLL_RECV_BUFFER, from, sink));
    }
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t from = node_from(&self->node, round);
        if (leads_for(self, self->node.local, from) && has_message(self, from, self->node.node))
            sink->recv(sink, node_member(call, from, self->node.local), incoming(self, from, sink));
    }
}

static void send(struct leaders_vector *self, struct coll_sink *sink)
{
    const struct coll_call *call = self->node.call;
    for (uint32_t i = 1; i < call->size; i++) {
        uint32_t to = ring_up(call->rank, i, call->size);
        if (sent_to(self, to) > self->limit)
            sink->send(sink, to, block_span(self, COLL_SEND_BUFFER, to, sink));
    }
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t to = node_to(&self->node, round);
        if (!leads_for(self, self->node.local, to) || !has_message(self, self->node.node, to))
            continue;
        write_message(self, to, sink);
        sink->send(sink, node_member(call, to, self->node.local), outgoing(self, to, sink));
    }
}

static void keep_long(struct leaders_vector *self, struct coll_sink *sink)
{
    uint32_t rank = self->node.call->rank;
    if (block(self->node.call, rank, rank) > self->limit)
        step_copy(sink, block_span(self, COLL_SEND_BUFFER, rank, sink),
                  block_span(self, COLL_RECV_BUFFER, rank, sink));
}

/* A flag is the number of its rank among those that receive. */
static void meet_leaders(struct leaders_vector *self, struct coll_sink *sink)
{
    uint32_t flag = 0;
    if (self->node.here == 1)
        return;
    if (self->node.local < self->leaders && receives(self, self->node.local))
        sink->raise(sink, flags_before(self, self->node.local));
    for (uint32_t local = 0; local < self->leaders; local++) {
        if (local != self->node.local && expects(self, local))
            sink->await(sink, flag);
        flag += receives(self, local);
    }
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
