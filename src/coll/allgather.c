#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/fold.h"

/* Allgather and allgatherv: every rank knows the lengths of all blocks, so one generator serves both. */
static struct blocks blocks_of(const struct coll_call *call, bool placed)
{
    const uint64_t *given = call->kind == COLL_ALLGATHERV ? call->recv_bytes : NULL;
    return blocks_given(call->size, given, call->bytes, placed);
}

static struct coll_span own_of(const struct coll_call *call, const struct blocks *blocks)
{
    return span_of(COLL_SEND_BUFFER, 0, blocks_bytes(blocks, call->rank, 1));
}

static void place_own(const struct coll_call *call, const struct blocks *blocks, struct coll_sink *sink)
{
    step_copy(sink, own_of(call, blocks), blocks_span(blocks, COLL_RECV_BUFFER, call->rank, 1));
}

/* --------------------------------------------------------------------- ring */

static bool ring(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size;
    if (phase >= size - 1 && phase > 0)
        return false;
    struct blocks blocks = blocks_of(call, sink->local);
    if (phase == 0)
        place_own(call, &blocks, sink);
    if (size == 1)
        return true;
    uint32_t outgoing = ring_down(call->rank, phase, size);
    step_exchange(sink, ring_up(call->rank, 1, size),
                  phase == 0 ? own_of(call, &blocks) : blocks_span(&blocks, COLL_RECV_BUFFER, outgoing, 1),
                  ring_down(call->rank, 1, size),
                  blocks_span(&blocks, COLL_RECV_BUFFER, ring_down(outgoing, 1, size), 1));
    return true;
}

#define RING_DOC                                                                                             \
    "each block travels once around: P(P-1) messages in P-1 rounds; any P (Thakur, Rabenseifner, Gropp "     \
    "2005)"

const struct coll_algorithm coll_allgather_ring = {
    .kind = COLL_ALLGATHER,
    .name = "ring",
    .doc = RING_DOC,
    .emit = ring,
};

const struct coll_algorithm coll_allgatherv_ring = {
    .kind = COLL_ALLGATHERV,
    .name = "ring",
    .doc = RING_DOC,
    .emit = ring,
};

/* ---------------------------------------------------------- ring, segmented */

enum { RING_SEGMENT_BYTES = 32768 };

/* At least one: a block without bytes takes a phase without a message. */
static uint64_t segments_of(uint64_t bytes, uint64_t segment)
{
    return bytes > segment ? (bytes - 1) / segment + 1 : 1;
}

/* Which block the phase is for: 0 is that of rank `first`, 1 that of first - 1 ... Also finds the segment in
 * it. */
static uint64_t block_at(const struct coll_call *call, uint64_t segment, uint32_t first, uint32_t phase,
                         uint64_t *at)
{
    uint64_t index = 0;
    *at = phase;
    if (!call->recv_bytes) {
        uint64_t segments = segments_of(call->bytes, segment);
        *at = phase % segments;
        return phase / segments;
    }
    for (; index < call->size - 1; index++) {
        uint32_t rank = ring_down(first, (uint32_t)index, call->size);
        uint64_t segments = segments_of(call->recv_bytes[rank], segment);
        if (*at < segments)
            break;
        *at -= segments;
    }
    return index;
}

/* The piece that a rank passes on, or gets, in a phase: segments of the blocks of ranks `first`, first - 1
 * ... without the last of these. */
static struct coll_span piece_of(const struct coll_call *call, const struct blocks *blocks, uint32_t first,
                                 uint32_t phase)
{
    uint64_t wanted = call->segment_bytes > 0 ? call->segment_bytes : RING_SEGMENT_BYTES, at;
    uint64_t segment = wanted > call->element ? wanted / call->element * call->element : call->element;
    uint64_t index = block_at(call, segment, first, phase, &at);
    if (index >= call->size - 1)
        return span_of(COLL_RECV_BUFFER, UINT64_MAX, 0); /* behind the last piece */
    struct coll_span block =
        blocks_span(blocks, COLL_RECV_BUFFER, ring_down(first, (uint32_t)index, call->size), 1);
    uint64_t done = at * segment, left = block.bytes - done;
    return span_of(block.buffer, block.offset + done, left < segment ? left : segment);
}

