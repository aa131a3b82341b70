/* The functions that C programs call. Fortran programs of MPICH call them through MPICH's Fortran functions.
 * This file does not include mpi.h: handles are integers here, for the reason in entry.h. */
#include "live/coll/entry.h"
#include "live/coll/next.h"

#define PUBLIC __attribute__((visibility("default")))

/* A function of the MPI: its name, its parameters, the arguments as it takes them, and the call that they
 * make. */
#define COLLECTIVE(name, parameters, arguments, ...)                                                         \
    extern int P##name parameters;                                                                           \
    PUBLIC int name parameters;                                                                              \
    PUBLIC int name parameters                                                                               \
    {                                                                                                        \
        int error;                                                                                           \
        const struct entry_call call = {__VA_ARGS__};                                                        \
        return entry_collective(&call, &error) ? error : NEXT(name) arguments;                               \
    }

/* The same function with counts of 64 bits, which MPI has from version 4 on; with an older one no program
 * calls it. Calls of more than 2 GiB are left to the MPI, on all ranks: they depend on bytes, not on counts,
 * which may differ between ranks or mean nothing on some. */
#define LARGE(name, parameters, arguments, ...)                                                              \
    extern __attribute__((weak)) int P##name parameters;                                                     \
    PUBLIC int name parameters;                                                                              \
    PUBLIC int name parameters                                                                               \
    {                                                                                                        \
        int error;                                                                                           \
        const struct entry_call call = {.is_large = true, __VA_ARGS__};                                      \
        return entry_collective(&call, &error) ? error : NEXT(name) arguments;                               \
    }

COLLECTIVE(MPI_Barrier, (uintptr_t comm), (comm), .kind = COLL_BARRIER, .comm = comm)

COLLECTIVE(MPI_Bcast, (void *buffer, int count, uintptr_t type, int root, uintptr_t comm),
           (buffer, count, type, root, comm), .kind = COLL_BCAST, .sendbuf = buffer, .sendcount = count,
           .sendtype = type, .recvbuf = buffer, .recvcount = count, .recvtype = type, .root = root,
           .comm = comm)

COLLECTIVE(MPI_Reduce,
           (const void *sendbuf, void *recvbuf, int count, uintptr_t type, uintptr_t op, int root,
            uintptr_t comm),
           (sendbuf, recvbuf, count, type, op, root, comm), .kind = COLL_REDUCE, .sendbuf = sendbuf,
           .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
           .op = op, .root = root, .comm = comm)

COLLECTIVE(MPI_Allreduce,
           (const void *sendbuf, void *recvbuf, int count, uintptr_t type, uintptr_t op, uintptr_t comm),
           (sendbuf, recvbuf, count, type, op, comm), .kind = COLL_ALLREDUCE, .sendbuf = sendbuf,
           .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
           .op = op, .comm = comm)

COLLECTIVE(MPI_Reduce_scatter_block,
           (const void *sendbuf, void *recvbuf, int count, uintptr_t type, uintptr_t op, uintptr_t comm),
           (sendbuf, recvbuf, count, type, op, comm), .kind = COLL_REDUCE_SCATTER, .sendbuf = sendbuf,
           .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
           .op = op, .comm = comm)

COLLECTIVE(MPI_Reduce_scatter,
           (const void *sendbuf, void *recvbuf, const int *counts, uintptr_t type, uintptr_t op,
            uintptr_t comm),
           (sendbuf, recvbuf, counts, type, op, comm), .kind = COLL_REDUCE_SCATTER, .sendbuf = sendbuf,
           .sendtype = type, .recvbuf = recvbuf, .recvtype = type, .op = op, .counts = {.ints = counts},
           .comm = comm)

COLLECTIVE(MPI_Alltoall,
           (const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
            uintptr_t recvtype, uintptr_t comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), .kind = COLL_ALLTOALL,
           .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
           .recvcount = recvcount, .recvtype = recvtype, .comm = comm)

COLLECTIVE(MPI_Allgather,
           (const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
            uintptr_t recvtype, uintptr_t comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), .kind = COLL_ALLGATHER,
           .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
           .recvcount = recvcount, .recvtype = recvtype, .comm = comm)

