#include "capture/capture.h"

/* The MPI functions that are stood in for. Each is a line of WRAP: its parameters as MPI declares them, the
 * names of these, what is recorded before the MPI does its work, and what behind it. Sends are recorded
 * before, since their receivers may go on at once; what waits is recorded behind, so that the trace of a
 * program that dies ends with calls that have completed.
 *
 * Programs in C call MPI_Send. Those in Fortran call mpi_send_ and the like of the MPI's bindings, which call
 * MPI_Send or PMPI_Send: the latter is stood in for as well, and recorded where it is called by
 * the bindings. */
#define EXPORT __attribute__((visibility("default")))

#define STAND_IN(name, parameters, arguments, before, after)                                                 \
    static inline int wrapped_##name parameters                                                              \
    {                                                                                                        \
        if (!capture_enter())                                                                                \
            return REAL(name) arguments;                                                                     \
        before;                                                                                              \
        capture_pause();                                                                                     \
        int result = REAL(name) arguments;                                                                   \
        capture_resume();                                                                                    \
        after;                                                                                               \
        capture_leave();                                                                                     \
        return result;                                                                                       \
    }                                                                                                        \
    EXPORT int MPI_##name parameters                                                                         \
    {                                                                                                        \
        return wrapped_##name arguments;                                                                     \
    }

#define WRAP(name, parameters, arguments, before, after)                                                     \
    STAND_IN(name, parameters, arguments, before, after)                                                     \
    EXPORT int PMPI_##name parameters                                                                        \
    {                                                                                                        \
        if (!capture_is_fortran(__builtin_return_address(0)))                                                \
            return REAL(name) arguments;                                                                     \
        return wrapped_##name arguments;                                                                     \
    }

#define NOTHING (void)0

/* ------------------------------------------------------------------------------------------- point to point
 */

#define SEND_PARAMETERS (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
#define SEND_ARGUMENTS  (buffer, count, type, to, tag, comm)
#define WRAP_SEND(name, mark)                                                                                \
    WRAP(name, SEND_PARAMETERS, SEND_ARGUMENTS, record_send("send", mark, count, type, to, tag, comm),       \
         NOTHING)

WRAP_SEND(Send, "")
WRAP_SEND(Rsend, "")
WRAP_SEND(Ssend, "#s")
WRAP_SEND(Bsend, "#b")

#define ISEND_PARAMETERS                                                                                     \
    (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
#define ISEND_ARGUMENTS (buffer, count, type, to, tag, comm, request)
#define WRAP_ISEND(name, mark, is_persistent)                                                                \
    WRAP(name, ISEND_PARAMETERS, ISEND_ARGUMENTS, NOTHING,                                                   \
         record_isend("isend", mark, count, type, to, tag, comm, *request, is_persistent))

WRAP_ISEND(Isend, "", false)
WRAP_ISEND(Irsend, "", false)
WRAP_ISEND(Issend, "#s", false)
WRAP_ISEND(Ibsend, "#b", false)
WRAP_ISEND(Send_init, "", true)
WRAP_ISEND(Rsend_init, "", true)
WRAP_ISEND(Ssend_init, "#s", true)
WRAP_ISEND(Bsend_init, "#b", true)

WRAP(Recv, (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, from, tag, comm, status), NOTHING,
     record_recv("recv", count, type, from, tag, comm))

#define IRECV_PARAMETERS                                                                                     \
    (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
#define IRECV_ARGUMENTS (buffer, count, type, from, tag, comm, request)
#define WRAP_IRECV(name, is_persistent)                                                                      \
    WRAP(name, IRECV_PARAMETERS, IRECV_ARGUMENTS, NOTHING,                                                   \
         record_irecv(count, type, from, tag, comm, *request, is_persistent))

WRAP_IRECV(Irecv, false)
WRAP_IRECV(Recv_init, true)

WRAP(Sendrecv,
     (const void *send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag,
      void *recv_buffer, int recv_count, MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm comm,
      MPI_Status *status),
     (send_buffer, send_count, send_type, to, send_tag, recv_buffer, recv_count, recv_type, from, recv_tag,
      comm, status),
     NOTHING,
     record_sendrecv(send_count, send_type, to, send_tag, recv_count, recv_type, from, recv_tag, comm))
WRAP(Sendrecv_replace,
     (void *buffer, int count, MPI_Datatype type, int to, int send_tag, int from, int recv_tag, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, to, send_tag, from, recv_tag, comm, status), NOTHING,
     record_sendrecv(count, type, to, send_tag, count, type, from, recv_tag, comm))

/* ------------------------------------------------------------------------------------------------ requests
 */

static void start_all(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        record_start(requests[i]);
}

/* The index-th of what was taken has completed, the others have not. */
static void record_one(int count, struct request **taken, int index)
{
    for (int i = 0; taken && i < count; i++)
        if (i == index)
            record_wait(taken[i]);
        else
            request_put_back(taken[i]);
}

static void record_some(int count, struct request **taken, int done, const int *indices)
{
    for (int i = 0; taken && i < done; i++) {
        record_wait(taken[indices[i]]);
        taken[indices[i]] = NULL;
    }
    for (int i = 0; taken && i < count; i++)
        request_put_back(taken[i]);
}

static void record_if_all(int count, struct request **taken, bool all)
{
    if (all)
        record_waitall(count, taken);
    else
        record_one(count, taken, -1);
}

WRAP(Start, (MPI_Request * request), (request), record_start(*request), NOTHING)
WRAP(Startall, (int count, MPI_Request *requests), (count, requests), start_all(count, requests), NOTHING)
WRAP(Request_free, (MPI_Request * request), (request), request_free(*request), NOTHING)
WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status),
     struct request **taken = requests_take(1, request), record_one(1, taken, 0))
