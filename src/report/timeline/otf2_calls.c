#include "report/timeline/otf2_calls.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/memory_stream.h"
#include "call/recorded.h"

enum { FLAGS = 8 }; /* CALL_IMMEDIATE, CALL_SYNCHRONOUS and CALL_BUFFERED together */

/* A request of a rank, by its slot, and the message that its receive has met. */
struct call_request {
    bool is_outstanding, has_met;
    uint64_t id;
    struct call call;
    uint32_t source;
    int32_t tag;
    uint64_t bytes;
};

struct rank_calls {
    bool is_open;
    struct call call; /* that is open */
    struct call_request *slots;
    size_t slot_count, slot_capacity;
    uint64_t requests; /* so far */
};

/* What a communicator is in OTF2: messages of a context, on a group. */
struct comm {
    uint32_t context, group;
};

/* A string that records name: a text, or the sizes for each rank of a group. */
struct record_text {
    const char *text; /* NULL: sizes */
    uint64_t at;      /* where they are in the program's counts */
    uint32_t size;
};

struct otf2_call_writer {
    const struct program *program; /* NULL: no call so far */
    struct rank_calls *ranks;
    uint32_t rank_count;
    struct comm *comms; /* 0 is the world */
    size_t comm_count, comm_capacity;
    struct hashmap comm_index;
    struct record_text *strings;
    size_t string_count, string_capacity;
    struct hashmap vector_index, text_index; /* by place, and by address */
    uint32_t regions[CALL_OPS * FLAGS];      /* their numbers, plus 1; 0: not used */
    uint32_t by_number[CALL_OPS * FLAGS];
    uint32_t region_count;
    OTF2_AttributeList *attributes;
    OTF2_ErrorCode failed;
};

static void note(struct otf2_call_writer *writer, OTF2_ErrorCode code)
{
    if (writer->failed == OTF2_SUCCESS)
        writer->failed = code;
}

struct otf2_call_writer *otf2_call_writer_open(uint32_t ranks)
{
    struct otf2_call_writer *writer = mem_alloc(1, sizeof *writer, "the timeline");
    writer->ranks = mem_alloc(ranks, sizeof *writer->ranks, "the timeline");
    writer->rank_count = ranks;
    writer->attributes = OTF2_AttributeList_New();
    note(writer, writer->attributes ? OTF2_SUCCESS : OTF2_ERROR_MEM_FAULT);
    return writer;
}

void otf2_call_writer_close(struct otf2_call_writer *writer)
{
    if (!writer)
        return;
    for (uint32_t rank = 0; rank < writer->rank_count; rank++)
        free(writer->ranks[rank].slots);
    free(writer->ranks);
    free(writer->comms);
    free(writer->strings);
    hashmap_free(&writer->comm_index);
    hashmap_free(&writer->vector_index);
    hashmap_free(&writer->text_index);
    if (writer->attributes)
        OTF2_AttributeList_Delete(writer->attributes);
    free(writer);
}

bool otf2_call_writer_has_calls(const struct otf2_call_writer *writer)
{
    return writer->program;
}

/* ------------------------------------------------------------ communicators */

static uint32_t comm_of(struct otf2_call_writer *writer, uint32_t context, uint32_t group)
{
    uint32_t *known = hashmap_slot(&writer->comm_index, (uint64_t)context << 32 | group);
    if (!*known) {
        writer->comms =
            mem_grow(writer->comms, &writer->comm_capacity, writer->comm_count + 1, "communicators");
        writer->comms[writer->comm_count++] = (struct comm){context, group};
        *known = (uint32_t)writer->comm_count;
    }
    return OTF2_CALL_COMMS + *known - 1;
}

static bool is_member(const struct group *group, uint32_t rank)
{
    uint32_t number = group_rank(group, rank); /* `rank` itself, if it is no member */
    return number < group->size && group_world(group, number) == rank;
}

/* A message is on the group of its context if both ends are in it, else on the world. */
static uint32_t message_comm(struct otf2_call_writer *writer, uint32_t context, uint32_t rank, uint32_t peer,
                             uint32_t *number)
{
    const struct program *program = writer->program;
    const struct group *group = context < program->group_count ? &program->groups[context] : NULL;
    bool fits = group && is_member(group, rank) && is_member(group, peer);
    *number = fits ? group_rank(group, peer) : peer;
    return comm_of(writer, context, fits ? context : 0);
}

/* ----------------------------------------------------------------- messages */

