#include "coll/algorithms.h"
#include "coll/node_sum.h"
#include "coll/tree.h"

/* Allreduce and reduce through one leader of each node and shared memory (node_sum.h). The
 * leaders exchange the sums of the nodes. */

/* ---------------------------------------------------------------- allreduce */

/* Each leader gathers the sums of all nodes up to so many bytes, and adds them in the order of nodes.
 * Otherwise each leader sums up a part (circulant.h). So all ranks get the same bits: the sum of the same
 * operands in the same order, or one that one leader has computed. */
enum { GATHERED_BYTES = 131072 };

/* The memory of a node begins with its sum. If sums are gathered, the sums of the nodes a, a + 1 ... are
 * there on node a. Otherwise the sum has its parts in this order, as a circulant graph needs them. */
struct all_sums {
    struct node_sum node;
    struct blocks parts; /* of the vector, one for each node */
    bool are_gathered;
};

static struct all_sums all_sums_of(const struct coll_call *call)
{
    struct all_sums self = {.node = node_sum_of(call, TEAM_NO_ROOT, call->bytes)};
    uint32_t nodes = self.node.meet.place.nodes;
    self.parts = blocks_parts(nodes, call->bytes, call->element);
    self.are_gathered = nodes == 1 || call->bytes <= GATHERED_BYTES / nodes;
    if (self.are_gathered)
        self.node.staged = nodes * call->bytes;
    else
        self.node.split = blocks_bytes(&self.parts, 0, self.node.meet.place.node);
    return self;
}

static struct coll_span gathered_from(const struct all_sums *self, uint32_t node)
{
    const struct meet *meet = &self->node.meet;
    uint64_t index = ring_down(node, meet->place.node, meet->place.nodes);
    return meet_span(meet, index * self->node.bytes, self->node.bytes);
}

/* What comes in overwrites the staged vectors, which are in the sum by then. */
static struct circulant graph_of(const struct all_sums *self, const struct blocks *blocks)
{
    return circulant_of(self->node.meet.place.node, blocks, 0, self->node.bytes);
}

static void stage_vector(const struct meet *meet, struct coll_sink *sink)
{
    const struct node_sum *self = (const struct node_sum *)meet;
    if (self->is_sliced)
        node_sum_add_slice(self, sink);
    else
        node_sum_stage(self, sink);
}

static uint32_t exchange_sums_phases(const struct meet *meet)
{
    const struct all_sums *self = (const struct all_sums *)meet;
    return self->are_gathered ? meet_allgather_phases(meet) : 2 * log2_ceil(meet->place.nodes);
}

static void exchange_sums(const struct meet *meet, uint32_t phase, struct coll_sink *sink)
{
    const struct all_sums *self = (const struct all_sums *)meet;
    struct blocks equal = blocks_equal(meet->place.nodes, self->node.bytes);
    struct circulant graph = graph_of(self, self->are_gathered ? &equal : &self->parts);
    struct team_sink leaders = meet_leaders(meet, sink);
    if (self->are_gathered) {
        meet_allgather(meet, &graph, phase, &leaders.base);
        return;
    }
    if (phase <= graph.rounds)
        circulant_reduce_scatter(&graph, phase, &leaders.base);
    if (phase >= graph.rounds)
        circulant_allgather(&graph, phase - graph.rounds, &leaders.base);
}

static void add_gathered(const struct meet *meet, struct coll_sink *sink)
{
    const struct all_sums *self = (const struct all_sums *)meet;
    for (uint32_t node = 1; sink->local && self->are_gathered && node < meet->place.nodes; node++)
        step_reduce(sink, gathered_from(self, node), gathered_from(self, 0));
}

static void take_sum(const struct meet *meet, struct coll_sink *sink)
{
    const struct all_sums *self = (const struct all_sums *)meet;
    uint64_t split = self->node.split, behind = self->node.bytes - split;
    struct coll_span sum = self->are_gathered ? gathered_from(self, 0) : self->node.sum;
    step_copy(sink, span_of(sum.buffer, sum.offset, behind), span_of(COLL_RECV_BUFFER, split, behind));
    step_copy(sink, span_of(sum.buffer, sum.offset + behind, split), span_of(COLL_RECV_BUFFER, 0, split));
}

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    static const struct meet_steps steps = {.stage = stage_vector,
                                            .begin = node_sum_begin,
                                            .exchange_phases = exchange_sums_phases,
                                            .exchange = exchange_sums,
                                            .finish = add_gathered,
                                            .take = take_sum};
    struct all_sums self = all_sums_of(call);
    if (self.node.is_sliced && phase-- == 0) {
        node_sum_stage(&self.node, sink);
        sink->barrier(sink);
        return true;
    }
    return meet_emit(&self.node.meet, &steps, phase, sink);
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct all_sums self = all_sums_of(call);
    struct circulant graph = graph_of(&self, &self.parts);
    if (self.node.meet.place.here > 1)
        return 0;
    return self.node.staged + (self.are_gathered ? 0 : circulant_incoming(&graph));
}