COLLECTIVE(MPI_Allgatherv,
           (const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, const int *recvcounts,
            const int *displs, uintptr_t recvtype, uintptr_t comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
           .kind = COLL_ALLGATHER, .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,
           .recvbuf = recvbuf, .recvtype = recvtype, .counts = {.ints = recvcounts},
           .displs = {.ints = displs}, .comm = comm)

COLLECTIVE(MPI_Gather,
           (const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
            uintptr_t recvtype, int root, uintptr_t comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), .kind = COLL_GATHER,
           .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
           .recvcount = recvcount, .recvtype = recvtype, .root = root, .comm = comm)

COLLECTIVE(MPI_Scatter,
           (const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
            uintptr_t recvtype, int root, uintptr_t comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), .kind = COLL_SCATTER,
           .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
           .recvcount = recvcount, .recvtype = recvtype, .root = root, .comm = comm)

LARGE(MPI_Bcast_c, (void *buffer, int64_t count, uintptr_t type, int root, uintptr_t comm),
      (buffer, count, type, root, comm), .kind = COLL_BCAST, .sendbuf = buffer, .sendcount = count,
      .sendtype = type, .recvbuf = buffer, .recvcount = count, .recvtype = type, .root = root, .comm = comm)

LARGE(MPI_Reduce_c,
      (const void *sendbuf, void *recvbuf, int64_t count, uintptr_t type, uintptr_t op, int root,
       uintptr_t comm),
      (sendbuf, recvbuf, count, type, op, root, comm), .kind = COLL_REDUCE, .sendbuf = sendbuf,
      .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
      .op = op, .root = root, .comm = comm)

LARGE(MPI_Allreduce_c,
      (const void *sendbuf, void *recvbuf, int64_t count, uintptr_t type, uintptr_t op, uintptr_t comm),
      (sendbuf, recvbuf, count, type, op, comm), .kind = COLL_ALLREDUCE, .sendbuf = sendbuf,
      .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
      .op = op, .comm = comm)

LARGE(MPI_Reduce_scatter_block_c,
      (const void *sendbuf, void *recvbuf, int64_t count, uintptr_t type, uintptr_t op, uintptr_t comm),
      (sendbuf, recvbuf, count, type, op, comm), .kind = COLL_REDUCE_SCATTER, .sendbuf = sendbuf,
      .sendcount = count, .sendtype = type, .recvbuf = recvbuf, .recvcount = count, .recvtype = type,
      .op = op, .comm = comm)

LARGE(MPI_Alltoall_c,
      (const void *sendbuf, int64_t sendcount, uintptr_t sendtype, void *recvbuf, int64_t recvcount,
       uintptr_t recvtype, uintptr_t comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), .kind = COLL_ALLTOALL,
      .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
      .recvcount = recvcount, .recvtype = recvtype, .comm = comm)

LARGE(MPI_Allgather_c,
      (const void *sendbuf, int64_t sendcount, uintptr_t sendtype, void *recvbuf, int64_t recvcount,
       uintptr_t recvtype, uintptr_t comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), .kind = COLL_ALLGATHER,
      .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
      .recvcount = recvcount, .recvtype = recvtype, .comm = comm)

LARGE(MPI_Allgatherv_c,
      (const void *sendbuf, int64_t sendcount, uintptr_t sendtype, void *recvbuf, const int64_t *recvcounts,
       const int64_t *displs, uintptr_t recvtype, uintptr_t comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm), .kind = COLL_ALLGATHER,
      .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
      .recvtype = recvtype, .counts = {.longs = recvcounts}, .displs = {.longs = displs}, .comm = comm)

LARGE(MPI_Reduce_scatter_c,
      (const void *sendbuf, void *recvbuf, const int64_t *counts, uintptr_t type, uintptr_t op,
       uintptr_t comm),
      (sendbuf, recvbuf, counts, type, op, comm), .kind = COLL_REDUCE_SCATTER, .sendbuf = sendbuf,
      .sendtype = type, .recvbuf = recvbuf, .recvtype = type, .op = op, .counts = {.longs = counts},
      .comm = comm)

LARGE(MPI_Gather_c,
      (const void *sendbuf, int64_t sendcount, uintptr_t sendtype, void *recvbuf, int64_t recvcount,
       uintptr_t recvtype, int root, uintptr_t comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), .kind = COLL_GATHER,
      .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
      .recvcount = recvcount, .recvtype = recvtype, .root = root, .comm = comm)

LARGE(MPI_Scatter_c,
      (const void *sendbuf, int64_t sendcount, uintptr_t sendtype, void *recvbuf, int64_t recvcount,
       uintptr_t recvtype, int root, uintptr_t comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), .kind = COLL_SCATTER,
      .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
      .recvcount = recvcount, .recvtype = recvtype, .root = root, .comm = comm)

/* The functions of which no rank knows all counts, and their forms of MPI 4. */
#define VECTOR(name, parameters, arguments, ...)                                                             \
    extern int P##name parameters;                                                                           \
    PUBLIC int name parameters;                                                                              \
    PUBLIC int name parameters                                                                               \
    {                                                                                                        \
        int error;                                                                                           \
        const struct entry_vector call = {__VA_ARGS__};                                                      \
        return entry_vector(&call, &error) ? error : NEXT(name) arguments;                                   \
    }
#define LARGE_VECTOR(name, parameters, arguments, ...)                                                       \
    extern __attribute__((weak)) int P##name parameters;                                                     \
    PUBLIC int name parameters;                                                                              \
    PUBLIC int name parameters                                                                               \
    {                                                                                                        \
        int error;                                                                                           \
        const struct entry_vector call = {.is_large = true, __VA_ARGS__};                                    \
        return entry_vector(&call, &error) ? error : NEXT(name) arguments;                                   \
    }

#define ALLTOALLV(number)                                                                                    \
    (const void *sendbuf, const number *sendcounts, const number *sdispls, uintptr_t sendtype,               \
     void *recvbuf, const number *recvcounts, const number *rdispls, uintptr_t recvtype, uintptr_t comm)
#define ALLTOALLW(number)                                                                                    \
    (const void *sendbuf, const number *sendcounts, const number *sdispls, const void *sendtypes,            \
     void *recvbuf, const number *recvcounts, const number *rdispls, const void *recvtypes, uintptr_t comm)
#define GATHERV(number)                                                                                      \
    (const void *sendbuf, number sendcount, uintptr_t sendtype, void *recvbuf, const number *recvcounts,     \
     const number *displs, uintptr_t recvtype, int root, uintptr_t comm)
#define SCATTERV(number)                                                                                     \
    (const void *sendbuf, const number *sendcounts, const number *displs, uintptr_t sendtype, void *recvbuf, \
     number recvcount, uintptr_t recvtype, int root, uintptr_t comm)

VECTOR(MPI_Alltoallv, ALLTOALLV(int),
       (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
       .function = LIVE_ALLTOALLV, .send = {sendbuf, {.ints = sendcounts}, {.ints = sdispls}, sendtype, NULL},
       .recv = {recvbuf, {.ints = recvcounts}, {.ints = rdispls}, recvtype, NULL}, .comm = comm)
VECTOR(MPI_Alltoallw, ALLTOALLW(int),
       (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),
       .function = LIVE_ALLTOALLW, .send = {sendbuf, {.ints = sendcounts}, {.ints = sdispls}, 0, sendtypes},
       .recv = {recvbuf, {.ints = recvcounts}, {.ints = rdispls}, 0, recvtypes}, .comm = comm)
VECTOR(MPI_Gatherv, GATHERV(int),
       (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
       .function = LIVE_GATHERV, .send = {sendbuf, {.ints = &sendcount}, {0}, sendtype, NULL},
       .recv = {recvbuf, {.ints = recvcounts}, {.ints = displs}, recvtype, NULL}, .root = root, .comm = comm)
VECTOR(MPI_Scatterv, SCATTERV(int),
       (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
       .function = LIVE_SCATTERV, .send = {sendbuf, {.ints = sendcounts}, {.ints = displs}, sendtype, NULL},
       .recv = {recvbuf, {.ints = &recvcount}, {0}, recvtype, NULL}, .root = root, .comm = comm)

LARGE_VECTOR(MPI_Alltoallv_c, ALLTOALLV(int64_t),
             (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
             .function = LIVE_ALLTOALLV,
             .send = {sendbuf, {.longs = sendcounts}, {.longs = sdispls}, sendtype, NULL},
             .recv = {recvbuf, {.longs = recvcounts}, {.longs = rdispls}, recvtype, NULL}, .comm = comm)
LARGE_VECTOR(MPI_Alltoallw_c, ALLTOALLW(int64_t),
             (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),
             .function = LIVE_ALLTOALLW,
             .send = {sendbuf, {.longs = sendcounts}, {.longs = sdispls}, 0, sendtypes},
             .recv = {recvbuf, {.longs = recvcounts}, {.longs = rdispls}, 0, recvtypes}, .comm = comm)
LARGE_VECTOR(MPI_Gatherv_c, GATHERV(int64_t),
             (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
             .function = LIVE_GATHERV, .send = {sendbuf, {.longs = &sendcount}, {0}, sendtype, NULL},
             .recv = {recvbuf, {.longs = recvcounts}, {.longs = displs}, recvtype, NULL}, .root = root,
             .comm = comm)
LARGE_VECTOR(MPI_Scatterv_c, SCATTERV(int64_t),
             (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
             .function = LIVE_SCATTERV,
             .send = {sendbuf, {.longs = sendcounts}, {.longs = displs}, sendtype, NULL},
             .recv = {recvbuf, {.longs = &recvcount}, {0}, recvtype, NULL}, .root = root, .comm = comm)

/* ------------------------------------------------------- sessions, failures */

extern __attribute__((weak)) int PMPI_Session_init(uintptr_t info, uintptr_t handler, void *session);
PUBLIC int MPI_Session_init(uintptr_t info, uintptr_t handler, void *session);

PUBLIC int MPI_Session_init(uintptr_t info, uintptr_t handler, void *session)
{
    if (!NEXT(MPI_Session_init))
        return entry_missing();
    int error = NEXT(MPI_Session_init)(info, handler, session);
    if (error == 0) /* MPI_SUCCESS */
        entry_session_began();
    return error;
}

extern __attribute__((weak)) int PMPI_Session_finalize(void *session);
PUBLIC int MPI_Session_finalize(void *session);

PUBLIC int MPI_Session_finalize(void *session)
{
    if (!NEXT(MPI_Session_finalize))
        return entry_missing();
    entry_session_ends();
    return NEXT(MPI_Session_finalize)(session);
}

extern __attribute__((weak)) int PMPIX_Comm_revoke(uintptr_t comm);
PUBLIC int MPIX_Comm_revoke(uintptr_t comm);

PUBLIC int MPIX_Comm_revoke(uintptr_t comm)
{
    if (!NEXT(MPIX_Comm_revoke))
        return entry_missing();
    entry_revoke(comm);
    return NEXT(MPIX_Comm_revoke)(comm);
}
