#include <stdio.h>
#include <string.h>

#include "alltoall/live.h"

/* ------------------------------------------------------------------------------------------------ datatypes
 */

/* Whether elements of the type are their bytes in memory, one after another. Types made of others may have
 * holes or another order, though their sizes do not show it, so they are looked into. */
bool live_type_is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner, size;
    MPI_Aint lower, extent;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
        return false;
    if (combiner != MPI_COMBINER_NAMED || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS)
        return false;
    return lower == 0 && extent == size;
}

/* All blocks as contiguous bytes. */
static int pack(struct live_comm *comm, const void *buffer, int count, MPI_Datatype type, uint64_t bytes)
{
    MPI_Aint lower, extent;
    int error = PMPI_Type_get_extent(type, &lower, &extent), position = 0;
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < comm->size; rank++)
        error = PMPI_Pack((const char *)buffer + (MPI_Aint)rank * count * extent, count, type,
                          comm->packed_send, (int)(bytes * comm->size), &position, comm->mine);
    return error;
}

static int unpack(struct live_comm *comm, void *buffer, int count, MPI_Datatype type, uint64_t bytes)
{
    MPI_Aint lower, extent;
    int error = PMPI_Type_get_extent(type, &lower, &extent), position = 0;
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < comm->size; rank++)
        error = PMPI_Unpack(comm->packed_recv, (int)(bytes * comm->size), &position,
                            (char *)buffer + (MPI_Aint)rank * count * extent, count, type, comm->mine);
    return error;
}

/* --------------------------------------------------------------------------------------------------- calls
 */

struct arguments {
    const void *sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    uint64_t block_bytes;
};

/* Data that lies otherwise goes through buffers of this rank alone; the others do not know, and need not. */
static int run(struct live_comm *comm, const struct plan *plan, struct arguments *call)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;
    size_t bytes = call->block_bytes * comm->size;
    const void *send = in_place ? call->recvbuf : call->sendbuf;
    void *recv = call->recvbuf;
    int count = in_place ? call->recvcount : call->sendcount, error = MPI_SUCCESS;
    MPI_Datatype type = in_place ? call->recvtype : call->sendtype;
    bool send_is_bytes = live_type_is_plain(type),
         recv_is_bytes = in_place ? send_is_bytes : live_type_is_plain(call->recvtype);
    bool copies = !send_is_bytes || (in_place && !plan->reads_first);
    if ((copies && !live_room(&comm->packed_send, &comm->packed_send_room, bytes)) ||
        (!recv_is_bytes && !live_room(&comm->packed_recv, &comm->packed_recv_room, bytes)))
        return MPI_ERR_NO_MEM;
    if (!send_is_bytes)
        error = pack(comm, send, count, type, call->block_bytes);
    else if (copies)
        memcpy(comm->packed_send, send, bytes);
    if (copies)
        send = comm->packed_send;
    if (!recv_is_bytes)
        recv = comm->packed_recv;
    if (error == MPI_SUCCESS)
        error = live_execute(comm, plan, send, recv);
    if (error == MPI_SUCCESS && !recv_is_bytes)
        error = unpack(comm, call->recvbuf, call->recvcount, call->recvtype, call->block_bytes);
    return error;
}

/* What the MPI would refuse it is to refuse itself, in its own words. */
static bool is_sound(const struct arguments *call, MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL || call->recvcount < 0 || call->recvtype == MPI_DATATYPE_NULL)
        return false;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    return call->sendcount >= 0 && call->sendtype != MPI_DATATYPE_NULL &&
           (call->sendbuf != call->recvbuf || call->recvcount == 0);
}

static int by_mpi(const struct arguments *call, MPI_Comm comm)
{
    return PMPI_Alltoall(call->sendbuf, call->sendcount, call->sendtype, call->recvbuf, call->recvcount,
                         call->recvtype, comm);
}

static int by_nodes(struct live_comm *comm, const struct plan *plan, struct arguments *call, MPI_Comm theirs)
{
    int error = run(comm, plan, call);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(theirs, error);
    return error;
}

static int measure(struct live_comm *comm, struct live_plan *plan, struct arguments *call, MPI_Comm theirs)
{
    char what[64];
    bool measured, ours = live_trial_next(&plan->trial, &measured);
    int64_t began = measured ? live_now_ns() : 0;
    int error = ours ? by_nodes(comm, &plan->plan, call, theirs) : by_mpi(call, theirs);
    if (!measured)
        return error;
    snprintf(what, sizeof what, "MPI_Alltoall of %llu B", (unsigned long long)call->block_bytes);
    int told = live_trial_tell(&plan->trial, comm, ours, live_now_ns() - began, what);
    return error != MPI_SUCCESS ? error : told;
}

bool live_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm theirs, int *error)
{
    struct arguments call = {sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0};
    int size;
    if (!is_sound(&call, theirs))
        return false;
    struct live_comm *comm = live_comm_of(theirs);
    /* The size of what is received is the same on all ranks, by the rules of MPI; nothing else here is. */
    if (!comm || PMPI_Type_size(recvtype, &size) != MPI_SUCCESS || size < 0)
        return false;
    call.block_bytes = (uint64_t)size * (uint64_t)recvcount;
    struct live_plan *plan = live_plan_of(comm, call.block_bytes, error);
    if (!plan && *error == MPI_SUCCESS)
        return false;
    if (!plan)
        PMPI_Comm_call_errhandler(theirs, *error);
    else if (plan->tried)
        *error = measure(comm, plan, &call, theirs);
    else
        *error = by_nodes(comm, &plan->plan, &call, theirs);
    return true;
}
