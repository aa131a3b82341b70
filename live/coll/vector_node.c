#include <stdlib.h>
#include <string.h>

#include "coll/leaders_vector.h"
#include "coll/node_steps.h"
#include "live/coll/vector.h"

/* The layout of staged blocks in the shared memory of a node. Calls use its two copies in turn, as in the
 * algorithm `leaders` of coll. All offsets are from the start of a copy.
 *
 *   regions    one for each rank of the node: a struct leaders_vector_piece for each node, then the pieces,
 *              one for each node for which the rank has staged blocks, without gaps
 *   outgoing   the message to each node: the offset of each rank's piece in it, then the pieces
 *   incoming   the message from each node, in the same form
 *
 * A piece holds all staged blocks of one rank for the ranks of one node: the ends of the blocks, indexed by
 * the local rank of the receiver, then the blocks. So a receiver finds its block without the counts of other
 * ranks, and detects a block whose size is not what it expects. */

static uint64_t limit_of(const struct live_comm *comm)
{
    return comm->shared ? leaders_vector_limit(comm->nodes.count, comm->most_here, comm->copy_bytes) : 0;
}

static void lay_out(struct live_comm *comm, const struct coll_call *call, struct live_vector *vector)
{
    const struct node_call self = node_call_of(call);
    vector->region_bytes = leaders_vector_round_up(self.nodes * sizeof(struct leaders_vector_piece));
    for (uint32_t node = 0; node < self.nodes; node++)
        vector->region_bytes += leaders_vector_piece_most(node_ranks(call, node), vector->limit);
    uint64_t at = comm->here * vector->region_bytes;
    for (uint32_t node = 0; node < self.nodes; node++) {
        uint32_t ranks_there = node_ranks(call, node);
        vector->outgoing_at[node] = at;
        at += leaders_vector_message_most(comm->here, ranks_there, vector->limit);
        vector->incoming_at[node] = at;
        at += leaders_vector_message_most(ranks_there, comm->here, vector->limit);
        vector->leader_of[node] = node == self.node ? comm->local : node_leader_for(&self, node);
    }
}

/* ------------------------------------------------------------- open, close */

void live_vector_close(struct live_vector *vector)
{
    if (!vector)
        return;
    free(vector->outgoing_at);
    free(vector->incoming_at);
    free(vector->leader_of);
    free(vector->send);
    free(vector->recv);
    free(vector->copies);
    free(vector);
}

/* NULL: no memory. */
static struct live_vector *vector_open(const struct live_comm *comm)
{
    struct live_vector *vector = calloc(1, sizeof *vector);
    if (!vector)
        return NULL;
    vector->outgoing_at = calloc(comm->nodes.count, sizeof *vector->outgoing_at);
    vector->incoming_at = calloc(comm->nodes.count, sizeof *vector->incoming_at);
    vector->leader_of = calloc(comm->nodes.count, sizeof *vector->leader_of);
    vector->send = calloc(comm->size, sizeof *vector->send);
    vector->recv = calloc(comm->size, sizeof *vector->recv);
    vector->copies = calloc(comm->size, sizeof *vector->copies);
    if (vector->outgoing_at && vector->incoming_at && vector->leader_of && vector->send && vector->recv &&
        vector->copies)
        return vector;
    live_vector_close(vector);
    return NULL;
}

struct live_vector *live_vector_of(struct live_comm *comm)
{
    if (comm->vector_refused || comm->vector)
        return comm->vector;
    uint64_t limit = limit_of(comm);
    bool wanted = limit > 0 && comm->most_here > 1;
    struct live_vector *vector = wanted ? vector_open(comm) : NULL;
    /* At most a message to each rank and each node, and one from each. */
    bool mine = vector && live_requests_reserve(comm, 2 * (comm->size + comm->nodes.count));
    bool agreed = wanted && live_all_agree(comm->mine, mine);
    if (agreed) {
        const struct coll_call call = {
            .size = comm->size, .rank = comm->rank, .nodes = &comm->nodes, .leaders = comm->leaders};
        vector->limit = limit;
        lay_out(comm, &call, vector);
        comm->vector = vector;
    } else {
        live_vector_close(vector);
        comm->vector_refused = true;
    }
    return comm->vector;
}

/* -------------------------------------------------------------------- call */

struct vector_exchange {
    struct live_comm *comm;
    struct live_vector *vector;
    struct node_call node;
    unsigned char *memory; /* the copy that this call uses */
    int posted;            /* requests */
    bool receives;         /* this rank receives messages for its node */
    int error;             /* the first */
};

static MPI_Request *next_request(struct vector_exchange *self)
{
    MPI_Request *request = &self->comm->requests[self->posted++];
    *request = MPI_REQUEST_NULL;
    return request;
}

static bool is_staged(const struct vector_exchange *self, const struct live_block *block)
{
    return block->bytes > 0 && block->bytes <= self->vector->limit;
}

static unsigned char *region_of(const struct vector_exchange *self, uint32_t local)
{
    return self->memory + local * self->vector->region_bytes;
}

