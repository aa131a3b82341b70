#include <stdio.h>
#include <string.h>

#include "live/coll/internal.h"

/* ------------------------------------------------------------------ blocks */

/* A block of a buffer. */
struct data_block {
    void *at;
    int64_t count;
    MPI_Aint end; /* in elements: where the next one begins, if they follow one another */
};

/* The block with this number, behind the block `before`. The address is computed in integers, since that of
 * the buffer may be MPI_BOTTOM, where C allows no arithmetic with pointers. */
static struct data_block block_behind(const struct data_block *before, const struct live_buffer *buffer,
                                      uint32_t number, MPI_Aint extent)
{
    MPI_Aint first = entry_has(&buffer->displs) ? entry_number(&buffer->displs, number) : before->end;
    int64_t count = entry_has(&buffer->counts) ? entry_number(&buffer->counts, number) : buffer->count;
    return (struct data_block){(void *)((uintptr_t)buffer->at + (uintptr_t)(first * extent)), count,
                               first + count};
}

/* Fills up a shorter block with zeros, which an operation of the MPI may read. */
static int pack_block(const struct live_comm *comm, const struct live_buffer *buffer,
                      const struct data_block *block, MPI_Aint extent, uint64_t bytes, unsigned char *into)
{
    size_t own = (size_t)(block->count * extent);
    if (!buffer->is_bytes || own > bytes) {
        memset(into, 0, bytes);
        return live_pack(block->at, (int)block->count, buffer->type, into, (int)bytes, comm->mine);
    }
    memset(into + own, 0, bytes - own);
    if (own > 0 && buffer->is_hidden)
        return live_pack(block->at, (int)own, MPI_BYTE, into, (int)own, comm->mine);
    if (own > 0)
        memcpy(into, block->at, own);
    return MPI_SUCCESS;
}

static int unpack_block(const struct live_comm *comm, const struct live_buffer *buffer,
                        const struct data_block *block, MPI_Aint extent, uint64_t bytes,
                        const unsigned char *from)
{
    if (!buffer->is_bytes)
        return live_unpack(from, (int)bytes, block->at, (int)block->count, buffer->type, comm->mine);
    size_t own = (size_t)(block->count * extent);
    if (own > 0 && buffer->is_hidden)
        return live_unpack(from, (int)own, block->at, (int)own, MPI_BYTE, comm->mine);
    if (own > 0)
        memcpy(block->at, from, own);
    return MPI_SUCCESS;
}

/* All blocks as contiguous bytes, in `into`, where each has `bytes`. */
static int pack_blocks(const struct live_comm *comm, const struct live_buffer *buffer, uint64_t bytes,
                       unsigned char *into)
{
    MPI_Aint lower, extent;
    struct data_block block = {.end = 0};
    int error = PMPI_Type_get_extent(buffer->type, &lower, &extent);
    for (uint32_t i = 0; error == MPI_SUCCESS && i < buffer->blocks; i++, into += bytes) {
        block = block_behind(&block, buffer, i, extent);
        error = pack_block(comm, buffer, &block, extent, bytes, into);
    }
    return error;
}

static int unpack_blocks(const struct live_comm *comm, const struct live_buffer *buffer, uint64_t bytes,
                         const unsigned char *from)
{
    MPI_Aint lower, extent;
    struct data_block block = {.end = 0};
    int error = PMPI_Type_get_extent(buffer->type, &lower, &extent);
    for (uint32_t i = 0; error == MPI_SUCCESS && i < buffer->blocks; i++, from += bytes) {
        block = block_behind(&block, buffer, i, extent);
        error = unpack_block(comm, buffer, &block, extent, bytes, from);
    }
    return error;
}

/* ------------------------------------------------------------------- calls */

/* The data to send as contiguous bytes: in the program's own buffer, or in a copy. NULL: there are none, or,
 * with *error, there is no memory. */
