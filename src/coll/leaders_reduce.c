#include "coll/algorithms.h"
#include "coll/meet.h"

/* Allreduce through one leader of each node and shared memory (meet.h).
 *
 * Each rank stages its vector. The leader adds them in local order. If that is long work, the ranks meet at a
 * barrier first, and each adds up a slice of the vectors.
 *
 * The leaders exchange the sums of the nodes. If all sums are short together, each leader gathers all of them
 * and adds them in the order of nodes; otherwise each leader sums up a part (circulant.h). So all ranks get
 * the same bits: the sum of the same operands in the same order, or one that one leader has computed. */

/* A leader adds at most so many bytes by itself, and so does each rank when slices would be shorter than a
 * cache line. */
enum { LEADER_ADDS_BYTES = 16384, SLICE_BYTES_LEAST = 64 };
/* Each leader gathers the sums of all nodes up to so many bytes. */
enum { GATHERED_BYTES = 32768 };

/* The memory of a node: its sum, and behind it the vectors of all ranks but the leader. If sums are gathered,
 * the first part has the sums of the nodes a, a + 1 ... on node a. Otherwise it has the parts of one sum
 * in this order, as a circulant graph needs them, and the vectors make room for what comes in. */
struct summing {
    struct meet meet;
    struct blocks parts; /* one for each node */
    bool are_gathered;
    bool are_sliced;
    uint64_t bytes;  /* of a vector */
    uint64_t split;  /* position in the vector that is first in the node's memory */
    uint64_t staged; /* where the vectors begin */
};

static bool are_sliced(const struct meet *meet, uint64_t bytes)
{
    uint64_t here = meet->place.here;
    return (here - 1) * bytes > LEADER_ADDS_BYTES && bytes / here >= SLICE_BYTES_LEAST &&
           bytes / here >= meet->call->element;
}

static struct summing summing_of(const struct coll_call *call)
{
    struct summing self = {.meet = meet_of(call, TEAM_NO_ROOT), .bytes = call->bytes};
    uint32_t nodes = self.meet.place.nodes;
    self.are_gathered = nodes == 1 || call->bytes <= GATHERED_BYTES / nodes;
    self.are_sliced = are_sliced(&self.meet, call->bytes);
    self.parts = blocks_parts(nodes, call->bytes, call->element);
    self.split = self.are_gathered ? 0 : blocks_bytes(&self.parts, 0, self.meet.place.node);
    self.staged = self.are_gathered ? nodes * call->bytes : call->bytes;
    return self;
}

/* Position x of a vector that begins at `vector`, for all x from `first` to `end`, into the sum. */
static void into_sum(const struct summing *self, struct coll_span vector, uint64_t first, uint64_t end,
                     void (*step)(struct coll_sink *, struct coll_span, struct coll_span),
                     struct coll_sink *sink)
{
    uint64_t cut = self->split < first ? first : self->split > end ? end : self->split;
    step(sink, span_of(vector.buffer, vector.offset + cut, end - cut),
         meet_span(&self->meet, cut - self->split, end - cut));
    step(sink, span_of(vector.buffer, vector.offset + first, cut - first),
         meet_span(&self->meet, self->bytes - self->split + first, cut - first));
}

static struct coll_span staged_by(const struct summing *self, uint32_t number)
{
    return meet_span(&self->meet, self->staged + (number - 1) * self->bytes, self->bytes);
}

static void stage(const struct summing *self, struct coll_sink *sink)
{
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, self->bytes);
    if (meet_leads(&self->meet))
        into_sum(self, own, 0, self->bytes, step_copy, sink);
    else
        step_copy(sink, own, staged_by(self, self->meet.number));
}

static void add_up(const struct summing *self, uint64_t first, uint64_t end, struct coll_sink *sink)
{
    for (uint32_t number = 1; sink->local && number < self->meet.place.here; number++)
        into_sum(self, staged_by(self, number), first, end, step_reduce, sink);
}

static void add_up_slice(const struct summing *self, struct coll_sink *sink)
{
    struct blocks slices = blocks_parts(self->meet.place.here, self->bytes, self->meet.call->element);
    uint64_t first = blocks_offset(&slices, self->meet.number);
    add_up(self, first, first + blocks_bytes(&slices, self->meet.number, 1), sink);
}

/* ---------------------------------------------------------------- allreduce */

