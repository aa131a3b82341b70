/* Sends, receives and their requests. */
#include <string.h>

#include "trace/dumpi/reader.h"

#define NO_SLOT UINT32_MAX

/* ---------------------------------------------------------------- both ends */

enum end_kind {
    END_RANK,
    END_NULL,      /* MPI_PROC_NULL */
    END_ANY,       /* MPI_ANY_SOURCE */
    END_UNDEFINED, /* one of the two: MPICH's MPI_PROC_NULL is DUMPI's number for MPI_ANY_SOURCE */
    END_LOST,      /* a process outside the trace */
    END_BAD,       /* reported */
};

/* One end of a message, as the arguments say it. */
struct end {
    enum end_kind kind;
    int32_t peer; /* rank of the world */
    int32_t tag;
    uint32_t context;
    uint64_t bytes;
};

/* The rank of the world and the communicator's number in the compiled trace. */
static void find_rank(struct dumpi_reader *reader, const struct dumpi_bound *bound, int32_t peer,
                      struct end *end)
{
    const struct dumpi_lists *lists = &reader->comms->lists;
    const struct dumpi_comm *comm = dumpi_comm_at(reader, bound);
    end->context = comm->image;
    if (comm->is_outside) {
        end->kind = END_LOST;
    } else if (end->kind == END_RANK && (uint32_t)peer >= dumpi_lists_count(lists, bound->peers)) {
        dumpi_fail(reader, "it names rank %d of a communicator of %u ranks", peer,
                   dumpi_lists_count(lists, bound->peers));
        end->kind = END_BAD;
    } else if (end->kind == END_RANK) {
        end->peer = (int32_t)dumpi_lists_items(lists, bound->peers)[peer];
    }
}

/* `v` are count, datatype, peer and tag. */
static struct end end_of(struct dumpi_reader *reader, const int32_t *v, uint16_t comm, bool is_send)
{
    struct end end = {.kind = END_BAD, .tag = v[3]};
    int32_t peer = v[2];
    const struct dumpi_bound *bound = dumpi_bound_used(reader, comm);
    if (!bound)
        return end;
    if (peer >= 0)
        end.kind = END_RANK;
    else
        end.kind = is_send || peer != DUMPI_ANY ? END_NULL : END_UNDEFINED;
    if (!is_send && v[3] == DUMPI_ANY)
        end.tag = CALL_ANY_TAG;
    if (end.kind != END_NULL && !dumpi_bytes(reader, v[0], (uint16_t)v[1], &end.bytes))
        end.kind = END_BAD;
    else if (end.kind != END_NULL)
        find_rank(reader, bound, peer, &end);
    if (end.kind == END_UNDEFINED)
        end.peer = CALL_ANY_SOURCE;
    return end;
}

/* A status says where the message has come from: a negative source is MPI_PROC_NULL. */
static void ask_status(struct end *end, const struct dumpi_list *statuses)
{
    if (end->kind == END_UNDEFINED && statuses->count)
        end->kind = dumpi_status_source(statuses, 0) < 0 ? END_NULL : END_ANY;
}

static struct call send_of(const struct end *end, uint8_t flags)
{
    return (struct call){.op = CALL_SEND,
                         .flags = flags,
                         .peer = end->peer,
                         .tag = end->tag,
                         .context = end->context,
                         .bytes = end->bytes};
}

static struct call recv_of(const struct end *end, uint8_t flags)
{
    return (struct call){.op = CALL_RECV,
                         .flags = flags,
                         .peer = end->peer,
                         .tag = end->tag,
                         .context = end->context,
                         .recv_bytes = end->bytes};
}

/* Receives that are decided together: those from undefined sources with one communicator and tag. */
static uint32_t key_of(struct dumpi_reader *reader, const struct call *call)
{
    uint32_t *known = hashmap_slot(&reader->keys, (uint64_t)call->context << 32 | (uint32_t)call->tag);
    if (!*known)
        *known = (uint32_t)reader->keys.count;
    return *known - 1;
}

/* ----------------------------------------------------------------- blocking */

static void read_send(struct dumpi_reader *reader, uint8_t flags)
{
    const int32_t *v = reader->record.values;
    struct end end = end_of(reader, v, (uint16_t)v[4], true);
    struct call call = send_of(&end, flags);
    if (end.kind == END_RANK)
        dumpi_emit(reader, &call, KEY_NONE, DOUBT_NONE);
    else if (end.kind == END_LOST)
        dumpi_emit_lost(reader);
    else
        dumpi_emit_nothing(reader);
}

