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

/* Executes the call here or by the MPI. */
static void make(const struct live_call *call, MPI_Fint *ierr)
{
    int error;
    if (!entry_is_ours() || !live_collective(call, &error))
        error = live_by_mpi(call);
    if (ierr)
        *ierr = error;
}

static void barrier(const MPI_Fint *comm, MPI_Fint *ierr)
{
    make(&(struct live_call){.kind = COLL_BARRIER, .comm = PMPI_Comm_f2c(*comm)}, ierr);
}

static void bcast(void *buffer, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *root,
                  const MPI_Fint *comm, MPI_Fint *ierr)
{
    void *at = buffer_of(buffer);
    MPI_Datatype c_type = PMPI_Type_f2c(*type);
    make(&(struct live_call){.kind = COLL_BCAST,
                             .sendbuf = at,
                             .sendcount = *count,
                             .sendtype = c_type,
                             .recvbuf = at,
                             .recvcount = *count,
                             .recvtype = c_type,
                             .root = *root,
                             .comm = PMPI_Comm_f2c(*comm)},
         ierr);
}

/* `root` and `counts`: NULL, or an array, if the function has such an argument; `count` is then NULL. */
static void reduce_by(enum coll_kind kind, void *sendbuf, void *recvbuf, const MPI_Fint *count,
                      const MPI_Fint *counts, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *root,
                      const MPI_Fint *comm, MPI_Fint *ierr)
{
    MPI_Datatype c_type = PMPI_Type_f2c(*type);
    make(&(struct live_call){.kind = kind,
                             .sendbuf = buffer_of(sendbuf),
                             .sendcount = count ? *count : 0,
                             .sendtype = c_type,
                             .recvbuf = buffer_of(recvbuf),
                             .recvcount = count ? *count : 0,
                             .recvtype = c_type,
                             .op = PMPI_Op_f2c(*op),
                             .root = root ? *root : 0,
                             .counts = {.ints = counts},
                             .comm = PMPI_Comm_f2c(*comm)},
         ierr);
}

/* A side that is MPI_IN_PLACE has no count and no type: what stands there is not read. */
static void move(enum coll_kind kind, void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                 void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *root,
                 const MPI_Fint *comm, MPI_Fint *ierr)
{
    struct live_call call = {.kind = kind,
                             .sendbuf = buffer_of(sendbuf),
                             .sendtype = MPI_DATATYPE_NULL,
                             .recvbuf = buffer_of(recvbuf),
                             .recvtype = MPI_DATATYPE_NULL,
                             .root = root ? *root : 0,
                             .comm = PMPI_Comm_f2c(*comm)};
    if (call.sendbuf != MPI_IN_PLACE) {
        call.sendcount = *sendcount;
        call.sendtype = PMPI_Type_f2c(*sendtype);
    }
    if (call.recvbuf != MPI_IN_PLACE) {
        call.recvcount = *recvcount;
        call.recvtype = PMPI_Type_f2c(*recvtype);
    }
    make(&call, ierr);
}

static void allgatherv(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
                       const MPI_Fint *recvcounts, const MPI_Fint *displs, const MPI_Fint *recvtype,
                       const MPI_Fint *comm, MPI_Fint *ierr)
{
    struct live_call call = {.kind = COLL_ALLGATHER,
                             .sendbuf = buffer_of(sendbuf),
                             .sendtype = MPI_DATATYPE_NULL,
                             .recvbuf = buffer_of(recvbuf),
                             .recvtype = PMPI_Type_f2c(*recvtype),
                             .counts = {.ints = recvcounts},
                             .displs = {.ints = displs},
                             .comm = PMPI_Comm_f2c(*comm)};
    if (call.sendbuf != MPI_IN_PLACE) {
        call.sendcount = *sendcount;
        call.sendtype = PMPI_Type_f2c(*sendtype);
    }
    make(&call, ierr);
}

/* Executes the call here or by the MPI. */
static void make_vector(const struct live_vector_call *call, MPI_Fint *ierr)
{
    int error;
    if (!entry_is_ours() || !live_vector(call, &error))
        error = live_vector_by_mpi(call);
    if (ierr)
        *ierr = error;
}

