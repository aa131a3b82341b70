#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/steps.h"

/* Bruck's alltoall. Scratch has the blocks rotated: position i holds the block with i ranks still to go. In
 * round k all blocks at positions with bit k set move 2^k ranks on, packed into one message. In the end
 * position i holds the block from rank r - i.
 *
 * Scratch: P positions, the packed blocks to send, the packed blocks received. */
struct bruck {
    uint32_t rank, size;
    uint64_t block_bytes;
};

static struct coll_span position(const struct bruck *bruck, uint32_t index)
{
    return span_of(COLL_SCRATCH, index * bruck->block_bytes, bruck->block_bytes);
}

/* The number of integers in 0 ... size - 1 that have bit `bit` set. */
static uint32_t numbers_with_bit(uint32_t size, uint32_t bit)
{
    uint64_t half = UINT64_C(1) << bit;
    uint64_t rest = size % (2 * half);
    return (uint32_t)(size / (2 * half) * half + (rest > half ? rest - half : 0));
}

/* Room for the packed blocks of any round. */
static uint32_t packed_blocks_max(uint32_t size)
{
    uint32_t most = 0;
    for (uint32_t bit = 0; bit < log2_ceil(size); bit++)
        if (numbers_with_bit(size, bit) > most)
            most = numbers_with_bit(size, bit);
    return most;
}

static struct coll_span packed(const struct bruck *bruck, bool incoming, uint32_t blocks)
{
    uint64_t first = bruck->size + (incoming ? packed_blocks_max(bruck->size) : 0);
    return span_of(COLL_SCRATCH, first * bruck->block_bytes, blocks * bruck->block_bytes);
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

static void pack(const struct bruck *bruck, uint32_t bit, bool incoming, struct coll_sink *sink)
{
    uint64_t at = packed(bruck, incoming, 0).offset;
    for (uint32_t i = 0; i < bruck->size; i++) {
        if (!(i >> bit & 1))
            continue;
        struct coll_span place = span_of(COLL_SCRATCH, at, bruck->block_bytes);
        if (incoming)
            step_copy(sink, place, position(bruck, i));
        else
            step_copy(sink, position(bruck, i), place);
        at += bruck->block_bytes;
    }
}

static bool bruck(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct bruck self = {.rank = call->rank, .size = call->size, .block_bytes = call->bytes};
    uint32_t rounds = log2_ceil(call->size);
    if (phase > rounds)
        return false;
    if (sink->local) {
        if (phase == 0)
            rotate_in(&self, sink);
        else
            pack(&self, phase - 1, true, sink);
        if (phase < rounds)
            pack(&self, phase, false, sink);
        else
            rotate_out(&self, sink);
    }
    if (phase < rounds) {
        uint32_t blocks = numbers_with_bit(call->size, phase), distance = UINT32_C(1) << phase;
        step_exchange(sink, ring_up(call->rank, distance, call->size), packed(&self, false, blocks),
                      ring_down(call->rank, distance, call->size), packed(&self, true, blocks));
    }
    return true;
}

static uint64_t bruck_scratch(const struct coll_call *call)
{
    return (call->size + 2 * (uint64_t)packed_blocks_max(call->size)) * call->bytes;
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
