#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/passing.h"
#include "coll/steps.h"

/* Recursive doubling: in step k ranks at distance 2^k exchange all blocks but those of the 2^k ranks whose
 * sums they are in. A message is one piece of memory, so blocks around a gap are packed. Scratch: the sums,
 * what leaves, and what arrives, each as long as the whole vector. */
struct doubling {
    const struct coll_call *call;
    struct blocks blocks;
    uint64_t total;
};

static struct doubling doubling_of(const struct coll_call *call)
{
    struct doubling self = {.call = call, .blocks = blocks_of_call(call, true)};
    self.total = blocks_of_call_bytes(call);
    return self;
}

/* The blocks before and behind those of ranks [first, first + distance). */
struct around {
    struct coll_span before, behind;
};

static struct around around(const struct doubling *self, uint32_t first, uint32_t distance)
{
    uint32_t size = self->call->size, end = distance < size - first ? first + distance : size;
    return (struct around){.before = blocks_span(&self->blocks, COLL_SCRATCH, 0, first),
                           .behind = blocks_span(&self->blocks, COLL_SCRATCH, end, size - end)};
}

/* The two pieces without the gap, `area` vectors further on. */
static struct coll_span packed(const struct doubling *self, const struct around *pieces, uint32_t area)
{
    return span_of(COLL_SCRATCH, area * self->total, pieces->before.bytes + pieces->behind.bytes);
}

static void pack(const struct doubling *self, const struct around *pieces, struct coll_sink *sink)
{
    step_copy(sink, pieces->before, span_of(COLL_SCRATCH, self->total, pieces->before.bytes));
    step_copy(sink, pieces->behind,
              span_of(COLL_SCRATCH, self->total + pieces->before.bytes, pieces->behind.bytes));
}

/* Adds what step `step` has brought, if there are ranks on the other side. */
static void add_arrived(const struct doubling *self, uint32_t step, struct coll_sink *sink)
{
    uint32_t distance = UINT32_C(1) << step, theirs = (self->call->rank & ~(distance - 1)) ^ distance;
    if (theirs >= self->call->size)
        return;
    struct around pieces = around(self, theirs, distance);
    struct coll_span arrived = packed(self, &pieces, 2);
    step_reduce(sink, span_of(COLL_SCRATCH, arrived.offset, pieces.before.bytes), pieces.before);
    step_reduce(sink, span_of(COLL_SCRATCH, arrived.offset + pieces.before.bytes, pieces.behind.bytes),
                pieces.behind);
}

static void exchange(const struct doubling *self, uint32_t distance, struct coll_sink *sink)
{
    uint32_t rank = self->call->rank, peer = rank ^ distance, mine = rank & ~(distance - 1);
    if (peer >= self->call->size)
        return;
    struct around leaving = around(self, mine, distance), arriving = around(self, mine ^ distance, distance);
    pack(self, &leaving, sink);
    step_exchange(sink, peer, packed(self, &leaving, 1), peer, packed(self, &arriving, 2));
}

static void pass_on(const struct doubling *self, uint32_t distance, uint32_t over, struct coll_sink *sink)
{
    struct passing passing = passing_of(self->call->rank, self->call->size, distance, over);
    if (passing.role == PASSING_NONE)
        return;
    struct around pieces = around(self, passing.theirs, distance);
    if (passing.role == PASSING_SENDS)
        sink->send(sink, passing.peer, packed(self, &pieces, 2));
    else
        sink->recv(sink, passing.peer, packed(self, &pieces, 2));
}

static bool recursive_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct doubling self = doubling_of(call);
    uint32_t rounds = log2_ceil(call->size), step, passed;
    bool exchanges = passing_step(phase, rounds, &step, &passed);
    if (step > rounds || (step == rounds && passed > 0))
        return false;
    if (phase == 0)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, self.total), span_of(COLL_SCRATCH, 0, self.total));
    else if (passed == 0)
        add_arrived(&self, step - 1, sink);
    if (!exchanges)
        step_copy(sink, blocks_span(&self.blocks, COLL_SCRATCH, call->rank, 1),
                  span_of(COLL_RECV_BUFFER, 0, blocks_bytes(&self.blocks, call->rank, 1)));
    else if (passed == 0)
        exchange(&self, UINT32_C(1) << step, sink);
    else
        pass_on(&self, UINT32_C(1) << step, UINT32_C(1) << (step - passed), sink);
    return true;
}

static uint64_t recursive_doubling_scratch(const struct coll_call *call)
{
    struct doubling self = doubling_of(call);
    return call->size > 1 ? 3 * self.total : self.total;
}

const struct coll_algorithm coll_reduce_scatter_recursive_doubling = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "recursive-doubling",
    .doc =
        "all blocks but those that are summed up already, along the bits of the rank: P log2 P messages for "
        "powers of two; any P (Open MPI, MPICH: recursive_doubling)",
    .emit = recursive_doubling,
    .scratch = recursive_doubling_scratch,
};
