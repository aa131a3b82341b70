#include "coll/algorithms.h"
#include "coll/steps.h"

/* Dissemination of sums: in round k each rank sends to the rank 2^k after it, as in a barrier (Hensgen,
 * Finkel and Manber 1988), so that every round is a rotation, for any number of ranks and without folding.
 *
 * W is the sum of the last 2^k ranks: r - 2^k + 1 ... r. After floor(log2 P) rounds, rest = P - 2^k ranks are
 * missing. Their sum is one over the last `rest` ranks, of the rank 2^k before: A. Each rank makes its A
 * beside W from the bits of `rest`: in a round whose bit is set, A becomes W + the A of the rank 2^k before,
 * which covers the lower bits. So W and A go together in such a round, and A alone in the last one.
 *
 * Scratch: W, A, and room for both to arrive; without a rest only W and its room. */
struct dissemination {
    uint32_t rank, size, rounds, full; /* full: rounds in which W doubles */
    uint32_t rest;
    uint64_t bytes;
};

static struct dissemination dissemination_of(const struct coll_call *call)
{
    uint32_t full = log2_floor(call->size);
    uint32_t rest = call->size - (UINT32_C(1) << full);
    return (struct dissemination){.rank = call->rank,
                                  .size = call->size,
                                  .rounds = full + (rest > 0),
                                  .full = full,
                                  .rest = rest,
                                  .bytes = call->bytes};
}

/* The vectors first ... first + count - 1 of scratch. */
static struct coll_span vectors(const struct dissemination *self, uint32_t first, uint32_t count)
{
    return span_of(COLL_SCRATCH, first * self->bytes, count * self->bytes);
}

/* Where the incoming W and A are. */
static uint32_t incoming(const struct dissemination *self)
{
    return self->rest ? 2 : 1;
}

static bool grows(const struct dissemination *self, uint32_t round)
{
    return self->rest >> round & 1;
}

/* Whether A goes with W: it is used, and it is not empty. */
static bool has_both(const struct dissemination *self, uint32_t round)
{
    return grows(self, round) && (self->rest & ((UINT32_C(1) << round) - 1));
}

/* Adds what round `round` has brought. */
static void add(const struct dissemination *self, uint32_t round, struct coll_sink *sink)
{
    if (round == self->full) {
        step_reduce(sink, vectors(self, incoming(self), 1), vectors(self, 0, 1));
        return;
    }
    if (grows(self, round)) {
        step_copy(sink, vectors(self, 0, 1), vectors(self, 1, 1));
        if (has_both(self, round))
            step_reduce(sink, vectors(self, incoming(self) + 1, 1), vectors(self, 1, 1));
    }
    step_reduce(sink, vectors(self, incoming(self), 1), vectors(self, 0, 1));
}

static bool dissemination(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct dissemination self = dissemination_of(call);
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct coll_span sum = span_of(COLL_RECV_BUFFER, 0, call->bytes);
    if (phase > self.rounds)
        return false;
    if (call->size == 1) {
        step_copy(sink, own, sum);
        return true;
    }
    if (phase == 0)
        step_copy(sink, own, vectors(&self, 0, 1));
    else
        add(&self, phase - 1, sink);
    if (phase == self.rounds) {
        step_copy(sink, vectors(&self, 0, 1), sum);
        return true;
    }
    uint32_t distance = UINT32_C(1) << phase, count = has_both(&self, phase) ? 2 : 1;
    uint32_t first = phase == self.full;
    step_exchange(sink, ring_up(self.rank, distance, self.size), vectors(&self, first, count),
                  ring_down(self.rank, distance, self.size), vectors(&self, incoming(&self), count));
    return true;
}

static uint64_t dissemination_scratch(const struct coll_call *call)
{
    struct dissemination self = dissemination_of(call);
    return call->size > 1 ? 2 * (uint64_t)incoming(&self) * call->bytes : 0;
}

const struct coll_algorithm coll_allreduce_dissemination = {
    .kind = COLL_ALLREDUCE,
    .name = "dissemination",
    .doc = "in round k to the rank 2^k after: P ceil(log2 P) messages of a vector, or two for some P; any P "
           "without "
           "folding (after Hensgen, Finkel, Manber 1988)",
    .emit = dissemination,
    .scratch = dissemination_scratch,
};