static struct call_request *slot_at(struct rank_calls *rank, uint32_t slot)
{
    size_t known = rank->slot_count;
    if (slot >= known) {
        rank->slots = mem_grow(rank->slots, &rank->slot_capacity, (size_t)slot + 1, "requests");
        memset(rank->slots + known, 0, ((size_t)slot + 1 - known) * sizeof *rank->slots);
        rank->slot_count = (size_t)slot + 1;
    }
    return &rank->slots[slot];
}

void otf2_call_writer_received(struct otf2_call_writer *writer, const struct timeline_message *message)
{
    if (message->slot == TAP_NOBODY)
        return;
    struct call_request *slot = slot_at(&writer->ranks[message->destination], message->slot);
    slot->has_met = true;
    slot->source = message->source;
    slot->tag = message->tag;
    slot->bytes = message->bytes;
}

static void put_send(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                     const struct call *call, OTF2_TimeStamp at, const struct call_request *slot)
{
    uint32_t peer, comm;
    if (call->peer < 0)
        return;
    comm = message_comm(writer, call->context, rank, (uint32_t)call->peer, &peer);
    if (slot)
        note(writer, OTF2_EvtWriter_MpiIsend(events, NULL, at, peer, comm, (uint32_t)call->tag, call->bytes,
                                             slot->id));
    else
        note(writer, OTF2_EvtWriter_MpiSend(events, NULL, at, peer, comm, (uint32_t)call->tag, call->bytes));
}

/* A record names the source and the tag that came (call/recorded.h). */
static OTF2_AttributeList *wildcards_of(struct otf2_call_writer *writer, const struct call *call)
{
    bool is_sendrecv = call->op == CALL_SENDRECV;
    int32_t tag = is_sendrecv ? call_source_tag(call) : call->tag;
    int32_t source = is_sendrecv ? call->source : call->peer;
    uint64_t any =
        (source == CALL_ANY_SOURCE ? RECORDED_ANY_SOURCE : 0) | (tag == CALL_ANY_TAG ? RECORDED_ANY_TAG : 0);
    if (!any)
        return NULL;
    note(writer, OTF2_AttributeList_AddUint64(writer->attributes, RECORDED_ANY, any));
    return writer->attributes;
}

/* The receive of `call`, with what has come. */
static void put_receive(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                        const struct call *call, OTF2_TimeStamp at, const struct call_request *slot,
                        bool is_request)
{
    uint32_t peer;
    if (!slot->has_met)
        return;
    uint32_t comm = message_comm(writer, call->context, rank, slot->source, &peer);
    OTF2_AttributeList *attributes = wildcards_of(writer, call);
    if (is_request)
        note(writer, OTF2_EvtWriter_MpiIrecv(events, attributes, at, peer, comm, (uint32_t)slot->tag,
                                             slot->bytes, slot->id));
    else
        note(writer,
             OTF2_EvtWriter_MpiRecv(events, attributes, at, peer, comm, (uint32_t)slot->tag, slot->bytes));
}

/* -------------------------------------------------------------- collectives */

