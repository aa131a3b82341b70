#ifndef HELIO_CAPTURE_REQUESTS_H
#define HELIO_CAPTURE_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct capture_comm;

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLLECTIVE,
    REQUEST_NEIGHBOURS,
    REQUEST_BOTH,
    REQUEST_PARTS /* several collectives in the trace */
};

struct capture_request {
    MPI_Request handle;
    struct capture_request *next; /* of the same handle */
    const char *action;           /* a send: the annotation of its mode; a collective: its name */
    struct capture_comm *comm;
    int64_t count;
    int64_t line; /* the position of its isend or irecv */
    int type;
    int peer, tag;        /* the peer is a rank in the world, or -333 for MPI_ANY_SOURCE */
    int source, recv_tag; /* REQUEST_BOTH: of its receive */
    char *text;           /* a persistent collective: its lines, which each start writes; or NULL */
    char *waits;          /* REQUEST_PARTS: the lines that wait for it; or NULL */
    uint8_t kind;
    bool is_persistent, is_active, is_cancelling;
    bool is_short;       /* the MPI moves its message in a few microseconds */
    MPI_Message message; /* from MPI_Mprobe, until the program receives it */
};

/* A new active request, to be filled. NULL: no memory. */
struct capture_request *request_add(MPI_Request handle);
/* The oldest request of that handle. NULL: none is known. */
struct capture_request *request_find(MPI_Request handle);
/* MPI_Request_free: the program will not wait for it. */
void request_free(MPI_Request handle);
/* MPI_Cancel. Whether it came in time is known later. */
void request_cancel(MPI_Request handle);
/* At the end: cancels the lines of cancelled requests for which the program has not waited. */
void requests_check_cancelled(void);
void request_start(struct capture_request *request);
void request_stop(struct capture_request *request);
/* The number of active requests, with those that were freed while they were active. */
unsigned requests_active(void);
/* Its message has at most so many bytes. A request of which nothing is said can have any number, and so can a
 * collective. */
void request_set_bytes(struct capture_request *request, int64_t bytes);
/* A poll can take long, or its requests must be taken before it, since a cancelled one is among them. */
bool requests_are_long(void);

/* Take the requests of a call that waits: one for each handle, or NULL. Each must be completed or put back.
 * The array is valid until the thread's next call of requests_take; NULL: no memory. */
struct capture_request **requests_take(int count, const MPI_Request *handles);
/* For a call that may complete none: the handles as they are now, for requests_take() after a call that has
 * completed some. So a poll that finds nothing leaves the table as it is. Valid until the next call of this
 * function. NULL: the requests must be taken before the call, since other threads may take them, or since
 * the fate of a cancelled one must be asked before it is complete. */
const MPI_Request *requests_keep(int count, const MPI_Request *handles);
struct capture_request *request_take(MPI_Request handle);
void request_put_back(struct capture_request *request); /* NULL: does nothing */
void request_complete(struct capture_request *request);

/* A message of MPI_Mprobe is recorded as a receive at once. When the program receives it, it becomes a
 * request (request_name) or is complete. */
struct capture_request *message_add(MPI_Message message);  /* NULL: no memory */
struct capture_request *message_take(MPI_Message message); /* NULL: not known */
void request_name(struct capture_request *request, MPI_Request handle);

/* The copy, and for how many handles it has room. */
struct requests_kept {
    MPI_Request *handles;
    int room;
};
extern struct requests_kept requests_kept;

/* requests_keep() for polls that are not timed. False: the poll must be timed. */
static inline bool requests_copy(int count, const MPI_Request *handles)
{
    if (count <= 0 || count > requests_kept.room || !handles)
        return false;
    requests_kept.handles[0] = handles[0];
    for (int i = 1; i < count; i++)
        requests_kept.handles[i] = handles[i];
    return true;
}

#endif
