#include "coll/circulant.h"

#include "coll/algorithms.h"

/* A round of a reduce_scatter: R has `whole` blocks before it and `rest` behind it, and the others go to the
 * rank `distance` after. There they are as many blocks from R[first] on. */
struct round {
    uint32_t whole, rest, distance, first;
};

static struct round halve(uint32_t whole)
{
    uint32_t half = whole - whole / 2;
    return (struct round){whole, half, half, 0};
}

/* The blocks that are left after so many rounds of two rings, of which the first `rounds` lead far. */
static uint32_t left_of_rings(const struct circulant *self, uint32_t round)
{
    uint32_t size = self->blocks->count, far = self->far, far_rounds = (size - 1) / far;
    if (round == 0)
        return size;
    return round <= far_rounds ? (far_rounds + 1 - round) * far
                               : (size < far ? size : far) - (round - far_rounds);
}

static struct round round_at(const struct circulant *self, uint32_t number)
{
    if (self->far) {
        uint32_t whole = left_of_rings(self, number), rest = left_of_rings(self, number + 1);
        uint32_t distance = whole > self->far ? self->far : 1;
        return (struct round){whole, rest, distance, rest - distance};
    }
    struct round round = halve(self->blocks->count);
    while (number-- > 0)
        round = halve(round.rest);
    return round;
}

struct circulant circulant_rings(uint32_t rank, const struct blocks *blocks, uint64_t kept, uint64_t incoming,
                                 uint32_t far)
{
    struct circulant self = circulant_of(rank, blocks, kept, incoming);
    uint32_t far_rounds = (blocks->count - 1) / far;
    self.far = far;
    self.rounds = far_rounds + (blocks->count < far ? blocks->count : far) - 1;
    return self;
}

/* R[first] ... R[first + count - 1] */
static struct coll_span kept_blocks(const struct circulant *self, uint32_t first, uint32_t count)
{
    uint32_t begin = ring_up(self->rank, first, self->blocks->count);
    return span_of(COLL_SCRATCH, self->kept + blocks_cyclic_bytes(self->blocks, self->rank, first),
                   blocks_cyclic_bytes(self->blocks, begin, count));
}

/* The same in an allgather. */
static struct coll_span gathered_blocks(const struct circulant *self, uint32_t first, uint32_t count)
{
    uint32_t size = self->blocks->count;
    if (!self->far)
        return kept_blocks(self, first, count);
    uint32_t behind = ring_down(self->rank, first, size), begin = ring_down(behind, count, size);
    return span_of(COLL_SCRATCH,
                   self->kept + blocks_cyclic_bytes(self->blocks, ring_up(behind, 1, size), first),
                   blocks_cyclic_bytes(self->blocks, ring_up(begin, 1, size), count));
}

/* What a round of a reduce_scatter receives. */
static struct coll_span received_in(const struct circulant *self, struct round round)
{
    return kept_blocks(self, round.first, round.whole - round.rest);
}

uint64_t circulant_incoming(const struct circulant *self)
{
    uint64_t most = 0;
    for (uint32_t number = 0; number < self->rounds; number++) {
        uint64_t bytes = received_in(self, round_at(self, number)).bytes;
        most = bytes > most ? bytes : most;
        if (!self->far)
            break; /* of halves, the first are the most */
    }
    return most;
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
    uint32_t size = self->blocks->count;
    for (uint32_t i = 0; i < size && self->far; i++) {
        struct coll_span block = gathered_blocks(self, i, 1);
        uint64_t before = blocks_bytes(self->blocks, 0, ring_down(self->rank, i, size));
        step_copy(sink, block, part_of(ordered, before, block.bytes));
    }
    if (self->far)
        return;
    uint64_t before = blocks_bytes(self->blocks, 0, self->rank), behind = ordered.bytes - before;
    step_copy(sink, span_of(COLL_SCRATCH, self->kept, behind), part_of(ordered, before, behind));
    step_copy(sink, span_of(COLL_SCRATCH, self->kept + behind, before), part_of(ordered, 0, before));
}

void circulant_reduce_scatter(const struct circulant *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = self->blocks->count;
    if (phase > 0) {
        struct coll_span sums = received_in(self, round_at(self, phase - 1));
        step_reduce(sink, span_of(COLL_SCRATCH, self->incoming, sums.bytes), sums);
    }
    if (phase == self->rounds)
        return;
    struct round round = round_at(self, phase);
    step_exchange(sink, ring_up(self->rank, round.distance, size),
                  kept_blocks(self, round.rest, round.whole - round.rest),
                  ring_down(self->rank, round.distance, size),
                  span_of(COLL_SCRATCH, self->incoming, received_in(self, round).bytes));
}

