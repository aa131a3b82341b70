#include "live/capture/wrap.h"

/* ---------------------------------------------------------- point to point */

#define WRAP_NAMED(name, ...) WRAP(name, __VA_ARGS__)
#define COUNT                 int
#define NAMED(name)           name
#include "live/capture/wrap_messages.def"

/* It waits until all messages in the buffer are sent. A trace has no action for that. */
WRAP_SILENT(Buffer_detach, (void *buffer, int *size), (buffer, size))

#if MPI_VERSION >= 4
#undef COUNT
#undef NAMED
#define COUNT       MPI_Count
#define NAMED(name) name##_c
#include "live/capture/wrap_messages.def"
WRAP_SILENT(Buffer_detach_c, (void *buffer, MPI_Count *size), (buffer, size))
#endif

/* MPI_Mprobe takes a message. Its status tells the source, so the call needs one even if the program ignores
 * it. */
static MPI_Status *status_or_own(MPI_Status *status)
{
    static __thread MPI_Status own;
    return status == MPI_STATUS_IGNORE ? &own : status;
}

static void record_improbe(int flag, MPI_Message message, const MPI_Status *status, MPI_Comm comm)
{
    if (!flag)
        return;
    capture_found();
    record_mprobe(message, status, comm);
}

WRAP_SILENT(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status))
WRAP_POLL(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
          (from, tag, comm, flag, status), (KEPT(from), KEPT(tag), KEPT(comm), KEPT(flag), KEPT(status)),
          true, NOTHING, true, NOTHING)
WRAP(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (from, tag, comm, message, status), status = status_or_own(status),
     record_mprobe(*message, status, comm))
WRAP_POLL(Improbe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
          (from, tag, comm, flag, message, status),
          (KEPT(from), KEPT(tag), KEPT(comm), KEPT(message), KEPT(status)),
          (status = status_or_own(status)) != NULL, status = status_or_own(status), !*flag,
          if (result == MPI_SUCCESS) record_improbe(*flag, *message, status, comm))
/* ---------------------------------------------------------------- requests */

static void start_all(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        record_start(requests[i]);
}

/* Puts back requests that have not completed. Each goes to the front of the queue of its handle, so the last
 * one is put back first. */
static void put_back(int count, struct capture_request **taken)
{
    for (int i = count; taken && i-- > 0;)
        request_put_back(taken[i]);
}

/* `done`: how many have completed. It is MPI_UNDEFINED, which is negative, if no request was active. */
static void record_some(int count, struct capture_request **taken, int done, const int *indices)
{
    for (int i = 0; taken && i < done; i++) {
        record_wait(taken[indices[i]]);
        taken[indices[i]] = NULL;
    }
    put_back(count, taken);
}

static void record_one(int count, struct capture_request **taken, int index)
{
    record_some(count, taken, index >= 0, &index);
}

/* After an error the results of the call may not be set. A request has completed if its handle is
 * MPI_REQUEST_NULL. */
static void record_failed(int count, struct capture_request **taken, const MPI_Request *handles)
{
    for (int i = 0; taken && i < count; i++)
        if (handles[i] == MPI_REQUEST_NULL) {
            record_wait(taken[i]);
            taken[i] = NULL;
        }
    put_back(count, taken);
}

/* A function that completes requests: the number and array of its requests, and what is recorded. */
#define WRAP_COMPLETION(name, parameters, arguments, given, requests, record)                                \
    WRAP_WAIT(name, parameters, arguments, struct capture_request **taken = requests_take(given, requests),  \
              if (result == MPI_SUCCESS) record;                                                             \
              else record_failed(given, taken, requests))

/* A function that may complete none; `found`: it has. */
#define WRAP_TEST(name, parameters, arguments, kept, given, requests, found, record)                         \
    WRAP_POLL(                                                                                               \
        name, parameters, arguments, kept, requests_copy(given, requests),                                   \
        const MPI_Request *handles = is_timed ? requests_keep(given, requests) : requests_kept.handles;      \
        struct capture_request **taken = handles ? NULL : requests_take(given, requests), !(found),          \
        if (result == MPI_SUCCESS && !(found)) put_back(given, taken);                                       \
        else {                                                                                               \
            capture_found();                                                                                 \
            if (handles)                                                                                     \
                taken = requests_take(given, handles);                                                       \
            if (result == MPI_SUCCESS)                                                                       \
                record;                                                                                      \
            else                                                                                             \
                record_failed(given, taken, requests);                                                       \
        })

