#include "coll/algorithms.h"
#include "coll/blocks.h"
#include "coll/nodes.h"
#include "coll/steps.h"
#include "coll/team.h"

/* Reductions whose order is that of the ranks, on whatever nodes they are: x0 op (x1 op (x2 ...)). All
 * vectors are gathered, by way of leaders, and whoever needs a result computes it. The same bits come out on
 * any placement, and operations need not commute. Each rank has the vectors of all ranks in scratch. */
struct ordered {
    const struct coll_algorithm *gather; /* brings the vectors to the ranks that compute */
    struct coll_call call;               /* as gather makes it */
    struct coll_span vectors;            /* of all ranks */
    struct coll_span result;             /* what this rank computes of a vector; empty: nothing */
};

static struct ordered ordered_of(const struct coll_call *call)
{
    bool to_root = call->kind == COLL_REDUCE;
    uint64_t bytes = call->kind == COLL_REDUCE_SCATTER ? blocks_of_call_bytes(call) : call->bytes, at = 0;
    struct ordered self = {.gather = to_root ? &coll_gather_leaders : &coll_allgather_leaders, .call = *call};
    self.call.kind = self.gather->kind;
    self.call.bytes = bytes;
    self.call.send_bytes = self.call.recv_bytes = NULL;
    self.vectors = span_of(COLL_SCRATCH, coll_scratch(self.gather, &self.call), call->size * bytes);
    if (call->kind == COLL_REDUCE_SCATTER) {
        for (uint32_t rank = 0; rank < call->rank; rank++)
            at += rank_block_bytes(call, rank);
        bytes = rank_block_bytes(call, call->rank);
    }
    self.result = span_of(COLL_RECV_BUFFER, at, to_root && call->rank != call->root ? 0 : bytes);
    return self;
}

/* ------------------------------------------------------------------- gather */

/* Passes the steps of the gather on, with its receive buffer in scratch. */
struct gather_sink {
    struct coll_sink base;
    struct coll_sink *whole;
    uint64_t vectors; /* where the receive buffer is */
};

static struct coll_sink *whole_of(struct coll_sink *sink)
{
    return ((struct gather_sink *)sink)->whole;
}

static struct coll_span placed(const struct coll_sink *sink, struct coll_span span)
{
    uint64_t vectors = ((const struct gather_sink *)sink)->vectors;
    return span.buffer == COLL_RECV_BUFFER ? span_of(COLL_SCRATCH, vectors + span.offset, span.bytes) : span;
}

static void pass_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    whole_of(sink)->send(whole_of(sink), peer, placed(sink, from));
}

static void pass_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    whole_of(sink)->recv(whole_of(sink), peer, placed(sink, into));
}

static void pass_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    whole_of(sink)->copy(whole_of(sink), placed(sink, from), placed(sink, into));
}

static void pass_raise(struct coll_sink *sink, uint32_t flag)
{
    whole_of(sink)->raise(whole_of(sink), flag);
}

static void pass_await(struct coll_sink *sink, uint32_t flag)
{
    whole_of(sink)->await(whole_of(sink), flag);
}

static bool gather(const struct ordered *self, uint32_t phase, struct coll_sink *whole)
{
    struct gather_sink sink = {.base = {.send = pass_send,
                                        .recv = pass_recv,
                                        .copy = pass_copy,
                                        .raise = pass_raise,
                                        .await = pass_await,
                                        .local = whole->local},
                               .whole = whole,
                               .vectors = self->vectors.offset};
    return self->gather->emit(&self->call, phase, &sink.base);
}

static void ignore_message(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

static void ignore_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

static void ignore_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag;
}

/* The phase behind the last one of the gather. */
static bool follows_gather(const struct ordered *self, uint32_t phase)
{
    struct coll_sink nothing = {.send = ignore_message,
                                .recv = ignore_message,
                                .copy = ignore_copy,
                                .raise = ignore_flag,
                                .await = ignore_flag};
    return phase > 0 && gather(self, phase - 1, &nothing);
}

/* ------------------------------------------------------------------- result */

static void add_in_order(const struct ordered *self, struct coll_sink *sink)
{
    uint64_t vector = self->call.bytes, bytes = self->result.bytes;
    struct coll_span result = span_of(COLL_RECV_BUFFER, 0, bytes);
    for (uint32_t behind = 0; sink->local && behind < self->call.size; behind++) {
        uint32_t rank = self->call.size - 1 - behind;
        struct coll_span part =
            span_of(COLL_SCRATCH, self->vectors.offset + rank * vector + self->result.offset, bytes);
        if (behind == 0)
            step_copy(sink, part, result);
        else
            step_reduce(sink, part, result);
    }
}

static bool ordered(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct ordered self = ordered_of(call);
    if (gather(&self, phase, sink))
        return true;
    if (self.result.bytes == 0 || !follows_gather(&self, phase))
        return false;
    add_in_order(&self, sink);
    return true;
}

static uint64_t scratch(const struct coll_call *call)
{
    struct ordered self = ordered_of(call);
    bool has_vectors = call->kind != COLL_REDUCE || call->rank == call->root;
    return self.vectors.offset + (has_vectors ? self.vectors.bytes : 0);
}

static uint64_t shared(const struct coll_call *call)
{
    struct ordered self = ordered_of(call);
    return self.gather->shared(&self.call);
}

static uint32_t flags(const struct coll_call *call)
{
    struct ordered self = ordered_of(call);
    return self.gather->flags(&self.call);
}

/* `shared_copies` is that of the gather. */
#define ORDERED(of, text)                                                                                    \
    {                                                                                                        \
        .kind = (of), .name = "ordered", .doc = (text), .emit = ordered, .scratch = scratch,                 \
        .node_aware = true, .shared = shared, .flags = flags, .shared_copies = 2                             \
    }

const struct coll_algorithm coll_allreduce_ordered =
    ORDERED(COLL_ALLREDUCE, "allgather by leaders, and each rank adds all vectors in the order of ranks: the "
                            "same bits on any nodes, P times the memory");
const struct coll_algorithm coll_reduce_ordered =
    ORDERED(COLL_REDUCE, "gather by leaders, and the root adds all vectors in the order of ranks: the same "
                         "bits on any nodes, P times the memory");
const struct coll_algorithm coll_reduce_scatter_ordered =
    ORDERED(COLL_REDUCE_SCATTER, "allgather by leaders, and each rank adds its blocks in the order of ranks: "
                                 "the same bits on any nodes, P times the memory");
