#include "coll/algorithms.h"
#include "coll/fold.h"
#include "coll/tree.h"

/* ----------------------------------------------------------------- pairwise */

static bool pairwise(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rank = call->rank, size = call->size;
    if (phase >= size)
        return false;
    struct blocks blocks = blocks_of_call(call, sink->local);
    uint64_t own_bytes = blocks_bytes(&blocks, rank, 1);
    struct coll_span sum = span_of(COLL_RECV_BUFFER, 0, own_bytes);
    struct coll_span incoming = span_of(COLL_SCRATCH, 0, own_bytes);
    if (phase > 0)
        step_reduce(sink, incoming, sum);
    else if (sink->local)
        step_copy(sink, blocks_span(&blocks, COLL_SEND_BUFFER, rank, 1), sum);
    uint32_t distance = phase + 1;
    if (distance < size) {
        uint32_t to = ring_up(rank, distance, size);
        step_exchange(sink, to, blocks_span(&blocks, COLL_SEND_BUFFER, to, 1),
                      ring_down(rank, distance, size), incoming);
    }
    return true;
}

static uint64_t pairwise_scratch(const struct coll_call *call)
{
    struct blocks blocks = blocks_of_call(call, true);
    return call->size > 1 ? blocks_bytes(&blocks, call->rank, 1) : 0;
}

const struct coll_algorithm coll_reduce_scatter_pairwise = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "pairwise",
    .doc = "each rank gets its block from every other, one at a time: P(P-1) messages in P-1 rounds; any P "
           "(Thakur, "
           "Rabenseifner, Gropp 2005)",
    .emit = pairwise,
    .scratch = pairwise_scratch,
};

/* -------------------------------------------------------- recursive halving */

/* Scratch: the sums so far, then what arrives, each as long as the whole vector. */
struct halving {
    struct fold fold;
    struct blocks blocks;
    uint64_t total;
};

/* The blocks of the ranks that ids [first, first + count) stand for. */
static struct coll_span held_by(const struct halving *halving, uint32_t first, uint32_t count)
{
    uint32_t begin = fold_first(&halving->fold, first), end = fold_first(&halving->fold, first + count);
    return blocks_span(&halving->blocks, COLL_SCRATCH, begin, end - begin);
}

static struct coll_span incoming(const struct halving *halving, struct coll_span sums)
{
    return span_of(COLL_SCRATCH, halving->total + sums.offset, sums.bytes);
}

/* Adds what the phase before has received: the summands of all blocks that this rank still sums up. */
static void add_received(const struct halving *self, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0 || self->fold.role == FOLD_HELPER) {
        uint32_t length = self->fold.power >> phase;
        struct coll_span kept = held_by(self, fold_half(self->fold.id, length), length);
        step_reduce(sink, incoming(self, kept), kept);
        return;
    }
    step_copy(sink, span_of(COLL_SEND_BUFFER, 0, self->total), span_of(COLL_SCRATCH, 0, self->total));
}

/* The sums for the ranks of this id are complete: the own block, and the block of a leaver. */
static void hand_out(const struct coll_call *call, const struct halving *self, struct coll_sink *sink)
{
    struct coll_span own = blocks_span(&self->blocks, COLL_SCRATCH, call->rank, 1);
    step_copy(sink, own, span_of(COLL_RECV_BUFFER, 0, own.bytes));
    if (self->fold.role == FOLD_HELPER)
        sink->send(sink, self->fold.partner, blocks_span(&self->blocks, COLL_SCRATCH, self->fold.partner, 1));
}

static bool recursive_halving(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct halving self = {.fold = fold_of(call->rank, call->size),
                           .blocks = blocks_of_call(call, sink->local)};
    const struct fold *fold = &self.fold;
    if (phase > fold->rounds + (fold->role == FOLD_HELPER))
        return false;
    self.total = blocks_of_call_bytes(call);
    struct coll_span all = span_of(COLL_SCRATCH, 0, self.total);
    struct coll_span mine = span_of(COLL_SEND_BUFFER, 0, self.total);
    if (fold->role == FOLD_LEAVER) {
        if (phase == 0)
            sink->send(sink, fold->partner, mine);
        else if (phase == 1)
            sink->recv(sink, fold->partner,
                       span_of(COLL_RECV_BUFFER, 0, blocks_bytes(&self.blocks, call->rank, 1)));
        return phase <= 1;
    }
    if (fold->role == FOLD_HELPER && phase-- == 0) {
        step_copy(sink, mine, all);
        sink->recv(sink, fold->partner, incoming(&self, all));
        return true;
    }
    add_received(&self, phase, sink);
    if (phase == fold->rounds) {
        hand_out(call, &self, sink);
        return true;
    }
    uint32_t distance = fold->power >> (phase + 1), keep = fold_half(fold->id, distance);
    uint32_t peer = fold_rank(fold, fold->id ^ distance);
    step_exchange(sink, peer, held_by(&self, keep ^ distance, distance), peer,
                  incoming(&self, held_by(&self, keep, distance)));
    return true;
}

static uint64_t recursive_halving_scratch(const struct coll_call *call)
{
    struct fold fold = fold_of(call->rank, call->size);
    if (fold.role == FOLD_LEAVER)
        return 0;
    return call->size > 1 ? 2 * blocks_of_call_bytes(call) : blocks_of_call_bytes(call);
}

const struct coll_algorithm coll_reduce_scatter_recursive_halving = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "recursive-halving",
    .doc = "half of the blocks to the partner in each round: Q log2 Q + 2(P-Q) messages, Q the power of two "
           "below P, the "
           "rest folded (Thakur, Rabenseifner, Gropp 2005)",
    .emit = recursive_halving,
    .scratch = recursive_halving_scratch,
};

/* -------------------------------------------------------- reduce + scatterv */

static bool reduce_scatterv(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, 0, call->size);
    uint32_t reduce_phases = tree_reduce_phases(&tree);
    if (phase < reduce_phases) {
        uint64_t total = blocks_of_call_bytes(call);
        return tree_reduce(&tree, span_of(COLL_SCRATCH, 0, total), span_of(COLL_SCRATCH, total, total), phase,
                           sink);
    }
    struct blocks blocks = blocks_of_call(call, sink->local);
    return tree_scatter(&tree, &blocks, COLL_SCRATCH, phase - reduce_phases, sink);
}

static uint64_t reduce_scatterv_scratch(const struct coll_call *call)
{
    struct tree tree = tree_of(call->rank, 0, call->size);
    if (tree.children > 0)
        return 2 * blocks_of_call_bytes(call);
    return call->size > 1 ? 0 : blocks_of_call_bytes(call);
}

const struct coll_algorithm coll_reduce_scatter_reduce_scatterv = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "reduce-scatterv",
    .doc = "binomial reduce to rank 0, then binomial scatterv, whose lengths everyone knows: 2(P-1) messages",
    .emit = reduce_scatterv,
    .scratch = reduce_scatterv_scratch,
};