static void alltoallv(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls,
                      const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcounts,
                      const MPI_Fint *rdispls, const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *ierr)
{
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), {.ints = sendcounts}, {.ints = sdispls}, MPI_DATATYPE_NULL, NULL},
        .recv = {buffer_of(recvbuf), {.ints = recvcounts}, {.ints = rdispls}, PMPI_Type_f2c(*recvtype), NULL},
        .comm = PMPI_Comm_f2c(*comm),
        .function = LIVE_ALLTOALLV,
    };
    if (call.send.buffer != MPI_IN_PLACE)
        call.send.type = PMPI_Type_f2c(*sendtype);
    make_vector(&call, ierr);
}

/* What only the root has is not read elsewhere. */
static bool is_root(MPI_Comm comm, const MPI_Fint *root)
{
    int is_inter = 0, rank = -1;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
        return *root == MPI_ROOT;
    PMPI_Comm_rank(comm, &rank);
    return *root == rank;
}

static void gatherv(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
                    const MPI_Fint *recvcounts, const MPI_Fint *displs, const MPI_Fint *recvtype,
                    const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierr)
{
    MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
    const MPI_Fint none = 0;
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), {.ints = &none}, {0}, MPI_DATATYPE_NULL, NULL},
        .recv = {buffer_of(recvbuf), {.ints = recvcounts}, {.ints = displs}, MPI_DATATYPE_NULL, NULL},
        .comm = c_comm,
        .function = LIVE_GATHERV,
        .root = *root,
    };
    if (call.send.buffer != MPI_IN_PLACE)
        call.send.counts.ints = sendcount, call.send.type = PMPI_Type_f2c(*sendtype);
    if (is_root(c_comm, root))
        call.recv.type = PMPI_Type_f2c(*recvtype);
    make_vector(&call, ierr);
}

static void scatterv(void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *displs,
                     const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcount,
                     const MPI_Fint *recvtype, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierr)
{
    MPI_Comm c_comm = PMPI_Comm_f2c(*comm);
    const MPI_Fint none = 0;
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), {.ints = sendcounts}, {.ints = displs}, MPI_DATATYPE_NULL, NULL},
        .recv = {buffer_of(recvbuf), {.ints = &none}, {0}, MPI_DATATYPE_NULL, NULL},
        .comm = c_comm,
        .function = LIVE_SCATTERV,
        .root = *root,
    };
    if (call.recv.buffer != MPI_IN_PLACE)
        call.recv.counts.ints = recvcount, call.recv.type = PMPI_Type_f2c(*recvtype);
    if (is_root(c_comm, root))
        call.send.type = PMPI_Type_f2c(*sendtype);
    make_vector(&call, ierr);
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
    int size = peers_of(c_comm);
    MPI_Datatype *types = malloc(2 * (size_t)size * sizeof *types);
    struct live_vector_call call = {
        .send = {buffer_of(sendbuf), {.ints = sendcounts}, {.ints = sdispls}, MPI_DATATYPE_NULL, types},
        .recv = {buffer_of(recvbuf),
                 {.ints = recvcounts},
                 {.ints = rdispls},
                 MPI_DATATYPE_NULL,
                 types ? types + size : NULL},
        .comm = c_comm,
        .function = LIVE_ALLTOALLW,
    };
    if (types) {
        read_types(types + size, recvtypes, size);
        if (call.send.buffer != MPI_IN_PLACE)
            read_types(types, sendtypes, size);
        make_vector(&call, ierr);
    } else {
        PMPI_Comm_call_errhandler(c_comm, MPI_ERR_NO_MEM);
        if (ierr)
            *ierr = MPI_ERR_NO_MEM;
    }
    free(types);
}

/* A function in all spellings of its name that compilers use, and under its name in the module mpi_f08. The
 * handles of mpi_f08 are structures with one integer, and its argument ierror may be absent (NULL). */
#define NAME(name, parameters, body)                                                                         \
    PUBLIC void name parameters;                                                                             \
    PUBLIC void name parameters                                                                              \
    {                                                                                                        \
        body;                                                                                                \
    }
