#include "live/coll/internal.h"

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

bool live_type_is_dense(MPI_Datatype type)
{
    int size;
    MPI_Aint lower, extent, true_lower, true_extent;
    return PMPI_Type_size(type, &size) == MPI_SUCCESS && size > 0 &&
           PMPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent(type, &true_lower, &true_extent) == MPI_SUCCESS && lower == 0 &&
           true_lower == 0 && extent == size && true_extent == size;
}

/* MPI has no function that tells it, but packs nothing of such a type. */
bool live_type_is_committed(MPI_Datatype type, MPI_Comm comm)
{
    char from = 0, into;
    int position = 0;
    return PMPI_Pack(&from, 0, type, &into, sizeof into, &position, comm) == MPI_SUCCESS;
}

bool live_has_no_data(const void *buffer, MPI_Datatype type)
{
    return !buffer && live_type_is_plain(type);
}

/* MPICH's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM, which is address 0. So they get address 1 and a type
 * that begins one byte before its address. */
enum { STEP_BYTES = 1 };

static int step_back(MPI_Datatype type, MPI_Datatype *stepped)
{
    const MPI_Aint back = -STEP_BYTES;
    int error = PMPI_Type_create_hindexed_block(1, 1, &back, type, stepped);
    return error == MPI_SUCCESS ? PMPI_Type_commit(stepped) : error;
}

int live_pack(const void *from, int count, MPI_Datatype type, void *into, int bytes, MPI_Comm comm)
{
    MPI_Datatype stepped;
    int position = 0;
    if (from != MPI_BOTTOM)
        return PMPI_Pack(from, count, type, into, bytes, &position, comm);
    int error = step_back(type, &stepped);
    if (error == MPI_SUCCESS) {
        error = PMPI_Pack((void *)(uintptr_t)STEP_BYTES, count, stepped, into, bytes, &position, comm);
        PMPI_Type_free(&stepped);
    }
    return error;
}

int live_unpack(const void *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Datatype stepped;
    int position = 0;
    if (into != MPI_BOTTOM)
        return PMPI_Unpack(from, bytes, &position, into, count, type, comm);
    int error = step_back(type, &stepped);
    if (error == MPI_SUCCESS) {
        error = PMPI_Unpack(from, bytes, &position, (void *)(uintptr_t)STEP_BYTES, count, stepped, comm);
        PMPI_Type_free(&stepped);
    }
    return error;
}
