/* A tool as those that profile programs: it counts calls of the program and passes each on to the MPI's PMPI
 * function. MPI_Pcontrol prints the counts of rank 0. */
#include <mpi.h>
#include <stdio.h>

#define PUBLIC __attribute__((visibility("default")))

static long allreduces, barriers, bcasts, alltoallvs, sends;

PUBLIC int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm)
{
    allreduces++;
    return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

PUBLIC int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

PUBLIC int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    bcasts++;
    return PMPI_Bcast(buffer, count, type, root, comm);
}

PUBLIC int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm)
{
    alltoallvs++;
    return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                          comm);
}

PUBLIC int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    sends++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* Prints what it has seen so far. */
PUBLIC int MPI_Pcontrol(const int level, ...)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("tool %d: %ld allreduces, %ld barriers, %ld bcasts, %ld alltoallvs, %ld sends\n", level,
               allreduces, barriers, bcasts, alltoallvs, sends),
            fflush(stdout);
    return MPI_SUCCESS;
}
