#ifndef HELIO_CAPTURE_CAPTURE_H
#define HELIO_CAPTURE_CAPTURE_H

/* The tracer that is preloaded into MPI programs: every rank writes the lines of its time-independent trace
 * as it makes its calls (docs/capture.md). One library per MPI, from the same source.
 *
 *   calls.txt    which calls are recorded, and which are none that a trace is about; all others are lost
 *   wrap*.c      the MPI functions that are stood in for, and what each says
 *   record.c     lines of calls
 *   neighbours.c lines of neighbourhood collectives
 *   requests.c   what requests and matched messages stand for
 *   comms.c      communicators: names that all members agree on, members, what ranks they are in the world
 *   types.c      datatypes: SimGrid's numbers, and true sizes
 *   output.c     lines into a mapped file
 *   process.c    begin and end, the time between calls
 *
 * It runs inside other people's programs: it never ends them, except where it was built for another MPI than
 * the program, whose handles it could not even pass on; it writes nothing to standard output; and it needs no
 * symbol of an MPI to be loaded, so that launchers and shells can have it in LD_PRELOAD as well. */

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the MPI has of that name, seen from `where`; looked for when it is first needed, as programs may load
 * their MPI late. */
#define FOUND(type, where, name)                                                                             \
    (__extension__({                                                                                         \
        static __typeof__(type) found_;                                                                      \
        if (!found_)                                                                                         \
            found_ = (__typeof__(type))capture_find(where, name);                                            \
        found_;                                                                                              \
    }))

/* The MPI's own function behind the one that is stood in for. */
#define REAL(name) FOUND(&MPI_##name, RTLD_NEXT, "PMPI_" #name)

/* Open MPI's handles point to objects in it, whose addresses are not known when this library is loaded; a
 * program may have copied them to itself. */
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) FOUND(type, RTLD_DEFAULT, #global)
#endif
void *capture_find(void *where, const char *name);

/* --------------------------------------------------------------------------------------------------
 * process.c */

/* A call begins: writes what was computed since the last one. False: nothing is to be recorded, since the
 * capture has not begun or is over, or the call comes from within another. Between true and capture_leave()
 * records may be written; capture_pause() and capture_resume() stand around the MPI's own work, in which
 * other threads may record. */
bool capture_enter(void);
void capture_pause(void);
void capture_resume(void);
void capture_leave(void);

void capture_begin(void); /* MPI_Init is done */
void capture_end(void);   /* MPI_Finalize begins */
bool capture_is_fortran(const void *caller);
int capture_rank(void);
void capture_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---------------------------------------------------------------------------------------------------
 * output.c */

/* False, and says why, when no file can be written. */
bool output_open(const char *path, int rank);
void output_close(void);

/* A line: begun with room for what follows, a number of fields, ended. Fields are separated by blanks. */
void line_begin(const char *action, unsigned most_fields);
void line_int(int64_t value);
void line_text(const char *text);
void line_long_text(const char *text, size_t length); /* as long as 16 bytes for each field asked for */
void line_number(double value);                       /* six significant digits, as SimGrid prints amounts */
int64_t line_at(void);                                /* where in the file the line stands that has begun */
void line_end(void);
void line_cancel(int64_t at); /* makes the line there, an isend or irecv, one that means nothing */

/* ----------------------------------------------------------------------------------------------------
 * comms.c */

struct comm {
    char name[48]; /* "#c3.1": what is put behind a line; empty for the world */
    int size, rank;
    int *world;   /* of each of its ranks, or of the other group's: the rank in the world */
    int *members; /* the same, or of an intercommunicator both groups: who uses its context */
    int member_count;
    bool is_inter;      /* its collectives are lost */
    bool has_outsiders; /* processes of another world, which the trace does not know: all in it is lost */
    struct neighbours *neighbours; /* NULL: not asked for yet */
    int uses, promised;
    struct comm *next; /* of those that are gone */
};
void comms_open(void);
struct comm *comm_of(MPI_Comm handle);
void comm_made(MPI_Comm handle); /* by all of its members, who agree on its name here */
/* MPI_Comm_idup: as it is not there yet, its members cannot talk; they count instead. */
void comm_promised(MPI_Comm of, MPI_Comm handle);
void comm_hold(struct comm *comm);    /* a request outlives the communicator that it was made in */
void comm_release(struct comm *comm); /* NULL: nothing */
void comm_write_members(const struct comm *comm, const char *name);

/* ----------------------------------------------------------------------------------------------------
 * types.c */

enum { TYPE_BYTE = 6 };

struct type {
    int id;           /* SimGrid's number; 6, bytes, for derived types */
    int64_t elements; /* of that type, per element of the program's */
};
struct type type_of(MPI_Datatype handle);

/* -------------------------------------------------------------------------------------------------
 * requests.c */

enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE, REQUEST_NEIGHBOURS };

