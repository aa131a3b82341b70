#include "coll/algorithms.h"
#include "coll/fold.h"
#include "coll/tree.h"

static struct coll_span own_of(const struct coll_call *call)
{
    return span_of(COLL_SEND_BUFFER, 0, call->bytes);
}

static struct coll_span sum_of(const struct coll_call *call)
{
    return span_of(COLL_RECV_BUFFER, 0, call->bytes);
}

static struct coll_span incoming_of(const struct coll_call *call)
{
    return span_of(COLL_SCRATCH, 0, call->bytes);
}

static uint64_t vector_scratch(const struct coll_call *call)
{
    return call->size > 1 ? call->bytes : 0;
}

/* ----------------------------------------------------------- reduce + bcast */

static bool reduce_bcast(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct tree tree = tree_of(call->rank, 0, call->size);
    uint32_t reduce_phases = tree_reduce_phases(&tree);
    if (phase < reduce_phases)
        return tree_reduce(&tree, sum_of(call), incoming_of(call), phase, sink);
    return tree_bcast(&tree, sum_of(call), phase - reduce_phases, sink);
}

static uint64_t reduce_bcast_scratch(const struct coll_call *call)
{
    return tree_of(call->rank, 0, call->size).children > 0 ? call->bytes : 0;
}

const struct coll_algorithm coll_allreduce_reduce_bcast = {
    .kind = COLL_ALLREDUCE,
    .name = "reduce-bcast",
    .doc = "binomial reduce to rank 0, then binomial bcast: 2(P-1) messages in 2 ceil(log2 P) rounds",
    .emit = reduce_bcast,
    .scratch = reduce_bcast_scratch,
};

/* ------------------------------------------------- folded to a power of two */

/* The two phases of a leaver, the same in every folded allreduce. */
static bool leave(const struct coll_call *call, const struct fold *fold, uint32_t phase,
                  struct coll_sink *sink)
{
    if (phase == 0)
        sink->send(sink, fold->partner, own_of(call));
    else if (phase == 1)
        sink->recv(sink, fold->partner, sum_of(call));
    return phase <= 1;
}

/* The first phase of a helper. */
static void help(const struct coll_call *call, const struct fold *fold, struct coll_sink *sink)
{
    step_copy(sink, own_of(call), sum_of(call));
    sink->recv(sink, fold->partner, incoming_of(call));
}

static bool recursive_doubling(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct fold fold = fold_of(call->rank, call->size);
    if (fold.role == FOLD_LEAVER)
        return leave(call, &fold, phase, sink);
    if (fold.role == FOLD_HELPER && phase-- == 0) {
        help(call, &fold, sink);
        return true;
    }
    if (phase > fold.rounds)
        return false;
    if (phase == 0 && fold.role == FOLD_PLAIN)
        step_copy(sink, own_of(call), sum_of(call));
    else
        step_reduce(sink, incoming_of(call), sum_of(call));
    if (phase < fold.rounds) {
        uint32_t peer = fold_rank(&fold, fold.id ^ UINT32_C(1) << phase);
        step_exchange(sink, peer, sum_of(call), peer, incoming_of(call));
    } else if (fold.role == FOLD_HELPER) {
        sink->send(sink, fold.partner, sum_of(call));
    }
    return true;
}

const struct coll_algorithm coll_allreduce_recursive_doubling = {
    .kind = COLL_ALLREDUCE,
    .name = "recursive-doubling",
    .doc = "whole vectors along the bits of the rank: Q log2 Q + 2(P-Q) messages, Q the power of two below "
           "P, the "
           "rest folded (Thakur, Rabenseifner, Gropp 2005)",
    .emit = recursive_doubling,
    .scratch = vector_scratch,
};

/* Recursive halving: each step halves the range of parts that a rank sums up. It receives the summands of its
 * half in scratch, at their place in the vector, and the next step adds them. */
static void halve(const struct fold *fold, const struct blocks *parts, uint32_t distance,
                  struct coll_sink *sink)
{
    uint32_t keep = fold_half(fold->id, distance), give = keep ^ distance;
    uint32_t peer = fold_rank(fold, fold->id ^ distance);
    step_exchange(sink, peer, blocks_span(parts, COLL_RECV_BUFFER, give, distance), peer,
                  blocks_span(parts, COLL_SCRATCH, keep, distance));
}

