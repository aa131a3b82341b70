#ifndef HELIO_CAPTURE_RECORD_H
#define HELIO_CAPTURE_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/capture/requests.h"

/* Lines of point-to-point calls, and of calls that a trace cannot express. */

void record_send(const char *action, const char *mark, int64_t count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm);
void record_recv(const char *action, int64_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
void record_sendrecv(int64_t send_count, MPI_Datatype send_type, int to, int send_tag, int64_t recv_count,
                     MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm comm);

/* Calls that return a request. */
void record_isend(const char *action, const char *mark, int64_t count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, MPI_Request handle, bool is_persistent);
void record_irecv(int64_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request handle,
                  bool is_persistent);
/* MPI_Isendrecv: two requests in the trace, which one call completes. */
void record_isendrecv(int64_t send_count, MPI_Datatype send_type, int to, int send_tag, int64_t recv_count,
                      MPI_Datatype recv_type, int from, int recv_tag, MPI_Comm comm, MPI_Request handle);
void record_start(MPI_Request handle);

/* MPI_Mprobe, whose status describes the message, and MPI_Imrecv of that message. */
void record_mprobe(MPI_Message message, const MPI_Status *status, MPI_Comm comm);
void record_imrecv(struct capture_request *request, MPI_Request handle);

/* A call that the trace cannot express: the line says only that it was made. `comm` may be NULL. */
void record_lost(const char *name, const struct capture_comm *comm);
/* The phase of this number begins. */
void record_phase(int level);

/* Remembers a new request. Without memory it returns a request that is never found again. */
struct capture_request *record_request(MPI_Request handle, enum request_kind kind, const char *action,
                                       struct capture_comm *comm, bool is_persistent);

#endif