static struct coll_span gathered_from(const struct summing *self, uint32_t node)
{
    uint64_t index = ring_down(node, self->meet.place.node, self->meet.place.nodes);
    return meet_span(&self->meet, index * self->bytes, self->bytes);
}

/* What comes in overwrites the vectors, which are in the sum by then. */
static struct circulant graph_of(const struct summing *self, const struct blocks *blocks)
{
    return circulant_of(self->meet.place.node, blocks, 0, self->bytes);
}

static uint32_t exchange_phases(const struct summing *self)
{
    return self->are_gathered ? meet_allgather_phases(&self->meet) : 2 * log2_ceil(self->meet.place.nodes);
}

static void exchange(const struct summing *self, uint32_t phase, struct coll_sink *sink)
{
    struct blocks equal = blocks_equal(self->meet.place.nodes, self->bytes);
    struct circulant graph = graph_of(self, self->are_gathered ? &equal : &self->parts);
    struct team_sink leaders = meet_leaders(&self->meet, sink);
    if (self->are_gathered) {
        meet_allgather(&self->meet, &graph, phase, &leaders.base);
        return;
    }
    if (phase <= graph.rounds)
        circulant_reduce_scatter(&graph, phase, &leaders.base);
    if (phase >= graph.rounds)
        circulant_allgather(&graph, phase - graph.rounds, &leaders.base);
}

static void add_gathered(const struct summing *self, struct coll_sink *sink)
{
    for (uint32_t node = 1; sink->local && self->are_gathered && node < self->meet.place.nodes; node++)
        step_reduce(sink, gathered_from(self, node), gathered_from(self, 0));
}

static void take_sum(const struct summing *self, struct coll_sink *sink)
{
    uint64_t bytes = self->bytes, behind = bytes - self->split;
    struct coll_span sum = self->are_gathered ? gathered_from(self, 0) : meet_span(&self->meet, 0, bytes);
    step_copy(sink, span_of(sum.buffer, sum.offset, behind), span_of(COLL_RECV_BUFFER, self->split, behind));
    step_copy(sink, span_of(sum.buffer, sum.offset + behind, self->split),
              span_of(COLL_RECV_BUFFER, 0, self->split));
}

static void follow(const struct summing *self, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0) {
        take_sum(self, sink);
        return;
    }
    if (self->are_sliced)
        add_up_slice(self, sink);
    else
        stage(self, sink);
    meet_raise(&self->meet, sink);
    meet_await(&self->meet, sink);
}

static void lead(const struct summing *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t last = 1 + exchange_phases(self);
    if (phase == 0) {
        if (self->are_sliced)
            add_up_slice(self, sink);
        else
            stage(self, sink);
        meet_await(&self->meet, sink);
        return;
    }
    if (phase == 1 && !self->are_sliced)
        add_up(self, 0, self->bytes, sink);
    if (phase < last) {
        exchange(self, phase - 1, sink);
        return;
    }
    add_gathered(self, sink);
    meet_raise(&self->meet, sink);
    take_sum(self, sink);
}

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct summing self = summing_of(call);
    bool leads = meet_leads(&self.meet);
    if (self.are_sliced && phase-- == 0) {
        stage(&self, sink);
        sink->barrier(sink);
        return true;
    }
    if (phase > (leads ? 1 + exchange_phases(&self) : 1))
        return false;
    if (leads)
        lead(&self, phase, sink);
    else
        follow(&self, phase, sink);
    return true;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct summing self = summing_of(call);
    struct circulant graph = graph_of(&self, &self.parts);
    if (self.meet.place.here > 1)
        return 0;
    return self.staged + (self.are_gathered ? 0 : circulant_incoming(&graph));
}

static uint64_t allreduce_shared(const struct coll_call *call)
{
    struct summing self = summing_of(call);
    return self.meet.place.here > 1 ? self.staged + (self.meet.place.here - 1) * self.bytes : 0;
}

const struct coll_algorithm coll_allreduce_leaders = {
    .kind = COLL_ALLREDUCE,
    .name = "leaders",
    .doc = "sums in shared memory within nodes; leaders gather the sums of up to 32 KiB and add them in one "
           "order, longer ones by circulant: one wait a call, two for long vectors",
    .emit = allreduce,
    .scratch = allreduce_scratch,
    .node_aware = true,
    .shared = allreduce_shared,
    .flags = meet_flags,
    .shared_copies = MEET_COPIES,
};
