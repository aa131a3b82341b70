#include <stdlib.h>
#include <string.h>

#include "live/capture/capture.h"

/* Requests by handle. MPICH gives one handle to all sends that are done when they are posted, so a handle
 * stands for a queue of requests; what a call waits for is taken out, and put back where the call has not
 * completed it. */
struct queue {
    MPI_Request handle;
    struct request *first, *last; /* none: the place is free for another handle */
};

static struct queue *table; /* never more than half full */
static size_t capacity, used;
static struct request *spare;
static struct request *messages; /* matched, and not asked for yet */
static unsigned active;

static size_t place_of(MPI_Request handle)
{
    uint64_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

static struct queue *queue_of(MPI_Request handle)
{
    size_t i = place_of(handle);
    while (table[i].first && table[i].handle != handle)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool grow(void)
{
    struct queue *old = table;
    size_t count = capacity;
    struct queue *bigger = calloc(count ? 2 * count : 256, sizeof *bigger);
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

/* A queue has become empty: those that stand behind it since its place was taken move up. */
static void close_gap(struct queue *queue)
{
    size_t hole = (size_t)(queue - table);
    used--;
    for (size_t i = (hole + 1) & (capacity - 1); table[i].first; i = (i + 1) & (capacity - 1)) {
        size_t wanted = place_of(table[i].handle);
        if (((i - wanted) & (capacity - 1)) < ((i - hole) & (capacity - 1)))
            continue; /* its own place lies behind the hole */
        table[hole] = table[i];
        hole = i;
    }
    table[hole].first = NULL;
}

static bool put(struct request *request, bool in_front)
{
    if (2 * (used + 1) > capacity && !grow())
        return false;
    struct queue *queue = queue_of(request->handle);
    request->next = NULL;
    if (!queue->first) {
        *queue = (struct queue){request->handle, request, request};
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

static void recycle(struct request *request)
{
    comm_release(request->comm);
    request->next = spare;
    spare = request;
}

static struct request *make(void)
{
    struct request *request = spare ? spare : malloc(sizeof *request);
    if (!request)
        return NULL;
    if (request == spare)
        spare = request->next;
    *request = (struct request){.is_active = true};
    active++;
    return request;
}

struct request *request_add(MPI_Request handle)
{
    struct request *request = make();
    if (!request)
        return NULL;
    request->handle = handle;
    if (put(request, false))
        return request;
    active--;
    recycle(request);
    return NULL;
}

void request_name(struct request *request, MPI_Request handle)
{
    request->handle = handle;
    request_put_back(request);
}

struct request *request_find(MPI_Request handle)
{
    return capacity && handle != MPI_REQUEST_NULL ? queue_of(handle)->first : NULL;
}

struct request *request_take(MPI_Request handle)
{
    struct request *request = request_find(handle);
    if (!request)
        return NULL;
    struct queue *queue = queue_of(handle);
    queue->first = request->next;
    if (!queue->first)
        close_gap(queue);
    return request;
}

void request_put_back(struct request *request)
{
    if (request && !put(request, true))
        recycle(request);
}

void request_stop(struct request *request)
{
    active -= request->is_active;
    request->is_active = false;
}

void request_start(struct request *request)
{
    active += !request->is_active;
    request->is_active = true;
}

void request_complete(struct request *request)
{
    request_stop(request);
    if (request->is_persistent)
        request_put_back(request);
    else
        recycle(request);
}

/* ---------------------------------------------------------------------------------------------- cancelled */

void request_cancel(MPI_Request handle)
{
    struct request *request = request_find(handle);
    if (request)
        request->is_cancelling = true;
}

/* Whether MPI_Cancel came in time can be asked once the request is complete, and until it is waited for. For
 * a receive that is soon, since nobody else has a say in it; a send may wait for its receiver, so one look
 * has to do. What was cancelled has never been: its line goes. */
static bool is_cancelled(struct request *request)
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
    request->is_cancelling = !is_done;
    if (is_cancelled)
        line_cancel(request->line);
    return is_cancelled;
}

/* What nobody waits for any more stays under way in a replay, and so among what is active here. */
void request_free(MPI_Request handle)
{
    struct request *request = request_take(handle);
    if (!request)
        return;
    if (is_cancelled(request))
        request_stop(request);
    recycle(request);
}

void requests_end(void)
{
    for (size_t i = 0; i < capacity; i++)
        if (table[i].first)
            is_cancelled(table[i].first);
}

/* ----------------------------------------------------------------------------------------------- messages */

struct request *message_add(MPI_Message message)
{
    struct request *request = make();
    if (!request)
        return NULL;
    request->message = message;
    request->next = messages;
    messages = request;
    return request;
}

struct request *message_take(MPI_Message message)
{
    for (struct request **at = &messages; *at; at = &(*at)->next)
        if ((*at)->message == message) {
            struct request *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

/* -------------------------------------------------------------------------------------------------- waits */

unsigned requests_active(void)
{
    return active;
}

struct request **requests_take(int count, const MPI_Request *handles)
{
    static __thread struct request **taken;
    static __thread int room;
    if (!handles) /* the MPI will say what it thinks of it */
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