static struct leaders_vector_piece *piece_ref_of(const struct vector_exchange *self, uint32_t local,
                                                 uint32_t node)
{
    return (struct leaders_vector_piece *)region_of(self, local) + node;
}

/* ------------------------------------------------------------- long blocks */

/* With MPI_IN_PLACE the block's memory is also that of a receive, so a copy is sent. If the copy cannot be
 * made, an empty message is sent, since the receiver waits for one. */
static void send_block(struct vector_exchange *self, uint32_t to, bool in_place)
{
    struct live_comm *comm = self->comm;
    struct live_vector *vector = self->vector;
    const struct live_block *block = &vector->send[to];
    if (in_place) {
        struct live_copy *copy = &vector->copies[vector->copy_count++];
        note_error(&self->error, live_copy_init(copy, block, comm));
        block = &copy->block;
    }
    note_error(&self->error, live_block_send(block, (int)to, comm->mine, next_request(self)));
}

static void exchange_long(struct vector_exchange *self, bool in_place)
{
    struct live_comm *comm = self->comm;
    struct live_vector *vector = self->vector;
    for (uint32_t i = 0; in_place && i < comm->size; i++) /* copies, before a receive overwrites them */
        if (vector->send[i].bytes > vector->limit)
            send_block(self, i, true);
    for (uint32_t i = 0; i < comm->size; i++) {
        uint32_t from = ring_down(comm->rank, i, comm->size);
        const struct live_block *block = &vector->recv[from];
        if (block->bytes > vector->limit)
            note_error(&self->error, live_block_recv(block, (int)from, comm->mine, next_request(self)));
    }
    for (uint32_t i = 0; !in_place && i < comm->size; i++) {
        uint32_t to = ring_up(comm->rank, i, comm->size);
        if (vector->send[to].bytes > vector->limit)
            send_block(self, to, false);
    }
}

/* ------------------------------------------------------------ short blocks */

/* Writes the piece for a node. Returns its bytes. */
static uint32_t stage_piece(struct vector_exchange *self, uint32_t node, unsigned char *piece)
{
    uint32_t ranks = node_ranks(self->node.call, node), end = 0;
    uint32_t *ends = (uint32_t *)piece;
    unsigned char *data = piece + leaders_vector_ends(ranks);
    for (uint32_t local = 0; local < ranks; local++) {
        const struct live_block *block = &self->vector->send[node_member(self->node.call, node, local)];
        if (is_staged(self, block)) {
            note_error(&self->error, live_block_pack(block, data + end, self->comm->mine));
            end += (uint32_t)block->bytes;
        }
        ends[local] = end;
    }
    return (uint32_t)(leaders_vector_ends(ranks) + leaders_vector_round_up(end));
}

/* Writes this rank's region: its pieces for all nodes. */
static void stage_pieces(struct vector_exchange *self)
{
    unsigned char *region = region_of(self, self->comm->local);
    uint64_t at = leaders_vector_round_up(self->node.nodes * sizeof(struct leaders_vector_piece));
    for (uint32_t node = 0; node < self->node.nodes; node++) {
        struct leaders_vector_piece ref = {0};
        bool something = false;
        for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++) {
            uint32_t rank = node_member(self->node.call, node, local);
            something |= is_staged(self, &self->vector->send[rank]);
            if (is_staged(self, &self->vector->recv[rank]))
                ref.received += (uint32_t)self->vector->recv[rank].bytes;
        }
        if (something) {
            ref.at = (uint32_t)at;
            ref.bytes = stage_piece(self, node, region + at);
            at += ref.bytes;
        }
        *piece_ref_of(self, self->comm->local, node) = ref;
    }
}

/* Writes the message to a node: the pieces of all ranks of this node. Returns its bytes; 0: no message. */
static uint32_t write_message(struct vector_exchange *self, uint32_t node, unsigned char *message)
{
    uint32_t *at = (uint32_t *)message, end = (uint32_t)leaders_vector_ends(self->node.here);
    bool something = false;
    for (uint32_t local = 0; local < self->node.here; local++) {
        const struct leaders_vector_piece *ref = piece_ref_of(self, local, node);
        at[local] = ref->at ? end : 0;
        if (!ref->at)
            continue;
        memcpy(message + end, region_of(self, local) + ref->at, ref->bytes);
        end += ref->bytes;
        something = true;
    }
    return something ? end : 0;
}

static bool node_receives(const struct vector_exchange *self, uint32_t node)
{
    for (uint32_t local = 0; local < self->node.here; local++)
        if (piece_ref_of(self, local, node)->received)
            return true;
    return false;
}

/* The messages of a leader. A node that has nothing for another sends no message. The leader there knows it
 * from `received` of its ranks. */
