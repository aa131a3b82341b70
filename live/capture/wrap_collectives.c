#include "live/capture/wrap.h"

/* ------------------------------------------------------------- collectives */

/* A collective and its non-blocking variant, which has one more parameter, the request. */
#define UNPACK(...) __VA_ARGS__
#define WRAP_COLLECTIVE(name, iname, record, action_name, parameters, arguments, ...)                        \
    WRAP(name, (UNPACK parameters), (UNPACK arguments), NOTHING,                                             \
         record(&(struct collective_call){                                                                   \
             .mpi_name = "MPI_" #name, .action = action_name, .comm = comm, __VA_ARGS__}))                   \
    WRAP(iname, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), NOTHING,            \
         record(&(struct collective_call){.mpi_name = "MPI_" #iname,                                         \
                                          .action = action_name,                                             \
                                          .comm = comm,                                                      \
                                          .request = request,                                                \
                                          __VA_ARGS__}))

WRAP_COLLECTIVE(Barrier, Ibarrier, record_barrier, "barrier", (MPI_Comm comm), (comm), .root = -1)
WRAP_COLLECTIVE(Bcast, Ibcast, record_rooted, "bcast",
                (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                (buffer, count, type, root, comm), .root = root, .recv_count = count, .recv_type = type)
WRAP_COLLECTIVE(Reduce, Ireduce, record_reduce, "reduce",
                (const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm),
                (from, into, count, type, op, root, comm), .root = root, .recv_count = count,
                .recv_type = type)

#define REDUCTION_PARAMETERS                                                                                 \
    (const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define REDUCTION_ARGUMENTS (from, into, count, type, op, comm)
#define WRAP_REDUCTION(name, iname, action)                                                                  \
    WRAP_COLLECTIVE(name, iname, record_reduce, action, REDUCTION_PARAMETERS, REDUCTION_ARGUMENTS,           \
                    .root = -1, .recv_count = count, .recv_type = type)

WRAP_REDUCTION(Allreduce, Iallreduce, "allreduce")
WRAP_REDUCTION(Scan, Iscan, "scan")
WRAP_REDUCTION(Exscan, Iexscan, "exscan")
WRAP_COLLECTIVE(Reduce_scatter, Ireduce_scatter, record_reduce_scatter, "reducescatter",
                (const void *from, void *into, const int *counts, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm),
                (from, into, counts, type, op, comm), .root = -1, .recv_counts = counts, .recv_type = type)
WRAP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, record_reduce_scatter, "reducescatter",
                REDUCTION_PARAMETERS, REDUCTION_ARGUMENTS, .root = -1, .recv_count = count, .recv_type = type)

#define UNIFORM_PARAMETERS                                                                                   \
    (const void *from, int send_count, MPI_Datatype send_type, void *into, int recv_count,                   \
     MPI_Datatype recv_type, MPI_Comm comm)
#define UNIFORM_ARGUMENTS (from, send_count, send_type, into, recv_count, recv_type, comm)
#define UNIFORM_SIDES                                                                                        \
    .root = -1, .send_buffer = from, .send_count = send_count, .recv_count = recv_count,                     \
    .send_type = send_type, .recv_type = recv_type

WRAP_COLLECTIVE(Alltoall, Ialltoall, record_uniform, "alltoall", UNIFORM_PARAMETERS, UNIFORM_ARGUMENTS,
                UNIFORM_SIDES)
WRAP_COLLECTIVE(Allgather, Iallgather, record_uniform, "allgather", UNIFORM_PARAMETERS, UNIFORM_ARGUMENTS,
                UNIFORM_SIDES)

#define ROOTED_PARAMETERS                                                                                    \
    (const void *from, int send_count, MPI_Datatype send_type, void *into, int recv_count,                   \
     MPI_Datatype recv_type, int root, MPI_Comm comm)
#define ROOTED_ARGUMENTS (from, send_count, send_type, into, recv_count, recv_type, root, comm)

WRAP_COLLECTIVE(Gather, Igather, record_gather, "gather", ROOTED_PARAMETERS, ROOTED_ARGUMENTS, .root = root,
                .send_buffer = from, .send_count = send_count, .recv_count = recv_count,
                .send_type = send_type, .recv_type = recv_type)
WRAP_COLLECTIVE(Scatter, Iscatter, record_scatter, "scatter", ROOTED_PARAMETERS, ROOTED_ARGUMENTS,
                .root = root, .send_buffer = into, .send_count = send_count, .recv_count = recv_count,
                .send_type = send_type, .recv_type = recv_type)
WRAP_COLLECTIVE(Allgatherv, Iallgatherv, record_allgatherv, "allgatherv",
                (const void *from, int send_count, MPI_Datatype send_type, void *into, const int *recv_counts,
                 const int *recv_starts, MPI_Datatype recv_type, MPI_Comm comm),
                (from, send_count, send_type, into, recv_counts, recv_starts, recv_type, comm), .root = -1,
                .send_buffer = from, .send_count = send_count, .recv_counts = recv_counts,
                .send_type = send_type, .recv_type = recv_type)
WRAP_COLLECTIVE(Gatherv, Igatherv, record_gatherv, "gatherv",
                (const void *from, int send_count, MPI_Datatype send_type, void *into, const int *recv_counts,
                 const int *recv_starts, MPI_Datatype recv_type, int root, MPI_Comm comm),
                (from, send_count, send_type, into, recv_counts, recv_starts, recv_type, root, comm),
                .root = root, .send_buffer = from, .send_count = send_count, .recv_counts = recv_counts,
                .send_type = send_type, .recv_type = recv_type)
WRAP_COLLECTIVE(Scatterv, Iscatterv, record_scatterv, "scatterv",
                (const void *from, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                 void *into, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm),
                (from, send_counts, send_starts, send_type, into, recv_count, recv_type, root, comm),
                .root = root, .send_buffer = into, .send_counts = send_counts, .recv_count = recv_count,
                .send_type = send_type, .recv_type = recv_type)
WRAP_COLLECTIVE(Alltoallv, Ialltoallv, record_vectors, "alltoallv",
                (const void *from, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                 void *into, const int *recv_counts, const int *recv_starts, MPI_Datatype recv_type,
                 MPI_Comm comm),
                (from, send_counts, send_starts, send_type, into, recv_counts, recv_starts, recv_type, comm),
                .root = -1, .send_buffer = from, .send_counts = send_counts, .recv_counts = recv_counts,
                .send_starts = send_starts, .recv_starts = recv_starts, .send_type = send_type,
                .recv_type = recv_type)
WRAP_COLLECTIVE(Alltoallw, Ialltoallw, record_vectors, "alltoallv",
                (const void *from, const int *send_counts, const int *send_starts,
                 const MPI_Datatype *send_types, void *into, const int *recv_counts, const int *recv_starts,
                 const MPI_Datatype *recv_types, MPI_Comm comm),
                (from, send_counts, send_starts, send_types, into, recv_counts, recv_starts, recv_types,
                 comm),
                .root = -1, .send_buffer = from, .send_counts = send_counts, .recv_counts = recv_counts,
                .send_types = send_types, .recv_types = recv_types, .send_type = MPI_BYTE,
                .recv_type = MPI_BYTE)

/* -------------------------------------------------------------- neighbours */

WRAP_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, record_neighbours, "neighbours", UNIFORM_PARAMETERS,
                UNIFORM_ARGUMENTS, UNIFORM_SIDES)
WRAP_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, record_neighbours, "neighbours", UNIFORM_PARAMETERS,
                UNIFORM_ARGUMENTS, UNIFORM_SIDES)
WRAP_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, record_neighbours, "neighbours",
                (const void *from, int send_count, MPI_Datatype send_type, void *into, const int *recv_counts,
                 const int *recv_starts, MPI_Datatype recv_type, MPI_Comm comm),
                (from, send_count, send_type, into, recv_counts, recv_starts, recv_type, comm),
                .send_count = send_count, .send_type = send_type, .recv_counts = recv_counts,
                .recv_type = recv_type)
WRAP_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, record_neighbours, "neighbours",
                (const void *from, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                 void *into, const int *recv_counts, const int *recv_starts, MPI_Datatype recv_type,
                 MPI_Comm comm),
                (from, send_counts, send_starts, send_type, into, recv_counts, recv_starts, recv_type, comm),
                .send_counts = send_counts, .send_type = send_type, .recv_counts = recv_counts,
                .recv_type = recv_type)
WRAP_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, record_neighbours, "neighbours",
                (const void *from, const int *send_counts, const MPI_Aint *send_starts,
                 const MPI_Datatype *send_types, void *into, const int *recv_counts,
                 const MPI_Aint *recv_starts, const MPI_Datatype *recv_types, MPI_Comm comm),
                (from, send_counts, send_starts, send_types, into, recv_counts, recv_starts, recv_types,
                 comm),
                .send_counts = send_counts, .send_types = send_types, .recv_counts = recv_counts,
                .recv_types = recv_types)