static void emit_recv(struct dumpi_reader *reader, const struct end *end)
{
    struct call call = recv_of(end, 0);
    if (end->kind == END_LOST)
        dumpi_emit_lost(reader);
    else if (end->kind == END_NULL || end->kind == END_BAD)
        dumpi_emit_nothing(reader);
    else
        dumpi_emit(reader, &call, KEY_NONE, end->kind == END_UNDEFINED ? DOUBT_UNDEFINED_SOURCE : DOUBT_NONE);
}

static void read_recv(struct dumpi_reader *reader)
{
    const int32_t *v = reader->record.values;
    struct end end = end_of(reader, v, (uint16_t)v[4], false);
    ask_status(&end, &reader->record.statuses);
    emit_recv(reader, &end);
}

/* A receive from an undefined source may do nothing, and the send beside it goes on: so they become calls of
 * their own. */
static void emit_apart(struct dumpi_reader *reader, const struct end *send, const struct end *recv)
{
    struct call receive = recv_of(recv, CALL_IMMEDIATE), message = send_of(send, 0);
    uint32_t key = key_of(reader, &receive), slot = image_slots_take(&reader->slots);
    receive.slot = SLOT_FIRST + slot;
    dumpi_emit(reader, &receive, key, DOUBT_UNDEFINED_SOURCE);
    dumpi_emit(reader, &message, KEY_NONE, DOUBT_NONE);
    dumpi_emit(reader, &(struct call){.op = CALL_WAIT, .slot = receive.slot}, key, DOUBT_NONE);
    image_slots_give(&reader->slots, slot);
}

static void emit_sendrecv(struct dumpi_reader *reader, const struct end *send, const struct end *recv)
{
    struct call call = send_of(send, 0);
    if (send->kind == END_BAD || recv->kind == END_BAD) {
        dumpi_emit_nothing(reader);
    } else if (send->kind == END_LOST || recv->kind == END_LOST) {
        dumpi_emit_lost(reader);
    } else if (send->kind == END_NULL) {
        emit_recv(reader, recv);
    } else if (recv->kind == END_NULL) {
        dumpi_emit(reader, &call, KEY_NONE, DOUBT_NONE);
    } else if (recv->kind == END_UNDEFINED) {
        emit_apart(reader, send, recv);
    } else {
        call.op = CALL_SENDRECV;
        call.source = recv->peer;
        call.recv_bytes = recv->bytes;
        call.expected = (uint32_t)recv->tag - (uint32_t)send->tag;
        dumpi_emit(reader, &call, KEY_NONE, DOUBT_NONE);
    }
}

static void read_sendrecv(struct dumpi_reader *reader)
{
    const int32_t *v = reader->record.values;
    bool replaces = reader->record.function == DUMPI_SENDRECV_REPLACE;
    const int32_t received[] = {v[0], v[1], v[4], v[5]};
    uint16_t comm = (uint16_t)v[replaces ? 6 : 8];
    struct end send = end_of(reader, v, comm, true);
    struct end recv = end_of(reader, replaces ? received : v + 4, comm, false);
    ask_status(&recv, &reader->record.statuses);
    emit_sendrecv(reader, &send, &recv);
}

/* ----------------------------------------------------------------- requests */

enum { NO_REQUEST = 1, FIRST_REQUEST = 2 }; /* values of reader->handles */

static struct dumpi_request *request_at(const struct dumpi_reader *reader, uint32_t index)
{
    return pool_at(&reader->requests, index);
}

/* The first request of the handle; POOL_NONE: there is none. */
static uint32_t first_request(const struct dumpi_reader *reader, int32_t handle)
{
    uint32_t known = hashmap_get(&reader->handles, (uint32_t)handle);
    return known >= FIRST_REQUEST ? known - FIRST_REQUEST : POOL_NONE;
}

/* A handle can stand for several requests at once: an MPI may have one handle for all sends that have ended
 * already. They are completed in the order in which they were started. */
