#include "live/coll/internal.h"

#ifdef OPEN_MPI
enum { IS_MPICH = false };
#else
enum { IS_MPICH = true };
#endif

/* How many blocks a buffer has: none, one, or one for each rank. */
enum block_count { NO_BLOCK, ONE_BLOCK, ALL_BLOCKS };

/* The buffers of each kind, at the root and at the other ranks. Where a kind has no root, all ranks are as
 * the first says. A barrier has none. */
static const struct {
    bool has_root, reduces;
    enum block_count root_sends, others_send, root_receives, others_receive;
} kinds[COLL_KINDS] = {
    [COLL_BCAST] = {true, false, ONE_BLOCK, NO_BLOCK, NO_BLOCK, ONE_BLOCK},
    [COLL_REDUCE] = {true, true, ONE_BLOCK, ONE_BLOCK, ONE_BLOCK, NO_BLOCK},
    [COLL_ALLREDUCE] = {false, true, ONE_BLOCK, NO_BLOCK, ONE_BLOCK, NO_BLOCK},
    [COLL_ALLTOALL] = {false, false, ALL_BLOCKS, NO_BLOCK, ALL_BLOCKS, NO_BLOCK},
    [COLL_ALLGATHER] = {false, false, ONE_BLOCK, NO_BLOCK, ALL_BLOCKS, NO_BLOCK},
    [COLL_GATHER] = {true, false, ONE_BLOCK, ONE_BLOCK, ALL_BLOCKS, NO_BLOCK},
    [COLL_SCATTER] = {true, false, ALL_BLOCKS, NO_BLOCK, ONE_BLOCK, ONE_BLOCK},
    [COLL_REDUCE_SCATTER] = {false, true, ALL_BLOCKS, NO_BLOCK, ONE_BLOCK, NO_BLOCK},
};

static uint32_t blocks_of(enum block_count blocks, uint32_t size)
{
    return blocks == ALL_BLOCKS ? size : blocks == ONE_BLOCK;
}

/* False: the MPI refuses the buffer. */
static bool is_sound(const struct live_buffer *buffer)
{
    return buffer->blocks == 0 ||
           (buffer->count >= 0 && buffer->type != MPI_DATATYPE_NULL && buffer->at != MPI_IN_PLACE &&
            (buffer->count == 0 || !live_has_no_data(buffer->at, buffer->type)));
}

/* The bytes of a block: of its elements' data; of its elements themselves, where they are reduced. */
static uint64_t bytes_of(const struct live_buffer *buffer)
{
    MPI_Count size;
    if (PMPI_Type_size_x(buffer->type, &size) != MPI_SUCCESS)
        return 0;
    return buffer->count > 0 && size > 0 ? (uint64_t)size * (uint64_t)buffer->count : 0;
}

/* Where this rank's data are if the program says MPI_IN_PLACE: in the receive buffer, or in the block of this
 * rank there. */
static void find_in_place(struct live_shape *shape, const struct live_comm *comm)
{
    MPI_Aint lower, extent;
    uint32_t blocks = shape->send.blocks;
    shape->in_place = true;
    shape->send = shape->recv;
    shape->send.blocks = blocks;
    if (blocks == 1 && shape->recv.blocks > 1 &&
        PMPI_Type_get_extent(shape->recv.type, &lower, &extent) == MPI_SUCCESS)
        shape->send.at = (void *)((uintptr_t)shape->recv.at +
                                  (uintptr_t)((MPI_Aint)comm->rank * shape->recv.count * extent));
}

/* The count of each block of a call, if all ranks have the same; -1: they have not. */
static int count_of(const struct live_comm *comm, const struct live_call *call)
{
    if (!call->counts)
        return call->recvcount;
    for (uint32_t rank = 1; rank < comm->size; rank++)
        if (call->counts[rank] != call->counts[0])
            return -1;
    return call->counts[0];
}

/* The buffers as the program gives them. A rank that sends in place has told the MPI no count and no type. */
static void read_buffers(struct live_shape *shape, const struct live_comm *comm, const struct live_call *call)
{
    bool is_root = !kinds[call->kind].has_root || (uint32_t)call->root == comm->rank;
    enum block_count sends = is_root ? kinds[call->kind].root_sends : kinds[call->kind].others_send;
    enum block_count receives = is_root ? kinds[call->kind].root_receives : kinds[call->kind].others_receive;
    shape->send = (struct live_buffer){call->sendbuf, call->counts ? count_of(comm, call) : call->sendcount,
                                       call->sendtype, blocks_of(sends, comm->size), false};
    shape->recv = (struct live_buffer){call->recvbuf, count_of(comm, call), call->recvtype,
                                       blocks_of(receives, comm->size), false};
}

/* What MPICH refuses: that both buffers are the same memory. Open MPI does not look. Its programs get the
 * data that were there when the call began. */
static bool is_aliased(const struct live_shape *shape)
{
    const struct live_buffer *send = &shape->send, *recv = &shape->recv;
    return send->blocks > 0 && recv->blocks > 0 && send->at == recv->at && send->at != MPI_BOTTOM &&
           send->count == recv->count && send->type == recv->type;
}

/* The root of a scatter may keep its block where it is: then it receives nothing. */
static bool keeps_block(const struct live_shape *shape, const struct live_call *call)
{
    return call->kind == COLL_SCATTER && shape->send.blocks > 0 && call->recvbuf == MPI_IN_PLACE;
}

static bool set_key(struct live_shape *shape, const struct live_call *call)
{
    bool reduces = kinds[call->kind].reduces;
    const struct live_buffer *told = shape->recv.blocks > 0 ? &shape->recv : &shape->send;
    shape->key = (struct live_key){.kind = call->kind, .root = (uint32_t)call->root, .element = 1};
    enum live_reduces how = reduces ? live_reduces(call->op, told->type) : LIVE_REDUCES;
    if (how == LIVE_REDUCES_NOT)
        return false;
    shape->key.in_order = how == LIVE_REDUCES_IN_ORDER;
    shape->send.is_bytes = shape->send.blocks == 0 || reduces || live_type_is_plain(shape->send.type);
    shape->recv.is_bytes = shape->recv.blocks == 0 || reduces || live_type_is_plain(shape->recv.type);
    shape->key.bytes = bytes_of(told);
    if (reduces)
        shape->key.element = shape->key.bytes / (uint64_t)(told->count > 0 ? told->count : 1);
    return shape->key.bytes > 0;
}

bool live_shape_of(struct live_shape *shape, const struct live_comm *comm, const struct live_call *call)
{
    *shape = (struct live_shape){.key = {.kind = call->kind, .element = 1}};
    if (call->root < 0 || (uint32_t)call->root >= comm->size)
        return false;
    if (call->kind == COLL_BARRIER) {
        shape->send.is_bytes = shape->recv.is_bytes = true;
        return true;
    }
    read_buffers(shape, comm, call);
    if (keeps_block(shape, call))
        shape->recv = (struct live_buffer){.type = MPI_DATATYPE_NULL};
    if (!is_sound(&shape->recv))
        return false;
    bool says_in_place = shape->send.blocks > 0 && call->sendbuf == MPI_IN_PLACE;
    if (says_in_place && shape->recv.blocks == 0)
        return false;
    if (says_in_place)
        find_in_place(shape, comm);
    else if (!is_sound(&shape->send))
        return false;
    bool aliased = !says_in_place && is_aliased(shape);
    if (aliased && (IS_MPICH || call->kind == COLL_ALLTOALL))
        return false;
    shape->in_place |= aliased;
    return set_key(shape, call);
}
