#include "coll/algorithms.h"
#include "coll/node_steps.h"

/* The three designs of "OHIO: Improving RDMA Network Scalability in MPI_Alltoall through Optimized
 * Hierarchical and Intra/Inter-Node Communication Overlap Design" (section III), and the variant of the
 * second one that the paper mentions.
 *
 * The ranks of a node stage what they send in the shared send buffer (SSB). Local rank 0, the leader,
 * exchanges it with the leaders of the other nodes, one node in each round, and receives into the shared
 * receive buffer (SRB). Meanwhile all ranks copy what the round before brought to their receive buffers.
 *
 * Both buffers have a part for each node, in the order of nodes. In blocks, with P ranks, and `before` ranks
 * on the nodes before the other one:
 *
 *   V1         SSB[source][rank]              at source * P + before + destination: a row for each source
 *   V2, V3     SSB[node][source][destination] at before * here + source * there + destination
 *   transpose  SSB[node][destination][source] at before * here + destination * here + source
 *   SRB        what the other node sent, at before * here; V3: in two halves, used in turn */
enum design { NAIVE, COALESCED, TRANSPOSED, TWO_BLOCKS };

struct ohio {
    struct node_call node;
    enum design design;
};

static struct ohio ohio_of(const struct coll_call *call, enum design design)
{
    return (struct ohio){.node = node_call_of(call), .design = design};
}

static uint64_t send_buffer_blocks(const struct node_call *self)
{
    return (uint64_t)self->here * self->call->size;
}

/* Room for what one other node sends, whichever it is. */
static uint64_t half_blocks(const struct node_call *self)
{
    uint32_t most = 0;
    for (uint32_t node = 0; node < self->nodes; node++)
        if (node != self->node && node_ranks(self->call, node) > most)
            most = node_ranks(self->call, node);
    return (uint64_t)most * self->here;
}

/* The first block of what a round brings. The blocks within the node stay where they are staged. */
static uint64_t received_at(const struct ohio *ohio, uint32_t round)
{
    const struct node_call *self = &ohio->node;
    uint64_t before = node_first(self->call, node_from(self, round));
    if (round == 0)
        return before * self->here;
    if (ohio->design == TWO_BLOCKS)
        return send_buffer_blocks(self) + round % 2 * half_blocks(self);
    return send_buffer_blocks(self) + before * self->here;
}

/* -------------------------------------------------------------------- stage */

static void stage_for(const struct ohio *ohio, uint32_t node, struct coll_sink *sink)
{
    const struct node_call *self = &ohio->node;
    uint64_t before = node_first(self->call, node), there = node_ranks(self->call, node);
    if (ohio->design == NAIVE) {
        node_copy(self, COLL_SEND_BUFFER, node, COLL_SHARED,
                  (uint64_t)self->local * self->call->size + before, sink);
    } else if (ohio->design == TRANSPOSED) {
        for (uint32_t local = 0; local < there; local++)
            step_copy(sink, node_block(self, COLL_SEND_BUFFER, node, local),
                      node_shared(self, (before + local) * self->here + self->local, 1));
    } else {
        node_copy(self, COLL_SEND_BUFFER, node, COLL_SHARED, before * self->here + self->local * there, sink);
    }
}

static void stage(const struct ohio *ohio, struct coll_sink *sink)
{
    for (uint32_t node = 0; sink->local && node < ohio->node.nodes; node++)
        stage_for(ohio, node, sink);
    node_barrier(&ohio->node, sink);
}

/* ----------------------------------------------------------------- exchange */

/* In V1 the rows lie apart in the SSB, so each rank of the node has a message. The other designs have one
 * message. */
static void exchange(const struct ohio *ohio, uint32_t round, struct coll_sink *sink)
{
    const struct node_call *self = &ohio->node;
    uint32_t to = node_to(self, round), from = node_from(self, round);
    uint32_t to_leader = node_member(self->call, to, 0), from_leader = node_member(self->call, from, 0);
    uint64_t before = node_first(self->call, to), there = node_ranks(self->call, to);
    uint64_t incoming = node_ranks(self->call, from), at = received_at(ohio, round);
    if (ohio->design != NAIVE) {
        step_exchange(sink, to_leader, node_shared(self, before * self->here, there * self->here),
                      from_leader, node_shared(self, at, incoming * self->here));
        return;
    }
    for (uint32_t source = 0; source < incoming; source++)
        sink->recv(sink, from_leader, node_shared(self, at + (uint64_t)source * self->here, self->here));
    for (uint32_t source = 0; source < self->here; source++)
        sink->send(sink, to_leader, node_shared(self, (uint64_t)source * self->call->size + before, there));
}

/* ----------------------------------------------------------------- copy out */

static void copy_out(const struct ohio *ohio, uint32_t round, struct coll_sink *sink)
{
    const struct node_call *self = &ohio->node;
    uint32_t from = node_from(self, round), there = node_ranks(self->call, from);
    uint64_t at = received_at(ohio, round), row = self->here;
    if (!sink->local)
        return;
    if (ohio->design == TRANSPOSED) {
        node_copy(self, COLL_RECV_BUFFER, from, COLL_SHARED, at + (uint64_t)self->local * there, sink);
        return;
    }
    if (ohio->design == NAIVE && round == 0) { /* still in the rows of the SSB */
        at = node_first(self->call, self->node);
        row = self->call->size;
    }
    for (uint32_t source = 0; source < there; source++)
        step_copy(sink, node_shared(self, at + source * row + self->local, 1),
                  node_block(self, COLL_RECV_BUFFER, from, source));
}