static uint64_t allreduce_shared(const struct coll_call *call)
{
    struct all_sums self = all_sums_of(call);
    return node_sum_shared(&self.node);
}

const struct coll_algorithm coll_allreduce_leaders = {
    .kind = COLL_ALLREDUCE,
    .name = "leaders",
    .doc = "sums in shared memory within nodes; leaders gather the sums of up to 128 KiB and add them in one "
           "order, longer ones by circulant: one wait a call, two for long vectors",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .node_aware = true,
    .shared = allreduce_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

/* ------------------------------------------------------------------- reduce */

/* The root has its node's sum in its receive buffer, unless all ranks add slices of it. A rank that is alone
 * sends its vector from the send buffer. */
struct root_sum {
    struct node_sum node;
    enum meet_way way;
    struct tree tree; /* of nodes */
    uint32_t behind;  /* how far this node is behind the root's */
    bool is_root;
};

static struct root_sum root_sum_of(const struct coll_call *call)
{
    struct root_sum self = {.node = node_sum_of(call, call->root, call->bytes),
                            .is_root = call->rank == call->root};
    const struct node_call *place = &self.node.meet.place;
    self.tree = tree_of(place->node, node_of(call, call->root), place->nodes);
    self.behind = self.tree.virtual_rank;
    self.way = meet_way_of(&self.node.meet);
    if (self.is_root && !self.node.is_sliced)
        self.node.sum.buffer = COLL_RECV_BUFFER;
    else if (place->here == 1)
        self.node.sum.buffer = COLL_SEND_BUFFER;
    return self;
}

/* A leader that is alone adds what comes to it in scratch; it may not write its send buffer. */
static bool adds_in_scratch(const struct root_sum *self)
{
    return self->node.sum.buffer == COLL_SEND_BUFFER;
}

static uint32_t leader_behind_root(const struct root_sum *self, uint32_t distance)
{
    return meet_leader_behind(&self->node.meet, self->tree.root, distance);
}

/* What comes to the root at once. */
static struct coll_span incoming_at(const struct root_sum *self, uint32_t distance)
{
    return span_of(COLL_SCRATCH, (distance - 1) * self->node.bytes, self->node.bytes);
}

static struct coll_span into_result(const struct root_sum *self, struct coll_sink *sink)
{
    struct coll_span result = span_of(COLL_RECV_BUFFER, 0, self->node.bytes);
    if (self->node.sum.buffer != COLL_RECV_BUFFER)
        step_copy(sink, self->node.sum, result);
    return result;
}

static bool send_at_once(const struct root_sum *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t nodes = self->node.meet.place.nodes;
    if (!self->is_root) {
        if (phase == 0)
            sink->send(sink, self->node.meet.call->root, self->node.sum);
        return phase == 0;
    }
    for (uint32_t i = 1; phase == 0 && i < nodes; i++)
        sink->recv(sink, leader_behind_root(self, i), incoming_at(self, i));
    if (phase != 1)
        return phase < 1;
    struct coll_span result = into_result(self, sink);
    for (uint32_t i = 1; sink->local && i < nodes; i++)
        step_reduce(sink, incoming_at(self, i), result);
    return true;
}

/* The root receives the sums of parts one after another. */
static bool receive_parts(const struct root_sum *self, uint32_t phase, struct coll_sink *sink)
{
    struct blocks parts = meet_parts(&self->node.meet);
    for (uint32_t i = 1; phase == 0 && i < self->node.meet.place.nodes; i++)
        sink->recv(sink, leader_behind_root(self, i), blocks_span(&parts, COLL_SCRATCH, i - 1, 1));
    if (phase == 1)
        step_reduce(sink, span_of(COLL_SCRATCH, 0, self->node.bytes), into_result(self, sink));
    return phase < 2;
}

/* The other leaders exchange parts first, and each adds up its own: in the node's sum, or in scratch behind
 * what comes in if it is alone. */
static bool send_in_parts(const struct root_sum *self, uint32_t phase, struct coll_sink *sink)
{
    if (self->is_root)
        return receive_parts(self, phase, sink);
    struct blocks parts = meet_parts(&self->node.meet);
    struct coll_span own = blocks_span(&parts, self->node.sum.buffer, self->behind - 1, 1);
    uint32_t others = parts.count - 1;
    for (uint32_t step = 1; phase == 0 && step <= others; step++) {
        uint32_t to = ring_up(self->behind - 1, step, parts.count);
        uint32_t from = ring_down(self->behind - 1, step, parts.count);
        step_exchange(sink, leader_behind_root(self, to + 1),
                      blocks_span(&parts, self->node.sum.buffer, to, 1), leader_behind_root(self, from + 1),
                      span_of(COLL_SCRATCH, (step - 1) * own.bytes, own.bytes));
    }
    if (phase != 1)
        return phase < 1;
    struct coll_span sum = adds_in_scratch(self) ? span_of(COLL_SCRATCH, others * own.bytes, own.bytes) : own;
    if (adds_in_scratch(self))
        step_copy(sink, own, sum);
    for (uint32_t i = 0; sink->local && i < others; i++)
        step_reduce(sink, span_of(COLL_SCRATCH, i * own.bytes, own.bytes), sum);
    sink->send(sink, self->node.meet.call->root, sum);
    return true;
}

static bool send_up(const struct root_sum *self, uint32_t phase, struct coll_sink *sink)
{
    uint64_t bytes = self->node.bytes;
    struct team_sink leaders = team_sink_of(&self->node.meet.levels.lane, sink);
    leaders.memory[COLL_SEND_BUFFER] = self->node.sum;
    if (!self->is_root)
        leaders.memory[COLL_RECV_BUFFER] =
            adds_in_scratch(self) ? span_of(COLL_SCRATCH, 0, 0) : self->node.sum;
    return tree_reduce(&self->tree, span_of(COLL_RECV_BUFFER, 0, bytes),
                       span_of(COLL_SCRATCH, adds_in_scratch(self) ? bytes : 0, bytes), phase, &leaders.base);
}

/* All other ranks are done as soon as all have staged, or have added their slices. Of two ranks that have met
 * at the barrier, the other one knows that by itself. */
static bool needs_end(const struct root_sum *self)
{
    return !self->node.is_sliced || self->node.meet.place.here > 2;
}

static bool lead_to_root(const struct root_sum *self, uint32_t phase, struct coll_sink *sink)
{
    if (phase == 0) {
        stage_vector(&self->node.meet, sink);
        meet_await(&self->node.meet, sink);
        return true;
    }
    if (phase == 1 && needs_end(self))
        meet_raise(&self->node.meet, sink);
    if (phase == 1)
        node_sum_begin(&self->node.meet, sink);
    if (self->way == MEET_AT_ONCE)
        return send_at_once(self, phase - 1, sink);
    if (self->way == MEET_IN_PARTS)
        return send_in_parts(self, phase - 1, sink);
    return send_up(self, phase - 1, sink);
}

static bool reduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct root_sum self = root_sum_of(call);
    if (self.node.is_sliced && phase-- == 0) {
        node_sum_stage(&self.node, sink);
        sink->barrier(sink);
        return true;
    }
    if (meet_leads(&self.node.meet))
        return lead_to_root(&self, phase, sink);
    if (phase == 0) {
        stage_vector(&self.node.meet, sink);
        meet_raise(&self.node.meet, sink);
        if (needs_end(&self))
            meet_await(&self.node.meet, sink);
    }
    return phase == 0;
}

