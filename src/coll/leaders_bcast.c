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

/* The leaders' messages. */
struct way {
    struct meet meet;
    struct tree tree; /* of nodes */
    bool at_once;
    bool is_root;
    struct coll_span data; /* what the leader sends, or receives first */
};

static struct way way_of(const struct coll_call *call)
{
    struct way self = {.meet = meet_of(call, call->root), .is_root = call->rank == call->root};
    self.tree = tree_of(self.meet.place.node, node_of(call, call->root), self.meet.place.nodes);
    self.at_once = meet_at_once(&self.meet);
    self.data = self.is_root                ? span_of(COLL_SEND_BUFFER, 0, call->bytes)
                : self.meet.place.here == 1 ? span_of(COLL_RECV_BUFFER, 0, call->bytes)
                                            : meet_span(&self.meet, 0, call->bytes);
    return self;
}

static bool passes_on(const struct way *self)
{
    return !self->at_once && self->tree.children > 0;
}

static uint32_t message_phases(const struct way *self)
{
    if (self->at_once)
        return self->meet.place.nodes > 1 ? 1 : 0;
    return tree_bcast_phases(&self->tree);
}

static void send_to_all(const struct way *self, struct coll_sink *sink)
{
    uint32_t nodes = self->meet.place.nodes;
    for (uint32_t i = 1; i < nodes; i++)
        sink->send(sink, meet_leader_of(&self->meet, ring_up(self->meet.place.node, i, nodes)), self->data);
}

static void post_messages(const struct way *self, uint32_t phase, struct coll_sink *sink)
{
    if (!self->at_once) {
        struct team_sink leaders = team_sink_of(&self->meet.levels.lane, sink);
        leaders.memory[COLL_SEND_BUFFER] = span_of(self->data.buffer, 0, 0);
        tree_bcast(&self->tree, span_of(COLL_SEND_BUFFER, 0, self->data.bytes), phase, &leaders.base);
    } else if (self->is_root) {
        send_to_all(self, sink);
    } else {
        sink->recv(sink, self->meet.call->root, self->data);
    }
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
    uint32_t messages = message_phases(self), waits = !self->is_root && passes_on(self) ? 1 : 0;
    uint32_t phases = has_others ? waits + 2 : 0;
    if (has_others && phase == waits + 1)
        meet_raise(&self->meet, sink);
    if (phase < messages)
        post_messages(self, phase, sink);
    if (has_others && self->is_root && phase == 0)
        step_copy(sink, self->data, meet_span(&self->meet, 0, self->data.bytes));
    if (has_others && phase == waits)
        meet_await(&self->meet, sink);
    if (has_others && !self->is_root && phase == waits + 1)
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
    .doc = "the root sends to a leader of each node, at once or by a binomial tree; shared memory within "
           "nodes: N-1 messages",
    .emit = bcast,
    .node_aware = true,
    .shared = one_vector,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
