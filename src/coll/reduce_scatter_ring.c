#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/fold.h"

/* Reduce_scatter on a ring and as a butterfly, as Open MPI does it. */
static uint64_t longest_of(const struct coll_call *call)
{
    uint64_t longest = call->recv_bytes ? 0 : call->bytes;
    for (uint32_t i = 0; call->recv_bytes && i < call->size; i++)
        longest = call->recv_bytes[i] > longest ? call->recv_bytes[i] : longest;
    return longest;
}

/* --------------------------------------------------------------------- ring */

/* A block travels once around, to the rank whose it is, and each rank on its way adds its own. What arrives
 * is in one half of scratch while the sum before it leaves from the other half; the own block arrives in the
 * receive buffer. */
static struct coll_span travelling(const struct coll_call *call, const struct blocks *blocks, uint32_t index,
                                   uint32_t phase)
{
    uint64_t bytes = blocks_bytes(blocks, index, 1);
    if (index == call->rank)
        return span_of(COLL_RECV_BUFFER, 0, bytes);
    return span_of(COLL_SCRATCH, phase % 2 ? longest_of(call) : 0, bytes);
}

static bool ring(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t size = call->size, rank = call->rank;
    if (phase >= size)
        return false;
    struct blocks blocks = blocks_of_call(call, sink->local);
    uint32_t outgoing = ring_down(rank, phase + 1, size);
    struct coll_span own = blocks_span(&blocks, COLL_SEND_BUFFER, outgoing, 1), from = own;
    if (phase > 0) {
        from = travelling(call, &blocks, outgoing, phase - 1);
        step_reduce(sink, own, from);
    } else if (size == 1) {
        step_copy(sink, own, span_of(COLL_RECV_BUFFER, 0, own.bytes));
    }
    if (phase < size - 1)
        step_exchange(sink, ring_up(rank, 1, size), from, ring_down(rank, 1, size),
                      travelling(call, &blocks, ring_down(outgoing, 1, size), phase));
    return true;
}

static uint64_t ring_scratch(const struct coll_call *call)
{
    return call->size > 2 ? 2 * longest_of(call) : 0;
}

const struct coll_algorithm coll_reduce_scatter_ring = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "ring",
    .doc = "each block travels once around and is summed up: P(P-1) messages in P-1 rounds; any P (Open MPI: "
           "ring)",
    .emit = ring,
    .scratch = ring_scratch,
};

/* ---------------------------------------------------------------- butterfly */

/* Recursive halving with near partners first leaves a rank of id i with the window of the mirrored bits of i.
 * `permuted`: equal blocks of a power of two of ranks lie in mirrored order from the start, so each rank ends
 * with its own block. Otherwise ranks exchange their results in the end. Scratch: the sums, then what
 * arrives, each as long as the whole vector. */
struct butterfly {
    struct fold fold;
    struct blocks blocks;
    uint64_t total;
    bool permuted;
};

static struct butterfly butterfly_of(const struct coll_call *call, bool placed)
{
    struct butterfly self = {.fold = fold_of(call->rank, call->size), .blocks = blocks_of_call(call, placed)};
    self.total = blocks_of_call_bytes(call);
    self.permuted = self.fold.rest == 0 && !call->recv_bytes;
    return self;
}

static uint32_t mirrored(uint32_t id, uint32_t bits)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (id >> i & 1) << (bits - 1 - i);
    return result;
}

/* The window of an id after halvings: `power >> halvings` ids, whose blocks are one run. */
static struct coll_span window_of_id(const struct butterfly *self, uint32_t id, uint32_t halvings,
                                     uint64_t offset)
{
    const struct fold *fold = &self->fold;
    uint32_t count = fold->power >> halvings;
    uint32_t first = mirrored(id & ((UINT32_C(1) << halvings) - 1), fold->rounds);
    uint32_t begin = fold_first(fold, first), end = fold_first(fold, first + count);
    struct coll_span span = blocks_span(&self->blocks, COLL_SCRATCH, begin, end - begin);
    span.offset += offset;
    return span;
}

