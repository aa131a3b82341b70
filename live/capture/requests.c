#include "live/capture/requests.h"

#include <stdlib.h>
#include <string.h>

#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/process.h"
#include "live/capture/symbols.h"
#include "live/capture/traffic.h"

/* The requests that are known: a hash table by handle. MPICH gives the same handle to all sends that are
 * complete when they are posted, so each entry has a queue of requests. A call that waits takes its requests
 * out and puts back those that it has not completed. */
struct request_queue {
    MPI_Request handle;
    struct capture_request *first, *last; /* first NULL: the entry is free */
};

static struct request_queue *table; /* linear probing; never more than half full */
static size_t capacity, used;
static struct capture_request *spare;    /* free records */
static struct capture_request *messages; /* of MPI_Mprobe, not received by the program yet */
static unsigned active, active_short;
static unsigned cancelling; /* requests of which MPI_Cancel has been called and whose fate is not known */

static size_t slot_of(MPI_Request handle)
{
    uint64_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

static struct request_queue *queue_of(MPI_Request handle)
{
    size_t i = slot_of(handle);
    while (table[i].first && table[i].handle != handle)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool grow_table(void)
{
    struct request_queue *old = table;
    size_t count = capacity;
    struct request_queue *bigger = calloc(count ? 2 * count : 256, sizeof *bigger);
    if (!bigger)
        return false;
    table = bigger;
    capacity = count ? 2 * count : 256;
    for (size_t i = 0; i < count; i++)
        if (old[i].first)
            *queue_of(old[i].handle) = old[i];
    free(old);
    return true;
}

/* Removes an empty queue. Entries behind it that were placed there because its place was taken move up, so
 * that a search still finds them. */
static void close_gap(struct request_queue *queue)
{
    size_t hole = (size_t)(queue - table);
    used--;
    for (size_t i = (hole + 1) & (capacity - 1); table[i].first; i = (i + 1) & (capacity - 1)) {
        size_t wanted = slot_of(table[i].handle);
        if (((i - wanted) & (capacity - 1)) < ((i - hole) & (capacity - 1)))
            continue; /* its search begins behind the hole */
        table[hole] = table[i];
        hole = i;
    }
    table[hole].first = NULL;
}

static bool insert(struct capture_request *request, bool in_front)
{
    if (2 * (used + 1) > capacity && !grow_table())
        return false;
    struct request_queue *queue = queue_of(request->handle);
    request->next = NULL;
    if (!queue->first) {
        *queue = (struct request_queue){request->handle, request, request};
        used++;
    } else if (in_front) {
        request->next = queue->first;
        queue->first = request;
    } else {
        queue->last->next = request;
        queue->last = request;
    }
    return true;
}

static void set_cancelling(struct capture_request *request, bool is_cancelling)
{
    cancelling += is_cancelling;
    cancelling -= request->is_cancelling;
    request->is_cancelling = is_cancelling;
}

static void recycle(struct capture_request *request)
{
    set_cancelling(request, false);
    comm_release(request->comm);
    free(request->text);
    free(request->waits);
    request->next = spare;
    spare = request;
}

static struct capture_request *new_request(void)
{
    struct capture_request *request = spare ? spare : malloc(sizeof *request);
    if (!request)
        return NULL;
    if (request == spare)
        spare = request->next;
    *request = (struct capture_request){.is_active = true};
    active++;
    return request;
}

struct capture_request *request_add(MPI_Request handle)
{
    struct capture_request *request = new_request();
    if (!request)
        return NULL;
    request->handle = handle;
    if (insert(request, false))
        return request;
    active--;
    recycle(request);
    return NULL;
}

void request_name(struct capture_request *request, MPI_Request handle)
{
    request->handle = handle;
    request_put_back(request);
}

struct capture_request *request_find(MPI_Request handle)
{
    return capacity && handle != MPI_REQUEST_NULL ? queue_of(handle)->first : NULL;
}

struct capture_request *request_take(MPI_Request handle)
{
    struct capture_request *request = request_find(handle);
    if (!request)
        return NULL;
    struct request_queue *queue = queue_of(handle);
    queue->first = request->next;
    if (!queue->first)
        close_gap(queue);
    return request;
}

void request_put_back(struct capture_request *request)
{
    if (request && !insert(request, true))
        recycle(request);
}

static void set_active(struct capture_request *request, bool is_active)
{
    active -= request->is_active;
    active_short -= request->is_active && request->is_short;
    request->is_active = is_active;
    active += is_active;
    active_short += is_active && request->is_short;
}

void request_stop(struct capture_request *request)
{
    set_active(request, false);
}

void request_start(struct capture_request *request)
{
    set_active(request, true);
}

/* Shared memory moves so many bytes in about 2 us. */
enum { SHORT_BYTES = 16384 };

void request_set_bytes(struct capture_request *request, int64_t bytes)
{
    const bool is_active = request->is_active;
    set_active(request, false);
    request->is_short = bytes <= SHORT_BYTES;
    set_active(request, is_active);
}

bool requests_are_long(void)
{
    return active != active_short || cancelling;
}

void request_complete(struct capture_request *request)
{
    request_stop(request);
    if (request->is_persistent)
        request_put_back(request);
    else
        recycle(request);
}

/* --------------------------------------------------------------- cancelled */

void request_cancel(MPI_Request handle)
{
    struct capture_request *request = request_find(handle);
    if (request && request->kind <= REQUEST_RECV)
        set_cancelling(request, true);
}

/* Whether MPI_Cancel came in time can be asked after the request is complete and before the program waits for
 * it. A cancelled receive completes soon, since that depends on this process alone; so this function waits
 * for it. A send may complete only when its receiver acts; so it looks once. The line of a cancelled request
 * is cancelled, since no message moves. */
static bool is_cancelled(struct capture_request *request)
{
    int is_done = 0, is_cancelled = 0;
    MPI_Status status;
    if (!request->is_cancelling || !request->is_active)
        return false;
    do
        if (REAL(Request_get_status)(request->handle, &is_done, &status) != MPI_SUCCESS)
            return false;
    while (!is_done && request->kind == REQUEST_RECV);
    if (is_done)
        REAL(Test_cancelled)(&status, &is_cancelled);
    set_cancelling(request, !is_done);
    if (is_cancelled) {
        line_cancel(request->line);
        if (request->kind == REQUEST_SEND)
            traffic_not_sent(request->peer);
        else
            traffic_not_received();
    }
    return is_cancelled;
}

/* A replay does not know that the program has freed the request. It stays active there, and so it counts as
 * active here. */
void request_free(MPI_Request handle)
{
    struct capture_request *request = request_take(handle);
    if (!request)
        return;
    if (is_cancelled(request))
        request_stop(request);
    recycle(request);
}

void requests_check_cancelled(void)
{
    for (size_t i = 0; i < capacity; i++)
        if (table[i].first)
            is_cancelled(table[i].first);
}

/* ---------------------------------------------------------------- messages */

struct capture_request *message_add(MPI_Message message)
{
    struct capture_request *request = new_request();
    if (!request)
        return NULL;
    request->message = message;
    request->next = messages;
    messages = request;
    return request;
}

struct capture_request *message_take(MPI_Message message)
{
    for (struct capture_request **at = &messages; *at; at = &(*at)->next)
        if ((*at)->message == message) {
            struct capture_request *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

/* ------------------------------------------------------------------- waits */

unsigned requests_active(void)
{
    return active;
}

struct requests_kept requests_kept;

const MPI_Request *requests_keep(int count, const MPI_Request *handles)
{
    if (process_is_threaded() || cancelling || !handles)
        return NULL;
    if (count > requests_kept.room) {
        free(requests_kept.handles);
        requests_kept.handles = malloc((size_t)count * sizeof *handles);
        requests_kept.room = requests_kept.handles ? count : 0;
    }
    if (requests_kept.room < count || count <= 0)
        return NULL;
    memcpy(requests_kept.handles, handles, (size_t)count * sizeof *handles);
    return requests_kept.handles;
}

struct capture_request **requests_take(int count, const MPI_Request *handles)
{
    static __thread struct capture_request **taken;
    static __thread int room;
    if (!handles) /* wrong arguments: the MPI reports them */
        return NULL;
    if (count > room) {
        free(taken);
        taken = malloc((size_t)count * sizeof *taken);
        room = taken ? count : 0;
    }
    for (int i = 0; i < count && i < room; i++) {
        taken[i] = request_take(handles[i]);
        if (taken[i] && is_cancelled(taken[i])) {
            request_complete(taken[i]);
            taken[i] = NULL;
        } else if (taken[i] && !taken[i]->is_active) {
            request_put_back(taken[i]);
            taken[i] = NULL;
        }
    }
    return room >= count ? taken : NULL;
}
