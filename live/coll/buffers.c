#include <stdlib.h>

#include "live/coll/internal.h"

bool live_buffer_reserve(unsigned char **buffer, size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return true;
    void *larger = realloc(*buffer, bytes);
    if (!larger)
        return false;
    *buffer = larger;
    *room = bytes;
    return true;
}

bool live_requests_reserve(struct live_comm *comm, uint32_t count)
{
    if (count <= comm->request_room)
        return true;
    MPI_Request *requests = realloc(comm->requests, count * sizeof *requests);
    if (requests)
        comm->requests = requests;
    int *completed = realloc(comm->completed, count * sizeof *completed);
    if (completed)
        comm->completed = completed;
    MPI_Status *statuses = realloc(comm->statuses, count * sizeof *statuses);
    if (statuses)
        comm->statuses = statuses;
    if (!requests || !completed || !statuses)
        return false;
    comm->request_room = count;
    return true;
}

bool live_all_agree(MPI_Comm comm, bool here)
{
    int mine = here, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}