static struct dumpi_request *add_request(struct dumpi_reader *reader, int32_t handle)
{
    uint32_t index = pool_take(&reader->requests);
    uint32_t *first = hashmap_slot(&reader->handles, (uint32_t)handle);
    *request_at(reader, index) =
        (struct dumpi_request){.next = POOL_NONE, .last = index, .slot = NO_SLOT, .key = KEY_NONE};
    if (*first < FIRST_REQUEST) {
        *first = index + FIRST_REQUEST;
    } else {
        struct dumpi_request *head = request_at(reader, *first - FIRST_REQUEST);
        request_at(reader, head->last)->next = index;
        head->last = index;
    }
    return request_at(reader, index);
}

/* Takes the handle's first request away from it; the request stays in the pool. */
static void unlink_request(struct dumpi_reader *reader, int32_t handle)
{
    struct dumpi_request *first = request_at(reader, first_request(reader, handle));
    uint32_t next = first->next;
    if (next != POOL_NONE)
        request_at(reader, next)->last = first->last;
    *hashmap_slot(&reader->handles, (uint32_t)handle) = next == POOL_NONE ? NO_REQUEST : next + FIRST_REQUEST;
}

void dumpi_forget_requests(struct dumpi_reader *reader)
{
    hashmap_clear(&reader->handles);
    hashmap_clear(&reader->keys);
    image_slots_clear(&reader->slots);
    pool_free(&reader->requests);
    pool_init(&reader->requests, sizeof(struct dumpi_request), "requests of a rank");
}

/* What the request does when it is started. */
static void describe(struct dumpi_reader *reader, struct dumpi_request *request, const struct end *end,
                     bool is_send, uint8_t flags)
{
    request->is_lost = end->kind == END_LOST;
    request->is_silent = end->kind == END_LOST || end->kind == END_NULL || end->kind == END_BAD;
    request->is_undefined = end->kind == END_UNDEFINED;
    request->call = is_send ? send_of(end, flags | CALL_IMMEDIATE) : recv_of(end, flags | CALL_IMMEDIATE);
    if (request->is_undefined)
        request->key = key_of(reader, &request->call);
}

static void start(struct dumpi_reader *reader, struct dumpi_request *request)
{
    request->is_active = true;
    request->function = reader->record.function;
    if (request->is_silent) {
        if (request->is_lost)
            dumpi_emit_lost(reader);
        else
            dumpi_emit_nothing(reader);
        return;
    }
    request->slot = image_slots_take(&reader->slots);
    request->call.slot = SLOT_FIRST + request->slot;
    request->token = dumpi_emit(reader, &request->call, request->key,
                                request->is_undefined ? DOUBT_UNDEFINED_SOURCE : DOUBT_NONE);
}

/* MPI_Isend, MPI_Irecv, MPI_Send_init and their like: count, datatype, peer, tag, communicator, request. */
static void read_request(struct dumpi_reader *reader, bool is_send, uint8_t flags, bool is_persistent)
{
    const int32_t *v = reader->record.values;
    struct end end = end_of(reader, v, (uint16_t)v[4], is_send);
    struct dumpi_request *request = add_request(reader, v[5]);
    describe(reader, request, &end, is_send, flags);
    request->is_persistent = is_persistent;
    if (is_persistent)
        dumpi_emit_nothing(reader);
    else
        start(reader, request);
}

static void start_handle(struct dumpi_reader *reader, int32_t handle)
{
    uint32_t index = first_request(reader, handle);
    struct dumpi_request *request = index == POOL_NONE ? NULL : request_at(reader, index);
    if (!request || !request->is_persistent)
        dumpi_fail(reader, "no call before this one has made the persistent request %d", handle);
    else if (request->is_active)
        dumpi_fail(reader, "request %d has been started already, and has not ended", handle);
    else
        start(reader, request);
}

/* --------------------------------------------------------------- completion */

/* Puts another call in the place of the one that has started the request. */
static void restart(struct dumpi_reader *reader, const struct dumpi_request *request, const struct call *call)
{
    uint16_t function = reader->record.function;
    reader->record.function = request->function;
    image_writer_replace(reader->writer, request->token, dumpi_token_of(reader, call, KEY_NONE, DOUBT_NONE));
    reader->record.function = function;
}

/* The receive has moved nothing: it does nothing, and nobody waits for it. */
static void silence(struct dumpi_reader *reader, struct dumpi_request *request)
{
    restart(reader, request, &(struct call){.op = CALL_NOTHING});
    image_slots_give(&reader->slots, request->slot);
    request->slot = NO_SLOT;
}

