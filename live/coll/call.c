#include <stdio.h>
#include <string.h>

#include "live/coll/internal.h"

/* ------------------------------------------------------------------ blocks */

/* The address of rank's block. In integers, since `buffer` may be MPI_BOTTOM, where C allows no arithmetic
 * with pointers. */
static void *block_at(const void *buffer, uint32_t rank, int count, MPI_Aint extent)
{
    return (void *)((uintptr_t)buffer + (uintptr_t)((MPI_Aint)rank * count * extent));
}

/* All blocks as contiguous bytes, in comm->packed_send. */
static int pack_blocks(struct live_comm *comm, const void *buffer, int count, MPI_Datatype type,
                       uint64_t bytes)
{
    MPI_Aint lower, extent;
    int error = PMPI_Type_get_extent(type, &lower, &extent);
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < comm->size; rank++)
        error = live_pack(block_at(buffer, rank, count, extent), count, type,
                          comm->packed_send + rank * bytes, (int)bytes, comm->mine);
    return error;
}

static int unpack_blocks(struct live_comm *comm, void *buffer, int count, MPI_Datatype type, uint64_t bytes)
{
    MPI_Aint lower, extent;
    int error = PMPI_Type_get_extent(type, &lower, &extent);
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < comm->size; rank++)
        error = live_unpack(comm->packed_recv + rank * bytes, (int)bytes,
                            block_at(buffer, rank, count, extent), count, type, comm->mine);
    return error;
}

/* ------------------------------------------------------------------- calls */

struct alltoall_args {
    const void *sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    uint64_t block_bytes;
};

/* The data to send as contiguous bytes: in the program's own buffer, or in a copy. NULL, and *error: there is
 * no memory. */
static const void *bytes_to_send(struct live_comm *comm, const struct live_plan *plan,
                                 const struct alltoall_args *call, int *error)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;
    const void *from = in_place ? call->recvbuf : call->sendbuf;
    MPI_Datatype type = in_place ? call->recvtype : call->sendtype;
    int count = in_place ? call->recvcount : call->sendcount;
    size_t bytes = call->block_bytes * comm->size;
    bool is_bytes = live_type_is_plain(type);
    if (is_bytes && (!in_place || plan->reads_first))
        return from;
    if (!live_buffer_reserve(&comm->packed_send, &comm->packed_send_room, bytes)) {
        note_error(error, MPI_ERR_NO_MEM);
        return NULL;
    }
    if (is_bytes)
        memcpy(comm->packed_send, from, bytes);
    else
        note_error(error, pack_blocks(comm, from, count, type, call->block_bytes));
    return comm->packed_send;
}

/* Data that is not contiguous bytes goes through buffers of this rank. The other ranks do not know of that,
 * nor of errors of this rank: it does its part of the exchange in any case. */
static int pack_and_execute(struct live_comm *comm, const struct live_plan *plan,
                            const struct alltoall_args *call)
{
    int error = MPI_SUCCESS;
    const void *send = bytes_to_send(comm, plan, call, &error);
    void *recv = call->recvbuf;
    bool is_bytes = live_type_is_plain(call->recvtype);
    if (!is_bytes) {
        bool room =
            live_buffer_reserve(&comm->packed_recv, &comm->packed_recv_room, call->block_bytes * comm->size);
        recv = room ? comm->packed_recv : NULL;
        note_error(&error, room ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    }
    note_error(&error, live_execute(comm, plan, send, recv));
    if (error == MPI_SUCCESS && !is_bytes)
        error = unpack_blocks(comm, call->recvbuf, call->recvcount, call->recvtype, call->block_bytes);
    return error;
}

/* False: the MPI refuses these arguments, and the call is left to it, so that the user gets the MPI's own
 * message. Nothing that the MPI accepts may be left to it here, since the other ranks do not know of it and
 * would do the call our way. So both buffers may have the same address if counts or types differ, since the
 * types may lead to different places. Blocks are known not to be empty. */
static bool is_sound(const struct alltoall_args *call)
{
    if (call->recvbuf == MPI_IN_PLACE || live_has_no_data(call->recvbuf, call->recvtype))
        return false;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    bool is_same = call->sendbuf == call->recvbuf && call->sendcount == call->recvcount &&
                   call->sendtype == call->recvtype;
    return call->sendcount >= 0 && call->sendtype != MPI_DATATYPE_NULL && !is_same &&
           !live_has_no_data(call->sendbuf, call->sendtype);
}

/* The bytes of a block. MPI requires that all ranks have the same number; no other argument is the same on
 * all ranks. 0: blocks are empty, or the arguments are wrong. */
static uint64_t block_bytes(const struct alltoall_args *call)
{
    MPI_Count size;
    if (call->recvtype == MPI_DATATYPE_NULL || PMPI_Type_size_x(call->recvtype, &size) != MPI_SUCCESS)
        return 0;
    return call->recvcount > 0 && size > 0 ? (uint64_t)size * (uint64_t)call->recvcount : 0;
}

static int by_mpi(const struct alltoall_args *call, MPI_Comm comm)
{
    return PMPI_Alltoall(call->sendbuf, call->sendcount, call->sendtype, call->recvbuf, call->recvcount,
                         call->recvtype, comm);
}

static int by_nodes(struct live_comm *comm, const struct live_plan *plan, const struct alltoall_args *call,
                    MPI_Comm theirs)
{
    int error = pack_and_execute(comm, plan, call);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(theirs, error);
    return error;
}

/* Does the call the way that autotune says, and measures it if autotune needs its time. */
static int by_autotune(struct live_comm *comm, const struct plan_entry *plan,
                       const struct alltoall_args *call, MPI_Comm theirs)
{
    char what[64];
    bool measured, ours = autotune_next(plan->autotune, &measured);
    int64_t began = measured ? backoff_now_ns() : 0;
    int error = ours ? by_nodes(comm, &plan->plan, call, theirs) : by_mpi(call, theirs);
    if (!measured)
        return error;
    unsigned long long least = 1ull << (plan->autotune - comm->autotunes);
    snprintf(what, sizeof what, "MPI_Alltoall of %llu to %llu B", least, 2 * least - 1);
    autotune_add_time(plan->autotune, comm, ours, backoff_now_ns() - began, what);
    return error;
}

bool live_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm theirs, int *error)
{
    struct alltoall_args call = {sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0};
    struct live_comm *comm = theirs == MPI_COMM_NULL ? NULL : live_comm_of(theirs);
    call.block_bytes = comm ? block_bytes(&call) : 0;
    if (call.block_bytes == 0 || !is_sound(&call))
        return false;
    const struct plan_entry *plan = live_plan_find(comm, call.block_bytes);
    if (!plan)
        return false;
    if (plan->autotune)
        *error = by_autotune(comm, plan, &call, theirs);
    else
        *error = by_nodes(comm, &plan->plan, &call, theirs);
    return true;
}
