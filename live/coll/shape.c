#include <limits.h>

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
    if (buffer->count <= 0 || size <= 0)
        return 0;
    uint64_t bytes; /* too many are no call that is executed here */
    return __builtin_mul_overflow((uint64_t)size, (uint64_t)buffer->count, &bytes) ? UINT64_MAX : bytes;
}

/* The block of this rank in a buffer that has one for each. */
static void *own_block(const struct live_buffer *buffer, uint32_t rank)
{
    MPI_Aint lower, extent;
    MPI_Aint first =
        entry_has(&buffer->displs) ? entry_number(&buffer->displs, rank) : (MPI_Aint)rank * buffer->count;
    if (PMPI_Type_get_extent(buffer->type, &lower, &extent) != MPI_SUCCESS)
        extent = 0;
    return (void *)((uintptr_t)buffer->at + (uintptr_t)(first * extent));
}

/* Where this rank's data are if the program says MPI_IN_PLACE: in the receive buffer, or in the block of this
 * rank there. */
static void find_in_place(struct live_shape *shape, uint32_t rank)
{
    const struct live_buffer *recv = &shape->recv;
    shape->in_place = true;
    if (kinds[shape->key.kind].reduces) {
        shape->send.at = recv->at;
        return;
    }
    shape->send = (struct live_buffer){
        .at = recv->at, .count = recv->count, .type = recv->type, .blocks = shape->send.blocks};
    if (shape->send.blocks != 1 || recv->blocks == 1)
        return;
    shape->send.at = own_block(recv, rank);
    if (entry_has(&recv->counts))
        shape->send.count = entry_number(&recv->counts, rank);
}

/* The blocks of a call with a count for each. */
struct unequal {
    int64_t longest; /* -1: the MPI refuses the counts */
    bool differ;
    bool is_sparse; /* the blocks are executed as long as the longest, and that is more than twice the data */
};

static struct unequal blocks_with(const struct entry_numbers *counts, uint32_t size)
{
    int64_t first = entry_number(counts, 0), all = 0;
    struct unequal blocks = {.longest = first};
    for (uint32_t rank = 0; rank < size; rank++) {
        int64_t count = entry_number(counts, rank);
        if (count < 0 || count > INT_MAX) /* counts of 64 bits may be longer than what is executed here */
            return (struct unequal){.longest = -1};
        blocks.differ |= count != first;
        blocks.longest = count > blocks.longest ? count : blocks.longest;
        all += count;
    }
    blocks.is_sparse = blocks.longest * size > 2 * all;
    return blocks;
}

/* Whether the block of each rank begins where that of the rank before it ends. */
static bool follow_one_another(const struct live_call *call, uint32_t size)
{
    int64_t next = 0;
    for (uint32_t rank = 0; rank < size; next += entry_number(&call->counts, rank++))
        if (entry_number(&call->displs, rank) != next)
            return false;
    return true;
}

/* The counts of MPI_Reduce_scatter and MPI_Allgatherv, of which all ranks know all. False: the call is left
 * to the MPI. */
static bool read_counts(struct live_shape *shape, struct live_place place, const struct live_call *call)
{
    bool reduces = kinds[call->kind].reduces;
    struct unequal blocks = blocks_with(&call->counts, place.size);
    if (blocks.longest < 0 || blocks.is_sparse || (!reduces && !entry_has(&call->displs)))
        return false;
    struct live_buffer *all = reduces ? &shape->send : &shape->recv;
    all->count = blocks.longest;
    if (blocks.differ)
        all->counts = call->counts;
    if (reduces)
        shape->recv.count = entry_number(&call->counts, place.rank);
    else if (blocks.differ || !follow_one_another(call, place.size))
        all->displs = call->displs;
    shape->key.is_vector = !reduces || (blocks.differ && live_op_is_predefined(call->op));
    return !reduces || !blocks.differ || shape->key.is_vector;
}

/* The buffers as the program gives them. A rank that sends in place has told the MPI no count and no type. */
static void read_buffers(struct live_shape *shape, struct live_place place, const struct live_call *call)
{
    bool is_root = !kinds[call->kind].has_root || (uint32_t)call->root == place.rank;
    enum block_count sends = is_root ? kinds[call->kind].root_sends : kinds[call->kind].others_send;
    enum block_count receives = is_root ? kinds[call->kind].root_receives : kinds[call->kind].others_receive;
    shape->send = (struct live_buffer){.at = call->sendbuf,
                                       .count = call->sendcount,
                                       .type = call->sendtype,
                                       .blocks = blocks_of(sends, place.size)};
    shape->recv = (struct live_buffer){.at = call->recvbuf,
                                       .count = call->recvcount,
                                       .type = call->recvtype,
                                       .blocks = blocks_of(receives, place.size)};
}

