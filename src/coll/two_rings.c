#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"

/* Two rings: the bucket algorithm of two-dimensional meshes (Barnett et al. 1994) on a circulant graph, for
 * any number of ranks. The near ring leads from rank r to r + 1, the far ring to r + F, with F =
 * ceil(sqrt(P)). A message goes along one of them, so each rank sends to two ranks only.
 *
 * A block `o` ranks away has o mod F near steps to go, its class, and o / F far ones, its place in the class.
 * A reduce_scatter sends the last class, all of it, to the next rank, where its sums are added to the class
 * before, until only class 0 is left; then the last place of class 0 to the rank F after. An allreduce goes
 * the same way back as an allgather, far steps first, so that it begins and ends on the near ring. An
 * allgather alone goes along the near ring first, and then sends the F blocks that it has got last along the
 * far one. */
struct two_rings {
    uint32_t rank, size, far;
    bool is_behind; /* offset o is the block of rank r - o; otherwise of r + o */
    const struct blocks *blocks;
};

static uint32_t far_of(uint32_t size)
{
    uint32_t far = 1;
    while ((uint64_t)far * far < size)
        far++;
    return far;
}

static struct two_rings rings_of(const struct coll_call *call, const struct blocks *blocks)
{
    return (struct two_rings){
        .rank = call->rank, .size = call->size, .far = far_of(call->size), .blocks = blocks};
}

static uint32_t near_rounds(uint32_t size)
{
    return far_of(size) - 1;
}

static uint32_t far_rounds(uint32_t size)
{
    return (size - 1) / far_of(size);
}

static uint32_t rounds_of(uint32_t size)
{
    return near_rounds(size) + far_rounds(size);
}

/* How many places a class has. */
static uint32_t places_of(const struct two_rings *self, uint32_t class)
{
    return class < self->size ? (self->size - 1 - class) / self->far + 1 : 0;
}

static uint32_t block_at(const struct two_rings *self, uint32_t class, uint32_t place)
{
    uint32_t offset = class + place * self->far;
    return self->is_behind ? ring_down(self->rank, offset, self->size)
                           : ring_up(self->rank, offset, self->size);
}

static uint64_t bytes_of(const struct two_rings *self, uint32_t class, uint32_t first, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t place = first; place < first + count; place++)
        sum += blocks_bytes(self->blocks, block_at(self, class, place), 1);
    return sum;
}

/* Classes stand one after another. Those of blocks of about one length have room for the longest. */
static uint64_t start_of(const struct two_rings *self, uint32_t class)
{
    uint64_t sum = 0;
    if (!self->blocks->bytes)
        return (uint64_t) class * places_of(self, 0) * blocks_bytes(self->blocks, 0, 1);
    for (uint32_t before = 0; before < class; before++)
        sum += bytes_of(self, before, 0, places_of(self, before));
    return sum;
}

static struct coll_span span_at(const struct two_rings *self, uint32_t class, uint32_t first, uint32_t count)
{
    return span_of(COLL_SCRATCH, start_of(self, class) + bytes_of(self, class, 0, first),
                   bytes_of(self, class, first, count));
}

/* Copies the blocks, in rank order in `ordered`, to scratch, or back. */
static void turn(const struct two_rings *self, enum coll_buffer ordered, bool back, struct coll_sink *sink)
{
    for (uint32_t class = 0; class < self->far && sink->local; class ++)
        for (uint32_t place = 0; place < places_of(self, class); place++) {
            struct coll_span kept = span_at(self, class, place, 1);
            uint64_t at = blocks_bytes(self->blocks, 0, block_at(self, class, place));
            struct coll_span given = span_of(ordered, at, kept.bytes);
            step_copy(sink, back ? kept : given, back ? given : kept);
        }
}

static void exchange(const struct two_rings *self, bool is_far, struct coll_span from, struct coll_span into,
                     struct coll_sink *sink)
{
    uint32_t distance = is_far ? self->far : 1;
    step_exchange(sink, ring_up(self->rank, distance, self->size), from,
                  ring_down(self->rank, distance, self->size), into);
}

/* ----------------------------------------------------------- reduce_scatter */

/* What round `number` of a reduce_scatter sends, and to what its sums are added where they arrive. */
static struct coll_span sent_in(const struct two_rings *self, uint32_t number)
{
    uint32_t near = near_rounds(self->size);
    if (number < near)
        return span_at(self, near - number, 0, places_of(self, near - number));
    return span_at(self, 0, rounds_of(self->size) - number, 1);
}

static struct coll_span added_in(const struct two_rings *self, uint32_t number)
{
    uint32_t near = near_rounds(self->size);
    if (number < near)
        return span_at(self, near - number - 1, 0, places_of(self, near - number));
    return span_at(self, 0, rounds_of(self->size) - number - 1, 1);
}

/* Behind all classes. */
static uint64_t incoming_of(const struct two_rings *self)
{
    return start_of(self, self->far);
}

static uint64_t rings_scratch(const struct two_rings *self)
{
    uint64_t most = 0;
    for (uint32_t number = 0; number < rounds_of(self->size); number++) {
        uint64_t bytes = added_in(self, number).bytes;
        most = bytes > most ? bytes : most;
    }
    return self->size > 1 ? incoming_of(self) + most : 0;
}