void circulant_allgather(const struct circulant *self, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = self->blocks->count;
    struct round round = round_at(self, self->rounds - 1 - phase);
    uint32_t up = ring_up(self->rank, round.distance, size),
             down = ring_down(self->rank, round.distance, size);
    uint32_t count = round.whole - round.rest;
    step_exchange(sink, self->far ? up : down, gathered_blocks(self, round.first, count),
                  self->far ? down : up, gathered_blocks(self, round.rest, count));
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
static struct circulant halves_of(const struct coll_call *call, const struct blocks *blocks)
{
    uint64_t total = blocks_bytes(blocks, 0, call->size);
    return circulant_of(call->rank, blocks, 0, total);
}

/* The same with rings of about as many ranks. */
static struct circulant rings_of(const struct coll_call *call, const struct blocks *blocks)
{
    uint64_t total = blocks_bytes(blocks, 0, call->size);
    uint32_t far = 1;
    while ((uint64_t)far * far < call->size)
        far++;
    return circulant_rings(call->rank, blocks, 0, total, far);
}

static uint64_t scratch_of(const struct coll_call *call, const struct circulant *self)
{
    return call->size > 1 ? self->incoming + circulant_incoming(self) : 0;
}

static bool reduce_scatter_by(const struct circulant *self, const struct coll_call *call, uint32_t phase,
                              struct coll_sink *sink)
{
    if (phase > self->rounds)
        return false;
    struct coll_span all = span_of(COLL_SEND_BUFFER, 0, blocks_bytes(self->blocks, 0, call->size));
    struct coll_span own = circulant_own(self);
    if (phase == 0 && call->size > 1)
        circulant_turn(self, all, sink);
    circulant_reduce_scatter(self, phase, sink);
    if (phase == self->rounds)
        step_copy(sink, call->size > 1 ? own : all, span_of(COLL_RECV_BUFFER, 0, own.bytes));
    return true;
}

static bool reduce_scatter(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct circulant self = halves_of(call, &blocks);
    return reduce_scatter_by(&self, call, phase, sink);
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct circulant self = halves_of(call, &blocks);
    return scratch_of(call, &self);
}

const struct coll_algorithm coll_reduce_scatter_circulant = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "circulant",
    .doc = "halving without folding: P ceil(log2 P) messages, P-1 blocks sent per rank; any P (Traeff 2024)",
    .emit = reduce_scatter,
    .scratch = reduce_scatter_scratch,
};

static bool reduce_scatter_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct circulant self = rings_of(call, &blocks);
    return reduce_scatter_by(&self, call, phase, sink);
}

static uint64_t reduce_scatter_rings_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct circulant self = rings_of(call, &blocks);
    return scratch_of(call, &self);
}

const struct coll_algorithm coll_reduce_scatter_two_rings = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "two-rings",
    .doc = "a ring of far ranks, then one of near ranks: two ranks to send to, about 2 sqrt(P) rounds, P-1 "
           "blocks "
           "sent per rank; any P (bucket algorithm of Barnett et al. 1994 on a circulant graph)",
    .emit = reduce_scatter_rings,
    .scratch = reduce_scatter_rings_scratch,
};

/* ---------------------------------------------------------------- allreduce */

static bool allreduce_by(const struct circulant *self, const struct coll_call *call, uint32_t phase,
                         struct coll_sink *sink)
{
    if (phase >= circulant_allreduce_phases(self))
        return false;
    circulant_allreduce(self, span_of(COLL_SEND_BUFFER, 0, call->bytes),
                        span_of(COLL_RECV_BUFFER, 0, call->bytes), phase, sink);
    return true;
}

static bool allreduce(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct circulant self = halves_of(call, &parts);
    return allreduce_by(&self, call, phase, sink);
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct circulant self = halves_of(call, &parts);
    return scratch_of(call, &self);
}

const struct coll_algorithm coll_allreduce_circulant = {
    .kind = COLL_ALLREDUCE,
    .name = "circulant",
    .doc = "halving and doubling without folding: 2P ceil(log2 P) messages, 2(1-1/P) vectors sent per rank; "
           "any P (Traeff 2024)",
    .emit = allreduce,
    .scratch = allreduce_scratch,
};

static bool allreduce_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct circulant self = rings_of(call, &parts);
    return allreduce_by(&self, call, phase, sink);
}

static uint64_t allreduce_rings_scratch(const struct coll_call *call)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct circulant self = rings_of(call, &parts);
    return scratch_of(call, &self);
}

const struct coll_algorithm coll_allreduce_two_rings = {
    .kind = COLL_ALLREDUCE,
    .name = "two-rings",
    .doc = "rings of far and of near ranks, and back: two ranks to send to, about 4 sqrt(P) rounds, 2(1-1/P) "
           "vectors sent per rank; any P (bucket algorithm of Barnett et al. 1994 on a circulant graph)",
    .emit = allreduce_rings,
    .scratch = allreduce_rings_scratch,
};

/* ---------------------------------------------------------------- allgather */

static bool allgather_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    struct circulant self = rings_of(call, &blocks);
    struct coll_span all = span_of(COLL_RECV_BUFFER, 0, call->size * call->bytes);
    if (phase > self.rounds)
        return false;
    if (phase == 0)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, call->bytes),
                  call->size > 1 ? circulant_own(&self) : all);
    if (phase < self.rounds)
        circulant_allgather(&self, phase, sink);
    else if (call->size > 1)
        circulant_turn_back(&self, all, sink);
    return true;
}

static uint64_t allgather_rings_scratch(const struct coll_call *call)
{
    return call->size > 1 ? call->size * call->bytes : 0;
}

const struct coll_algorithm coll_allgather_two_rings = {
    .kind = COLL_ALLGATHER,
    .name = "two-rings",
    .doc = "a ring of near ranks, then one of far ranks: two ranks to send to, about 2 sqrt(P) rounds, P-1 "
           "blocks "
           "sent per rank; any P (bucket algorithm of Barnett et al. 1994 on a circulant graph)",
    .emit = allgather_rings,
    .scratch = allgather_rings_scratch,
};
