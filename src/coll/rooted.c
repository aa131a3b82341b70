#include "coll/rooted.h"

static bool gathers(const struct coll_call *call)
{
    return call->kind == COLL_GATHER || call->kind == COLL_GATHERV;
}

/* Lengths of the blocks at the root: NULL where all are equal. */
static const uint64_t *lengths_of(const struct coll_call *call)
{
    if (call->kind == COLL_GATHERV)
        return call->recv_bytes;
    return call->kind == COLL_SCATTERV ? call->send_bytes : NULL;
}

static bool other_rank(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 0)
        return false;
    if (gathers(call))
        sink->send(sink, call->root, span_of(COLL_SEND_BUFFER, 0, call->bytes));
    else
        sink->recv(sink, call->root, span_of(COLL_RECV_BUFFER, 0, call->bytes));
    return true;
}

static void copy_own(const struct coll_call *call, const struct blocks *blocks, struct coll_sink *sink)
{
    bool into = gathers(call);
    struct coll_span own = blocks_span(blocks, into ? COLL_RECV_BUFFER : COLL_SEND_BUFFER, call->root, 1);
    struct coll_span other = span_of(into ? COLL_SEND_BUFFER : COLL_RECV_BUFFER, 0, own.bytes);
    step_copy(sink, into ? other : own, into ? own : other);
}

static bool direct(const struct coll_call *call, uint32_t window, uint32_t phase, struct coll_sink *sink)
{
    if (call->rank != call->root)
        return other_rank(call, phase, sink);
    uint64_t done = (uint64_t)phase * window, others = call->size - 1;
    if (done >= others && phase > 0)
        return false;
    struct blocks blocks = blocks_given(call->size, lengths_of(call), call->bytes, sink->local);
    if (phase == 0)
        copy_own(call, &blocks, sink);
    for (uint64_t i = done; i < others && i < done + window; i++) {
        uint32_t peer = rank_other_than(call->root, (uint32_t)i);
        if (gathers(call))
            sink->recv(sink, peer, blocks_span(&blocks, COLL_RECV_BUFFER, peer, 1));
        else
            sink->send(sink, peer, blocks_span(&blocks, COLL_SEND_BUFFER, peer, 1));
    }
    return true;
}

bool rooted_linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return direct(call, call->size, phase, sink);
}

bool rooted_windowed(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return direct(call, window_of(call), phase, sink);
}

uint64_t rooted_tree_scratch(const struct coll_call *call)
{
    struct tree tree = tree_of(call->rank, call->root, call->size);
    struct blocks blocks = blocks_equal(call->size, call->bytes);
    return tree_gather_scratch(&tree, &blocks);
}
