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

int live_blocks_read(struct live_block *blocks, uint32_t size, const struct live_side *side)
{
    struct type_info info = {.type = MPI_DATATYPE_NULL};
    int error = MPI_SUCCESS;
    for (uint32_t rank = 0; error == MPI_SUCCESS && rank < size; rank++) {
        MPI_Datatype type = side->types ? side->types[rank] : side->type;
        int count = side->counts[rank];
        blocks[rank] = (struct live_block){.type = type, .count = count};
        if (count == 0) /* its type may be MPI_DATATYPE_NULL */
            continue;
        if (type != info.type)
            error = type_info_read(&info, type);
        MPI_Aint unit = side->types ? 1 : info.extent;
        blocks[rank].at = (void *)((uintptr_t)side->buffer + (uintptr_t)(unit * side->displacements[rank]));
        blocks[rank].bytes = (uint64_t)info.bytes * (uint64_t)count;
        blocks[rank].plain = info.plain;
    }
    return error;
}

int live_block_pack(const struct live_block *block, void *into, MPI_Comm comm)
{
    if (!block->plain)
        return live_pack(block->at, block->count, block->type, into, (int)block->bytes, comm);
    memcpy(into, block->at, block->bytes);
    return MPI_SUCCESS;
}

int live_block_unpack(const struct live_block *block, const void *from, uint64_t bytes, MPI_Comm comm)
{
    if (bytes != block->bytes)
        return MPI_ERR_TRUNCATE;
    if (!block->plain)
        return live_unpack(from, (int)bytes, block->at, block->count, block->type, comm);
    memcpy(block->at, from, bytes);
    return MPI_SUCCESS;
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
int live_copy_init(struct live_copy *copy, const struct live_block *block, const struct live_comm *comm)
{
    int self = (int)comm->rank;
    *copy = (struct live_copy){.block = {.type = MPI_PACKED}, .type = MPI_DATATYPE_NULL};
    int error = packed_type(block, &copy->type);
    if (error != MPI_SUCCESS)
        return error;
    if (!(copy->memory = malloc(block->bytes)))
        return MPI_ERR_NO_MEM;
    error = PMPI_Sendrecv(block->at, block->count, block->type, self, LIVE_TAG_COPY, copy->memory,
                          block->count, copy->type, self, LIVE_TAG_COPY, comm->mine, MPI_STATUS_IGNORE);
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
