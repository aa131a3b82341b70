#include "trace/otf2/calls.h"

#include <stdlib.h>

#include "trace/otf2/neighbours.h"
#include "trace/otf2/records.h"

/* The default of compute.rate, so that a replay computes for the recorded time. */
#define OPERATIONS_PER_S 12e9

void otf2_calls_init(struct otf2_calls *calls, const struct otf2_definitions *definitions)
{
    *calls = (struct otf2_calls){.definitions = definitions, .vectors.definitions = definitions};
    calls->comms =
        mem_alloc(definitions->comm_count + 1, sizeof *calls->comms, "the communicators of an archive");
    calls->vector = mem_alloc(definitions->ranks, 2 * sizeof *calls->vector, "sizes for each rank");
}

void otf2_calls_free(struct otf2_calls *calls)
{
    otf2_local_free(&calls->local);
    otf2_queue_free(&calls->queue);
    otf2_vectors_free(&calls->vectors);
    free(calls->numbers.next);
    free(calls->comms);
    free(calls->vector);
    free(calls->items);
}

/* -------------------------------------------------------------------- items */

static struct otf2_entry entry_at(uint64_t byte)
{
    return (struct otf2_entry){.byte = byte, .note = NOTE_KINDS};
}

static void add_item(struct otf2_calls *calls, const struct otf2_item *item)
{
    calls->items = mem_grow(calls->items, &calls->item_capacity, calls->item_count + 1, "what a call does");
    calls->items[calls->item_count++] = *item;
}

static bool take_message(struct otf2_calls *calls, const struct otf2_event *event, bool is_send)
{
    struct otf2_item item = {.kind = OTF2_ITEM_CALL, .entry = entry_at(event->byte)};
    if (!otf2_read_message(calls, event, &item.entry.call, is_send, NULL))
        return false;
    if (is_send)
        item.entry.call.flags = calls->region->flags;
    add_item(calls, &item);
    return true;
}

static bool is_of_neighbours(const struct otf2_region *region)
{
    return region->kind == OTF2_NEIGHBOURS || region->kind == OTF2_LOST_NEIGHBOURS;
}

/* A record of a collective in a neighbourhood collective has the sums of the rank alone, whatever its kind.
 */
static bool take_neighbours(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    struct otf2_item lost = {.kind = OTF2_ITEM_CALL, .entry = entry_at(event->byte)};
    struct otf2_comm_view view;
    otf2_byte(&fields); /* the kind */
    uint32_t comm = otf2_number32(&fields);
    otf2_number32(&fields); /* the root */
    struct otf2_sums sums = {.sent = otf2_number(&fields)};
    sums.received = otf2_number(&fields);
    if (fields.failed || sums.sent > INT64_MAX || sums.received > INT64_MAX)
        return otf2_calls_fail(calls, event->byte, "this record of a collective is damaged");
    if (!otf2_view_comm(calls, comm, event->byte, &view) || !otf2_view_self(calls, &view, event->byte))
        return false;
    if (view.comm->grid) {
        otf2_neighbours_take(calls, view.comm, &sums, event->byte);
        return true;
    }
    lost.entry.call.op = CALL_NOTHING;
    lost.entry.text = calls->region->name;
    lost.entry.note = NOTE_LOST;
    add_item(calls, &lost);
    return true;
}

static bool take_collective(struct otf2_calls *calls, const struct otf2_event *event)
{
    if (is_of_neighbours(calls->region))
        return take_neighbours(calls, event);
    struct otf2_item item = {.kind = OTF2_ITEM_CALL, .entry = entry_at(event->byte)};
    if (!otf2_read_collective(calls, event, &item.entry, NULL))
        return false;
    if (item.entry.call.op == CALL_NOTHING)
        item.entry.text = calls->region->name;
    add_item(calls, &item);
    return true;
}

/* Requests start in the order of their records, before what the call waits for. */
static bool start(struct otf2_calls *calls, uint64_t id, const struct otf2_entry *entry)
{
    calls->queue.is_held = false;
    return otf2_queue_start(&calls->queue, id, entry) ||
           otf2_calls_fail(calls, entry->byte,
                           "it starts a request of the number of one that is outstanding");
}