#define NAMES(lower, upper, parameters, body)                                                                \
    NAME(lower, parameters, body)                                                                            \
    NAME(lower##_, parameters, body)                                                                         \
    NAME(lower##__, parameters, body)                                                                        \
    NAME(upper, parameters, body)                                                                            \
    NAME(lower##_f08_, parameters, body)

NAMES(mpi_barrier, MPI_BARRIER, (const MPI_Fint *comm, MPI_Fint *ierr), barrier(comm, ierr))
NAMES(mpi_bcast, MPI_BCAST,
      (void *buffer, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *root, const MPI_Fint *comm,
       MPI_Fint *ierr),
      bcast(buffer, count, type, root, comm, ierr))
NAMES(mpi_reduce, MPI_REDUCE,
      (void *sendbuf, void *recvbuf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op,
       const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierr),
      reduce_by(COLL_REDUCE, sendbuf, recvbuf, count, NULL, type, op, root, comm, ierr))
NAMES(mpi_allreduce, MPI_ALLREDUCE,
      (void *sendbuf, void *recvbuf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op,
       const MPI_Fint *comm, MPI_Fint *ierr),
      reduce_by(COLL_ALLREDUCE, sendbuf, recvbuf, count, NULL, type, op, NULL, comm, ierr))
NAMES(mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK,
      (void *sendbuf, void *recvbuf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op,
       const MPI_Fint *comm, MPI_Fint *ierr),
      reduce_by(COLL_REDUCE_SCATTER, sendbuf, recvbuf, count, NULL, type, op, NULL, comm, ierr))
NAMES(mpi_reduce_scatter, MPI_REDUCE_SCATTER,
      (void *sendbuf, void *recvbuf, const MPI_Fint *counts, const MPI_Fint *type, const MPI_Fint *op,
       const MPI_Fint *comm, MPI_Fint *ierr),
      reduce_by(COLL_REDUCE_SCATTER, sendbuf, recvbuf, NULL, counts, type, op, NULL, comm, ierr))

#define UNROOTED                                                                                             \
    (void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,                      \
     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *ierr)
#define ROOTED                                                                                               \
    (void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,                      \
     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *root, const MPI_Fint *comm,        \
     MPI_Fint *ierr)

NAMES(mpi_alltoall, MPI_ALLTOALL, UNROOTED,
      move(COLL_ALLTOALL, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, NULL, comm, ierr))
NAMES(mpi_allgather, MPI_ALLGATHER, UNROOTED,
      move(COLL_ALLGATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, NULL, comm, ierr))
NAMES(mpi_allgatherv, MPI_ALLGATHERV,
      (void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
       const MPI_Fint *recvcounts, const MPI_Fint *displs, const MPI_Fint *recvtype, const MPI_Fint *comm,
       MPI_Fint *ierr),
      allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierr))
NAMES(mpi_gather, MPI_GATHER, ROOTED,
      move(COLL_GATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierr))
NAMES(mpi_scatter, MPI_SCATTER, ROOTED,
      move(COLL_SCATTER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierr))

#define VECTORS                                                                                              \
    (void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *sdispls, const MPI_Fint *sendtypes,          \
     void *recvbuf, const MPI_Fint *recvcounts, const MPI_Fint *rdispls, const MPI_Fint *recvtypes,          \
     const MPI_Fint *comm, MPI_Fint *ierr)

NAMES(mpi_alltoallv, MPI_ALLTOALLV, VECTORS,
      alltoallv(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, ierr))
NAMES(mpi_alltoallw, MPI_ALLTOALLW, VECTORS,
      alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, ierr))

NAMES(mpi_gatherv, MPI_GATHERV,
      (void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype, void *recvbuf,
       const MPI_Fint *recvcounts, const MPI_Fint *displs, const MPI_Fint *recvtype, const MPI_Fint *root,
       const MPI_Fint *comm, MPI_Fint *ierr),
      gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierr))
NAMES(mpi_scatterv, MPI_SCATTERV,
      (void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *displs, const MPI_Fint *sendtype,
       void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *root,
       const MPI_Fint *comm, MPI_Fint *ierr),
      scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierr))

#endif
