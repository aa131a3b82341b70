#include "coll/algorithms.h"
#include "coll/meet.h"

/* Allgather, allgatherv, gather and scatter through one leader of each node and shared memory (meet.h). */

/* ---------------------------------------------------------------- allgather */

static void stage_block(const struct meet *self, struct coll_sink *sink)
{
    if (!sink->local)
        return;
    struct blocks members = blocks_of_members(&self->levels.node);
    struct coll_span block = span_of(COLL_SEND_BUFFER, 0, rank_block_bytes(self->call, self->call->rank));
    step_copy(sink, block, meet_span(self, blocks_bytes(&members, 0, self->number), block.bytes));
}

static void exchange_blocks(const struct meet *self, uint32_t phase, struct coll_sink *sink)
{
    struct lane_blocks lane = meet_blocks(self);
    struct blocks blocks = blocks_of_nodes(&lane);
    struct circulant kept = circulant_of(self->place.node, &blocks, 0, 0);
    struct team_sink leaders = meet_leaders(self, sink);
    meet_allgather(self, &kept, phase, &leaders.base);
}

static void take_blocks(const struct meet *self, struct coll_sink *sink)
{
    meet_unpack(self, meet_span(self, 0, 0), sink);
}

static bool allgather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    static const struct meet_steps steps = {.stage = stage_block,
                                            .exchange_phases = meet_allgather_phases,
                                            .exchange = exchange_blocks,
                                            .take = take_blocks};
    struct meet self = meet_of(call, TEAM_NO_ROOT);
    return meet_emit(&self, &steps, phase, sink);
}

static uint64_t all_blocks_in(const struct coll_call *call, enum coll_buffer memory)
{
    return meet_of(call, TEAM_NO_ROOT).memory == memory ? blocks_of_call_bytes(call) : 0;
}

static uint64_t allgather_scratch(const struct coll_call *call)
{
    return all_blocks_in(call, COLL_SCRATCH);
}

static uint64_t allgather_shared(const struct coll_call *call)
{
    return all_blocks_in(call, COLL_SHARED);
}

const struct coll_algorithm coll_allgather_leaders = {
    .kind = COLL_ALLGATHER,
    .name = "leaders",
    .doc = "shared memory within nodes; leaders exchange the blocks of nodes at once, from 9 nodes on in "
           "ceil(log2 N) rounds: at most N-1 messages a node",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
    .shared = allgather_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

const struct coll_algorithm coll_allgatherv_leaders = {
    .kind = COLL_ALLGATHERV,
    .name = "leaders",
    .doc = "as allgather: at most N-1 messages a node",
    .emit = allgather,
    .scratch = allgather_scratch,
    .node_aware = true,
    .shared = allgather_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

/* ------------------------------------------------------------------- gather */

/* The ranks of the node are consecutive, so their blocks lie together at the root. */
static bool lie_together(const struct coll_call *call, uint32_t node)
{
    return node_run(call, node, 0) == node_ranks(call, node);
}

/* Where the root has the blocks of a node for a message: in its buffer, or packed in scratch. */
static struct coll_span node_at_root(const struct meet *self, enum coll_buffer buffer, uint32_t node)
{
    const struct coll_call *call = self->call;
    uint64_t bytes = node_ranks(call, node) * call->bytes;
    if (lie_together(call, node))
        return span_of(buffer, node_member(call, node, 0) * call->bytes, bytes);
    return span_of(COLL_SCRATCH, node_first(call, node) * call->bytes, bytes);
}

/* Copies the packed blocks of another node from or to scratch. */
static void repack(const struct meet *self, enum coll_buffer buffer, uint32_t node, struct coll_sink *sink)
{
    if (!lie_together(self->call, node))
        node_copy(&self->place, buffer, node, COLL_SCRATCH, node_first(self->call, node), sink);
}

static uint64_t root_scratch(const struct coll_call *call)
{
    bool packs = call->rank == call->root && call->nodes && !call->nodes->in_order;
    return packs ? call->size * call->bytes : 0;
}

static uint64_t node_blocks(const struct coll_call *call)
{
    uint32_t here = node_ranks(call, node_of(call, call->rank));
    return here > 1 ? here * call->bytes : 0;
}

/* This rank's block in the memory of its node. */
static struct coll_span own_block(const struct meet *self)
{
    return node_shared(&self->place, self->place.local, 1);
}

static void receive_nodes(const struct meet *self, struct coll_sink *sink)
{
    uint32_t node = self->place.node, nodes = self->place.nodes;
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t from = ring_up(node, i, nodes);
        sink->recv(sink, meet_leader_of(self, from), node_at_root(self, COLL_RECV_BUFFER, from));
    }
    if (self->place.here > 1 && sink->local)
        node_copy(&self->place, COLL_RECV_BUFFER, node, COLL_SHARED, 0, sink);
    else if (sink->local)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, self->call->bytes),
                  node_block(&self->place, COLL_RECV_BUFFER, node, 0));
}