static bool take_isend(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_entry entry = entry_at(event->byte);
    uint64_t id;
    if (!otf2_read_message(calls, event, &entry.call, true, &id))
        return false;
    entry.call.flags = calls->region->flags;
    return start(calls, id, &entry);
}

/* A receive or a collective, of which more is known when it completes. */
static bool take_start(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    struct otf2_entry entry = entry_at(event->byte);
    uint64_t id = otf2_number(&fields);
    entry.call.op = CALL_NOTHING;
    entry.text = calls->region->name;
    if (is_of_neighbours(calls->region)) /* unless it turns out to be a message */
        entry.note = NOTE_LOST;
    return fields.failed ? otf2_calls_fail(calls, event->byte, "this record of a request is damaged")
                         : start(calls, id, &entry);
}

static void wait_for(struct otf2_calls *calls, const struct otf2_event *event, struct otf2_request *request)
{
    struct otf2_item item = {.kind = OTF2_ITEM_WAIT, .entry = entry_at(event->byte)};
    item.entry.call = (struct call){.op = CALL_WAIT, .slot = request->slot};
    add_item(calls, &item);
    otf2_queue_complete(&calls->queue, request);
}

/* The outstanding request that a record completes. NULL, reported: there is none. `starts`: by the kind of
 * call that has started it. */
static struct otf2_request *outstanding(struct otf2_calls *calls, uint64_t id, bool is_send, uint64_t byte)
{
    struct otf2_request *request = otf2_queue_request(&calls->queue, id);
    if (request && (otf2_queue_entry(&calls->queue, request)->call.op == CALL_SEND) == is_send)
        return request;
    otf2_calls_fail(calls, byte,
                    request ? "it completes a request that another kind of call has started"
                            : "it completes a request that is not outstanding");
    return NULL;
}

static bool take_isend_complete(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    uint64_t id = otf2_number(&fields);
    if (fields.failed)
        return otf2_calls_fail(calls, event->byte, "this record of a request is damaged");
    struct otf2_request *request = outstanding(calls, id, true, event->byte);
    if (request)
        wait_for(calls, event, request);
    return request;
}

/* The receive or the collective that has started the request is known now. */
static bool take_complete(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_entry whole = entry_at(event->byte);
    uint64_t id;
    bool read = event->kind == OTF2_IRECV ? otf2_read_message(calls, event, &whole.call, false, &id)
                                          : otf2_read_collective(calls, event, &whole, &id);
    struct otf2_request *request = read ? outstanding(calls, id, false, event->byte) : NULL;
    if (!request)
        return false;
    struct otf2_entry *entry = otf2_queue_entry(&calls->queue, request);
    if (event->kind == OTF2_COLLECTIVE_COMPLETE && entry->note == NOTE_LOST) {
        whole.call.op = CALL_NOTHING; /* of neighbours */
        whole.note = NOTE_LOST;
    }
    entry->note = whole.note;
    if (whole.call.op == CALL_NOTHING) {
        otf2_queue_complete(&calls->queue, request);
        entry->call = (struct call){.op = CALL_NOTHING};
        return true;
    }
    whole.call.slot = request->slot;
    whole.call.flags |= CALL_IMMEDIATE;
    entry->call = whole.call;
    entry->text = NULL;
    wait_for(calls, event, request);
    return true;
}

static bool take_cancelled(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    uint64_t id = otf2_number(&fields);
    struct otf2_request *request = fields.failed ? NULL : otf2_queue_request(&calls->queue, id);
    if (!request)
        return otf2_calls_fail(calls, event->byte, "it cancels a request that is not outstanding");
    struct otf2_entry *entry = otf2_queue_entry(&calls->queue, request);
    otf2_queue_complete(&calls->queue, request);
    entry->call = (struct call){.op = CALL_NOTHING};
    entry->text = "a request that was cancelled";
    entry->note = NOTE_CANCELLED;
    return true;
}

static bool take_test(struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    struct otf2_item item = {.kind = OTF2_ITEM_TEST, .entry = entry_at(event->byte)};
    item.request = otf2_number(&fields);
    if (fields.failed || !otf2_queue_request(&calls->queue, item.request))
        return otf2_calls_fail(calls, event->byte, "it tests a request that is not outstanding");
    add_item(calls, &item);
    return true;
}

