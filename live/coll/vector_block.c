#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "live/coll/vector.h"

/* The properties of a type. The MPI is asked only if the type of a block differs from the last one. */
struct type_info {
    MPI_Datatype type;
    MPI_Count bytes;
    MPI_Aint extent;
    bool plain;
};

static int type_info_read(struct type_info *info, MPI_Datatype type)
{
    MPI_Aint lower;
    int error = PMPI_Type_size_x(type, &info->bytes);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_get_extent(type, &lower, &info->extent);
    info->type = type;
    info->plain = live_type_is_plain(type);
    return error;
}

int live_blocks_read(struct live_block *blocks, uint32_t size, const struct live_side *side, bool is_hidden)
{
    struct type_info info = {.type = MPI_DATATYPE_NULL};
    int error = MPI_SUCCESS;
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < size; rank++) {
        MPI_Datatype type = side->types ? side->types[rank] : side->type;
        int64_t count = entry_number(&side->counts, rank);
        blocks[rank] = (struct live_block){.type = type, .count = count};
        if (count == 0) /* its type may be MPI_DATATYPE_NULL */
            continue;
        if (type != info.type)
            error = type_info_read(&info, type);
        MPI_Aint unit = side->types ? 1 : info.extent;
        MPI_Aint place = unit * entry_number(&side->displacements, rank);
        blocks[rank].at = (void *)((uintptr_t)side->buffer + (uintptr_t)place);
        blocks[rank].bytes = (uint64_t)info.bytes * (uint64_t)count;
        blocks[rank].plain = info.plain && !is_hidden;
    }
    return error;
}

int live_block_pack(const struct live_block *block, void *into, MPI_Comm comm)
{
    if (!block->plain)
        return live_pack(block->at, (int)block->count, block->type, into, (int)block->bytes, comm);
    memcpy(into, block->at, block->bytes);
    return MPI_SUCCESS;
}

int live_block_unpack(const struct live_block *block, const void *from, uint64_t bytes, MPI_Comm comm)
{
    if (bytes != block->bytes)
        return MPI_ERR_TRUNCATE;
    if (!block->plain)
        return live_unpack(from, (int)bytes, block->at, (int)block->count, block->type, comm);
    memcpy(block->at, from, bytes);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- messages */

int live_block_send(const struct live_block *block, int to, MPI_Comm comm, MPI_Request *request)
{
#if MPI_VERSION >= 4
    if (block->count > INT_MAX)
        return PMPI_Isend_c(block->at, block->count, block->type, to, LIVE_TAG_BLOCK, comm, request);
#endif
    return PMPI_Isend(block->at, (int)block->count, block->type, to, LIVE_TAG_BLOCK, comm, request);
}

int live_block_recv(const struct live_block *block, int from, MPI_Comm comm, MPI_Request *request)
{
#if MPI_VERSION >= 4
    if (block->count > INT_MAX)
        return PMPI_Irecv_c(block->at, block->count, block->type, from, LIVE_TAG_BLOCK, comm, request);
#endif
    return PMPI_Irecv(block->at, (int)block->count, block->type, from, LIVE_TAG_BLOCK, comm, request);
}

/* ------------------------------------------------------------------ copies */

/* *type: a type for an element of the packed block. */
static int packed_type(const struct live_block *block, MPI_Datatype *type)
{
    uint64_t bytes = block->bytes / (uint64_t)block->count;
    if (bytes > INT_MAX)
        return MPI_ERR_COUNT;
    int error = PMPI_Type_contiguous((int)bytes, MPI_PACKED, type);
    return error == MPI_SUCCESS ? PMPI_Type_commit(type) : error;
}

/* Copies by a message from this rank to itself: MPI_Pack counts bytes in an int, which may be too small. */
static int copy_block(const struct live_copy *copy, const struct live_block *block,
                      const struct live_comm *comm)
{
    int self = (int)comm->rank;
#if MPI_VERSION >= 4
    if (block->count > INT_MAX)
        return PMPI_Sendrecv_c(block->at, block->count, block->type, self, LIVE_TAG_COPY, copy->memory,
                               block->count, copy->type, self, LIVE_TAG_COPY, comm->mine, MPI_STATUS_IGNORE);
#endif
    int count = (int)block->count;
    return PMPI_Sendrecv(block->at, count, block->type, self, LIVE_TAG_COPY, copy->memory, count, copy->type,
                         self, LIVE_TAG_COPY, comm->mine, MPI_STATUS_IGNORE);
}

int live_copy_init(struct live_copy *copy, const struct live_block *block, const struct live_comm *comm)
{
    *copy = (struct live_copy){.block = {.type = MPI_PACKED}, .type = MPI_DATATYPE_NULL};
    int error = packed_type(block, &copy->type);
    if (error != MPI_SUCCESS)
        return error;
    if (!(copy->memory = malloc(block->bytes)))
        return MPI_ERR_NO_MEM;
    error = copy_block(copy, block, comm);
    if (error == MPI_SUCCESS)
        copy->block = (struct live_block){.at = copy->memory, .type = copy->type, .count = block->count};
    return error;
}

void live_copy_free(struct live_copy *copy)
{
    if (copy->type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&copy->type);
    free(copy->memory);
}