/* Phases 0 ... rounds; the last one only adds. */
static void reduce_scatter(const struct two_rings *self, uint32_t phase, struct coll_sink *sink)
{
    uint64_t incoming = incoming_of(self);
    if (phase > 0) {
        struct coll_span sums = added_in(self, phase - 1);
        step_reduce(sink, span_of(COLL_SCRATCH, incoming, sums.bytes), sums);
    }
    if (phase < rounds_of(self->size))
        exchange(self, phase >= near_rounds(self->size), sent_in(self, phase),
                 span_of(COLL_SCRATCH, incoming, added_in(self, phase).bytes), sink);
}

static bool reduce_scatter_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct two_rings self = rings_of(call, &blocks);
    if (phase > rounds_of(call->size))
        return false;
    if (phase == 0 && call->size > 1)
        turn(&self, COLL_SEND_BUFFER, false, sink);
    reduce_scatter(&self, phase, sink);
    if (phase == rounds_of(call->size)) {
        struct coll_span own = span_at(&self, 0, 0, 1);
        step_copy(sink, call->size > 1 ? own : span_of(COLL_SEND_BUFFER, 0, own.bytes),
                  span_of(COLL_RECV_BUFFER, 0, own.bytes));
    }
    return true;
}

static uint64_t reduce_scatter_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    struct two_rings self = rings_of(call, &blocks);
    return rings_scratch(&self);
}

const struct coll_algorithm coll_reduce_scatter_two_rings = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "two-rings",
    .doc = "a ring of near ranks, then one of far ranks: two ranks to send to, about 2 sqrt(P) rounds, P-1 "
           "blocks "
           "sent per rank; any P (bucket algorithm of Barnett et al. 1994 on a circulant graph)",
    .emit = reduce_scatter_rings,
    .scratch = reduce_scatter_scratch,
};

/* ---------------------------------------------------------------- allreduce */

/* The rounds of a reduce_scatter in reverse: what was sent is received, from the other side. */
static void gather_back(const struct two_rings *self, uint32_t round, struct coll_sink *sink)
{
    struct two_rings behind = *self;
    uint32_t number = rounds_of(self->size) - 1 - round;
    behind.is_behind = true;
    exchange(self, number >= near_rounds(self->size), added_in(&behind, number), sent_in(&behind, number),
             sink);
}

static bool allreduce_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct two_rings self = rings_of(call, &parts);
    uint32_t rounds = rounds_of(call->size);
    if (phase > 2 * rounds)
        return false;
    if (call->size == 1) {
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, call->bytes), span_of(COLL_RECV_BUFFER, 0, call->bytes));
        return true;
    }
    if (phase == 0)
        turn(&self, COLL_SEND_BUFFER, false, sink);
    if (phase <= rounds)
        reduce_scatter(&self, phase, sink);
    if (phase >= rounds && phase < 2 * rounds)
        gather_back(&self, phase - rounds, sink);
    if (phase == 2 * rounds) {
        self.is_behind = true;
        turn(&self, COLL_RECV_BUFFER, true, sink);
    }
    return true;
}

static uint64_t allreduce_scratch(const struct coll_call *call)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    struct two_rings self = rings_of(call, &parts);
    return rings_scratch(&self);
}

const struct coll_algorithm coll_allreduce_two_rings = {
    .kind = COLL_ALLREDUCE,
    .name = "two-rings",
    .doc = "rings of near and of far ranks, and back: two ranks to send to, about 4 sqrt(P) rounds, 2(1-1/P) "
           "vectors sent per rank; any P (bucket algorithm of Barnett et al. 1994 on a circulant graph)",
    .emit = allreduce_rings,
    .scratch = allreduce_scratch,
};

/* ---------------------------------------------------------------- allgather */

/* Scratch has the blocks of ranks r, r - 1, r - 2 ... Those at `first` and behind it arrive. */
static bool allgather_rings(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, far = far_of(size), rounds = rounds_of(size);
    uint64_t bytes = call->bytes;
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, bytes);
    if (phase > rounds)
        return false;
    if (phase == 0)
        step_copy(sink, own, span_of(size > 1 ? COLL_SCRATCH : COLL_RECV_BUFFER, 0, bytes));
    if (phase < rounds) {
        bool is_far = phase >= near_rounds(size);
        uint32_t distance = is_far ? far : 1;
        uint32_t first = is_far ? (phase - near_rounds(size) + 1) * far : phase + 1;
        uint32_t count = first + distance < size ? distance : size - first;
        step_exchange(sink, ring_up(call->rank, distance, size),
                      span_of(COLL_SCRATCH, (first - distance) * bytes, count * bytes),
                      ring_down(call->rank, distance, size),
                      span_of(COLL_SCRATCH, first * bytes, count * bytes));
    } else if (size > 1) {
        for (uint32_t i = 0; i < size && sink->local; i++)
            step_copy(sink, span_of(COLL_SCRATCH, i * bytes, bytes),
                      span_of(COLL_RECV_BUFFER, ring_down(call->rank, i, size) * bytes, bytes));
    }
    return true;
}

static uint64_t allgather_scratch(const struct coll_call *call)
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
    .scratch = allgather_scratch,
};