/* ----------------------------------------------------------- calls of MPI */

static void add_computation(struct otf2_calls *calls, uint64_t now, uint64_t byte)
{
    uint64_t passed = now > calls->left ? now - calls->left : 0;
    passed = passed > calls->flushed ? passed - calls->flushed : 0;
    if (!passed || calls->has_ended)
        return;
    struct otf2_entry entry = entry_at(byte);
    entry.call =
        (struct call){.op = CALL_COMPUTE,
                      .amount = (double)passed * (OPERATIONS_PER_S / (double)calls->definitions->resolution)};
    otf2_queue_add(&calls->queue, &entry);
}

static void enter(struct otf2_calls *calls, const struct otf2_region *region, uint64_t now, uint64_t byte)
{
    add_computation(calls, now, byte);
    calls->region = region;
    calls->entered_at = byte;
    calls->item_count = 0;
    calls->outstanding = calls->queue.slots.outstanding;
}

/* MPI_Sendrecv: a send and a receive in one call. */
static bool merge_sendrecv(struct otf2_calls *calls)
{
    struct otf2_item *items = calls->items;
    if (calls->item_count != 2 || items[0].kind != OTF2_ITEM_CALL || items[1].kind != OTF2_ITEM_CALL)
        return false;
    uint32_t at = items[0].entry.call.op == CALL_SEND ? 0 : 1;
    struct call *send = &items[at].entry.call;
    const struct call *receive = &items[1 - at].entry.call;
    if (send->op != CALL_SEND || receive->op != CALL_RECV || send->context != receive->context)
        return false;
    send->op = CALL_SENDRECV;
    send->source = receive->peer;
    send->recv_bytes = receive->recv_bytes;
    send->expected = (uint32_t)receive->tag - (uint32_t)send->tag;
    if (items[1 - at].entry.note != NOTE_KINDS)
        items[at].entry.note = items[1 - at].entry.note;
    otf2_queue_add(&calls->queue, &items[at].entry);
    return true;
}

static bool waits_for_all(const struct otf2_calls *calls)
{
    bool all = calls->region->kind == OTF2_WAITALL && calls->item_count > 1 &&
               calls->item_count == calls->outstanding && !calls->queue.slots.outstanding;
    for (size_t i = 0; all && i < calls->item_count; i++)
        all = calls->items[i].kind == OTF2_ITEM_WAIT;
    return all;
}

static void add_items(struct otf2_calls *calls)
{
    for (size_t i = 0; i < calls->item_count; i++) {
        struct otf2_item *item = &calls->items[i];
        if (item->kind == OTF2_ITEM_TEST) {
            const struct otf2_request *request = otf2_queue_request(&calls->queue, item->request);
            if (!request) /* the same call has completed it */
                continue;
            item->entry.call = (struct call){.op = CALL_TEST, .slot = request->slot};
        }
        otf2_queue_add(&calls->queue, &item->entry);
    }
}

static void add_messages(struct otf2_calls *calls)
{
    if (!otf2_has_messages_alone(calls))
        add_items(calls);
    else if (!merge_sendrecv(calls))
        otf2_add_at_once(calls);
}

/* A neighbourhood collective without records, as Score-P's are. Its neighbours are known if its rank is in
 * one grid, and no rank has made a graph, of which the archive does not say who the neighbours are. False:
 * they are not. */
static bool add_neighbours(struct otf2_calls *calls)
{
    const struct otf2_comm *comm = calls->definitions->grid_of[calls->rank];
    if (!comm || !otf2_calls_scan(calls) || calls->vectors.has_graphs)
        return false;
    otf2_neighbours_take(calls, comm, NULL, calls->entered_at);
    add_messages(calls);
    return true;
}