static const void *bytes_to_send(struct live_comm *comm, const struct coll_plan *plan,
                                 const struct live_shape *shape, int *error)
{
    const struct live_buffer *from = &shape->send;
    size_t bytes = shape->key.bytes * from->blocks;
    if (bytes == 0)
        return NULL;
    if (from->is_direct && (!shape->in_place || plan->reads_first))
        return from->at;
    if (!live_buffer_reserve(&comm->packed_send, &comm->packed_send_room, bytes)) {
        note_error(error, MPI_ERR_NO_MEM);
        return NULL;
    }
    if (from->is_direct)
        memcpy(comm->packed_send, from->at, bytes);
    else
        note_error(error, pack_blocks(comm, from, shape->key.bytes, comm->packed_send));
    return comm->packed_send;
}

/* Where received bytes go: the program's own buffer, or one that is unpacked later. The root of a scatter
 * that keeps its block gets it in such a buffer too. NULL: none come, or, with *error, there is no memory. */
static void *place_to_receive(struct live_comm *comm, const struct live_shape *shape, int *error)
{
    const struct live_buffer *into = &shape->recv;
    bool keeps_block = into->blocks == 0 && shape->key.kind == COLL_SCATTER;
    size_t bytes = shape->key.bytes * (keeps_block ? 1 : into->blocks);
    if (bytes == 0)
        return NULL;
    if (!keeps_block && into->is_direct)
        return (void *)(uintptr_t)into->at;
    if (live_buffer_reserve(&comm->packed_recv, &comm->packed_recv_room, bytes))
        return comm->packed_recv;
    note_error(error, MPI_ERR_NO_MEM);
    return NULL;
}

/* Data that is not contiguous bytes goes through buffers of this rank. The other ranks do not know of that,
 * nor of errors of this rank: it does its part of the exchange in any case. */
static int pack_and_execute(struct live_comm *comm, const struct coll_plan *plan,
                            const struct live_shape *shape, const struct live_call *call)
{
    int error = MPI_SUCCESS;
    const struct live_reduction reduction = {call->op, call->recvtype, shape->key.element};
    const void *send = bytes_to_send(comm, plan, shape, &error);
    void *recv = place_to_receive(comm, shape, &error);
    note_error(&error, live_execute(comm, plan, send, recv, &reduction));
    if (error == MPI_SUCCESS && !shape->recv.is_direct)
        error = unpack_blocks(comm, &shape->recv, shape->key.bytes, recv);
    return error;
}

static int by_nodes(struct live_comm *comm, const struct coll_plan *plan, const struct live_shape *shape,
                    const struct live_call *call)
{
    int error = pack_and_execute(comm, plan, shape, call);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, error);
    return error;
}

/* Does the call the way that autotune says, and measures it if autotune needs its time. */
static int by_autotune(struct live_comm *comm, const struct plan_entry *plan, const struct live_shape *shape,
                       const struct live_call *call)
{
    char what[96];
    bool measured, ours = autotune_next(plan->autotune, &measured);
    int64_t began = measured ? backoff_now_ns() : 0;
    int error = ours ? by_nodes(comm, &plan->plan, shape, call) : live_by_mpi(call);
    if (!measured)
        return error;
    uint32_t function = live_function(&plan->key);
    uint32_t class = (uint32_t)(plan->autotune - comm->autotunes[function]);
    unsigned long long least = 1ull << class;
    if (call->kind == COLL_BARRIER)
        snprintf(what, sizeof what, "MPI_Barrier");
    else
        snprintf(what, sizeof what, "%s of %llu to %llu B", live_call_name(&plan->key), least, 2 * least - 1);
    if (autotune_add_time(plan->autotune, comm, ours, began, backoff_now_ns(), what))
        live_known_note(comm, function, class, plan->autotune->ours);
    return error;
}

bool live_collective(const struct live_call *call, int *error)
{
    struct live_shape shape;
    struct live_comm *comm;
    struct live_place place;
    if (!live_comm_find(call->comm, &comm, &place, error))
        return *error != MPI_SUCCESS;
    if (!live_shape_of(&shape, place, call))
        return false;
    comm = live_comm_enter(call->comm, comm);
    if (!comm || !live_shape_is_committed(call, comm))
        return false;
    live_shape_find_copies(&shape, comm);
    const struct plan_entry *plan = live_plan_find(comm, &shape.key);
    if (!plan)
        return false;
    if (plan->autotune)
        *error = by_autotune(comm, plan, &shape, call);
    else
        *error = by_nodes(comm, &plan->plan, &shape, call);
    return true;
}
