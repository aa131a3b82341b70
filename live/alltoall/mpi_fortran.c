/* What Fortran programs of Open MPI call, whose library does not go through the C function. MPICH's does. */
#include <mpi.h>

#ifdef OPEN_MPI

#include "alltoall/entry.h"
#include "alltoall/live.h"

#define PUBLIC __attribute__((visibility("default")))

/* Common blocks that stand for MPI_IN_PLACE and MPI_BOTTOM. They are the Fortran part's of the MPI, which C
 * programs do not load: then they have no address, and nothing is compared with it. */
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

/* Every way in which compilers write the name, and the one of mpi_f08, whose handles are Fortran's numbers in
 * a structure, and whose ierror may be left out. */
#define FORTRAN(name)                                                                                        \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,      \
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,              \
                     MPI_Fint *ierr);                                                                        \
    PUBLIC void name(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,      \
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm,              \
                     MPI_Fint *ierr)                                                                         \
    {                                                                                                        \
        alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierr);                    \
    }

FORTRAN(mpi_alltoall)
FORTRAN(mpi_alltoall_)
FORTRAN(mpi_alltoall__)
FORTRAN(MPI_ALLTOALL)
FORTRAN(mpi_alltoall_f08_)

#endif
