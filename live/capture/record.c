#include "live/capture/capture.h"

/* SimGrid's MPI_UNDEFINED, which stands for MPI_ANY_SOURCE, and its MPI_ANY_TAG. */
enum { UNDEFINED = -333, ANY_TAG = -444 };

/* What stands behind the fields that SimGrid knows: it skips what it has not asked for. */
static const char mark_any[] = "#any", mark_request[] = "#i", mark_wait[] = "#wait", mark_lost[] = "#lost";

/* ----------------------------------------------------------------------------------------- point to point */

void record_lost(const char *name, const struct comm *comm)
{
    line_begin("comm_size", 2);
    line_text(mark_lost);
    line_text(name);
    line_text(comm ? comm->name : "");
    line_end();
}

/* Nothing is to be written for what has no other end, and nothing can be for one in another world. */
static bool has_end(const char *action, const struct comm *comm, int peer)
{
    if (peer == MPI_PROC_NULL)
        return false;
    if (comm->has_outsiders)
        record_lost(action, comm);
    return !comm->has_outsiders;
}

static int world_rank(const struct comm *comm, int peer)
{
    return peer >= 0 && peer < comm->size && comm->world ? comm->world[peer] : UNDEFINED;
}

static int tag_in_trace(int tag)
{
    return tag == MPI_ANY_TAG ? ANY_TAG : tag;
}