struct request {
    MPI_Request handle;
    struct request *next; /* of the same handle */
    const char *action;   /* of a send, its mark; of a collective, its name */
    struct comm *comm;
    int64_t count;
    int64_t line; /* of its isend or irecv */
    int type;
    int peer, tag; /* the peer in the world, or -333 */
    uint8_t kind;
    bool is_persistent, is_active, is_cancelling;
    MPI_Message message; /* of what MPI_Mprobe has received and nobody has asked for yet */
};
struct request *request_add(MPI_Request handle);  /* active; to be filled. NULL: no memory */
struct request *request_find(MPI_Request handle); /* the oldest of that handle; NULL: none that is known */
void request_free(MPI_Request handle);            /* nobody will wait for it */
void request_cancel(MPI_Request handle);          /* MPI_Cancel: whether it came in time is seen later */
void requests_end(void);                          /* cancelled ones that nobody has waited for */
void request_start(struct request *request);
void request_stop(struct request *request);
unsigned requests_active(void); /* those that were freed while active included */

/* What a call waits for, one for each handle or NULL, valid until the thread's next; NULL: no memory. Each is
 * to be completed or put back. */
struct request **requests_take(int count, const MPI_Request *handles);
struct request *request_take(MPI_Request handle);
void request_put_back(struct request *request); /* NULL: nothing */
void request_complete(struct request *request);

/* A matched message: received already, but not asked for; then it is a request, or complete. */
struct request *message_add(MPI_Message message);
struct request *message_take(MPI_Message message); /* NULL: not known */
void request_name(struct request *request, MPI_Request handle);

/* ---------------------------------------------------------------------------------------------------
 * record.c */

void record_send(const char *action, const char *mark, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm);
void record_recv(const char *action, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
void record_sendrecv(int send_count, MPI_Datatype send_type, int to, int send_tag, int recv_count,
                     MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm comm);
/* The same for calls that return a request. */
void record_isend(const char *action, const char *mark, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, MPI_Request handle, bool is_persistent);
void record_irecv(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request handle,
                  bool is_persistent);
void record_start(MPI_Request handle);
/* Of MPI_Mprobe, whose status tells all, and what follows. */
void record_mprobe(MPI_Message message, const MPI_Status *status, MPI_Comm comm);
void record_imrecv(struct request *request, MPI_Request handle);
/* A call that the trace cannot say. */
void record_lost(const char *name, const struct comm *comm);
/* They have completed; NULL: nothing. */
void record_wait(struct request *request);
void record_waitall(int count, struct request **requests);

/* A collective; `request` NULL: a blocking one. Counts and types as its MPI function has them; vectors may be
 * NULL where they do not matter. */
struct collective {
    const char *mpi_name, *action; /* MPI's, and the trace's */
    MPI_Comm comm;
    const MPI_Request *request;
    const void *send_buffer; /* MPI_IN_PLACE: what is sent is as what is received */
    int root;
    int64_t send_count, recv_count;
    const int *send_counts, *recv_counts, *send_starts, *recv_starts;
    MPI_Datatype send_type, recv_type;
    const MPI_Datatype *send_types, *recv_types; /* of MPI_Alltoallw */
};
/* What it starts, where it is a non-blocking one. */
void record_request(const struct collective *collective, enum request_kind kind);
void record_barrier(const struct collective *collective);
void record_rooted(const struct collective *collective); /* bcast */
void record_reduce(
    const struct collective *collective); /* reduce: with root; allreduce, scan, exscan: root -1 */
void record_uniform(const struct collective *collective); /* alltoall, allgather */
void record_gather(const struct collective *collective);
void record_scatter(
    const struct collective *collective); /* send_buffer is the buffer that may be MPI_IN_PLACE */
void record_vectors(const struct collective *collective); /* alltoallv, alltoallw */
void record_allgatherv(const struct collective *collective);
void record_gatherv(const struct collective *collective);
void record_scatterv(const struct collective *collective);
void record_reduce_scatter(const struct collective *collective);

/* ---------------------------------------------------------------------------------------------------
 * neighbours.c */

/* A neighbourhood collective: one count for all neighbours, or one for each. */
void record_neighbours(const struct collective *collective);
void neighbours_wait(const struct comm *comm);
void neighbours_free(struct neighbours *neighbours);

#endif