static void exchange_messages(struct vector_exchange *self)
{
    struct live_comm *comm = self->comm;
    const struct coll_call *call = self->node.call;
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t from = node_from(&self->node, round), leader = self->vector->leader_of[from];
        if (leader != comm->local || !node_receives(self, from))
            continue;
        uint64_t most =
            leaders_vector_message_most(node_ranks(call, from), self->node.here, self->vector->limit);
        self->receives = true;
        note_error(&self->error, PMPI_Irecv(self->memory + self->vector->incoming_at[from], (int)most,
                                            MPI_BYTE, (int)node_member(call, from, leader), LIVE_TAG,
                                            comm->mine, next_request(self)));
    }
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t to = node_to(&self->node, round), leader = self->vector->leader_of[to];
        unsigned char *message = self->memory + self->vector->outgoing_at[to];
        uint32_t bytes = leader == comm->local ? write_message(self, to, message) : 0;
        if (bytes > 0)
            note_error(&self->error,
                       PMPI_Isend(message, (int)bytes, MPI_BYTE, (int)node_member(call, to, leader), LIVE_TAG,
                                  comm->mine, next_request(self)));
    }
}

/* Unpacks this rank's block of a piece. */
static void unpack_block(struct vector_exchange *self, const struct live_block *block,
                         const unsigned char *piece)
{
    const uint32_t *ends = (const uint32_t *)piece;
    uint32_t local = self->comm->local, start = local ? ends[local - 1] : 0;
    const unsigned char *data = piece + leaders_vector_ends(self->node.here);
    note_error(&self->error, live_block_unpack(block, data + start, ends[local] - start, self->comm->mine));
}

/* Unpacks this rank's staged blocks from a node. Those of its own node are in the regions. */
static void unpack_node(struct vector_exchange *self, uint32_t node)
{
    const unsigned char *message = self->memory + self->vector->incoming_at[node];
    for (uint32_t local = 0; local < node_ranks(self->node.call, node); local++) {
        const struct live_block *block = &self->vector->recv[node_member(self->node.call, node, local)];
        if (!is_staged(self, block))
            continue;
        bool is_mine = node == self->node.node;
        uint32_t at = is_mine ? piece_ref_of(self, local, node)->at : ((const uint32_t *)message)[local];
        if (at == 0)
            note_error(&self->error, MPI_ERR_TRUNCATE);
        else
            unpack_block(self, block, (is_mine ? region_of(self, local) : message) + at);
    }
}

/* False: the communicator is given up. */
static bool wait_for_node(struct vector_exchange *self)
{
    struct live_comm *comm = self->comm;
    if (comm->here == 1)
        return true;
    comm->barriers++;
    shm_counter_add(comm->barrier, comm->barriers * comm->here);
    return shm_counter_await(comm->barrier, comm->barriers * comm->here, &comm->backoff);
}

/* The flag of a rank that leads. A rank may leave a call before the flags are up whose messages have nothing
 * for it, and the next call may be of an algorithm of coll, in which another rank raises the same flag. So
 * these calls have flags of their own. */
static struct shm_counter *flag_of(const struct live_comm *comm, uint32_t local)
{
    return &comm->flags[live_memory_flags(comm, comm->here) + local];
}

/* Unpacks the blocks from all other nodes. The flag of a leader says that its messages have come. Without it
 * there is nothing to unpack: the communicator is given up. */
static void unpack_other_nodes(struct vector_exchange *self)
{
    struct live_comm *comm = self->comm;
    for (uint32_t round = 1; round < self->node.nodes; round++) {
        uint32_t node = node_from(&self->node, round), leader = self->vector->leader_of[node];
        if (piece_ref_of(self, comm->local, node)->received == 0)
            continue;
        if (leader != comm->local &&
            !shm_counter_await(flag_of(comm, leader), comm->shared_calls, &comm->backoff))
            return;
        unpack_node(self, node);
    }
}

/* The part of the exchange that comes when all ranks of the node have staged their blocks. The first `blocks`
 * requests are those of long blocks. */
static void exchange_by_nodes(struct vector_exchange *self, int blocks)
{
    struct live_comm *comm = self->comm;
    exchange_messages(self);
    unpack_node(self, comm->node);
    note_error(&self->error, live_wait_for_all(comm, blocks, self->posted - blocks));
    if (self->receives)
        shm_counter_raise(flag_of(comm, comm->local), comm->shared_calls);
    note_error(&self->error, live_wait_for_all(comm, 0, blocks));
    if (self->error == MPI_SUCCESS || !live_is_broken(comm))
        unpack_other_nodes(self);
}

int live_vector_exchange(struct live_comm *comm, bool in_place)
{
    const struct coll_call call = {.size = comm->size, .rank = comm->rank, .nodes = &comm->nodes};
    struct vector_exchange self = {
        .comm = comm, .vector = comm->vector, .node = node_call_of(&call), .error = MPI_SUCCESS};
    self.memory = live_memory_next_copy(comm);
    exchange_long(&self, in_place);
    int blocks = self.posted;
    stage_pieces(&self);
    if (wait_for_node(&self))
        exchange_by_nodes(&self, blocks);
    else
        note_error(&self.error, live_wait_for_all(comm, 0, blocks));
    note_error(&self.error, comm->broken);
    while (comm->vector->copy_count > 0)
        live_copy_free(&comm->vector->copies[--comm->vector->copy_count]);
    return self.error;
}