WRAP(Start, (MPI_Request * request), (request), record_start(*request), NOTHING)
WRAP(Startall, (int count, MPI_Request *requests), (count, requests), start_all(count, requests), NOTHING)
WRAP(Cancel, (MPI_Request * request), (request), NOTHING, request_cancel(*request))
WRAP_POLL(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status), (request, flag, status),
          (KEPT(request), KEPT(flag), KEPT(status)), true, NOTHING, true, NOTHING)
WRAP(Request_free, (MPI_Request * request), (request), request_free(*request), NOTHING)
WRAP_COMPLETION(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request,
                record_one(1, taken, 0))
WRAP_COMPLETION(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses),
                (count, requests, statuses), count, requests, record_waitall(count, taken))
WRAP_COMPLETION(Waitany, (int count, MPI_Request *requests, int *index, MPI_Status *status),
                (count, requests, index, status), count, requests, record_one(count, taken, *index))
WRAP_COMPLETION(Waitsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
                (count, requests, done, indices, statuses), count, requests,
                record_some(count, taken, *done, indices))
WRAP_TEST(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status),
          (KEPT(request), KEPT(status)), 1, request, *flag, record_one(1, taken, 0))
WRAP_TEST(Testall, (int count, MPI_Request *requests, int *flag, MPI_Status *statuses),
          (count, requests, flag, statuses), (KEPT(count), KEPT(requests), KEPT(statuses)), count, requests,
          *flag, record_waitall(count, taken))
WRAP_TEST(Testany, (int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status),
          (count, requests, index, flag, status), (KEPT(count), KEPT(requests), KEPT(index), KEPT(status)),
          count, requests, *flag &&*index >= 0, record_one(count, taken, *index))
WRAP_TEST(Testsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
          (count, requests, done, indices, statuses),
          (KEPT(count), KEPT(requests), KEPT(indices), KEPT(statuses)), count, requests, *done > 0,
          record_some(count, taken, *done, indices))

/* ----------------------------------------------------------- communicators */

#define WRAP_MAKER(name, parameters, arguments)                                                              \
    WRAP(name, parameters, arguments, NOTHING, comm_created(*made))

WRAP_MAKER(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
WRAP_MAKER(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
WRAP(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request), NOTHING,
     comm_pending(comm, *made))
WRAP_MAKER(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), (comm, colour, key, made))
WRAP_MAKER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
           (comm, type, key, info, made))
WRAP_MAKER(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
WRAP_MAKER(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
           (comm, group, tag, made))
WRAP_MAKER(Intercomm_create,
           (MPI_Comm comm, int leader, MPI_Comm between, int their_leader, int tag, MPI_Comm *made),
           (comm, leader, between, their_leader, tag, made))
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

/* It waits until all communication in the communicator is complete. */
WRAP_SILENT(Comm_disconnect, (MPI_Comm * comm), (comm))

/* ------------------------------------------------------------------ control */

/* Phases are for helio calibrate --check, which compares their times, and are in no other trace. */
static void control(int level)
{
    times_phase(level);
    if (capture_enter(NULL, NULL)) {
        interval_control(level);
        if (times_are_wanted())
            record_phase(level);
        capture_leave();
    }
}

EXPORT int MPI_Pcontrol(const int level, ...)
{
    control(level);
    return REAL(Pcontrol)(level);
}

EXPORT int PMPI_Pcontrol(const int level, ...)
{
    if (capture_is_fortran(__builtin_return_address(0)))
        control(level);
    return REAL(Pcontrol)(level);
}

/* ----------------------------------------------------------- begin and end */

/* No call is recorded before this, so there is no capture_enter. MPI_Init may call MPI_Init_thread: then the
 * inner call opens the capture, and capture_open does nothing in the outer one. */
static int after_init(int result)
{
    if (result == MPI_SUCCESS)
        capture_open();
    return result;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    return after_init(REAL(Init)(argc, argv));
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return after_init(REAL(Init_thread)(argc, argv, required, provided));
}

EXPORT int MPI_Finalize(void)
{
    capture_close(__builtin_return_address(0), __builtin_frame_address(0));
    return REAL(Finalize)();
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    int result = REAL(Init)(argc, argv);
    return capture_is_fortran(__builtin_return_address(0)) ? after_init(result) : result;
}

EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = REAL(Init_thread)(argc, argv, required, provided);
    return capture_is_fortran(__builtin_return_address(0)) ? after_init(result) : result;
}

EXPORT int PMPI_Finalize(void)
{
    if (capture_is_fortran(__builtin_return_address(0)))
        capture_close(__builtin_return_address(0), __builtin_frame_address(0));
    return REAL(Finalize)();
}