/* What the end of a request shows of its beginning. `status` -1: the record has none. */
static void look_back(struct dumpi_reader *reader, struct dumpi_request *request, int64_t status)
{
    const struct dumpi_list *statuses = &reader->record.statuses;
    bool has_status = status >= 0 && status < statuses->count;
    bool is_cancelled =
        request->is_cancelled &&
        (has_status ? dumpi_status_cancelled(statuses, (uint32_t)status) : request->call.op == CALL_RECV);
    if (request->slot == NO_SLOT)
        return;
    if (is_cancelled) {
        image_notes_add(&reader->writer->notes, NOTE_CANCELLED, reader->rank, request->token + 1, 1);
        silence(reader, request);
    } else if (request->is_undefined && has_status) {
        if (dumpi_status_source(statuses, (uint32_t)status) < 0) {
            silence(reader, request);
            return;
        }
        restart(reader, request, &request->call);
        request->key = KEY_NONE;
    }
}

/* Notes a request as completed by the present call. */
static void complete(struct dumpi_reader *reader, int32_t handle, int64_t status)
{
    uint32_t index = first_request(reader, handle);
    if (handle <= DUMPI_REQUEST_NULL && index == POOL_NONE)
        return;
    if (index == POOL_NONE) { /* of a file, or of a call that the trace does not have */
        reader->unknown++;
        return;
    }
    struct dumpi_request *request = request_at(reader, index);
    if (!request->is_active)
        return; /* persistent, and not started */
    look_back(reader, request, status);
    request->is_active = request->is_cancelled = false;
    if (!request->is_persistent)
        unlink_request(reader, handle);
    reader->done =
        mem_grow(reader->done, &reader->done_capacity, reader->done_count + 1, "completed requests");
    reader->done[reader->done_count++] = index;
}

/* Writes the waits for the requests that are done, and forgets them. */
static void emit_waits(struct dumpi_reader *reader)
{
    uint32_t waited = 0;
    for (size_t i = 0; i < reader->done_count; i++)
        waited += request_at(reader, reader->done[i])->slot != NO_SLOT;
    bool is_all = waited > 1 && waited == reader->slots.outstanding;
    if (is_all)
        dumpi_emit(reader, &(struct call){.op = CALL_WAITALL, .expected = waited}, KEY_NONE, DOUBT_NONE);
    if (!waited)
        dumpi_emit_nothing(reader);
    for (size_t i = 0; i < reader->done_count; i++) {
        struct dumpi_request *request = request_at(reader, reader->done[i]);
        if (request->slot != NO_SLOT) {
            if (!is_all)
                dumpi_emit(reader, &(struct call){.op = CALL_WAIT, .slot = SLOT_FIRST + request->slot},
                           request->key, DOUBT_NONE);
            image_slots_give(&reader->slots, request->slot);
            request->slot = NO_SLOT;
        }
        if (!request->is_persistent)
            pool_give(&reader->requests, reader->done[i]);
    }
    if (reader->unknown)
        image_notes_add(&reader->writer->notes, NOTE_TEST, reader->rank, reader->writer->token_count,
                        reader->unknown);
}

/* All requests of the list, or those at the places of `chosen`. */
static void complete_list(struct dumpi_reader *reader, const struct dumpi_list *requests,
                          const struct dumpi_list *chosen)
{
    uint32_t count = chosen ? chosen->count : requests->count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t at = chosen ? dumpi_list_at(chosen, i) : (int64_t)i;
        if (at < 0 || at >= requests->count)
            dumpi_fail(reader, "it completes number %lld of %u requests", (long long)at, requests->count);
        else
            complete(reader, dumpi_list_at(requests, (uint32_t)at), i);
    }
}

/* MPI_Waitany: index, which is negative if there was no active request. */
static void complete_one(struct dumpi_reader *reader, const struct dumpi_list *requests, int32_t index)
{
    if (index >= 0 && (uint32_t)index < requests->count)
        complete(reader, dumpi_list_at(requests, (uint32_t)index), 0);
    else if (index >= 0)
        dumpi_fail(reader, "it completes number %d of %u requests", index, requests->count);
}

