#include "coll/algorithms.h"
#include "coll/meet.h"
#include "coll/tree.h"

/* Barrier and bcast through one leader of each node and shared memory (meet.h). */

/* ------------------------------------------------------------------ barrier */

static void nothing_to_stage(const struct meet *self, struct coll_sink *sink)
{
    (void)self, (void)sink;
}

/* Round k of a dissemination goes to the leader 2^k further on; few leaders tell all others at once. */
static void tell(const struct meet *self, uint32_t phase, struct coll_sink *sink)
{
    const struct coll_span token = span_of(COLL_TOKEN, 0, 0);
    uint32_t node = self->place.node, nodes = self->place.nodes;
    uint32_t first = meet_few(self) ? 1 : UINT32_C(1) << phase, last = meet_few(self) ? nodes - 1 : first;
    for (uint32_t i = first; i <= last; i++)
        sink->recv(sink, meet_leader_of(self, ring_down(node, i, nodes)), token);
    for (uint32_t i = first; i <= last; i++)
        sink->send(sink, meet_leader_of(self, ring_up(node, i, nodes)), token);
}

static bool barrier(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    static const struct meet_steps steps = {
        .stage = nothing_to_stage, .exchange_phases = meet_allgather_phases, .exchange = tell};
    struct meet self = meet_of(call, TEAM_NO_ROOT);
    return meet_emit(&self, &steps, phase, sink);
}

const struct coll_algorithm coll_barrier_leaders = {
    .kind = COLL_BARRIER,
    .name = "leaders",
    .doc = "flags within nodes; leaders signal all others at once, from 9 nodes on by dissemination: at most "
           "N-1 messages a node",
    .emit = barrier,
    .node_aware = true,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};

/* -------------------------------------------------------------------- bcast */

/* The leaders' messages. In parts, the root sends each other leader a part, and those exchange their parts.
 */
struct way {
    struct meet meet;
    enum meet_way kind;
    struct tree tree; /* of nodes */
    uint32_t behind;  /* how far this node is behind the root's */
    struct coll_span data;
};

static struct way way_of(const struct coll_call *call)
{
    struct way self = {.meet = meet_of(call, call->root)};
    bool is_root = call->rank == call->root, is_alone = self.meet.place.here == 1;
    self.kind = meet_way_of(&self.meet);
    self.tree = tree_of(self.meet.place.node, node_of(call, call->root), self.meet.place.nodes);
    self.behind = self.tree.virtual_rank;
    self.data = is_root || is_alone ? span_of(is_root ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, call->bytes)
                                    : meet_span(&self.meet, 0, call->bytes);
    return self;
}

static bool is_root(const struct way *self)
{
    return self->meet.call->rank == self->meet.call->root;
}

static bool passes_on(const struct way *self)
{
    return self->kind == MEET_IN_PARTS || (self->kind == MEET_IN_TREE && self->tree.children > 0);
}

static uint32_t message_phases(const struct way *self)
{
    if (self->kind == MEET_IN_TREE)
        return tree_bcast_phases(&self->tree);
    return self->kind == MEET_IN_PARTS && !is_root(self) ? 2 : 1;
}

static uint32_t leader_behind_root(const struct way *self, uint32_t distance)
{
    return meet_leader_behind(&self->meet, self->tree.root, distance);
}

static struct coll_span part_behind_root(const struct way *self, uint32_t distance)
{
    struct blocks parts = meet_parts(&self->meet);
    return blocks_span(&parts, self->data.buffer, distance - 1, 1);
}

static void send_at_once(const struct way *self, struct coll_sink *sink)
{
    if (!is_root(self))
        sink->recv(sink, self->meet.call->root, self->data);
    for (uint32_t i = 1; is_root(self) && i < self->meet.place.nodes; i++)
        sink->send(sink, leader_behind_root(self, i), self->data);
}

static void send_in_parts(const struct way *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t nodes = self->meet.place.nodes;
    if (phase == 0 && !is_root(self))
        sink->recv(sink, self->meet.call->root, part_behind_root(self, self->behind));
    for (uint32_t i = 1; phase == 0 && is_root(self) && i < nodes; i++)
        sink->send(sink, leader_behind_root(self, i), part_behind_root(self, i));
    for (uint32_t step = 1; phase == 1 && step < nodes - 1; step++) {
        uint32_t to = 1 + ring_up(self->behind - 1, step, nodes - 1);
        uint32_t from = 1 + ring_down(self->behind - 1, step, nodes - 1);
        step_exchange(sink, leader_behind_root(self, to), part_behind_root(self, self->behind),
                      leader_behind_root(self, from), part_behind_root(self, from));
    }
}

static void send_down(const struct way *self, uint32_t phase, struct coll_sink *sink)
{
    struct team_sink leaders = team_sink_of(&self->meet.levels.lane, sink);
    leaders.memory[COLL_SEND_BUFFER] = span_of(self->data.buffer, 0, 0);
    tree_bcast(&self->tree, span_of(COLL_SEND_BUFFER, 0, self->data.bytes), phase, &leaders.base);
}

static void post_messages(const struct way *self, uint32_t phase, struct coll_sink *sink)
{
    if (self->kind == MEET_AT_ONCE)
        send_at_once(self, sink);
    else if (self->kind == MEET_IN_PARTS)
        send_in_parts(self, phase, sink);
    else
        send_down(self, phase, sink);
}

static void take_vector(const struct meet *self, struct coll_sink *sink)
{
    step_copy(sink, meet_span(self, 0, self->call->bytes), span_of(COLL_RECV_BUFFER, 0, self->call->bytes));
}

/* The leader awaits the ranks of its node when it has posted the first message to others, so that a late rank
 * delays its own node only. */
static bool lead(const struct way *self, uint32_t phase, struct coll_sink *sink)
{
    bool has_others = self->meet.place.here > 1;
    uint32_t messages = message_phases(self), waits = !is_root(self) && passes_on(self) ? 1 : 0;
    uint32_t phases = has_others ? waits + 2 : 0;
    if (has_others && phase == waits + 1)
        meet_raise(&self->meet, sink);
    if (phase < messages)
        post_messages(self, phase, sink);
    if (has_others && is_root(self) && phase == 0)
        step_copy(sink, self->data, meet_span(&self->meet, 0, self->data.bytes));
    if (has_others && phase == waits)
        meet_await(&self->meet, sink);
    if (has_others && !is_root(self) && phase == waits + 1)
        take_vector(&self->meet, sink);
    return phase < (messages > phases ? messages : phases);
}

static bool bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct way self = way_of(call);
    if (meet_leads(&self.meet))
        return lead(&self, phase, sink);
    if (phase == 0) {
        meet_raise(&self.meet, sink);
        meet_await(&self.meet, sink);
    } else if (phase == 1) {
        take_vector(&self.meet, sink);
    }
    return phase < 2;
}

static uint64_t one_vector(const struct coll_call *call)
{
    return node_ranks(call, node_of(call, call->rank)) > 1 ? call->bytes : 0;
}

const struct coll_algorithm coll_bcast_leaders = {
    .kind = COLL_BCAST,
    .name = "leaders",
    .doc = "the root sends to a leader of each node, at once, by a binomial tree or in parts; shared memory "
           "within nodes: N-1 messages, (N-1)^2 for long vectors",
    .emit = bcast,
    .node_aware = true,
    .shared = one_vector,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