/* ------------------------------------------------------------------- rounds */

/* V1 and V2. Phase k = 1 ... N: the leader exchanges round k, and all copy what round k - 1 brought. A flag
 * says that the messages of a round have arrived. The barrier at the end keeps the next call from staging too
 * early. */
static bool emit_with_flags(const struct ohio *ohio, uint32_t phase, struct coll_sink *sink)
{
    const struct node_call *self = &ohio->node;
    bool leads = self->local == 0, last = phase == self->nodes;
    if (phase > self->nodes)
        return false;
    if (phase == 0) {
        stage(ohio, sink);
        return true;
    }
    if (leads && !last)
        exchange(ohio, phase, sink);
    if (leads && phase > 1 && self->here > 1)
        sink->raise(sink, phase - 2);
    copy_out(ohio, phase - 1, sink);
    if (!leads && !last)
        sink->await(sink, phase - 1);
    if (last)
        node_barrier(self, sink);
    return true;
}

/* V3, Algorithm 1. Phase 2k - 1: the exchange of round k, and the copies of round k - 1. Phase 2k: the
 * barrier, after which no rank reads the half that the next round fills. */
static bool emit_with_barriers(const struct ohio *ohio, uint32_t phase, struct coll_sink *sink)
{
    const struct node_call *self = &ohio->node;
    uint32_t round = (phase + 1) / 2, last = self->nodes > 1 ? 2 * self->nodes - 1 : 2;
    if (phase > last)
        return false;
    if (phase == 0) {
        stage(ohio, sink);
    } else if (phase % 2 == 0) {
        node_barrier(self, sink);
    } else {
        if (self->local == 0 && round < self->nodes)
            exchange(ohio, round, sink);
        copy_out(ohio, round - 1, sink);
    }
    return true;
}

static uint64_t two_buffers(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return 2 * send_buffer_blocks(&self) * call->bytes;
}

static uint64_t two_halves(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return (send_buffer_blocks(&self) + 2 * half_blocks(&self)) * call->bytes;
}

static uint32_t flag_a_round(const struct coll_call *call)
{
    struct node_call self = node_call_of(call);
    return self.here > 1 ? self.nodes - 1 : 0;
}

static bool v1(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, NAIVE);
    return emit_with_flags(&ohio, phase, sink);
}

static bool v2(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, COALESCED);
    return emit_with_flags(&ohio, phase, sink);
}

/* The same with Algorithm 1's barriers in place of flags: the paper does not say how the ranks of a node
 * learn in V1 and V2 that a message has arrived. */
static bool v1_barriers(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, NAIVE);
    return emit_with_barriers(&ohio, phase, sink);
}

static bool v2_barriers(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, COALESCED);
    return emit_with_barriers(&ohio, phase, sink);
}

static bool transpose(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, TRANSPOSED);
    return emit_with_flags(&ohio, phase, sink);
}

static bool v3(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ohio ohio = ohio_of(call, TWO_BLOCKS);
    return emit_with_barriers(&ohio, phase, sink);
}

const struct coll_algorithm coll_alltoall_v1 = {
    .kind = COLL_ALLTOALL,
    .name = "v1",
    .doc = "a leader a node exchanges what its ranks staged, a message for each of them: (N-1) PPN a node "
           "(OHIO V1)",
    .emit = v1,
    .node_aware = true,
    .shared = two_buffers,
    .flags = flag_a_round,
};

const struct coll_algorithm coll_alltoall_v2 = {
    .kind = COLL_ALLTOALL,
    .name = "v2",
    .doc = "as v1, re-arranged while staging, so that one message a node is enough: N-1 a node (OHIO V2)",
    .emit = v2,
    .node_aware = true,
    .shared = two_buffers,
    .flags = flag_a_round,
};

const struct coll_algorithm coll_alltoall_v1_barriers = {
    .kind = COLL_ALLTOALL,
    .name = "v1-barriers",
    .doc = "as v1, with a barrier of the node after each exchange in place of flags",
    .emit = v1_barriers,
    .node_aware = true,
    .shared = two_buffers,
};

const struct coll_algorithm coll_alltoall_v2_barriers = {
    .kind = COLL_ALLTOALL,
    .name = "v2-barriers",
    .doc = "as v2, with a barrier of the node after each exchange in place of flags",
    .emit = v2_barriers,
    .node_aware = true,
    .shared = two_buffers,
};

const struct coll_algorithm coll_alltoall_transpose = {
    .kind = COLL_ALLTOALL,
    .name = "transpose",
    .doc = "as v2, transposed while staging, so that a rank copies a node's blocks out at once (OHIO, end of "
           "section III-B)",
    .emit = transpose,
    .node_aware = true,
    .shared = two_buffers,
    .flags = flag_a_round,
};

const struct coll_algorithm coll_alltoall_v3 = {
    .kind = COLL_ALLTOALL,
    .name = "v3",
    .doc = "as v2 with a receive buffer of two blocks, exchange of one overlapped with copies from the other "
           "(OHIO V3, Algorithm 1)",
    .emit = v3,
    .node_aware = true,
    .shared = two_halves,
};
