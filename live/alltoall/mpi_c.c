/* What C programs call, and Fortran programs of MPICH through it. mpi.h is left out on purpose: entry.h. */
#include "alltoall/entry.h"

#define PUBLIC __attribute__((visibility("default")))

extern int PMPI_Alltoall(const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
                         uintptr_t recvtype, uintptr_t comm);
PUBLIC int MPI_Alltoall(const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
                        uintptr_t recvtype, uintptr_t comm);

PUBLIC int MPI_Alltoall(const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
                        uintptr_t recvtype, uintptr_t comm)
{
    int error;
    if (entry_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &error))
        return error;
    return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
