#include "live/capture/record.h"

#include <stdio.h>

#include "call/datatype.h"
#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/symbols.h"
#include "live/capture/traffic.h"
#include "live/capture/types.h"

/* What SimGrid writes for MPI_ANY_SOURCE (its MPI_UNDEFINED) and for MPI_ANY_TAG. */
enum { UNDEFINED = -333, ANY_TAG = -444 };

/* Annotations come behind the fields that SimGrid reads; it skips them. */
static const char mark_any[] = "#any", mark_lost[] = "#lost";

/* ---------------------------------------------------------- point to point */

void record_lost(const char *name, const struct capture_comm *comm)
{
    line_begin("comm_size", 2);
    line_text(mark_lost);
    line_text(name);
    line_text(comm ? comm->name : "");
    line_end();
}

void record_phase(int level)
{
    line_begin("comm_size", 2);
    line_text("#phase");
    line_int(level);
    line_end_without_site();
}

/* True: the call is written. Calls with MPI_PROC_NULL send nothing. A call to another world cannot be
 * expressed: its line marks it as lost. */
static bool is_written(const char *action, const struct capture_comm *comm, int peer)
{
    if (peer == MPI_PROC_NULL)
        return false;
    if (comm->has_outsiders)
        record_lost(action, comm);
    return !comm->has_outsiders;
}

static int world_rank(const struct capture_comm *comm, int peer)
{
    return peer >= 0 && peer < comm->size && comm->world ? comm->world[peer] : UNDEFINED;
}

static int tag_in_trace(int tag)
{
    return tag == MPI_ANY_TAG ? ANY_TAG : tag;
}

/* Returns the position of the line. */
static int64_t write_line(bool is_send, const char *action, const char *mark, int peer, int tag,
                          int64_t count, int type, const struct capture_comm *comm)
{
    if (is_send)
        traffic_sent(peer);
    else
        traffic_received();
    line_begin(action, 4);
    int64_t at = line_at();
    line_int(peer);
    line_int(tag);
    line_int(count);
    line_int(type);
    line_text(mark);
    line_text(peer == UNDEFINED ? mark_any : "");
    line_text(comm->name);
    line_end();
    return at;
}

void record_send(const char *action, const char *mark, int64_t count, MPI_Datatype handle, int peer, int tag,
                 MPI_Comm comm_handle)
{
    const struct capture_comm *comm = comm_of(comm_handle);
    struct capture_type type = type_of(handle);
    if (is_written(action, comm, peer))
        write_line(true, action, mark, world_rank(comm, peer), tag, count * type.elements, type.id, comm);
}

void record_recv(const char *action, int64_t count, MPI_Datatype handle, int peer, int tag,
                 MPI_Comm comm_handle)
{
    const struct capture_comm *comm = comm_of(comm_handle);
    struct capture_type type = type_of(handle);
    if (is_written(action, comm, peer))
        write_line(false, action, "", world_rank(comm, peer), tag_in_trace(tag), count * type.elements,
                   type.id, comm);
}

/* SimGrid's sendRecv has no tags; they are in an annotation. If one side is MPI_PROC_NULL, the other remains,
 * as a send or a receive. */
void record_sendrecv(int64_t send_count, MPI_Datatype send_handle, int to, int send_tag, int64_t recv_count,
                     MPI_Datatype recv_handle, int from, int recv_tag, MPI_Comm comm_handle)
{
    const struct capture_comm *comm = comm_of(comm_handle);
    struct capture_type send_type = type_of(send_handle), recv_type = type_of(recv_handle);
    if (to == MPI_PROC_NULL || from == MPI_PROC_NULL || comm->has_outsiders) {
        record_send("send", "", send_count, send_handle, to, send_tag, comm_handle);
        record_recv("recv", recv_count, recv_handle, from, recv_tag, comm_handle);
        return;
    }
    traffic_sent(world_rank(comm, to));
    traffic_received();
    line_begin("sendRecv", 10);
    line_int(send_count * send_type.elements);
    line_int(world_rank(comm, to));
    line_int(recv_count * recv_type.elements);
    line_int(world_rank(comm, from));
    line_int(send_type.id);
    line_int(recv_type.id);
    line_text("#tags");
    line_int(send_tag);
    line_int(tag_in_trace(recv_tag));
    line_text(from == MPI_ANY_SOURCE ? mark_any : "");
    line_text(comm->name);
    line_end();
}

/* ---------------------------------------------------------------- requests */

static int64_t bytes_of(int64_t count, int type)
{
    return count * datatype_bytes(type);
}

/* Takes what is written to a request that is not recorded, or for which there is no memory. */
static struct capture_request unremembered;

struct capture_request *record_request(MPI_Request handle, enum request_kind kind, const char *action,
                                       struct capture_comm *comm, bool is_persistent)
{
    struct capture_request *request = line_is_muted() && !is_persistent ? NULL : request_add(handle);
    if (!request)
        return &unremembered;
    comm_hold(comm);
    request->kind = (uint8_t)kind;
    request->action = action;
    request->comm = comm;
    request->is_persistent = is_persistent;
    if (is_persistent)
        request_stop(request); /* it is active from MPI_Start on */
    return request;
}

