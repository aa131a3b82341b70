#include "coll/algorithms.h"
#include "coll/steps.h"

/* Bruck's alltoall. Scratch has the blocks rotated: position i holds the block with i ranks still to go.
 * Round k belongs to the digit of i of weight w = base^k. For each value d that this digit can have but 0,
 * the blocks at all positions with this value move d w ranks on, packed into one message; the messages of a
 * round go at the same time. In base 2, round k moves the blocks at positions with bit k set by 2^k ranks. In
 * the end position i holds the block from rank r - i.
 *
 * A larger base has fewer rounds with more messages, and sends each block less often: once for each digit of
 * i that is not 0.
 *
 * Scratch: P positions, the packed blocks to send, the packed blocks received. */
struct bruck {
    uint32_t rank, size, radix;
    uint64_t block_bytes;
};

static struct coll_span position(const struct bruck *bruck, uint32_t index)
{
    return span_of(COLL_SCRATCH, index * bruck->block_bytes, bruck->block_bytes);
}

/* The weight of round `number`; 0: there are fewer rounds. */
static uint32_t weight_at(const struct bruck *bruck, uint32_t number)
{
    uint64_t weight = 1;
    while (number-- > 0 && weight < bruck->size)
        weight *= bruck->radix;
    return weight < bruck->size ? (uint32_t)weight : 0;
}

/* The largest value of the digit. */
static uint32_t most_of_digit(const struct bruck *bruck, uint32_t weight)
{
    uint32_t most = (bruck->size - 1) / weight;
    return most < bruck->radix - 1 ? most : bruck->radix - 1;
}

static uint32_t digit_of(const struct bruck *bruck, uint32_t weight, uint32_t index)
{
    return index / weight % bruck->radix;
}

/* How many positions have this value of the digit. */
static uint32_t blocks_with(const struct bruck *bruck, uint32_t weight, uint32_t digit)
{
    uint64_t period = (uint64_t)weight * bruck->radix;
    uint64_t rest = bruck->size % period, before = (uint64_t)digit * weight;
    uint64_t more = rest > before ? rest - before : 0;
    return (uint32_t)(bruck->size / period * weight + (more < weight ? more : weight));
}

/* Room for the packed blocks of any round. */
static uint32_t packed_blocks_max(const struct bruck *bruck)
{
    uint32_t most = 0, weight;
    for (uint32_t number = 0; (weight = weight_at(bruck, number)); number++) {
        uint32_t moved = bruck->size - blocks_with(bruck, weight, 0);
        most = moved > most ? moved : most;
    }
    return most;
}

/* `blocks` packed blocks behind `first` others. */
static struct coll_span packed(const struct bruck *bruck, bool incoming, uint32_t first, uint32_t blocks)
{
    uint64_t at = bruck->size + (incoming ? packed_blocks_max(bruck) : 0) + (uint64_t)first;
    return span_of(COLL_SCRATCH, at * bruck->block_bytes, blocks * bruck->block_bytes);
}

static void rotate_in(const struct bruck *bruck, struct coll_sink *sink)
{
    for (uint32_t i = 0; i < bruck->size; i++)
        step_copy(sink,
                  span_of(COLL_SEND_BUFFER, ring_up(bruck->rank, i, bruck->size) * bruck->block_bytes,
                          bruck->block_bytes),
                  position(bruck, i));
}

static void rotate_out(const struct bruck *bruck, struct coll_sink *sink)
{
    for (uint32_t i = 0; i < bruck->size; i++)
        step_copy(sink, position(bruck, i),
                  span_of(COLL_RECV_BUFFER, ring_down(bruck->rank, i, bruck->size) * bruck->block_bytes,
                          bruck->block_bytes));
}

