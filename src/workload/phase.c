#include "workload/phase.h"

#include <stddef.h>

static void fill(struct call *call, uint64_t count, int datatype)
{
    call->datatype = (uint8_t)(datatype + 1);
    call->element_bytes = (uint8_t)datatype_bytes(datatype);
    call->bytes = call->recv_bytes = count * call->element_bytes;
}

void phase_plain(struct phase *phase, enum call_op op)
{
    phase_next(phase, op);
}

void phase_compute(struct phase *phase, double operations)
{
    struct call *call = operations > 0 ? phase_next(phase, CALL_COMPUTE) : NULL;
    if (call)
        call->amount = operations;
}

static void point(struct phase *phase, enum call_op op, uint32_t slot, uint32_t peer, int32_t tag,
                  uint64_t count, int datatype)
{
    struct call *call = phase_next(phase, op);
    if (!call)
        return;
    fill(call, count, datatype);
    call->flags = slot ? CALL_IMMEDIATE : 0;
    call->slot = slot;
    call->peer = (int32_t)peer;
    call->tag = tag;
}

void phase_send(struct phase *phase, uint32_t to, int32_t tag, uint64_t count, int datatype)
{
    point(phase, CALL_SEND, 0, to, tag, count, datatype);
}

void phase_recv(struct phase *phase, uint32_t from, int32_t tag, uint64_t count, int datatype)
{
    point(phase, CALL_RECV, 0, from, tag, count, datatype);
}

void phase_isend(struct phase *phase, uint32_t slot, uint32_t to, int32_t tag, uint64_t count, int datatype)
{
    point(phase, CALL_SEND, slot, to, tag, count, datatype);
}

void phase_irecv(struct phase *phase, uint32_t slot, uint32_t from, int32_t tag, uint64_t count, int datatype)
{
    point(phase, CALL_RECV, slot, from, tag, count, datatype);
}

void phase_wait(struct phase *phase, uint32_t slot)
{
    struct call *call = phase_next(phase, CALL_WAIT);
    if (call)
        call->slot = slot;
}

void phase_waitall(struct phase *phase, uint32_t requests)
{
    struct call *call = phase_next(phase, CALL_WAITALL);
    if (call)
        call->expected = requests;
}

void phase_collective(struct phase *phase, enum call_op op, uint64_t count, int datatype)
{
    struct call *call = phase_next(phase, op);
    if (call)
        fill(call, count, datatype);
}

void phase_alltoallv(struct phase *phase, uint64_t send_counts, uint64_t recv_counts, int datatype)
{
    struct call *call = phase_next(phase, CALL_ALLTOALLV);
    if (!call)
        return;
    fill(call, 0, datatype);
    call->send_counts = send_counts;
    call->recv_counts = recv_counts;
}
