#include "trace/check/coll_consistency.h"

#include <stdbool.h>

#include "base/diag.h"
#include "base/mem.h"

/* All ranks at their k-th collective. */
struct coll_round {
    const struct compiled_trace *compiled;
    uint64_t unequal;
    uint64_t *lines;
    const struct call **calls;
};

#define NO_BYTES UINT64_MAX /* the rank sends nothing to the other */

static uint64_t entry(const struct coll_round *round, uint64_t vector, uint32_t rank)
{
    return vector ? round->compiled->program.counts[vector + rank] : NO_BYTES;
}

static uint64_t sent(const struct coll_round *round, uint32_t from, uint32_t to)
{
    const struct call *call = round->calls[from];
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALLV:
        return entry(round, call->send_counts, to);
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
        return call->peer == (int32_t)from ? entry(round, call->send_counts, to) : NO_BYTES;
    default:
        return NO_BYTES;
    }
}

static uint64_t expected(const struct coll_round *round, uint32_t to, uint32_t from)
{
    const struct call *call = round->calls[to];
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALLV:
    case CALL_ALLGATHERV:
        return entry(round, call->recv_counts, from);
    case CALL_ALLTOALL:
    case CALL_ALLGATHER:
        return call->recv_bytes;
    case CALL_GATHER:
        return call->peer == (int32_t)to ? call->recv_bytes : NO_BYTES;
    case CALL_GATHERV:
        return call->peer == (int32_t)to ? entry(round, call->recv_counts, from) : NO_BYTES;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        return call->peer == (int32_t)from ? call->recv_bytes : NO_BYTES;
    default:
        return NO_BYTES;
    }
}

/* What a rank sends to itself is not compared: with MPI_IN_PLACE a trace lacks one of the two sizes. */
static void compare(struct coll_round *round, uint32_t from, uint32_t to)
{
    uint64_t out = sent(round, from, to), in = expected(round, to, from);
    if (from == to || out == in || round->unequal++ >= CHECK_MOST_REPORTS)
        return;
    compiled_report(round->compiled, DIAG_ERROR, to, round->lines[to],
                    "%llu bytes are expected of rank %u, which sends %llu", (unsigned long long)in, from,
                    (unsigned long long)out);
    compiled_report(round->compiled, DIAG_NOTE, from, round->lines[from], "rank %u is here", from);
}

/* All ranks send and expect one size, as in most alltoalls and allgathers: no pair can differ. */
static bool is_uniform(const struct coll_round *round)
{
    uint64_t bytes = round->calls[0]->bytes;
    for (uint32_t rank = 0; rank < round->compiled->program.ranks; rank++) {
        const struct call *call = round->calls[rank];
        if (call->send_counts || call->recv_counts || call->bytes != bytes || call->recv_bytes != bytes)
            return false;
    }
    return true;
}

static void compare_pairs(struct coll_round *round)
{
    uint32_t ranks = round->compiled->program.ranks;
    if (ranks > CHECK_MOST_PAIRED_RANKS || is_uniform(round))
        return;
    for (uint32_t from = 0; from < ranks; from++)
        for (uint32_t to = 0; to < ranks; to++)
            compare(round, from, to);
}

static void compare_call(struct coll_round *round)
{
    const struct call *call = round->calls[0];
    uint32_t root = (uint32_t)call->peer;
    switch ((enum call_op)call->op) {
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
        compare_pairs(round);
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        for (uint32_t rank = 0; rank < round->compiled->program.ranks; rank++)
            compare(round, rank, root);
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        for (uint32_t rank = 0; rank < round->compiled->program.ranks; rank++)
            compare(round, root, rank);
        break;
    default:
        break;
    }
}

uint64_t coll_consistency_check(const struct compiled_trace *compiled, uint64_t collectives)
{
    uint32_t ranks = compiled->program.ranks;
    struct coll_round round = {.compiled = compiled,
                               .lines = mem_alloc(ranks, sizeof *round.lines, "the lines of collectives"),
                               .calls = mem_alloc(ranks, sizeof *round.calls, "collectives")};
    for (uint64_t k = 0; k < collectives; k++) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            compiled_next_collective(compiled, rank, 0, &round.lines[rank], &round.calls[rank]);
        compare_call(&round);
    }
    free(round.lines);
    free(round.calls);
    return round.unequal;
}
