/* The functions that Fortran programs of Open MPI call. Open MPI's Fortran library does not call the C
 * functions; MPICH's does. */
#include <mpi.h>

#ifdef OPEN_MPI

#include <stdlib.h>

#include "live/coll/entry.h"
#include "live/coll/vector.h"

#define PUBLIC __attribute__((visibility("default")))

/* The common blocks that stand for MPI_IN_PLACE and MPI_BOTTOM. They are in the Fortran library of the MPI,
 * which C programs do not load. Then they have no address, and buffer_of does not compare with it. */
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));

static void *buffer_of(void *buffer)
{
    if (&mpi_fortran_in_place_ && buffer == (void *)&mpi_fortran_in_place_)
        return MPI_IN_PLACE;
    if (&mpi_fortran_bottom_ && buffer == (void *)&mpi_fortran_bottom_)
        return MPI_BOTTOM;
    return buffer;
}

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on unchanged");

static void alltoall(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,
                     MPI_Fint *ierr)
{
    MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
    MPI_Datatype c_recvtype = PMPI_Type_f2c(*recvtype), c_sendtype = c_recvtype;
    int error, c_sendcount = 0;
    sendbuf = buffer_of(sendbuf);
    recvbuf = buffer_of(recvbuf);
    if (sendbuf != MPI_IN_PLACE) {
        c_sendtype = PMPI_Type_f2c(*sendtype);
        c_sendcount = *sendcount;
    }
    if (!entry_is_ours() ||
        !live_alltoall(sendbuf, c_sendcount, c_sendtype, recvbuf, *recvcount, c_recvtype, c_comm, &error))
        error = PMPI_Alltoall(sendbuf, c_sendcount, c_sendtype, recvbuf, *recvcount, c_recvtype, c_comm);
    if (ierr)
        *ierr = error;
}

static void alltoallv(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls,
                      const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcounts,
                      const MPI_Fint *rdispls, const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *ierr)
{
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), sendcounts, sdispls, MPI_DATATYPE_NULL, NULL},
        .recv = {buffer_of(recvbuf), recvcounts, rdispls, PMPI_Type_f2c(*recvtype), NULL},
        .comm = PMPI_Comm_f2c(*comm),
    };
    int error;
    if (call.send.buffer != MPI_IN_PLACE)
        call.send.type = PMPI_Type_f2c(*sendtype);
    if (!entry_is_ours() || !live_alltoallv(&call, &error))
        error = live_vector_by_mpi(&call);
    if (ierr)
        *ierr = error;
}

static void read_types(MPI_Datatype *types, const MPI_Fint *fortran, int size)
{
    for (int rank = 0; rank < size; rank++)
        types[rank] = PMPI_Type_f2c(fortran[rank]);
}

/* The number of ranks that this rank exchanges with: MPI_Alltoallw has so many types. */
static int peers_of(MPI_Comm comm)
{
    int is_inter = 0, size = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static void alltoallw(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls,
                      const MPI_Fint *sendtypes, void *recvbuf, const MPI_Fint *recvcounts,
                      const MPI_Fint *rdispls, const MPI_Fint *recvtypes, const MPI_Fint *comm,
                      MPI_Fint *ierr)
{
    MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
    int size = peers_of(c_comm), error = MPI_ERR_NO_MEM;
    MPI_Datatype *types = malloc(2 * (size_t)size * sizeof *types);
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), sendcounts, sdispls, MPI_DATATYPE_NULL, types},
        .recv = {buffer_of(recvbuf), recvcounts, rdispls, MPI_DATATYPE_NULL, types ? types + size : NULL},
        .comm = c_comm,
        .is_w = true,
    };
    if (types) {
        read_types(types + size, recvtypes, size);
        if (call.send.buffer != MPI_IN_PLACE)
            read_types(types, sendtypes, size);
        if (!entry_is_ours() || !live_alltoallv(&call, &error))
            error = live_vector_by_mpi(&call);
    } else {
        PMPI_Comm_call_errhandler(c_comm, error);
    }
    free(types);
    if (ierr)
        *ierr = error;
}

/* All spellings of the names that compilers use, and the names of the module mpi_f08. The handles of mpi_f08
 * are structures with one integer, and its argument ierror may be absent (NULL). */
#define NAME_OF_ALLTOALL(name)                                                                               \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,      \
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,              \
                     MPI_Fint *ierr);                                                                        \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,      \
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,              \
                     MPI_Fint *ierr)                                                                         \
    {                                                                                                        \
        alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierr);                    \
    }

NAME_OF_ALLTOALL(mpi_alltoall)
NAME_OF_ALLTOALL(mpi_alltoall_)
NAME_OF_ALLTOALL(mpi_alltoall__)
NAME_OF_ALLTOALL(MPI_ALLTOALL)
NAME_OF_ALLTOALL(mpi_alltoall_f08_)

#define NAME_OF_VECTORS(name, function)                                                                      \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls,                     \
                     const MPI_Fint *sendtypes, void *recvbuf, const MPI_Fint *recvcounts,                   \
                     const MPI_Fint *rdispls, const MPI_Fint *recvtypes, const MPI_Fint *comm,               \
                     MPI_Fint *ierr);                                                                        \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls,                     \
                     const MPI_Fint *sendtypes, void *recvbuf, const MPI_Fint *recvcounts,                   \
                     const MPI_Fint *rdispls, const MPI_Fint *recvtypes, const MPI_Fint *comm,               \
                     MPI_Fint *ierr)                                                                         \
    {                                                                                                        \
        function(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,     \
                 ierr);                                                                                      \
    }

NAME_OF_VECTORS(mpi_alltoallv, alltoallv)
NAME_OF_VECTORS(mpi_alltoallv_, alltoallv)
NAME_OF_VECTORS(mpi_alltoallv__, alltoallv)
NAME_OF_VECTORS(MPI_ALLTOALLV, alltoallv)
NAME_OF_VECTORS(mpi_alltoallv_f08_, alltoallv)
NAME_OF_VECTORS(mpi_alltoallw, alltoallw)
NAME_OF_VECTORS(mpi_alltoallw_, alltoallw)
NAME_OF_VECTORS(mpi_alltoallw__, alltoallw)
NAME_OF_VECTORS(MPI_ALLTOALLW, alltoallw)
NAME_OF_VECTORS(mpi_alltoallw_f08_, alltoallw)

#endif