static uint64_t scratch_for_parts(const struct root_sum *self)
{
    struct blocks parts = meet_parts(&self->node.meet);
    if (self->is_root)
        return self->node.bytes;
    return (parts.count - 1 + adds_in_scratch(self)) * blocks_bytes(&parts, self->behind - 1, 1);
}

static uint64_t reduce_scratch(const struct coll_call *call)
{
    struct root_sum self = root_sum_of(call);
    if (!meet_leads(&self.node.meet))
        return 0;
    if (self.way == MEET_AT_ONCE)
        return self.is_root ? (self.node.meet.place.nodes - 1) * call->bytes : 0;
    if (self.way == MEET_IN_PARTS)
        return scratch_for_parts(&self);
    return self.tree.children > 0 ? (adds_in_scratch(&self) ? 2 : 1) * call->bytes : 0;
}

static uint64_t reduce_shared(const struct coll_call *call)
{
    struct root_sum self = root_sum_of(call);
    return node_sum_shared(&self.node);
}

const struct coll_algorithm coll_reduce_leaders = {
    .kind = COLL_REDUCE,
    .name = "leaders",
    .doc = "sums in shared memory within nodes; leaders send them to the root, at once, by a binomial tree "
           "or in "
           "parts: N-1 messages, (N-1)^2 for long vectors",
    .emit = reduce,
    .scratch = reduce_scratch,
    .node_aware = true,
    .shared = reduce_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