/* Packs the blocks of a round, value by value, or puts those that have come in their places. */
static void pack(const struct bruck *bruck, uint32_t weight, bool incoming, struct coll_sink *sink)
{
    uint64_t at = packed(bruck, incoming, 0, 0).offset;
    for (uint32_t digit = 1; digit <= most_of_digit(bruck, weight); digit++)
        for (uint32_t i = digit * weight; i < bruck->size; i++) {
            if (digit_of(bruck, weight, i) != digit) {
                i += weight * (bruck->radix - 1) - 1; /* to the next position with this value */
                continue;
            }
            struct coll_span place = span_of(COLL_SCRATCH, at, bruck->block_bytes);
            if (incoming)
                step_copy(sink, place, position(bruck, i));
            else
                step_copy(sink, position(bruck, i), place);
            at += bruck->block_bytes;
        }
}

static void exchange(const struct bruck *bruck, uint32_t weight, struct coll_sink *sink)
{
    uint32_t first = 0;
    for (uint32_t digit = 1; digit <= most_of_digit(bruck, weight); digit++) {
        uint32_t blocks = blocks_with(bruck, weight, digit), distance = digit * weight;
        step_exchange(sink, ring_up(bruck->rank, distance, bruck->size), packed(bruck, false, first, blocks),
                      ring_down(bruck->rank, distance, bruck->size), packed(bruck, true, first, blocks));
        first += blocks;
    }
}

static bool emit(const struct coll_call *call, uint32_t radix, uint32_t phase, struct coll_sink *sink)
{
    struct bruck self = {.rank = call->rank, .size = call->size, .radix = radix, .block_bytes = call->bytes};
    uint32_t last = phase > 0 ? weight_at(&self, phase - 1) : 0, weight = weight_at(&self, phase);
    if (phase > 0 && !last)
        return false;
    if (sink->local) {
        if (phase == 0)
            rotate_in(&self, sink);
        else
            pack(&self, last, true, sink);
        if (weight)
            pack(&self, weight, false, sink);
        else
            rotate_out(&self, sink);
    }
    if (weight)
        exchange(&self, weight, sink);
    return true;
}

static uint64_t scratch(const struct coll_call *call, uint32_t radix)
{
    struct bruck self = {.size = call->size, .radix = radix};
    return (call->size + 2 * (uint64_t)packed_blocks_max(&self)) * call->bytes;
}

static bool bruck(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return emit(call, 2, phase, sink);
}

static uint64_t bruck_scratch(const struct coll_call *call)
{
    return scratch(call, 2);
}

const struct coll_algorithm coll_alltoall_bruck = {
    .kind = COLL_ALLTOALL,
    .name = "bruck",
    .doc = "blocks travel along the bits of their distance, packed: P ceil(log2 P) messages of about P/2 "
           "blocks; any P "
           "(Bruck et al. 1997)",
    .emit = bruck,
    .scratch = bruck_scratch,
};

static bool bruck_4(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return emit(call, 4, phase, sink);
}

static uint64_t bruck_4_scratch(const struct coll_call *call)
{
    return scratch(call, 4);
}

const struct coll_algorithm coll_alltoall_bruck_4 = {
    .kind = COLL_ALLTOALL,
    .name = "bruck-4",
    .doc =
        "bruck in base 4: half as many rounds of three messages, and each block is sent 3/4 as often; any P "
        "(Bruck et al. 1997)",
    .emit = bruck_4,
    .scratch = bruck_4_scratch,
};

/* The base of which two digits are enough. */
static uint32_t root_of(uint32_t size)
{
    uint32_t radix = 2;
    while ((uint64_t)radix * radix < size)
        radix++;
    return radix;
}

static bool bruck_root(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return emit(call, root_of(call->size), phase, sink);
}

static uint64_t bruck_root_scratch(const struct coll_call *call)
{
    return scratch(call, root_of(call->size));
}

const struct coll_algorithm coll_alltoall_bruck_root = {
    .kind = COLL_ALLTOALL,
    .name = "bruck-root",
    .doc = "bruck in base ceil(sqrt(P)): 2 rounds of about sqrt(P) messages, and each block is sent at most "
           "twice; "
           "any P (Bruck et al. 1997)",
    .emit = bruck_root,
    .scratch = bruck_root_scratch,
};
