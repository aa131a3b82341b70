/* The functions that C programs call. Fortran programs of MPICH call them through MPICH's Fortran functions.
 * This file does not include mpi.h: handles are integers here, for the reason in entry.h. */
#include "live/coll/entry.h"

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

extern int PMPI_Alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, uintptr_t sendtype,
                          void *recvbuf, const int *recvcounts, const int *rdispls, uintptr_t recvtype,
                          uintptr_t comm);
PUBLIC int MPI_Alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, uintptr_t sendtype,
                         void *recvbuf, const int *recvcounts, const int *rdispls, uintptr_t recvtype,
                         uintptr_t comm);

PUBLIC int MPI_Alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, uintptr_t sendtype,
                         void *recvbuf, const int *recvcounts, const int *rdispls, uintptr_t recvtype,
                         uintptr_t comm)
{
    int error;
    if (entry_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                        &error))
        return error;
    return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                          comm);
}

extern int PMPI_Alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls,
                          const void *sendtypes, void *recvbuf, const int *recvcounts, const int *rdispls,
                          const void *recvtypes, uintptr_t comm);
PUBLIC int MPI_Alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls,
                         const void *sendtypes, void *recvbuf, const int *recvcounts, const int *rdispls,
                         const void *recvtypes, uintptr_t comm);

PUBLIC int MPI_Alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls,
                         const void *sendtypes, void *recvbuf, const int *recvcounts, const int *rdispls,
                         const void *recvtypes, uintptr_t comm)
{
    int error;
    if (entry_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                        comm, &error))
        return error;
    return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                          comm);
}