/* Returns where the line stands. */
static int64_t write_end(const char *action, const char *mark, int peer, int tag, int64_t count, int type,
                         const struct comm *comm)
{
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

void record_send(const char *action, const char *mark, int count, MPI_Datatype handle, int peer, int tag,
                 MPI_Comm comm_handle)
{
    const struct comm *comm = comm_of(comm_handle);
    struct type type = type_of(handle);
    if (has_end(action, comm, peer))
        write_end(action, mark, world_rank(comm, peer), tag, count * type.elements, type.id, comm);
}

void record_recv(const char *action, int count, MPI_Datatype handle, int peer, int tag, MPI_Comm comm_handle)
{
    const struct comm *comm = comm_of(comm_handle);
    struct type type = type_of(handle);
    if (has_end(action, comm, peer))
        write_end(action, "", world_rank(comm, peer), tag_in_trace(tag), count * type.elements, type.id,
                  comm);
}

/* The tags are lost to SimGrid. Where one side is MPI_PROC_NULL, what remains is a send or a receive. */
void record_sendrecv(int send_count, MPI_Datatype send_handle, int to, int send_tag, int recv_count,
                     MPI_Datatype recv_handle, int from, int recv_tag, MPI_Comm comm_handle)
{
    const struct comm *comm = comm_of(comm_handle);
    struct type send_type = type_of(send_handle), recv_type = type_of(recv_handle);
    if (to == MPI_PROC_NULL || from == MPI_PROC_NULL || comm->has_outsiders) {
        record_send("send", "", send_count, send_handle, to, send_tag, comm_handle);
        record_recv("recv", recv_count, recv_handle, from, recv_tag, comm_handle);
        return;
    }
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

/* ----------------------------------------------------------------------------------------------- requests */

static struct request nowhere; /* without memory nothing is remembered */

static struct request *add(MPI_Request handle, uint8_t kind, const char *action, struct comm *comm,
                           bool is_persistent)
{
    struct request *request = request_add(handle);
    if (!request)
        return &nowhere;
    comm_hold(comm);
    request->kind = kind;
    request->action = action;
    request->comm = comm;
    request->is_persistent = is_persistent;
    if (is_persistent)
        request_stop(request); /* not begun yet */
    return request;
}

void record_isend(const char *action, const char *mark, int count, MPI_Datatype handle, int peer, int tag,
                  MPI_Comm comm_handle, MPI_Request request_handle, bool is_persistent)
{
    struct comm *comm = comm_of(comm_handle);
    struct type type = type_of(handle);
    if (!has_end(action, comm, peer))
        return;
    struct request *request = add(request_handle, REQUEST_SEND, mark, comm, is_persistent);
    request->peer = world_rank(comm, peer);
    request->tag = tag;
    request->count = count * type.elements;
    request->type = type.id;
    if (!is_persistent)
        request->line = write_end(action, mark, request->peer, tag, request->count, type.id, comm);
}

void record_irecv(int count, MPI_Datatype handle, int peer, int tag, MPI_Comm comm_handle,
                  MPI_Request request_handle, bool is_persistent)
{
    struct comm *comm = comm_of(comm_handle);
    struct type type = type_of(handle);
    if (!has_end("irecv", comm, peer))
        return;
    struct request *request = add(request_handle, REQUEST_RECV, "", comm, is_persistent);
    request->peer = world_rank(comm, peer);
    request->tag = tag_in_trace(tag);
    request->count = count * type.elements;
    request->type = type.id;
    if (!is_persistent)
        request->line = write_end("irecv", "", request->peer, request->tag, request->count, type.id, comm);
}

/* A persistent request that begins is one that is made. */
void record_start(MPI_Request handle)
{
    struct request *request = request_find(handle);
    if (!request)
        return;
    request_start(request);
    request->line = write_end(request->kind == REQUEST_SEND ? "isend" : "irecv", request->action,
                              request->peer, request->tag, request->count, request->type, request->comm);
}

/* A matched message has been received; that is a receive posted when it was found, as it is no later one's.
 */
void record_mprobe(MPI_Message message, const MPI_Status *status, MPI_Comm comm_handle)
{
    struct comm *comm = comm_of(comm_handle);
    MPI_Count bytes = 0;
    if (message == MPI_MESSAGE_NO_PROC || !has_end("irecv", comm, status->MPI_SOURCE))
        return;
    struct request *request = message_add(message);
    if (!request)
        return;
    comm_hold(comm);
    REAL(Get_elements_x)(status, MPI_BYTE, &bytes);
    request->kind = REQUEST_RECV;
    request->action = "";
    request->comm = comm;
    request->peer = world_rank(comm, status->MPI_SOURCE);
    request->tag = status->MPI_TAG;
    request->line = write_end("irecv", "", request->peer, request->tag, bytes, TYPE_BYTE, comm);
}

void record_imrecv(struct request *request, MPI_Request handle)
{
    if (request)
        request_name(request, handle);
}

/* SimGrid ends at a wait for what it does not know, so the wait for a collective is written as an action that
 * it skips.
 */
static void write_wait(const struct request *request)
{
    if (request->kind == REQUEST_NEIGHBOURS) {
        neighbours_wait(request->comm);
        return;
    }
    if (request->kind == REQUEST_COLLECTIVE) {
        line_begin("comm_size", 2);
        line_text(mark_wait);
        line_text(request->action);
    } else {
        int rank = capture_rank();
        line_begin("wait", 3);
        line_int(request->kind == REQUEST_SEND ? rank : request->peer);
        line_int(request->kind == REQUEST_SEND ? request->peer : rank);
        line_int(request->tag);
    }
    line_text(request->comm->name);
    line_end();
}

void record_wait(struct request *request)
{
    if (!request)
        return;
    write_wait(request);
    request_complete(request);
}

/* A waitall is replayed as a wait for everything: where it is for less, as waits one by one. */
void record_waitall(int count, struct request **requests)
{
    unsigned meant = 0;
    bool is_plain = true;
    for (int i = 0; requests && i < count; i++) {
        meant += requests[i] != NULL;
        is_plain = is_plain && (!requests[i] || requests[i]->kind <= REQUEST_RECV);
    }
    if (!meant)
        return;
    bool is_all = is_plain && meant == requests_active();
    if (is_all) {
        line_begin("waitall", 1);
        line_int(meant);
        line_end();
    }
    for (int i = 0; i < count; i++)
        if (requests[i] && is_all)
            request_complete(requests[i]);
        else
            record_wait(requests[i]);
}

/* -------------------------------------------------------------------------------------------- collectives */

struct sides {
    struct comm *comm;
    struct type send, recv;
    int64_t send_count, recv_count;
    bool is_in_place;
};

static bool begin(const struct collective *collective, struct sides *sides)
{
    *sides = (struct sides){.comm = comm_of(collective->comm)};
    if (sides->comm->is_inter || sides->comm->has_outsiders) {
        record_lost(collective->mpi_name,
                    sides->comm); /* nor is its request known: waits for it write nothing */
        return false;
    }
    sides->is_in_place = collective->send_buffer == MPI_IN_PLACE;
    sides->send = type_of(sides->is_in_place ? collective->recv_type : collective->send_type);
    sides->recv = type_of(collective->recv_type);
    sides->send_count =
        (sides->is_in_place ? collective->recv_count : collective->send_count) * sides->send.elements;
    sides->recv_count = collective->recv_count * sides->recv.elements;
    return true;
}

void record_request(const struct collective *collective, enum request_kind kind)
{
    if (collective->request && *collective->request != MPI_REQUEST_NULL)
        add(*collective->request, (uint8_t)kind, collective->action, comm_of(collective->comm), false);
}

static void end(const struct collective *collective, const struct sides *sides)
{
    line_text(collective->request ? mark_request : "");
    line_text(sides->comm->name);
    line_end();
    record_request(collective, REQUEST_COLLECTIVE);
}

static void write_counts(const int *counts, int64_t elements, int size)
{
    for (int i = 0; i < size; i++)
        line_int(counts ? counts[i] * elements : 0);
}

void record_barrier(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    line_begin(collective->action, 0);
    end(collective, &sides);
}

void record_rooted(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    line_begin(collective->action, 3);
    line_int(sides.recv_count);
    line_int(collective->root);
    line_int(sides.recv.id);
    end(collective, &sides);
}

void record_reduce(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    line_begin(collective->action, 4);
    line_int(sides.recv_count);
    line_int(0); /* the reduction's own operations are part of the next burst */
    if (collective->root >= 0)
        line_int(collective->root);
    line_int(sides.recv.id);
    end(collective, &sides);
}

void record_uniform(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    line_begin(collective->action, 4);
    line_int(sides.send_count);
    line_int(sides.recv_count);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

/* The root alone knows both sides; elsewhere the other one is nobody's, and its type may not even be one. As
 * SimGrid, what the program says is written nevertheless. `is_gather`: everyone sends. */
static void write_rooted_pair(const struct collective *collective, bool is_gather)
{
    struct sides sides;
    struct collective own = *collective;
    const struct comm *comm = comm_of(collective->comm);
    if (comm->rank != collective->root && is_gather) {
        own.recv_count = own.recv_count > 0 ? own.recv_count : 0;
        own.recv_type = own.send_type;
    } else if (comm->rank != collective->root) {
        own.send_count = own.send_count > 0 ? own.send_count : 0;
        own.send_type = own.recv_type;
    }
    /* Whose own buffer stays where it is says so instead of the count. */
    if (!is_gather && collective->send_buffer == MPI_IN_PLACE) {
        own.recv_count = own.send_count;
        own.recv_type = own.send_type;
        own.send_buffer = NULL;
    }
    if (!begin(&own, &sides))
        return;
    line_begin(own.action, 5);
    line_int(sides.send_count);
    line_int(sides.recv_count);
    line_int(own.root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

void record_gather(const struct collective *collective)
{
    write_rooted_pair(collective, true);
}

void record_scatter(const struct collective *collective)
{
    write_rooted_pair(collective, false);
}

/* In elements, from the buffer's beginning to the end of what is used of it. */
static int64_t extent(const int *counts, const int *starts, int size)
{
    int64_t most = 0;
    for (int i = 0; i < size; i++) {
        int64_t last = (int64_t)counts[i] + (starts ? starts[i] : 0);
        most = last > most ? last : most;
    }
    return most;
}

static void write_exchange(const int *counts, const int *starts, struct type type, int size)
{
    line_int(extent(counts, starts, size) * type.elements);
    write_counts(counts, type.elements, size);
}

/* MPI_Alltoallw: a type for each peer, so bytes. */
static void write_typed_exchange(const int *counts, const MPI_Datatype *types, int size)
{
    int64_t sum = 0;
    for (int i = 0; i < size; i++) {
        MPI_Count bytes = 0;
        REAL(Type_size_x)(types[i], &bytes);
        sum += counts[i] * (int64_t)bytes;
    }
    line_int(sum);
    for (int i = 0; i < size; i++) {
        MPI_Count bytes = 0;
        REAL(Type_size_x)(types[i], &bytes);
        line_int(counts[i] * (int64_t)bytes);
    }
}

void record_vectors(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    bool in_place = sides.is_in_place;
    const int *counts = in_place ? collective->recv_counts : collective->send_counts;
    int size = sides.comm->size;
    line_begin(collective->action, 2 * (unsigned)size + 4);
    if (collective->recv_types) {
        write_typed_exchange(counts, in_place ? collective->recv_types : collective->send_types, size);
        write_typed_exchange(collective->recv_counts, collective->recv_types, size);
        sides.send.id = sides.recv.id = 6;
    } else {
        write_exchange(counts, in_place ? collective->recv_starts : collective->send_starts, sides.send,
                       size);
        write_exchange(collective->recv_counts, collective->recv_starts, sides.recv, size);
    }
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

void record_allgatherv(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    if (sides.is_in_place)
        sides.send_count = collective->recv_counts[sides.comm->rank] * sides.recv.elements;
    line_begin(collective->action, (unsigned)sides.comm->size + 3);
    line_int(sides.send_count);
    write_counts(collective->recv_counts, sides.recv.elements, sides.comm->size);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

void record_gatherv(const struct collective *collective)
{
    struct sides sides;
    struct collective own = *collective;
    const struct comm *comm = comm_of(collective->comm);
    bool is_root = comm->rank == collective->root;
    if (!is_root)
        own.recv_type = own.send_type;
    if (!begin(&own, &sides))
        return;
    if (sides.is_in_place && is_root)
        sides.send_count = collective->recv_counts[comm->rank] * sides.recv.elements;
    line_begin(collective->action, (unsigned)comm->size + 4);
    line_int(sides.send_count);
    write_counts(is_root ? collective->recv_counts : NULL, sides.recv.elements, comm->size);
    line_int(collective->root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

/* Here it is the receive buffer that the root may leave in place; wrap.c passes it for the send buffer. */
void record_scatterv(const struct collective *collective)
{
    struct sides sides;
    struct collective own = *collective;
    const struct comm *comm = comm_of(collective->comm);
    bool is_root = comm->rank == collective->root, is_in_place = collective->send_buffer == MPI_IN_PLACE;
    own.send_buffer = NULL;
    if (!is_root)
        own.send_type = own.recv_type;
    if (is_root && is_in_place) {
        own.recv_type = own.send_type;
        own.recv_count = collective->send_counts[comm->rank];
    }
    if (!begin(&own, &sides))
        return;
    line_begin(collective->action, (unsigned)comm->size + 4);
    write_counts(is_root ? collective->send_counts : NULL, sides.send.elements, comm->size);
    line_int(sides.recv_count);
    line_int(collective->root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end(collective, &sides);
}

/* With counts, or MPI_Reduce_scatter_block with one count for all. */
void record_reduce_scatter(const struct collective *collective)
{
    struct sides sides;
    if (!begin(collective, &sides))
        return;
    line_begin(collective->action, (unsigned)sides.comm->size + 2);
    for (int i = 0; i < sides.comm->size; i++)
        line_int(collective->recv_counts ? collective->recv_counts[i] * sides.recv.elements
                                         : sides.recv_count);
    line_int(0);
    line_int(sides.recv.id);
    end(collective, &sides);
}