static void add_half(const struct fold *fold, const struct blocks *parts, uint32_t distance,
                     struct coll_sink *sink)
{
    uint32_t kept = fold_half(fold->id, distance);
    step_reduce(sink, blocks_span(parts, COLL_SCRATCH, kept, distance),
                blocks_span(parts, COLL_RECV_BUFFER, kept, distance));
}

static void double_back(const struct fold *fold, const struct blocks *parts, uint32_t distance,
                        struct coll_sink *sink)
{
    uint32_t mine = fold_half(fold->id, distance), theirs = mine ^ distance;
    uint32_t peer = fold_rank(fold, fold->id ^ distance);
    step_exchange(sink, peer, blocks_span(parts, COLL_RECV_BUFFER, mine, distance), peer,
                  blocks_span(parts, COLL_RECV_BUFFER, theirs, distance));
}

static bool rabenseifner(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct fold fold = fold_of(call->rank, call->size);
    if (fold.role == FOLD_LEAVER)
        return leave(call, &fold, phase, sink);
    if (fold.role == FOLD_HELPER && phase-- == 0) {
        help(call, &fold, sink);
        return true;
    }
    if (phase > 2 * fold.rounds)
        return false;
    struct blocks parts = blocks_parts(fold.power, call->bytes, call->element);
    if (phase == 0 && fold.role == FOLD_PLAIN)
        step_copy(sink, own_of(call), sum_of(call));
    else if (phase == 0)
        step_reduce(sink, incoming_of(call), sum_of(call));
    else if (phase <= fold.rounds)
        add_half(&fold, &parts, fold.power >> phase, sink);

    if (phase < fold.rounds)
        halve(&fold, &parts, fold.power >> (phase + 1), sink);
    else if (phase < 2 * fold.rounds)
        double_back(&fold, &parts, UINT32_C(1) << (phase - fold.rounds), sink);
    else if (fold.role == FOLD_HELPER)
        sink->send(sink, fold.partner, sum_of(call));
    return true;
}

const struct coll_algorithm coll_allreduce_rabenseifner = {
    .kind = COLL_ALLREDUCE,
    .name = "rabenseifner",
    .doc = "recursive halving, then recursive doubling: 2 Q log2 Q + 2(P-Q) messages, 2(1-1/Q) vectors sent "
           "per rank, Q "
           "the power of two below P, the rest folded (Rabenseifner 2004)",
    .emit = rabenseifner,
    .scratch = vector_scratch,
};

/* --------------------------------------------------------------------- ring */

/* Part i travels once around the ring and is summed up on its way, until rank i - 1 has the total. Then the
 * totals travel around. */
static bool ring(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rank = call->rank, size = call->size;
    if (size == 1 ? phase > 0 : phase >= 2 * (size - 1))
        return false;
    struct blocks parts = blocks_parts(size, call->bytes, call->element);
    uint32_t outgoing = ring_down(rank, phase < size ? phase : phase - size, size);
    uint32_t next = ring_down(outgoing, 1, size);
    struct coll_span out = blocks_span(&parts, COLL_RECV_BUFFER, outgoing, 1);
    struct coll_span in = blocks_span(&parts, COLL_RECV_BUFFER, next, 1);
    struct coll_span partial_out = span_of(COLL_SCRATCH, 0, out.bytes);
    struct coll_span partial_in = span_of(COLL_SCRATCH, 0, in.bytes);
    if (phase == 0)
        step_copy(sink, own_of(call), sum_of(call));
    else if (phase < size)
        step_reduce(sink, partial_out, out);
    if (size > 1)
        step_exchange(sink, ring_up(rank, 1, size), out, ring_down(rank, 1, size),
                      phase < size - 1 ? partial_in : in);
    return true;
}

static uint64_t ring_scratch(const struct coll_call *call)
{
    struct blocks parts = blocks_parts(call->size, call->bytes, call->element);
    return call->size > 1 ? blocks_bytes(&parts, 0, 1) : 0; /* no part is longer than the first */
}

const struct coll_algorithm coll_allreduce_ring = {
    .kind = COLL_ALLREDUCE,
    .name = "ring",
    .doc = "ring reduce-scatter, then ring allgather: 2P(P-1) messages of 1/P vector in 2(P-1) rounds; any P "
           "(Patarasuk, "
           "Yuan 2009)",
    .emit = ring,
    .scratch = ring_scratch,
};