static void copy_vector(const struct butterfly *self, struct coll_sink *sink)
{
    uint32_t count = self->permuted ? self->fold.power : 0;
    if (!self->permuted)
        step_copy(sink, span_of(COLL_SEND_BUFFER, 0, self->total), span_of(COLL_SCRATCH, 0, self->total));
    for (uint32_t i = 0; sink->local && i < count; i++)
        step_copy(sink, blocks_span(&self->blocks, COLL_SEND_BUFFER, i, 1),
                  blocks_span(&self->blocks, COLL_SCRATCH, mirrored(i, self->fold.rounds), 1));
}

static void add_arrived(const struct butterfly *self, uint32_t halvings, struct coll_sink *sink)
{
    const struct fold *fold = &self->fold;
    if (halvings > 0)
        step_reduce(sink, window_of_id(self, fold->id, halvings, self->total),
                    window_of_id(self, fold->id, halvings, 0));
    else if (fold->role == FOLD_HELPER)
        step_reduce(sink, span_of(COLL_SCRATCH, self->total, self->total),
                    span_of(COLL_SCRATCH, 0, self->total));
    else
        copy_vector(self, sink);
}

/* The results of the window that this rank has summed up go to the ranks whose they are. */
static void hand_out(const struct coll_call *call, const struct butterfly *self, struct coll_sink *sink)
{
    const struct fold *fold = &self->fold;
    uint32_t owner = mirrored(fold->id, fold->rounds), rank = fold_rank(fold, owner);
    struct coll_span own = span_of(COLL_RECV_BUFFER, 0, blocks_bytes(&self->blocks, call->rank, 1));
    if (self->permuted) {
        step_copy(sink, window_of_id(self, fold->id, fold->rounds, 0), own);
        return;
    }
    if (owner < fold->rest)
        sink->send(sink, rank - 1, blocks_span(&self->blocks, COLL_SCRATCH, rank - 1, 1));
    struct coll_span result = blocks_span(&self->blocks, COLL_SCRATCH, rank, 1);
    if (owner == fold->id)
        step_copy(sink, result, own);
    else
        step_exchange(sink, rank, result, rank, own);
}

static bool leave(const struct coll_call *call, const struct butterfly *self, uint32_t phase,
                  struct coll_sink *sink)
{
    const struct fold *fold = &self->fold;
    if (phase == 0)
        sink->send(sink, fold->partner, span_of(COLL_SEND_BUFFER, 0, self->total));
    else if (phase == 1)
        sink->recv(sink, fold_rank(fold, mirrored(call->rank / 2, fold->rounds)),
                   span_of(COLL_RECV_BUFFER, 0, blocks_bytes(&self->blocks, call->rank, 1)));
    return phase <= 1;
}

static bool butterfly(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct butterfly self = butterfly_of(call, sink->local);
    const struct fold *fold = &self.fold;
    if (fold->role == FOLD_LEAVER)
        return leave(call, &self, phase, sink);
    if (fold->role == FOLD_HELPER && phase-- == 0) {
        copy_vector(&self, sink);
        sink->recv(sink, fold->partner, span_of(COLL_SCRATCH, self.total, self.total));
        return true;
    }
    if (phase > fold->rounds)
        return false;
    add_arrived(&self, phase, sink);
    if (phase == fold->rounds) {
        hand_out(call, &self, sink);
        return true;
    }
    uint32_t other = fold->id ^ UINT32_C(1) << phase, peer = fold_rank(fold, other);
    step_exchange(sink, peer, window_of_id(&self, other, phase + 1, 0), peer,
                  window_of_id(&self, fold->id, phase + 1, self.total));
    return true;
}

static uint64_t butterfly_scratch(const struct coll_call *call)
{
    struct butterfly self = butterfly_of(call, true);
    return self.fold.role == FOLD_LEAVER ? 0 : call->size > 1 ? 2 * self.total : self.total;
}

const struct coll_algorithm coll_reduce_scatter_butterfly = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "butterfly",
    .doc =
        "recursive halving with the nearest partners first, then results go to their ranks: about Q log2 Q "
        "+ Q + 2(P-Q) messages (Traff 2005; Open MPI: butterfly)",
    .emit = butterfly,
    .scratch = butterfly_scratch,
};