static void read_completion(struct dumpi_reader *reader)
{
    const struct dumpi_record *record = &reader->record;
    const int32_t *v = record->values;
    const struct dumpi_list *requests = &record->lists[0];
    reader->done_count = 0;
    reader->unknown = 0;
    switch (record->function) {
    case DUMPI_WAIT:
        complete(reader, v[0], 0);
        break;
    case DUMPI_TEST:
        if (v[1])
            complete(reader, v[0], 0);
        break;
    case DUMPI_WAITANY:
        complete_one(reader, requests, v[1]);
        break;
    case DUMPI_TESTANY:
        if (v[2])
            complete_one(reader, requests, v[1]);
        break;
    case DUMPI_WAITALL:
        complete_list(reader, requests, NULL);
        break;
    case DUMPI_TESTALL:
        if (v[1])
            complete_list(reader, requests, NULL);
        break;
    default: /* DUMPI_WAITSOME, DUMPI_TESTSOME */
        complete_list(reader, requests, &record->lists[1]);
    }
    emit_waits(reader);
}

/* A request that goes on stays outstanding to the end; its handle is free. */
static void read_request_free(struct dumpi_reader *reader, int32_t handle)
{
    uint32_t index = first_request(reader, handle);
    if (index != POOL_NONE) {
        if (request_at(reader, index)->is_active)
            look_back(reader, request_at(reader, index), -1);
        unlink_request(reader, handle);
        pool_give(&reader->requests, index);
    }
    dumpi_emit_nothing(reader);
}

static void read_cancel(struct dumpi_reader *reader, int32_t handle)
{
    uint32_t index = first_request(reader, handle);
    if (index != POOL_NONE && request_at(reader, index)->is_active)
        request_at(reader, index)->is_cancelled = true;
    dumpi_emit_nothing(reader);
}

/* ---------------------------------------------------------------- functions */

static void read_startall(struct dumpi_reader *reader)
{
    const struct dumpi_list *requests = &reader->record.lists[0];
    for (uint32_t i = 0; i < requests->count; i++)
        start_handle(reader, dumpi_list_at(requests, i));
    if (!requests->count)
        dumpi_emit_nothing(reader);
}

/* Functions that send: their flags, and whether they make a request. */
static const struct sender {
    uint8_t flags;
    bool is_one, has_request, is_persistent;
} senders[DUMPI_FUNCTIONS] = {
    [DUMPI_SEND] = {0, true, false, false},
    [DUMPI_RSEND] = {0, true, false, false},
    [DUMPI_SSEND] = {CALL_SYNCHRONOUS, true, false, false},
    [DUMPI_BSEND] = {CALL_BUFFERED, true, false, false},
    [DUMPI_ISEND] = {0, true, true, false},
    [DUMPI_IRSEND] = {0, true, true, false},
    [DUMPI_ISSEND] = {CALL_SYNCHRONOUS, true, true, false},
    [DUMPI_IBSEND] = {CALL_BUFFERED, true, true, false},
    [DUMPI_SEND_INIT] = {0, true, true, true},
    [DUMPI_RSEND_INIT] = {0, true, true, true},
    [DUMPI_SSEND_INIT] = {CALL_SYNCHRONOUS, true, true, true},
    [DUMPI_BSEND_INIT] = {CALL_BUFFERED, true, true, true},
};

void dumpi_read_message(struct dumpi_reader *reader)
{
    const struct dumpi_record *record = &reader->record;
    const struct sender *sender = &senders[record->function];
    if (sender->is_one && !sender->has_request)
        read_send(reader, sender->flags);
    else if (sender->is_one)
        read_request(reader, true, sender->flags, sender->is_persistent);
    else if (record->function == DUMPI_RECV)
        read_recv(reader);
    else if (record->function == DUMPI_IRECV || record->function == DUMPI_RECV_INIT)
        read_request(reader, false, 0, record->function == DUMPI_RECV_INIT);
    else if (record->function == DUMPI_SENDRECV || record->function == DUMPI_SENDRECV_REPLACE)
        read_sendrecv(reader);
    else if (record->function == DUMPI_START)
        start_handle(reader, record->values[0]);
    else if (record->function == DUMPI_STARTALL)
        read_startall(reader);
    else if (record->function == DUMPI_REQUEST_FREE)
        read_request_free(reader, record->values[0]);
    else if (record->function == DUMPI_CANCEL)
        read_cancel(reader, record->values[0]);
    else
        read_completion(reader);
}
