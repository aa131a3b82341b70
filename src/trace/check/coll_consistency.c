#include "base/diag.h"
#include "base/mem.h"
#include "trace/check/check.h"

/* All ranks at their k-th collective. */
struct coll_round {
    const struct compiled_trace *compiled;
    struct trace_check *check;
    uint64_t *lines;
    const struct call **calls;
};

#define NO_BYTES UINT64_MAX /* nothing passes from the one to the other */

static uint64_t entry(const struct coll_round *exchange, uint64_t vector, uint32_t rank)
{
    return vector ? exchange->compiled->program.counts[vector + rank] : NO_BYTES;
}

static uint64_t sent(const struct coll_round *exchange, uint32_t from, uint32_t to)
{
    const struct call *call = exchange->calls[from];
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALLV:
        return entry(exchange, call->send_counts, to);
    case CALL_ALLTOALL:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
        return call->bytes;
    case CALL_GATHER:
    case CALL_GATHERV:
        return call->peer == (int32_t)to ? call->bytes : NO_BYTES;
    case CALL_SCATTER:
        return call->peer == (int32_t)from ? call->bytes : NO_BYTES;
    case CALL_SCATTERV:
        return call->peer == (int32_t)from ? entry(exchange, call->send_counts, to) : NO_BYTES;
    default:
        return NO_BYTES;
    }
}

static uint64_t expected(const struct coll_round *exchange, uint32_t to, uint32_t from)
{
    const struct call *call = exchange->calls[to];
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALLV:
    case CALL_ALLGATHERV:
        return entry(exchange, call->recv_counts, from);
    case CALL_ALLTOALL:
    case CALL_ALLGATHER:
        return call->recv_bytes;
    case CALL_GATHER:
        return call->peer == (int32_t)to ? call->recv_bytes : NO_BYTES;
    case CALL_GATHERV:
        return call->peer == (int32_t)to ? entry(exchange, call->recv_counts, from) : NO_BYTES;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        return call->peer == (int32_t)from ? call->recv_bytes : NO_BYTES;
    default:
        return NO_BYTES;
    }
}

/* What a rank passes to itself is not compared: with MPI_IN_PLACE one of both sides is not printed. */
static void compare(struct coll_round *exchange, uint32_t from, uint32_t to)
{
    uint64_t out = sent(exchange, from, to), in = expected(exchange, to, from);
    if (from == to || out == in || exchange->check->unequal++ >= CHECK_MOST_REPORTS)
        return;
    compiled_report(exchange->compiled, DIAG_ERROR, to, exchange->lines[to],
                    "%llu bytes are expected of rank %u, which sends %llu", (unsigned long long)in, from,
                    (unsigned long long)out);
    compiled_report(exchange->compiled, DIAG_NOTE, from, exchange->lines[from], "rank %u is here", from);
}

/* The usual alltoall and allgather: one size everywhere, and no pair that could differ. */
static bool is_uniform(const struct coll_round *exchange)
{
    uint64_t bytes = exchange->calls[0]->bytes;
    for (uint32_t rank = 0; rank < exchange->compiled->program.ranks; rank++) {
        const struct call *call = exchange->calls[rank];
        if (call->send_counts || call->recv_counts || call->bytes != bytes || call->recv_bytes != bytes)
            return false;
    }
    return true;
}

static void compare_pairs(struct coll_round *exchange)
{
    uint32_t ranks = exchange->compiled->program.ranks;
    if (ranks > CHECK_MOST_PAIRED_RANKS || is_uniform(exchange))
        return;
    for (uint32_t from = 0; from < ranks; from++)
        for (uint32_t to = 0; to < ranks; to++)
            compare(exchange, from, to);
}

static void compare_call(struct coll_round *exchange)
{
    const struct call *call = exchange->calls[0];
    uint32_t root = (uint32_t)call->peer;
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
        compare_pairs(exchange);
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        for (uint32_t rank = 0; rank < exchange->compiled->program.ranks; rank++)
            compare(exchange, rank, root);
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        for (uint32_t rank = 0; rank < exchange->compiled->program.ranks; rank++)
            compare(exchange, root, rank);
        break;
    default:
        break;
    }
}

void check_exchanges(const struct compiled_trace *compiled, struct trace_check *check)
{
    uint32_t ranks = compiled->program.ranks;
    struct coll_round exchange = {.compiled = compiled,
                                  .check = check,
                                  .lines =
                                      mem_alloc(ranks, sizeof *exchange.lines, "the lines of collectives"),
                                  .calls = mem_alloc(ranks, sizeof *exchange.calls, "collectives")};
    for (uint64_t k = 0; k < check->collectives; k++) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            check_next_collective(compiled, rank, &exchange.lines[rank], &exchange.calls[rank]);
        compare_call(&exchange);
    }
    free(exchange.lines);
    free(exchange.calls);
}
