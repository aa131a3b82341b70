#include "trace/otf2/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/attributes.h"

bool otf2_calls_fail(struct otf2_calls *calls, uint64_t byte, const char *what)
{
    struct diag_place place = {.file = calls->path, .line = byte | DIAG_BYTE};
    image_writer_error(calls->writer, &place, "%s", what);
    return false;
}

/* ------------------------------------------------------------ communicators */

bool otf2_view_comm(struct otf2_calls *calls, uint32_t id, uint64_t byte, struct otf2_comm_view *view)
{
    const struct otf2_definitions *definitions = calls->definitions;
    const struct otf2_comm *comm =
        otf2_comm_at(definitions, otf2_map(&calls->local.maps[OTF2_MAP_COMMS], id));
    if (!comm || comm->group == OTF2_NONE)
        return otf2_calls_fail(calls, byte, "it names a communicator that is not defined as one of MPI");
    const struct otf2_group *group = &definitions->groups[comm->group];
    *view = (struct otf2_comm_view){
        .comm = comm, .local = group, .remote = group, .use = &calls->comms[comm - definitions->comms]};
    if (comm->remote != OTF2_NONE)
        view->remote = &definitions->groups[comm->remote];
    return true;
}

bool otf2_view_self(struct otf2_calls *calls, struct otf2_comm_view *view, uint64_t byte)
{
    struct otf2_comm_use *use = view->use;
    if (view->local->type == OTF2_GROUP_SELF) {
        use->rank = 0;
        return true;
    }
    if (use->stamp != calls->stamp) {
        use->stamp = calls->stamp;
        use->rank = otf2_group_rank(view->local, calls->rank);
    }
    if (use->rank < view->local->size)
        return true;
    uint32_t other =
        view->remote != view->local ? otf2_group_rank(view->remote, calls->rank) : view->remote->size;
    if (other == view->remote->size)
        return otf2_calls_fail(calls, byte, "this rank is not in the communicator that it names");
    const struct otf2_group *group = view->local;
    view->local = view->remote;
    view->remote = group;
    return true;
}

/* Its number in the image, in which it is defined on first use. Of MPI_COMM_SELF and its like, each rank has
 * one of its own. */
static uint32_t comm_number(struct otf2_calls *calls, const struct otf2_comm_view *view)
{
    struct comms *comms = &calls->writer->comms;
    struct otf2_comm_use *use = view->use;
    const struct otf2_group *group = &calls->definitions->groups[view->comm->group];
    bool is_self = group->type == OTF2_GROUP_SELF;
    if (view->comm->is_world)
        return 0;
    if (use->number && (!is_self || use->number_stamp == calls->stamp))
        return use->number - 1;
    char *name =
        is_self ? mem_format("%u of rank %u", view->comm->id, calls->rank) : mem_format("%u", view->comm->id);
    use->number = comms_add(comms, name, strlen(name), is_self ? &calls->rank : group->ranks,
                            is_self ? 1 : group->size) +
                  1;
    use->number_stamp = calls->stamp;
    free(name);
    return use->number - 1;
}

/* ----------------------------------------------------------------- messages */

/* A timeline of helio says that a receive was posted for any source or tag. */
static bool take_wildcards(struct otf2_calls *calls, const struct otf2_event *event, struct call *call)
{
    struct otf2_attributes attributes;
    otf2_attributes_read(&attributes, calls->definitions, &calls->local, event);
    if (attributes.failed)
        return otf2_calls_fail(calls, event->byte, "this record of a message is damaged");
    if (attributes.numbers[RECORDED_ANY] & RECORDED_ANY_SOURCE)
        call->peer = CALL_ANY_SOURCE;
    if (attributes.numbers[RECORDED_ANY] & RECORDED_ANY_TAG)
        call->tag = CALL_ANY_TAG;
    return true;
}

bool otf2_read_message(struct otf2_calls *calls, const struct otf2_event *event, struct call *call,
                       bool is_send, uint64_t *request)
{
    struct otf2_bytes fields = event->fields;
    struct otf2_comm_view view;
    uint32_t peer = otf2_number32(&fields), comm = otf2_number32(&fields), tag = otf2_number32(&fields);
    uint64_t bytes = otf2_number(&fields);
    if (request)
        *request = otf2_number(&fields);
    if (fields.failed)
        return otf2_calls_fail(calls, event->byte, "this record of a message is damaged");
    if (!otf2_view_comm(calls, comm, event->byte, &view))
        return false;
    bool is_self = view.local->type == OTF2_GROUP_SELF;
    if (!otf2_view_self(calls, &view, event->byte))
        return false;
    if (peer >= (is_self ? 1 : view.remote->size))
        return otf2_calls_fail(calls, event->byte,
                               "the other end of this message is not in its communicator");
    if ((int32_t)tag == CALL_ANY_TAG)
        return otf2_calls_fail(calls, event->byte, "no message can have the tag of this one");
    call->op = is_send ? CALL_SEND : CALL_RECV;
    call->peer = (int32_t)(is_self ? calls->rank : view.remote->ranks[peer]);
    call->tag = (int32_t)tag;
    call->context = comm_number(calls, &view);
    *(is_send ? &call->bytes : &call->recv_bytes) = bytes;
    return is_send || take_wildcards(calls, event, call);
}

static void set_vector(struct otf2_calls *calls, struct otf2_sizes *sizes, struct call *call)
{
    struct counts *counts = &calls->writer->counts;
    if (sizes->has_sends)
        call->send_counts = counts_intern(counts, sizes->sends, sizes->ranks);
    if (sizes->has_receives)
        call->recv_counts = counts_intern(counts, sizes->receives, sizes->ranks);
}