/* A call without records: to MPI_PROC_NULL, or one that moves nothing. */
static void add_bare(struct otf2_calls *calls)
{
    struct otf2_entry entry = entry_at(calls->entered_at);
    bool is_lost = calls->region->kind == OTF2_LOST || is_of_neighbours(calls->region);
    if (calls->region->kind == OTF2_NEIGHBOURS && add_neighbours(calls))
        return;
    entry.call.op = CALL_NOTHING;
    entry.text = calls->region->name;
    if (calls->region->kind == OTF2_INIT) {
        if (calls->queue.is_held) /* what came before MPI_Init */
            otf2_queue_forget(&calls->queue);
        calls->queue.is_held = false;
        entry.call.op = CALL_INIT;
        entry.text = NULL;
    } else if (calls->region->kind == OTF2_FINALIZE) {
        entry.call.op = CALL_FINALIZE;
        entry.text = NULL;
        calls->has_ended = true;
    } else if (is_lost) {
        entry.note = NOTE_LOST;
    }
    otf2_queue_add(&calls->queue, &entry);
}

static void leave(struct otf2_calls *calls, uint64_t now)
{
    bool has_started = calls->queue.slots.outstanding > calls->outstanding;
    bool is_finalize = calls->region->kind == OTF2_FINALIZE; /* which waits for all requests itself */
    if (calls->item_count && !is_finalize) {
        calls->queue.is_held = false;
        if (waits_for_all(calls)) {
            struct otf2_entry entry = entry_at(calls->entered_at);
            entry.call = (struct call){.op = CALL_WAITALL, .expected = (uint32_t)calls->item_count};
            otf2_queue_add(&calls->queue, &entry);
        } else {
            add_messages(calls);
        }
    }
    bool is_bare = !calls->item_count && !has_started;
    if (is_bare || calls->region->kind == OTF2_INIT || is_finalize)
        add_bare(calls);
    calls->left = now;
    calls->flushed = 0;
    calls->region = NULL;
    calls->has_calls = true;
    otf2_queue_flush(&calls->queue, false);
}

/* ------------------------------------------------------------------ records */

static bool take_enter(struct otf2_calls *calls, const struct otf2_event *event, uint64_t now)
{
    struct otf2_bytes fields = event->fields;
    uint32_t id = otf2_number32(&fields);
    const struct otf2_region *region =
        otf2_region_at(calls->definitions, otf2_map(&calls->local.maps[OTF2_MAP_REGIONS], id));
    if (fields.failed || !region)
        return otf2_calls_fail(calls, event->byte, "it enters a region that is not defined");
    if (region->kind == OTF2_USER)
        return true;
    if (calls->depth++ == 0) {
        calls->region_id = id;
        enter(calls, region, now, event->byte);
    }
    return true;
}

static bool take_leave(struct otf2_calls *calls, const struct otf2_event *event, uint64_t now)
{
    struct otf2_bytes fields = event->fields;
    uint32_t id = otf2_number32(&fields);
    const struct otf2_region *region =
        otf2_region_at(calls->definitions, otf2_map(&calls->local.maps[OTF2_MAP_REGIONS], id));
    if (fields.failed || !region)
        return otf2_calls_fail(calls, event->byte, "it leaves a region that is not defined");
    if (region->kind == OTF2_USER)
        return true;
    if (!calls->depth || (calls->depth == 1 && id != calls->region_id))
        return otf2_calls_fail(calls, event->byte, "it leaves a call of MPI that it is not in");
    if (--calls->depth == 0)
        leave(calls, now);
    return calls->status == STATUS_OK;
}

static bool take_record(struct otf2_calls *calls, const struct otf2_event *event)
{
    switch (event->kind) {
    case OTF2_SEND:
        return take_message(calls, event, true);
    case OTF2_RECV:
        return take_message(calls, event, false);
    case OTF2_ISEND:
        return take_isend(calls, event);
    case OTF2_IRECV_REQUEST:
    case OTF2_COLLECTIVE_REQUEST:
        return take_start(calls, event);
    case OTF2_ISEND_COMPLETE:
        return take_isend_complete(calls, event);
    case OTF2_IRECV:
    case OTF2_COLLECTIVE_COMPLETE:
        return take_complete(calls, event);
    case OTF2_REQUEST_TEST:
        return take_test(calls, event);
    case OTF2_REQUEST_CANCELLED:
        return take_cancelled(calls, event);
    default:
        return take_collective(calls, event);
    }
}

