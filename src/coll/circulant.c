#include "coll/circulant.h"

#include "coll/algorithms.h"

/* s[round] */
static uint32_t distance_at(const struct circulant *self, uint32_t round)
{
    uint32_t distance = self->blocks->count;
    while (round-- > 0)
        distance -= distance / 2;
    return distance;
}

/* R[first] ... R[first + count - 1] */
static struct coll_span kept_blocks(const struct circulant *self, uint32_t first, uint32_t count)
{
    uint32_t begin = ring_up(self->rank, first, self->blocks->count);
    return span_of(COLL_SCRATCH, self->kept + blocks_cyclic_bytes(self->blocks, self->rank, first),
                   blocks_cyclic_bytes(self->blocks, begin, count));
}

uint64_t circulant_incoming(const struct circulant *self)
{
    return blocks_cyclic_bytes(self->blocks, self->rank, self->blocks->count / 2);
}

static struct coll_span part_of(struct coll_span span, uint64_t offset, uint64_t bytes)
{
    return span_of(span.buffer, span.offset + offset, bytes);
}

void circulant_turn(const struct circulant *self, struct coll_span ordered, struct coll_sink *sink)
{
    if (!sink->local)
        return;
    uint64_t before = blocks_bytes(self->blocks, 0, self->rank), behind = ordered.bytes - before;
    step_copy(sink, part_of(ordered, before, behind), span_of(COLL_SCRATCH, self->kept, behind));
    step_copy(sink, part_of(ordered, 0, before), span_of(COLL_SCRATCH, self->kept + behind, before));
}

void circulant_turn_back(const struct circulant *self, struct coll_span ordered, struct coll_sink *sink)
{
    if (!sink->local)
        return;
    uint64_t before = blocks_bytes(self->blocks, 0, self->rank), behind = ordered.bytes - before;
    step_copy(sink, span_of(COLL_SCRATCH, self->kept, behind), part_of(ordered, before, behind));
    step_copy(sink, span_of(COLL_SCRATCH, self->kept + behind, before), part_of(ordered, 0, before));
}

void circulant_reduce_scatter(const struct circulant *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = self->blocks->count, whole = distance_at(self, phase), half = whole - whole / 2;
    if (phase > 0) {
        struct coll_span sums = kept_blocks(self, 0, distance_at(self, phase - 1) - whole);
        step_reduce(sink, span_of(COLL_SCRATCH, self->incoming, sums.bytes), sums);
    }
    if (phase == self->rounds)
        return;
    uint64_t bytes = kept_blocks(self, 0, whole - half).bytes;
    step_exchange(sink, ring_up(self->rank, half, size), kept_blocks(self, half, whole - half),
                  ring_down(self->rank, half, size), span_of(COLL_SCRATCH, self->incoming, bytes));
}

void circulant_allgather(const struct circulant *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = self->blocks->count, whole = distance_at(self, self->rounds - 1 - phase);
    uint32_t half = whole - whole / 2;
    step_exchange(sink, ring_down(self->rank, half, size), kept_blocks(self, 0, whole - half),
                  ring_up(self->rank, half, size), kept_blocks(self, half, whole - half));
}

uint32_t circulant_allreduce_phases(const struct circulant *self)
{
    return 2 * self->rounds + 1;
}

void circulant_allreduce(const struct circulant *self, struct coll_span own, struct coll_span sum,
                         uint32_t phase, struct coll_sink *sink)
{
    if (self->blocks->count == 1) {
        if (own.buffer != sum.buffer)
            step_copy(sink, own, sum);
        return;
    }
    if (phase == 0)
        circulant_turn(self, own, sink);
    if (phase <= self->rounds)
        circulant_reduce_scatter(self, phase, sink);
    if (phase == 2 * self->rounds)
        circulant_turn_back(self, sum, sink);
    else if (phase >= self->rounds)
        circulant_allgather(self, phase - self->rounds, sink);
}

/* ----------------------------------------------------------- reduce_scatter */

/* Scratch: R, then what arrives. */
static struct circulant of_ranks(const struct coll_call *call, const struct blocks *blocks)
{
    uint64_t total = blocks_bytes(blocks, 0, call->size);
    return circulant_of(call->rank, blocks, 0, total);
}

static uint64_t scratch_of(const struct coll_call *call, const struct blocks *blocks)
{
    struct circulant self = of_ranks(call, blocks);
    return call->size > 1 ? self.incoming + circulant_incoming(&self) : 0;
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct circulant self = of_ranks(call, &blocks);
    if (phase > self.rounds)
        return false;
    struct coll_span all = span_of(COLL_SEND_BUFFER, 0, blocks_bytes(&blocks, 0, call->size));
    struct coll_span own = circulant_own(&self);
    if (phase == 0 && call->size > 1)
        circulant_turn(&self, all, sink);
    circulant_reduce_scatter(&self, phase, sink);
    if (phase == self.rounds)
        step_copy(sink, call->size > 1 ? own : all, span_of(COLL_RECV_BUFFER, 0, own.bytes));
    return true;
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    return scratch_of(call, &blocks);
}

const struct coll_algorithm coll_reduce_scatter_circulant = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "circulant",
    .doc = "halving without folding: P ceil(log2 P) messages, P-1 blocks sent per rank; any P (Traeff 2024)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
};

/* ---------------------------------------------------------------- allreduce */

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct circulant self = of_ranks(call, &parts);
    if (phase >= circulant_allreduce_phases(&self))
        return false;
    circulant_allreduce(&self, span_of(COLL_SEND_BUFFER, 0, call->bytes),
                        span_of(COLL_RECV_BUFFER, 0, call->bytes), phase, sink);
    return true;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    return scratch_of(call, &parts);
}

const struct coll_algorithm coll_allreduce_circulant = {
    .kind = COLL_ALLREDUCE,
    .name = "circulant",
    .doc = "halving and doubling without folding: 2P ceil(log2 P) messages, 2(1-1/P) vectors sent per rank; "
           "any P (Traeff 2024)",
    .emit = allreduce,
    .scratch = allreduce_scratch,
};