void record_isend(const char *action, const char *mark, int64_t count, MPI_Datatype handle, int peer, int tag,
                  MPI_Comm comm_handle, MPI_Request request_handle, bool is_persistent)
{
    struct capture_comm *comm = comm_of(comm_handle);
    struct capture_type type = type_of(handle);
    if (!is_written(action, comm, peer))
        return;
    struct capture_request *request = record_request(request_handle, REQUEST_SEND, mark, comm, is_persistent);
    request->peer = world_rank(comm, peer);
    request->tag = tag;
    request->count = count * type.elements;
    request->type = type.id;
    request_set_bytes(request, bytes_of(request->count, type.id));
    if (!is_persistent)
        request->line = write_line(true, action, mark, request->peer, tag, request->count, type.id, comm);
}

void record_irecv(int64_t count, MPI_Datatype handle, int peer, int tag, MPI_Comm comm_handle,
                  MPI_Request request_handle, bool is_persistent)
{
    struct capture_comm *comm = comm_of(comm_handle);
    struct capture_type type = type_of(handle);
    if (!is_written("irecv", comm, peer))
        return;
    struct capture_request *request = record_request(request_handle, REQUEST_RECV, "", comm, is_persistent);
    request->peer = world_rank(comm, peer);
    request->tag = tag_in_trace(tag);
    request->count = count * type.elements;
    request->type = type.id;
    request_set_bytes(request, bytes_of(request->count, type.id));
    if (!is_persistent)
        request->line =
            write_line(false, "irecv", "", request->peer, request->tag, request->count, type.id, comm);
}

void record_isendrecv(int64_t send_count, MPI_Datatype send_handle, int to, int send_tag, int64_t recv_count,
                      MPI_Datatype recv_handle, int from, int recv_tag, MPI_Comm comm_handle,
                      MPI_Request request_handle)
{
    struct capture_comm *comm = comm_of(comm_handle);
    if (to == MPI_PROC_NULL || from == MPI_PROC_NULL || comm->has_outsiders) {
        record_isend("isend", "", send_count, send_handle, to, send_tag, comm_handle, request_handle, false);
        if (to == MPI_PROC_NULL || !comm->has_outsiders)
            record_irecv(recv_count, recv_handle, from, recv_tag, comm_handle, request_handle, false);
        return;
    }
    struct capture_type send_type = type_of(send_handle), recv_type = type_of(recv_handle);
    struct capture_request *request = record_request(request_handle, REQUEST_BOTH, "", comm, false);
    request->peer = world_rank(comm, to);
    request->tag = send_tag;
    request->source = world_rank(comm, from);
    request->recv_tag = tag_in_trace(recv_tag);
    write_line(false, "irecv", "", request->source, request->recv_tag, recv_count * recv_type.elements,
               recv_type.id, comm);
    write_line(true, "isend", "", request->peer, request->tag, send_count * send_type.elements, send_type.id,
               comm);
}

/* A neighbourhood collective counts as its messages, and any other one once. */
static void start_collective(const struct capture_request *request)
{
    for (const char *lines = request->text; lines;) {
        int peer;
        if (sscanf(lines, "isend %d", &peer) == 1)
            traffic_sent(peer);
        else if (request->kind == REQUEST_NEIGHBOURS)
            traffic_received();
        lines = line_again(lines);
        line_end();
    }
    if (request->kind != REQUEST_NEIGHBOURS)
        traffic_other_collective();
}

/* The start of a persistent request is written like a new request. */
void record_start(MPI_Request handle)
{
    struct capture_request *request = request_find(handle);
    if (!request)
        return;
    if (!line_is_muted()) /* else nothing waits for it */
        request_start(request);
    if (request->kind > REQUEST_RECV) {
        start_collective(request);
        return;
    }
    const bool is_send = request->kind == REQUEST_SEND;
    request->line = write_line(is_send, is_send ? "isend" : "irecv", request->action, request->peer,
                               request->tag, request->count, request->type, request->comm);
}

/* MPI_Mprobe takes a message, so that no later receive gets it. The trace has a receive posted then. */
void record_mprobe(MPI_Message message, const MPI_Status *status, MPI_Comm comm_handle)
{
    struct capture_comm *comm = comm_of(comm_handle);
    MPI_Count bytes = 0;
    if (message == MPI_MESSAGE_NO_PROC || !is_written("irecv", comm, status->MPI_SOURCE))
        return;
    struct capture_request *request = line_is_muted() ? NULL : message_add(message);
    if (!request) {
        traffic_received();
        return;
    }
    comm_hold(comm);
    REAL(Get_elements_x)(status, MPI_BYTE, &bytes);
    request->kind = REQUEST_RECV;
    request->action = "";
    request->comm = comm;
    request->peer = world_rank(comm, status->MPI_SOURCE);
    request->tag = status->MPI_TAG;
    request_set_bytes(request, bytes);
    request->line = write_line(false, "irecv", "", request->peer, request->tag, bytes, TYPE_BYTE, comm);
}

void record_imrecv(struct capture_request *request, MPI_Request handle)
{
    if (request)
        request_name(request, handle);
}