static OTF2_CollectiveOp kind_of(const struct call *call)
{
    static const OTF2_CollectiveOp kinds[CALL_OPS] = {
        [CALL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
        [CALL_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
        [CALL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
        [CALL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
        [CALL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
        [CALL_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
        [CALL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
        [CALL_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
        [CALL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
        [CALL_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
        [CALL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
        [CALL_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
        [CALL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
        [CALL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
        [CALL_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
    };
    bool is_uniform = call->op == CALL_REDUCE_SCATTER && !call->recv_counts;
    return is_uniform ? OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK : kinds[call->op];
}

static uint64_t sum_of(const struct otf2_call_writer *writer, uint64_t at, uint64_t uniform, uint64_t ranks)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ranks; i++)
        sum += at ? writer->program->counts[at + i] : uniform;
    return sum;
}

/* All that a rank sends and receives, also to and from itself, as Score-P counts them. */
static void count_bytes(const struct otf2_call_writer *writer, uint32_t rank, const struct call *call,
                        uint64_t *sent, uint64_t *received)
{
    const struct group *group = &writer->program->groups[call->group];
    uint64_t ranks = group->size, me = group_rank(group, rank);
    bool at_root = call->peer == (int32_t)me;
    uint64_t all_sent = sum_of(writer, call->send_counts, call->bytes, ranks);
    uint64_t all_received = sum_of(writer, call->recv_counts, call->recv_bytes, ranks);
    *sent = *received = 0;
    switch ((enum call_op)call->op) {
    case CALL_BCAST:
        *sent = at_root ? ranks * call->bytes : 0;
        *received = call->bytes;
        break;
    case CALL_REDUCE:
        *sent = call->bytes;
        *received = at_root ? ranks * call->bytes : 0;
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        *sent = call->bytes;
        *received = at_root ? all_received : 0;
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        *sent = at_root ? all_sent : 0;
        *received = call->recv_bytes;
        break;
    case CALL_ALLREDUCE:
        *sent = *received = ranks * call->bytes;
        break;
    case CALL_REDUCE_SCATTER:
        *sent = all_received;
        *received =
            ranks * (call->recv_counts ? writer->program->counts[call->recv_counts + me] : call->recv_bytes);
        break;
    case CALL_SCAN:
        *sent = (ranks - me) * call->bytes;
        *received = (me + 1) * call->bytes;
        break;
    case CALL_EXSCAN:
        *sent = (ranks - me - 1) * call->bytes;
        *received = me * call->bytes;
        break;
    case CALL_BARRIER:
        break;
    default:
        *sent = all_sent;
        *received = all_received;
    }
}

/* `known`: its number, plus 1; 0: it is new. */
static OTF2_StringRef name_string(struct otf2_call_writer *writer, uint32_t *known, struct record_text string)
{
    if (!*known) {
        writer->strings =
            mem_grow(writer->strings, &writer->string_capacity, writer->string_count + 1, "the timeline");
        writer->strings[writer->string_count++] = string;
        *known = (uint32_t)writer->string_count;
    }
    return *known - 1;
}

static OTF2_StringRef vector_string(struct otf2_call_writer *writer, uint64_t at, uint32_t size)
{
    return name_string(writer, hashmap_slot(&writer->vector_index, at),
                       (struct record_text){.at = at, .size = size});
}

OTF2_StringRef otf2_call_writer_text(struct otf2_call_writer *writer, const char *text)
{
    return name_string(writer, hashmap_slot(&writer->text_index, (uintptr_t)text),
                       (struct record_text){.text = text});
}

/* What the record cannot say (call/recorded.h). */
static OTF2_AttributeList *attributes_of(struct otf2_call_writer *writer, const struct call *call)
{
    OTF2_AttributeList *list = writer->attributes;
    uint32_t size = writer->program->groups[call->group].size;
    bool any = false;
    if (call->element_bytes > 1) {
        any = true;
        note(writer, OTF2_AttributeList_AddUint64(list, RECORDED_ELEMENT, call->element_bytes));
    }
    if (call->amount > 0) {
        any = true;
        note(writer, OTF2_AttributeList_AddDouble(list, RECORDED_OPERATIONS, call->amount));
    }
    if (call->op == CALL_ALLTOALLV) {
        any = true;
        note(writer, OTF2_AttributeList_AddStringRef(list, RECORDED_SENDS,
                                                     vector_string(writer, call->send_counts, size)));
        note(writer, OTF2_AttributeList_AddStringRef(list, RECORDED_RECEIVES,
                                                     vector_string(writer, call->recv_counts, size)));
    }
    return any ? list : NULL;
}

static bool is_rooted(const struct call *call)
{
    return call->op == CALL_BCAST || call->op == CALL_REDUCE || call->op == CALL_GATHER ||
           call->op == CALL_GATHERV || call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
}

static void put_collective(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                           const struct call *call, OTF2_TimeStamp at, const struct call_request *slot)
{
    uint64_t sent, received;
    uint32_t root = is_rooted(call) ? (uint32_t)call->peer : (uint32_t)OTF2_COLLECTIVE_ROOT_NONE;
    uint32_t comm = comm_of(writer, call->context, call->group);
    OTF2_AttributeList *attributes = attributes_of(writer, call);
    count_bytes(writer, rank, call, &sent, &received);
    if (slot)
        note(writer, OTF2_EvtWriter_NonBlockingCollectiveComplete(events, attributes, at, kind_of(call), comm,
                                                                  root, sent, received, slot->id));
    else
        note(writer, OTF2_EvtWriter_MpiCollectiveEnd(events, attributes, at, kind_of(call), comm, root, sent,
                                                     received));
}

/* -------------------------------------------------------------------- calls */

static uint32_t region_of(struct otf2_call_writer *writer, const struct call *call)
{
    uint32_t region = (uint32_t)call->op * FLAGS + (call->flags & (FLAGS - 1));
    if (!writer->regions[region]) {
        writer->by_number[writer->region_count] = region;
        writer->regions[region] = ++writer->region_count;
    }
    return OTF2_CALL_REGIONS + writer->regions[region] - 1;
}

static void complete(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank, uint32_t index,
                     OTF2_TimeStamp at)
{
    struct call_request *slot = slot_at(&writer->ranks[rank], index);
    if (!slot->is_outstanding)
        return;
    slot->is_outstanding = false;
    if (slot->call.op == CALL_SEND)
        note(writer, OTF2_EvtWriter_MpiIsendComplete(events, NULL, at, slot->id));
    else if (slot->call.op == CALL_RECV)
        put_receive(writer, events, rank, &slot->call, at, slot, true);
    else
        put_collective(writer, events, rank, &slot->call, at, slot);
}

static void complete_all(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                         OTF2_TimeStamp at)
{
    for (uint32_t i = SLOT_FIRST; i < writer->ranks[rank].slot_count; i++)
        complete(writer, events, rank, i, at);
}

/* A request that the call starts. */
static const struct call_request *open_slot(struct otf2_call_writer *writer, uint32_t rank,
                                            const struct call *call)
{
    struct rank_calls *calls = &writer->ranks[rank];
    struct call_request *slot = slot_at(calls, call->slot);
    *slot = (struct call_request){.is_outstanding = true, .id = calls->requests++, .call = *call};
    return slot;
}

static void put_immediate(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                          const struct call *call, OTF2_TimeStamp at)
{
    const struct call_request *slot = open_slot(writer, rank, call);
    if (call->op == CALL_SEND)
        put_send(writer, events, rank, call, at, slot);
    else if (call->op == CALL_RECV)
        note(writer, OTF2_EvtWriter_MpiIrecvRequest(events, NULL, at, slot->id));
    else
        note(writer, OTF2_EvtWriter_NonBlockingCollectiveRequest(events, NULL, at, slot->id));
}

static void begin_call(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                       const struct call *call, OTF2_TimeStamp at)
{
    struct rank_calls *calls = &writer->ranks[rank];
    calls->is_open = true;
    calls->call = *call;
    note(writer, OTF2_EvtWriter_Enter(events, NULL, at, region_of(writer, call)));
    if (call->flags & CALL_IMMEDIATE) {
        put_immediate(writer, events, rank, call, at);
        return;
    }
    if (call->op == CALL_RECV || call->op == CALL_SENDRECV)
        slot_at(calls, SLOT_RECV)->has_met = false;
    if (call->op == CALL_SEND || call->op == CALL_SENDRECV)
        put_send(writer, events, rank, call, at, NULL);
    else if (call->op == CALL_TEST && slot_at(calls, call->slot)->is_outstanding)
        note(writer, OTF2_EvtWriter_MpiRequestTest(events, NULL, at, slot_at(calls, call->slot)->id));
    else if (call_is_collective(call))
        note(writer, OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, at));
}

static void end_call(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                     OTF2_TimeStamp at)
{
    struct rank_calls *calls = &writer->ranks[rank];
    const struct call *call = &calls->call;
    if (!calls->is_open)
        return;
    calls->is_open = false;
    if (call->op == CALL_WAIT)
        complete(writer, events, rank, call->slot, at);
    else if (call->op == CALL_WAITALL || call->op == CALL_FINALIZE)
        complete_all(writer, events, rank, at);
    else if ((call->op == CALL_RECV || call->op == CALL_SENDRECV) && !(call->flags & CALL_IMMEDIATE))
        put_receive(writer, events, rank, call, at, slot_at(calls, SLOT_RECV), false);
    else if (call_is_collective(call) && !(call->flags & CALL_IMMEDIATE))
        put_collective(writer, events, rank, call, at, NULL);
    note(writer, OTF2_EvtWriter_Leave(events, NULL, at, region_of(writer, call)));
}

OTF2_ErrorCode otf2_call_writer_put(struct otf2_call_writer *writer, OTF2_EvtWriter *events,
                                    const struct program *program, uint32_t rank, const struct call *call,
                                    ps_t at)
{
    if (!writer->program)
        comm_of(writer, 0, 0); /* the first is the world */
    writer->program = program;
    end_call(writer, events, rank, (OTF2_TimeStamp)at);
    if (call->op != CALL_COMPUTE && call->op != CALL_SLEEP && call->op != CALL_NOTHING)
        begin_call(writer, events, rank, call, (OTF2_TimeStamp)at);
    return writer->failed;
}

OTF2_ErrorCode otf2_call_writer_end(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                                    ps_t at)
{
    if (!writer->program)
        return writer->failed;
    end_call(writer, events, rank, (OTF2_TimeStamp)at);
    complete_all(writer, events, rank, (OTF2_TimeStamp)at);
    return writer->failed;
}

/* -------------------------------------------------------------- definitions */

/* "MPI_Issend": a name in small letters, with I, s and b for the kind of the call. */
static void name_region(uint32_t region, char *name, size_t size)
{
    enum call_op op = (enum call_op)(region / FLAGS);
    uint32_t flags = region % FLAGS;
    const char *base = op == CALL_REDUCE_SCATTER ? "reduce_scatter" : call_op_name(op);
    snprintf(name, size, "MPI_%s%s%s%s", flags & CALL_IMMEDIATE ? "i" : "",
             flags & CALL_SYNCHRONOUS ? "s" : "", flags & CALL_BUFFERED ? "b" : "", base);
    for (size_t i = 4; name[i]; i++)
        name[i] = (char)(i == 4 ? toupper((unsigned char)name[i]) : tolower((unsigned char)name[i]));
}

static OTF2_StringRef define_string(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                                    const struct otf2_call_numbers *numbers, const char *text)
{
    note(writer, OTF2_GlobalDefWriter_WriteString(definitions, *numbers->strings, text));
    return (*numbers->strings)++;
}

static void define_regions(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                           const struct otf2_call_numbers *numbers)
{
    for (uint32_t region = 0; region < writer->region_count; region++) {
        char text[64];
        name_region(writer->by_number[region], text, sizeof text);
        OTF2_StringRef name = define_string(writer, definitions, numbers, text);
        note(writer,
             OTF2_GlobalDefWriter_WriteRegion(definitions, OTF2_CALL_REGIONS + region, name, name,
                                              numbers->empty, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                              OTF2_REGION_FLAG_NONE, numbers->empty, 0, 0));
    }
}

static void define_comms(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                         const struct otf2_call_numbers *numbers)
{
    for (uint32_t i = 0; i < writer->comm_count; i++) {
        const struct group *group = &writer->program->groups[writer->comms[i].group];
        char text[64] = "MPI_COMM_WORLD";
        uint64_t *members = mem_alloc(group->size, sizeof *members, "the timeline");
        for (uint32_t rank = 0; rank < group->size; rank++)
            members[rank] = group_world(group, rank);
        if (i)
            snprintf(text, sizeof text, "communicator %u", i);
        OTF2_StringRef name = define_string(writer, definitions, numbers, text);
        note(writer, OTF2_GlobalDefWriter_WriteGroup(definitions, numbers->groups + i, name,
                                                     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                     OTF2_GROUP_FLAG_NONE, group->size, members));
        note(writer,
             OTF2_GlobalDefWriter_WriteComm(definitions, OTF2_CALL_COMMS + i, name, numbers->groups + i,
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        free(members);
    }
}

static char *text_of(const struct otf2_call_writer *writer, const struct record_text *string)
{
    char *text;
    size_t length;
    if (string->text)
        return mem_text(string->text);
    FILE *out = memory_stream_open(&text, &length);
    for (uint32_t k = 0; k < string->size; k++)
        fprintf(out, "%s%" PRIu64, k ? "," : "", writer->program->counts[string->at + k]);
    fclose(out);
    return text;
}

OTF2_StringRef otf2_call_writer_strings(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions)
{
    for (uint32_t i = 0; i < writer->string_count; i++) {
        char *text = text_of(writer, &writer->strings[i]);
        note(writer, OTF2_GlobalDefWriter_WriteString(definitions, i, text));
        free(text);
    }
    return (OTF2_StringRef)writer->string_count;
}

static void define_attributes(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                              const struct otf2_call_numbers *numbers)
{
    static const OTF2_Type types[RECORDED_KINDS] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_STRING,
                                                    OTF2_TYPE_STRING, OTF2_TYPE_UINT64};
    for (uint32_t i = 0; i < RECORDED_KINDS; i++) {
        OTF2_StringRef name = define_string(writer, definitions, numbers, recorded_name((enum recorded)i));
        note(writer, OTF2_GlobalDefWriter_WriteAttribute(definitions, i, name, numbers->empty, types[i]));
    }
}

OTF2_ErrorCode otf2_call_writer_define(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                                       const struct otf2_call_numbers *numbers)
{
    if (!writer->program)
        return writer->failed;
    define_regions(writer, definitions, numbers);
    define_comms(writer, definitions, numbers);
    define_attributes(writer, definitions, numbers);
    return writer->failed;
}