static bool ring_segmented(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, rank = call->rank, left = ring_down(rank, 1, size);
    struct blocks blocks = blocks_of(call, sink->local);
    struct coll_span out = piece_of(call, &blocks, rank, phase), in = piece_of(call, &blocks, left, phase);
    if (phase > 0 && out.offset == UINT64_MAX && in.offset == UINT64_MAX)
        return false;
    if (phase == 0)
        place_own(call, &blocks, sink);
    if (in.bytes > 0)
        sink->recv(sink, left, in);
    if (out.bytes > 0)
        sink->send(sink, ring_up(rank, 1, size), out);
    return true;
}

const struct coll_algorithm coll_allgatherv_ring_segmented = {
    .kind = COLL_ALLGATHERV,
    .name = "ring-segmented",
    .doc = "ring with blocks in segments of 32 KiB: messages without bytes are left out; any P (MPICH: ring)",
    .emit = ring_segmented,
    .has_segments = true,
};

/* ------------------------------------------------------ neighbour exchange */

/* Pairs of ranks 2i and 2i + 1 exchange their blocks. Then the two blocks that a rank received last go on, in
 * turn to the other neighbour and to the first. Blocks stay in pairs. */
static struct coll_span pair_of(const struct blocks *blocks, uint32_t rank, uint32_t pairs_on, bool down)
{
    uint32_t pairs = blocks->count / 2, pair = rank / 2;
    pair = down ? ring_down(pair, pairs_on % pairs, pairs) : ring_up(pair, pairs_on % pairs, pairs);
    return blocks_span(blocks, COLL_RECV_BUFFER, 2 * pair, 2);
}

/* The pair that arrives at an even rank in step `step`: step 0 completes the own pair, odd steps bring pairs
 * from below, further away each time, and even steps from above. For odd ranks it is the other way round. */
static struct coll_span arriving_pair(const struct blocks *blocks, uint32_t rank, uint32_t step)
{
    bool from_neighbour_below = (step % 2 != 0) == (rank % 2 == 0);
    return pair_of(blocks, rank, step % 2 ? (step + 1) / 2 : step / 2, from_neighbour_below);
}

static bool neighbour_exchange(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, rank = call->rank;
    if (size % 2 != 0)
        return ring(call, phase, sink);
    if (phase >= size / 2)
        return false;
    struct blocks blocks = blocks_of(call, sink->local);
    bool upwards = (phase % 2 != 0) == (rank % 2 != 0);
    uint32_t peer = upwards ? ring_up(rank, 1, size) : ring_down(rank, 1, size);
    if (phase == 0) {
        place_own(call, &blocks, sink);
        step_exchange(sink, peer, own_of(call, &blocks), peer,
                      blocks_span(&blocks, COLL_RECV_BUFFER, peer, 1));
        return true;
    }
    step_exchange(sink, peer, arriving_pair(&blocks, rank, phase - 1), peer,
                  arriving_pair(&blocks, rank, phase));
    return true;
}

#define NEIGHBOUR_DOC                                                                                        \
    "pairs of blocks in turn to both neighbours: P^2/2 messages in P/2 rounds for even P, a ring for odd P " \
    "(Chen, Zhang, Zhang, Yuan 2005; Open MPI: neighbor)"

const struct coll_algorithm coll_allgather_neighbour_exchange = {
    .kind = COLL_ALLGATHER,
    .name = "neighbour-exchange",
    .doc = NEIGHBOUR_DOC,
    .emit = neighbour_exchange,
};

const struct coll_algorithm coll_allgatherv_neighbour_exchange = {
    .kind = COLL_ALLGATHERV,
    .name = "neighbour-exchange",
    .doc = NEIGHBOUR_DOC,
    .emit = neighbour_exchange,
};

/* -------------------------------------------------------------------- Bruck */

/* Scratch has the blocks of ranks r, r+1, ... one after another. In round k the first of them go to r - 2^k,
 * and as many blocks arrive from r + 2^k at their end. */