static void unpack_others(const struct meet *self, struct coll_sink *sink)
{
    for (uint32_t i = 1; sink->local && i < self->place.nodes; i++)
        repack(self, COLL_RECV_BUFFER, ring_up(self->place.node, i, self->place.nodes), sink);
}

static void send_node(const struct meet *self, struct coll_sink *sink)
{
    uint64_t bytes = self->place.here * self->call->bytes;
    sink->send(sink, self->call->root,
               span_of(self->place.here > 1 ? COLL_SHARED : COLL_SEND_BUFFER, 0, bytes));
}

/* The other ranks are done as soon as all have staged. */
static bool gather(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct meet self = meet_of(call, call->root);
    bool leads = meet_leads(&self), is_root = call->rank == call->root;
    if (phase == 0 && self.place.here > 1)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, call->bytes), own_block(&self));
    if ((phase == 0 && !leads) || (phase == 1 && leads))
        meet_raise(&self, sink);
    if (phase == 0)
        meet_await(&self, sink);
    else if (phase == 1 && is_root)
        receive_nodes(&self, sink);
    else if (phase == 1 && leads)
        send_node(&self, sink);
    else if (phase == 2 && is_root)
        unpack_others(&self, sink);
    return phase < (is_root ? 3 : leads ? 2 : 1);
}

const struct coll_algorithm coll_gather_leaders = {
    .kind = COLL_GATHER,
    .name = "leaders",
    .doc = "shared memory within nodes; each leader sends the blocks of its node to the root at once: N-1 "
           "messages",
    .emit = gather,
    .scratch = root_scratch,
    .node_aware = true,
    .shared = node_blocks,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

/* ------------------------------------------------------------------ scatter */

static void send_nodes(const struct meet *self, struct coll_sink *sink)
{
    uint32_t node = self->place.node, nodes = self->place.nodes;
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t to = ring_up(node, i, nodes);
        if (sink->local)
            repack(self, COLL_SEND_BUFFER, to, sink);
        sink->send(sink, meet_leader_of(self, to), node_at_root(self, COLL_SEND_BUFFER, to));
    }
    if (self->place.here > 1 && sink->local)
        node_copy(&self->place, COLL_SEND_BUFFER, node, COLL_SHARED, 0, sink);
    else if (sink->local)
        step_copy(sink, node_block(&self->place, COLL_SEND_BUFFER, node, 0),
                  span_of(COLL_RECV_BUFFER, 0, self->call->bytes));
}

static void receive_node(const struct meet *self, struct coll_sink *sink)
{
    uint64_t bytes = self->place.here * self->call->bytes;
    sink->recv(sink, self->call->root,
               span_of(self->place.here > 1 ? COLL_SHARED : COLL_RECV_BUFFER, 0, bytes));
}

static bool scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct meet self = meet_of(call, call->root);
    bool leads = meet_leads(&self);
    if (phase == 0 && call->rank == call->root)
        send_nodes(&self, sink);
    else if (phase == 0 && leads)
        receive_node(&self, sink);
    if (phase == (leads ? 1 : 0))
        meet_raise(&self, sink);
    if (phase == 0)
        meet_await(&self, sink);
    else if (phase == 1 && self.place.here > 1)
        step_copy(sink, own_block(&self), span_of(COLL_RECV_BUFFER, 0, call->bytes));
    return phase < (self.place.here > 1 ? 2 : 1);
}

const struct coll_algorithm coll_scatter_leaders = {
    .kind = COLL_SCATTER,
    .name = "leaders",
    .doc = "the root sends each leader the blocks of its node at once; shared memory within nodes: N-1 "
           "messages",
    .emit = scatter,
    .scratch = root_scratch,
    .node_aware = true,
    .shared = node_blocks,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