bool otf2_calls_scan(struct otf2_calls *calls)
{
    if (!calls->vectors.is_read) {
        calls->status = calls->read_vectors(calls->source, &calls->vectors);
        calls->vectors.is_read = true;
    }
    return calls->status == STATUS_OK;
}

/* The sums of all ranks in this call. */
static bool find_sums(struct otf2_calls *calls, uint64_t byte, const struct otf2_comm_view *view,
                      bool is_blocking, struct otf2_sizes *sizes)
{
    if (!otf2_calls_scan(calls))
        return false;
    size_t comm = (size_t)(view->comm - calls->definitions->comms);
    sizes->all = otf2_vectors_next(&calls->vectors, &calls->numbers, comm, is_blocking);
    return sizes->all || otf2_calls_fail(calls, byte, "this record of a collective is damaged");
}

static bool take_vectors(struct otf2_sizes *sizes, const struct otf2_attributes *attributes)
{
    const char *sends = attributes->texts[RECORDED_SENDS], *receives = attributes->texts[RECORDED_RECEIVES];
    sizes->has_sends = sizes->has_receives = true;
    return sends && receives && otf2_attributes_vector(sends, sizes->sends, sizes->ranks) &&
           otf2_attributes_vector(receives, sizes->receives, sizes->ranks);
}

/* What a timeline of helio says beside the record. */
static bool take_attributes(const struct otf2_attributes *attributes, struct call *call)
{
    if (attributes->has[RECORDED_ELEMENT] && attributes->numbers[RECORDED_ELEMENT] > UINT8_MAX)
        return false;
    if (attributes->has[RECORDED_ELEMENT])
        call->element_bytes = (uint8_t)attributes->numbers[RECORDED_ELEMENT];
    if (attributes->has[RECORDED_OPERATIONS])
        memcpy(&call->amount, &attributes->numbers[RECORDED_OPERATIONS], sizeof call->amount);
    return call->amount >= 0 && isfinite(call->amount);
}

/* False, reported: the sizes cannot be found. */
static bool set_sizes(struct otf2_calls *calls, const struct otf2_event *event,
                      const struct otf2_comm_view *view, uint8_t kind, struct otf2_sizes *sizes,
                      struct call *call)
{
    const struct otf2_sums own = {.sent = sizes->sent, .received = sizes->received};
    struct otf2_attributes attributes;
    otf2_attributes_read(&attributes, calls->definitions, &calls->local, event);
    if (!otf2_sums_fit(&own, sizes->ranks) || attributes.failed || !take_attributes(&attributes, call))
        return otf2_calls_fail(calls, event->byte, "this record of a collective is damaged");
    if (call->op == CALL_ALLTOALLV && attributes.has[RECORDED_SENDS])
        return take_vectors(sizes, &attributes) ||
               otf2_calls_fail(calls, event->byte, "the sizes of this collective are damaged");
    bool is_blocking = event->kind == OTF2_COLLECTIVE_END;
    if (otf2_is_vector(kind) && sizes->ranks > 1 && !find_sums(calls, event->byte, view, is_blocking, sizes))
        return false;
    if (sizes->ranks == 1)
        sizes->all = &own;
    otf2_sizes_set(sizes, call, kind);
    return true;
}

/* A collective on the ranks of one communicator. */
static bool set_collective(struct otf2_calls *calls, const struct otf2_event *event,
                           const struct otf2_comm_view *view, uint8_t kind, struct otf2_sizes *sizes,
                           struct otf2_entry *entry)
{
    struct call *call = &entry->call;
    sizes->ranks = view->local->type == OTF2_GROUP_SELF ? 1 : view->local->size;
    sizes->rank = view->use->rank;
    if (call->peer < 0 || (uint32_t)call->peer >= sizes->ranks)
        return otf2_calls_fail(calls, event->byte, "the root of this collective is not in its communicator");
    sizes->sends = calls->vector;
    sizes->receives = calls->vector + calls->definitions->ranks;
    if (!set_sizes(calls, event, view, kind, sizes, call))
        return false;
    set_vector(calls, sizes, call);
    call->group = call->context = comm_number(calls, view);
    if (sizes->is_shared)
        entry->note = NOTE_SHARED;
    return true;
}

static bool is_rooted(enum call_op op)
{
    return op == CALL_BCAST || op == CALL_REDUCE || op == CALL_GATHER || op == CALL_GATHERV ||
           op == CALL_SCATTER || op == CALL_SCATTERV;
}

bool otf2_read_collective(struct otf2_calls *calls, const struct otf2_event *event, struct otf2_entry *entry,
                          uint64_t *request)
{
    struct otf2_bytes fields = event->fields;
    struct otf2_comm_view view;
    uint8_t kind = otf2_byte(&fields);
    uint32_t comm = otf2_number32(&fields), root = otf2_number32(&fields);
    struct otf2_sizes sizes = {.sent = otf2_number(&fields)};
    sizes.received = otf2_number(&fields);
    if (request)
        *request = otf2_number(&fields);
    enum call_op op = otf2_collective_op(kind);
    if (fields.failed || op == CALL_OPS)
        return otf2_calls_fail(calls, event->byte, "this record of a collective is damaged");
    entry->call.op = CALL_NOTHING;
    if (op == CALL_NOTHING)
        return true;
    if (!otf2_view_comm(calls, comm, event->byte, &view))
        return false;
    if (view.remote != view.local) {
        entry->note = NOTE_LOST; /* no collective of two groups can be said */
        return true;
    }
    entry->call.op = (uint8_t)op;
    entry->call.peer = is_rooted(op) ? (int32_t)root : 0;
    return otf2_view_self(calls, &view, event->byte) &&
           set_collective(calls, event, &view, kind, &sizes, entry);
}