static bool bruck(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rank = call->rank, size = call->size, rounds = log2_ceil(size);
    if (phase > rounds)
        return false;
    struct blocks blocks = blocks_of(call, sink->local);
    struct coll_span own = own_of(call, &blocks);
    if (phase < rounds) {
        uint32_t held = UINT32_C(1) << phase;
        uint32_t count = held < size - held ? held : size - held;
        if (phase == 0)
            step_copy(sink, own, span_of(COLL_SCRATCH, 0, own.bytes));
        step_exchange(sink, ring_down(rank, held, size),
                      span_of(COLL_SCRATCH, 0, blocks_cyclic_bytes(&blocks, rank, count)),
                      ring_up(rank, held, size),
                      span_of(COLL_SCRATCH, blocks_cyclic_bytes(&blocks, rank, held),
                              blocks_cyclic_bytes(&blocks, ring_up(rank, held, size), count)));
    } else if (size == 1) {
        place_own(call, &blocks, sink);
    } else {
        struct coll_span upper = blocks_span(&blocks, COLL_RECV_BUFFER, rank, size - rank);
        struct coll_span lower = blocks_span(&blocks, COLL_RECV_BUFFER, 0, rank);
        step_copy(sink, span_of(COLL_SCRATCH, 0, upper.bytes), upper);
        step_copy(sink, span_of(COLL_SCRATCH, upper.bytes, lower.bytes), lower);
    }
    return true;
}

static uint64_t bruck_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of(call, true);
    return call->size > 1 ? blocks_bytes(&blocks, 0, call->size) : 0;
}

#define BRUCK_DOC                                                                                            \
    "what a rank has goes to r-2^k in round k: P ceil(log2 P) messages, P(P-1) blocks; any P (Bruck et al. " \
    "1997)"

const struct coll_algorithm coll_allgather_bruck = {
    .kind = COLL_ALLGATHER,
    .name = "bruck",
    .doc = BRUCK_DOC,
    .emit = bruck,
    .scratch = bruck_scratch,
};

const struct coll_algorithm coll_allgatherv_bruck = {
    .kind = COLL_ALLGATHERV,
    .name = "bruck",
    .doc = BRUCK_DOC,
    .emit = bruck,
    .scratch = bruck_scratch,
};

/* ------------------------------------------------------- recursive doubling */

/* The blocks of the ranks that ids [first, first + count) stand for. */
static struct coll_span held_by(const struct fold *fold, const struct blocks *blocks, uint32_t first,
                                uint32_t count)
{
    uint32_t begin = fold_first(fold, first), end = fold_first(fold, first + count);
    return blocks_span(blocks, COLL_RECV_BUFFER, begin, end - begin);
}

static bool recursive_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct fold fold = fold_of(call->rank, call->size);
    struct blocks blocks = blocks_of(call, sink->local);
    if (fold.role == FOLD_LEAVER) {
        if (phase == 0)
            sink->send(sink, fold.partner, own_of(call, &blocks));
        else if (phase == 1)
            sink->recv(sink, fold.partner, blocks_span(&blocks, COLL_RECV_BUFFER, 0, call->size));
        return phase <= 1;
    }
    if (phase == 0)
        place_own(call, &blocks, sink);
    if (fold.role == FOLD_HELPER && phase-- == 0) {
        sink->recv(sink, fold.partner, blocks_span(&blocks, COLL_RECV_BUFFER, fold.partner, 1));
        return true;
    }
    if (phase < fold.rounds) {
        uint32_t held = UINT32_C(1) << phase, mine = fold_half(fold.id, held);
        uint32_t peer = fold_rank(&fold, fold.id ^ held);
        step_exchange(sink, peer, held_by(&fold, &blocks, mine, held), peer,
                      held_by(&fold, &blocks, mine ^ held, held));
        return true;
    }
    if (fold.role == FOLD_HELPER && phase == fold.rounds) {
        sink->send(sink, fold.partner, blocks_span(&blocks, COLL_RECV_BUFFER, 0, call->size));
        return true;
    }
    return phase == 0; /* with one rank: the phase that places its own block */
}

#define DOUBLING_DOC                                                                                         \
    "blocks held double in each round: Q log2 Q + 2(P-Q) messages, Q the power of two below P, the rest "    \
    "folded "                                                                                                \
    "(Thakur, Rabenseifner, Gropp 2005)"

const struct coll_algorithm coll_allgather_recursive_doubling = {
    .kind = COLL_ALLGATHER,
    .name = "recursive-doubling",
    .doc = DOUBLING_DOC,
    .emit = recursive_doubling,
};

const struct coll_algorithm coll_allgatherv_recursive_doubling = {
    .kind = COLL_ALLGATHERV,
    .name = "recursive-doubling",
    .doc = DOUBLING_DOC,
    .emit = recursive_doubling,
};