WRAP(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses),
     struct request **taken = requests_take(count, requests), record_waitall(count, taken))
WRAP(Waitany, (int count, MPI_Request *requests, int *index, MPI_Status *status),
     (count, requests, index, status), struct request **taken = requests_take(count, requests),
     record_one(count, taken, *index))
WRAP(Waitsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
     (count, requests, done, indices, statuses), struct request **taken = requests_take(count, requests),
     record_some(count, taken, *done == MPI_UNDEFINED ? 0 : *done, indices))
WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status),
     struct request **taken = requests_take(1, request), record_one(1, taken, *flag ? 0 : -1))
WRAP(Testall, (int count, MPI_Request *requests, int *flag, MPI_Status *statuses),
     (count, requests, flag, statuses), struct request **taken = requests_take(count, requests),
     record_if_all(count, taken, *flag))
WRAP(Testany, (int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status),
     (count, requests, index, flag, status), struct request **taken = requests_take(count, requests),
     record_one(count, taken, *flag ? *index : -1))
WRAP(Testsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
     (count, requests, done, indices, statuses), struct request **taken = requests_take(count, requests),
     record_some(count, taken, *done == MPI_UNDEFINED ? 0 : *done, indices))

/* ---------------------------------------------------------------------------------------------- collectives
 */

/* A collective and its non-blocking twin, which has one more parameter, the request. */
#define UNPACK(...) __VA_ARGS__
#define WRAP_COLLECTIVE(name, iname, record, action_name, parameters, arguments, ...)                        \
    WRAP(name, (UNPACK parameters), (UNPACK arguments), NOTHING,                                             \
         record(&(struct collective){.action = action_name, .comm = comm, __VA_ARGS__}))                     \
    WRAP(iname, (UNPACK parameters, MPI_Request * request), (UNPACK arguments, request), NOTHING,            \
         record(&(struct collective){.action = action_name, .comm = comm, .request = request, __VA_ARGS__}))

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

/* -------------------------------------------------------------------------------------------- communicators
 */

#define WRAP_MAKER(name, parameters, arguments) WRAP(name, parameters, arguments, NOTHING, comm_made(*made))

WRAP_MAKER(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
WRAP_MAKER(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
WRAP_MAKER(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), (comm, colour, key, made))
WRAP_MAKER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
           (comm, type, key, info, made))
WRAP_MAKER(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
WRAP_MAKER(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
           (comm, group, tag, made))
WRAP_MAKER(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
WRAP_MAKER(Cart_create,
           (MPI_Comm comm, int dimensions, const int *sizes, const int *periods, int reorder, MPI_Comm *made),
           (comm, dimensions, sizes, periods, reorder, made))
WRAP_MAKER(Cart_sub, (MPI_Comm comm, const int *kept, MPI_Comm *made), (comm, kept, made))
WRAP_MAKER(Graph_create,
           (MPI_Comm comm, int nodes, const int *index, const int *edges, int reorder, MPI_Comm *made),
           (comm, nodes, index, edges, reorder, made))
WRAP_MAKER(Dist_graph_create,
           (MPI_Comm comm, int count, const int *nodes, const int *degrees, const int *targets,
            const int *weights, MPI_Info info, int reorder, MPI_Comm *made),
           (comm, count, nodes, degrees, targets, weights, info, reorder, made))
WRAP_MAKER(Dist_graph_create_adjacent,
           (MPI_Comm comm, int in, const int *sources, const int *in_weights, int out, const int *targets,
            const int *out_weights, MPI_Info info, int reorder, MPI_Comm *made),
           (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made))

/* -------------------------------------------------------------------------------------------- begin and end
 */

/* Nothing is recorded before, so there is no call to enter; a begin from within a begin is the inner one's.
 */
static int begin(int result, int thread_level)
{
    if (result == MPI_SUCCESS)
        capture_begin(thread_level);
    return result;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    return begin(REAL(Init)(argc, argv), MPI_THREAD_SINGLE);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = REAL(Init_thread)(argc, argv, required, provided);
    return begin(result, *provided);
}

EXPORT int MPI_Finalize(void)
{
    capture_end();
    return REAL(Finalize)();
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    int result = REAL(Init)(argc, argv);
    return capture_is_fortran(__builtin_return_address(0)) ? begin(result, MPI_THREAD_SINGLE) : result;
}

EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = REAL(Init_thread)(argc, argv, required, provided);
    return capture_is_fortran(__builtin_return_address(0)) ? begin(result, *provided) : result;
}

EXPORT int PMPI_Finalize(void)
{
    if (capture_is_fortran(__builtin_return_address(0)))
        capture_end();
    return REAL(Finalize)();
}