/* Where MPICH takes the buffer to begin when it compares both: at the block of this rank, if the other side
 * has one block. */
static const void *compared(const struct live_buffer *buffer, const struct live_buffer *other, uint32_t rank,
                            bool reduces)
{
    return !reduces && buffer->blocks > 1 && other->blocks == 1 ? own_block(buffer, rank) : buffer->at;
}

/* What MPICH refuses: that both buffers are the same memory. */
static bool is_aliased(const struct live_shape *shape, uint32_t rank)
{
    const struct live_buffer *send = &shape->send, *recv = &shape->recv;
    if (send->blocks == 0 || recv->blocks == 0 || send->at == MPI_BOTTOM || send->type != recv->type)
        return false;
    bool reduces = kinds[shape->key.kind].reduces;
    return compared(send, recv, rank, reduces) == compared(recv, send, rank, reduces) &&
           (shape->key.is_vector || send->count == recv->count);
}

/* The root of a scatter may keep its block where it is: then it receives nothing. */
static bool keeps_block(const struct live_shape *shape, const struct live_call *call)
{
    return call->kind == COLL_SCATTER && shape->send.blocks > 0 && call->recvbuf == MPI_IN_PLACE;
}

/* Whether the blocks of a plan are those of the buffer. */
static void find_copies(struct live_buffer *buffer, const struct live_key *key, bool is_hidden)
{
    buffer->is_bytes = buffer->blocks == 0 || kinds[key->kind].reduces || live_type_is_plain(buffer->type);
    buffer->is_hidden = buffer->blocks > 0 && is_hidden;
    buffer->is_direct = buffer->is_bytes && !buffer->is_hidden;
    if (key->is_vector)
        buffer->is_direct &=
            !entry_has(&buffer->counts) && !entry_has(&buffer->displs) && bytes_of(buffer) == key->bytes;
}

static bool set_key(struct live_shape *shape, const struct live_call *call)
{
    bool reduces = kinds[call->kind].reduces;
    const struct live_buffer *told = shape->recv.blocks > 0 ? &shape->recv : &shape->send;
    if (entry_has(&call->counts) && reduces)
        told = &shape->send;
    shape->key.root = (uint32_t)call->root;
    enum live_reduces how = reduces ? live_reduces(call->op, told->type) : LIVE_REDUCES;
    if (how == LIVE_REDUCES_NOT)
        return false;
    shape->key.in_order = how == LIVE_REDUCES_IN_ORDER;
    shape->key.bytes = bytes_of(told);
    if (reduces)
        shape->key.element = shape->key.bytes / (uint64_t)(told->count > 0 ? told->count : 1);
    return shape->key.bytes > 0;
}

bool live_shape_of(struct live_shape *shape, struct live_place place, const struct live_call *call)
{
    *shape = (struct live_shape){.key = {.kind = call->kind, .element = 1}};
    if (call->root < 0 || (uint32_t)call->root >= place.size)
        return false;
    if (call->kind == COLL_BARRIER)
        return true;
    read_buffers(shape, place, call);
    if (entry_has(&call->counts) && !read_counts(shape, place, call))
        return false;
    if (keeps_block(shape, call))
        shape->recv = (struct live_buffer){.type = MPI_DATATYPE_NULL};
    if (!is_sound(&shape->recv))
        return false;
    bool says_in_place = shape->send.blocks > 0 && call->sendbuf == MPI_IN_PLACE;
    if (says_in_place && shape->recv.blocks == 0)
        return false;
    if (says_in_place)
        find_in_place(shape, place.rank);
    else if (!is_sound(&shape->send))
        return false;
    bool aliased = !says_in_place && is_aliased(shape, place.rank);
    if (aliased && (IS_MPICH || call->kind == COLL_ALLTOALL))
        return false;
    /* Open MPI does not look. Its programs get the data that were there when the call began. */
    shape->in_place |= aliased || (shape->send.at == shape->recv.at && shape->send.blocks > 0);
    return set_key(shape, call);
}

bool live_shape_is_committed(const struct live_call *call, const struct live_comm *comm)
{
    return !kinds[call->kind].reduces || live_op_is_predefined(call->op) ||
           live_type_is_committed(call->recvtype, comm->mine);
}

void live_shape_find_copies(struct live_shape *shape, const struct live_comm *comm)
{
    bool is_hidden = shape->key.kind != COLL_BARRIER && live_may_be_of_device(comm);
    find_copies(&shape->send, &shape->key, is_hidden);
    find_copies(&shape->recv, &shape->key, is_hidden);
}
