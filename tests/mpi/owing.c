/* Stands for an MPI whose MPI_Gather returns early and leaves work behind: the next MPI_Barrier takes OWED_US
 * longer. It is preloaded behind the library, so it sees only the calls that the library leaves to the MPI.
 */
#include <mpi.h>
#include <stdbool.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
enum { OWED_US = 100000 };

static bool owes;

PUBLIC int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    owes = true;
    return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

PUBLIC int MPI_Barrier(MPI_Comm comm)
{
    if (owes)
        usleep(OWED_US);
    owes = false;
    return PMPI_Barrier(comm);
}