static bool is_message(uint8_t kind)
{
    return (kind >= OTF2_SEND && kind <= OTF2_COLLECTIVE_END && kind != OTF2_COLLECTIVE_BEGIN) ||
           kind == OTF2_COLLECTIVE_REQUEST || kind == OTF2_COLLECTIVE_COMPLETE;
}

/* Messages of something other than MPI, as those that a network has seen, are on communicators of their own.
 */
static bool is_foreign(const struct otf2_calls *calls, const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    if (event->kind != OTF2_SEND && event->kind != OTF2_RECV)
        return false;
    otf2_number32(&fields); /* the other end */
    uint32_t id = otf2_map(&calls->local.maps[OTF2_MAP_COMMS], otf2_number32(&fields));
    const struct otf2_comm *comm = otf2_comm_at(calls->definitions, id);
    return !fields.failed && comm && comm->group == OTF2_NONE;
}

/* A record outside all calls of MPI is a call of its own. */
static bool take_alone(struct otf2_calls *calls, const struct otf2_event *event, uint64_t now)
{
    static const struct otf2_region alone = {.name = "MPI", .kind = OTF2_CALL};
    if (calls->depth)
        return take_record(calls, event);
    enter(calls, &alone, now, event->byte);
    if (!take_record(calls, event))
        return false;
    leave(calls, now);
    return true;
}

static void take_flush(struct otf2_calls *calls, const struct otf2_event *event, uint64_t now)
{
    struct otf2_bytes fields = event->fields;
    uint64_t stopped = otf2_local_time(&calls->local, otf2_time(&fields));
    if (!fields.failed && !calls->depth && stopped > now)
        calls->flushed += stopped - now;
}

/* While measurement is off, calls are not recorded. */
static void take_on_off(struct otf2_calls *calls, const struct otf2_event *event)
{
    enum { OFF = 2 };
    struct otf2_bytes fields = event->fields;
    if (otf2_byte(&fields) != OFF)
        return;
    struct otf2_entry entry = entry_at(event->byte);
    entry.call.op = CALL_NOTHING;
    entry.text = "measurement is off";
    entry.note = NOTE_LOST;
    otf2_queue_add(&calls->queue, &entry);
}

void otf2_calls_begin(struct otf2_calls *calls, struct image_writer *writer, uint32_t rank)
{
    calls->has_calls &= rank != 0;
    if (rank == 0) /* a new image: it has no communicators yet */
        for (size_t i = 0; i < calls->definitions->comm_count; i++)
            calls->comms[i].number = calls->comms[i].neighbours = 0;
    calls->writer = writer;
    calls->rank = rank;
    calls->stamp++;
    calls->depth = 0;
    calls->item_count = 0;
    calls->flushed = 0;
    calls->has_begun = calls->has_ended = false;
    otf2_queue_begin(&calls->queue, writer);
    otf2_vectors_begin(&calls->vectors, &calls->numbers);
}

bool otf2_calls_take(struct otf2_calls *calls, const struct otf2_event *event)
{
    uint64_t now = otf2_local_time(&calls->local, event->time);
    calls->last = now;
    calls->last_byte = event->byte;
    if (!calls->has_begun) {
        calls->has_begun = true;
        calls->left = now;
    }
    if (calls->has_ended)
        return true;
    if (event->kind == OTF2_ENTER)
        return take_enter(calls, event, now);
    if (event->kind == OTF2_LEAVE)
        return take_leave(calls, event, now);
    if (event->kind == OTF2_BUFFER_FLUSH)
        take_flush(calls, event, now);
    else if (event->kind == OTF2_MEASUREMENT_ON_OFF)
        take_on_off(calls, event);
    else if (is_message(event->kind) && !is_foreign(calls, event))
        return take_alone(calls, event, now) && !calls->queue.is_stopped;
    return !calls->queue.is_stopped;
}

void otf2_calls_end(struct otf2_calls *calls)
{
    if (calls->depth)
        leave(calls, calls->last);
    else if (calls->has_begun) /* without MPI_Finalize the program goes on to the last event */
        add_computation(calls, calls->last, calls->last_byte);
    otf2_queue_flush(&calls->queue, true);
}
