#include <math.h>
#include <stdio.h>

#include "plugin/plugin.h"

static const enum call_op ops[] = {
    [HELIOGRAPH_COMPUTE] = CALL_COMPUTE,     [HELIOGRAPH_SLEEP] = CALL_SLEEP,
    [HELIOGRAPH_SEND] = CALL_SEND,           [HELIOGRAPH_RECV] = CALL_RECV,
    [HELIOGRAPH_SENDRECV] = CALL_SENDRECV,   [HELIOGRAPH_WAIT] = CALL_WAIT,
    [HELIOGRAPH_WAITALL] = CALL_WAITALL,     [HELIOGRAPH_BARRIER] = CALL_BARRIER,
    [HELIOGRAPH_BCAST] = CALL_BCAST,         [HELIOGRAPH_REDUCE] = CALL_REDUCE,
    [HELIOGRAPH_ALLREDUCE] = CALL_ALLREDUCE, [HELIOGRAPH_ALLTOALL] = CALL_ALLTOALL,
    [HELIOGRAPH_ALLGATHER] = CALL_ALLGATHER, [HELIOGRAPH_GATHER] = CALL_GATHER,
    [HELIOGRAPH_SCATTER] = CALL_SCATTER,     [HELIOGRAPH_REDUCE_SCATTER] = CALL_REDUCE_SCATTER,
    [HELIOGRAPH_SCAN] = CALL_SCAN,           [HELIOGRAPH_EXSCAN] = CALL_EXSCAN,
};

_Static_assert(HELIOGRAPH_ANY_SOURCE == CALL_ANY_SOURCE, "a wildcard goes through as it is");

static bool is_rank(int32_t rank, uint32_t ranks)
{
    return rank >= 0 && (uint32_t)rank < ranks;
}

static bool has_peers(const struct heliograph_call *from, uint32_t ranks)
{
    switch (from->operation) {
    case HELIOGRAPH_RECV:
        return is_rank(from->peer, ranks) || from->peer == HELIOGRAPH_ANY_SOURCE;
    case HELIOGRAPH_SENDRECV:
        return is_rank(from->peer, ranks) &&
               (is_rank(from->source, ranks) || from->source == HELIOGRAPH_ANY_SOURCE);
    case HELIOGRAPH_SEND:
    case HELIOGRAPH_BCAST:
    case HELIOGRAPH_REDUCE:
    case HELIOGRAPH_GATHER:
    case HELIOGRAPH_SCATTER:
        return is_rank(from->peer, ranks);
    default:
        return true;
    }
}

/* Compute, sleep, waits and sendrecv have no immediate form. */
static bool may_be_immediate(enum heliograph_operation operation)
{
    return operation == HELIOGRAPH_SEND || operation == HELIOGRAPH_RECV || operation >= HELIOGRAPH_BARRIER;
}

static const char *what_is_wrong(const struct heliograph_call *from, uint32_t ranks)
{
    bool has_tag = from->operation == HELIOGRAPH_SEND || from->operation == HELIOGRAPH_SENDRECV;
    if ((size_t)from->operation >= sizeof ops / sizeof *ops)
        return "it has an operation that there is not";
    if (!has_peers(from, ranks))
        return "its peer, source or root is no rank of the program";
    if (from->immediate && !may_be_immediate(from->operation))
        return "it is immediate, and no such operation can be";
    if (has_tag && from->tag == HELIOGRAPH_ANY_TAG)
        return "what is sent needs a tag";
    if (from->bytes > INT64_MAX || from->recv_bytes > INT64_MAX)
        return "it has 2^63 bytes or more";
    if (!(from->amount >= 0) || isinf(from->amount))
        return "its amount is negative, infinite or no number";
    if (from->element > UINT8_MAX)
        return "its element has more than 255 bytes";
    return NULL;
}

bool plugin_call_convert(const struct heliograph_call *from, uint32_t ranks, struct call *to, char *problem,
                         size_t size)
{
    const char *wrong = what_is_wrong(from, ranks);
    if (wrong) {
        snprintf(problem, size, "%s", wrong);
        return false;
    }
    bool has_request = from->immediate || from->operation == HELIOGRAPH_WAIT;
    to->op = (uint8_t)ops[from->operation];
    to->flags = from->immediate ? CALL_IMMEDIATE : 0;
    to->slot = has_request ? SLOT_FIRST + from->request : 0;
    to->peer = from->peer;
    to->source = from->source;
    to->tag = from->tag;
    to->bytes = from->bytes;
    to->recv_bytes = from->recv_bytes ? from->recv_bytes : from->bytes;
    to->element_bytes = (uint8_t)from->element;
    to->amount = from->amount;
    return true;
}
