#include "trace/edit/filter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "call/lost.h"
#include "trace/ti/write.h"

#define NOT_KEPT UINT32_MAX

enum { MOST_REPORTS = 5 };

/* Of a slot of the rank that is read. A waitall ends all requests that were started in its round. */
struct filter_request {
    uint32_t round; /* from 1; 0 and those before the present one: no request is open */
    bool is_kept;
};

struct filter {
    struct program program; /* the result; first */
    struct program_lost lost;
    const struct compiled_trace *source;
    const struct filter_choice *choice;
    struct filter_counts *counts;
    uint32_t *number_of; /* of each rank of the source: its number in the result, or NOT_KEPT */
    bool *from_outside;  /* of each rank kept: ranks that are not kept send to its mailbox */
    struct group *groups;
    uint32_t *members;
    uint64_t *vectors; /* of a call: [0] is unused; bytes sent to each member kept, and bytes received */
    uint64_t errors;
    /* Of the rank that is read. */
    uint32_t rank; /* of the source */
    struct program_cursor cursor;
    const struct call *last;         /* the source's own call, which the filter has copied last */
    struct filter_request *requests; /* by slot */
    size_t slot_capacity;
    uint32_t round;
    bool started_kept, started_others; /* requests, in this round */
};

static bool is_kept(const struct filter *filter, int32_t rank)
{
    return rank < 0 || filter->number_of[rank] != NOT_KEPT;
}

static int32_t number_of(const struct filter *filter, int32_t rank)
{
    return rank < 0 ? rank : (int32_t)filter->number_of[rank];
}

/* ----------------------------------------------------------------- refusing */

static void refuse(struct filter *filter, const char *what, int32_t rank)
{
    if (filter->errors++ >= MOST_REPORTS)
        return;
    compiled_report(filter->source, DIAG_ERROR, filter->rank, filter->cursor.number,
                    "%s rank %" PRId32 ", which is not kept", what, rank);
    if (filter->errors == 1)
        diag_note(
            "--drop-outside leaves out messages to and from ranks that are not kept, and collectives are "
            "those of the ranks kept");
}

static void refuse_wildcard(struct filter *filter)
{
    if (filter->errors++ < MOST_REPORTS)
        compiled_report(
            filter->source, DIAG_ERROR, filter->rank, filter->cursor.number,
            "this receive is from any source, and ranks that are not kept send to this rank: which "
            "message it gets is not known");
}

/* ----------------------------------------------------------------- messages */

/* What becomes of an end of a message whose other end is not kept. */
static void drop_send(struct filter *filter, const struct call *call)
{
    if (!filter->choice->drop_outside)
        refuse(filter, "this is a message to", call->peer);
    filter->counts->sends++;
    filter->counts->sent += call->bytes;
}

static void drop_receive(struct filter *filter, const struct call *call, int32_t source)
{
    if (!filter->choice->drop_outside)
        refuse(filter, "this receives a message from", source);
    filter->counts->receives++;
    filter->counts->received += call->recv_bytes;
}

/* The half of a sendrecv whose other end is kept. False: neither is. */
static bool keep_half(struct filter *filter, struct call *call)
{
    bool sends = is_kept(filter, call->peer), receives = is_kept(filter, call->source);
    if (!sends)
        drop_send(filter, call);
    if (!receives)
        drop_receive(filter, call, call->source);
    if (sends && !receives)
        *call = (struct call){.op = CALL_SEND,
                              .peer = call->peer,
                              .tag = call->tag,
                              .context = call->context,
                              .bytes = call->bytes};
    else if (receives && !sends)
        *call = (struct call){.op = CALL_RECV,
                              .peer = call->source,
                              .tag = call_source_tag(call),
                              .context = call->context,
                              .recv_bytes = call->recv_bytes};
    return sends || receives;
}

static bool keep_message(struct filter *filter, struct call *call)
{
    if (call->op == CALL_SENDRECV) {
        if (!keep_half(filter, call))
            return false;
    } else if (!is_kept(filter, call->peer)) {
        if (call->op == CALL_SEND)
            drop_send(filter, call);
        else
            drop_receive(filter, call, call->peer);
        return false;
    }
    int32_t source = call->op == CALL_RECV ? call->peer : call->op == CALL_SENDRECV ? call->source : 0;
    if (source == CALL_ANY_SOURCE && filter->from_outside[filter->rank])
        refuse_wildcard(filter);
    call->peer = number_of(filter, call->peer);
    if (call->op == CALL_SENDRECV)
        call->source = number_of(filter, call->source);
    return true;
}

/* -------------------------------------------------------------- collectives */

static bool has_root(const struct call *call)
{
    return call->op == CALL_BCAST || call->op == CALL_REDUCE || call->op == CALL_GATHER ||
           call->op == CALL_GATHERV || call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
}

/* The entries of the members kept. */
static uint64_t keep_entries(struct filter *filter, uint64_t vector, const struct group *group, uint64_t at)
{
    uint64_t to = at;
    if (!vector)
        return 0;
    for (uint32_t i = 0; i < group->size; i++)
        if (is_kept(filter, (int32_t)group_world(group, i)))
            filter->vectors[to++] = filter->source->program.counts[vector + i];
    return at;
}

/* The rank in the group kept of a member of the group. */
static int32_t new_root(const struct filter *filter, const struct group *group, int32_t root)
{
    int32_t number = 0;
    if (!group->world) /* the ranks kept are in ascending order */
        return number_of(filter, root);
    for (int32_t i = 0; i < root; i++)
        number += is_kept(filter, (int32_t)group_world(group, (uint32_t)i));
    return number;
}

static int32_t first_outside(const struct filter *filter, const struct group *group)
{
    uint32_t i = 0;
    while (is_kept(filter, (int32_t)group_world(group, i)))
        i++;
    return (int32_t)group_world(group, i);
}

static bool keep_collective(struct filter *filter, struct call *call)
{
    const struct group *group = &filter->source->program.groups[call->group];
    bool smaller = filter->groups[call->group].size < group->size;
    if (smaller && !filter->choice->drop_outside)
        refuse(filter, "this collective has a member,", first_outside(filter, group));
    filter->counts->smaller += smaller;
    if (has_root(call) && !is_kept(filter, (int32_t)group_world(group, (uint32_t)call->peer))) {
        filter->counts->rootless++;
        return false;
    }
    if (has_root(call))
        call->peer = new_root(filter, group, call->peer);
    call->send_counts = keep_entries(filter, call->send_counts, group, 1);
    call->recv_counts = keep_entries(filter, call->recv_counts, group, 1 + (uint64_t)filter->choice->count);
    return true;
}

/* -------------------------------------------------------------------- calls */

/* The communicator that --comm names becomes the world. */
static bool keep_context(struct filter *filter, struct call *call)
{
    const struct filter_choice *choice = filter->choice;
    bool kept = !(call_is_collective(call) ? choice->no_collectives : choice->no_messages) &&
                (choice->comm == FILTER_ALL_COMMS || call->context == (uint32_t)choice->comm);
    filter->counts->others += !kept;
    return kept;
}

static void start_request(struct filter *filter, uint32_t slot, bool is_kept)
{
    filter->requests[slot] = (struct filter_request){filter->round, is_kept};
    filter->started_kept |= is_kept;
    filter->started_others |= !is_kept;
}

static bool keep_communication(struct filter *filter, struct call *call)
{
    bool kept = keep_context(filter, call) &&
                (call_is_collective(call) ? keep_collective(filter, call) : keep_message(filter, call));
    if (call->flags & CALL_IMMEDIATE)
        start_request(filter, call->slot, kept);
    if (kept && filter->choice->comm != FILTER_ALL_COMMS)
        call->context = call->group = 0;
    return kept;
}

/* A wait ends the request, and a test does not. */
static bool keep_wait(struct filter *filter, const struct call *call)
{
    struct filter_request *request = &filter->requests[call->slot];
    bool kept = request->round == filter->round && request->is_kept;
    if (call->op == CALL_WAIT)
        request->round = 0;
    return kept;
}

/* A waitall is left out if the requests that were started since the last one are. */
static bool keep_waitall(struct filter *filter)
{
    bool kept = filter->started_kept || !filter->started_others;
    filter->round++;
    filter->started_kept = filter->started_others = false;
    return kept;
}

static bool keep_call(struct filter *filter, struct call *call)
{
    switch ((enum call_op)call->op) {
    case CALL_INIT:
    case CALL_FINALIZE:
        return true;
    case CALL_NOTHING:
        return (call->flags & (CALL_PHASE | CALL_LOST)) != 0;
    case CALL_COMPUTE:
    case CALL_SLEEP:
        filter->counts->others += filter->choice->no_compute;
        return !filter->choice->no_compute;
    case CALL_WAIT:
    case CALL_TEST:
        return keep_wait(filter, call);
    case CALL_WAITALL:
        return keep_waitall(filter);
    default:
        return keep_communication(filter, call);
    }
}

static const struct call *next_call(struct program *program, uint32_t rank, struct call *scratch)
{
    struct filter *filter = (struct filter *)program;
    const struct program *source = &filter->source->program;
    const struct call *call;
    (void)rank; /* rank_text has set the rank of the source */
    while ((call = source->ops->read(source, filter->rank, &filter->cursor, scratch))) {
        if (call != scratch)
            *scratch = *call;
        filter->last = call;
        if (keep_call(filter, scratch))
            return scratch;
    }
    return NULL;
}

static const char *lost_name(const struct program_lost *lost, uint32_t rank, const struct call *call,
                             size_t *length)
{
    const struct filter *filter = (const void *)((const char *)lost - offsetof(struct filter, lost));
    const struct program_lost *source = filter->source->program.lost;
    (void)rank;
    (void)call;
    return source->name(source, filter->rank, filter->last, length);
}

static uint32_t slots(const struct program *program, uint32_t rank)
{
    const struct filter *filter = (const struct filter *)program;
    return filter->source->ranks[filter->choice->ranks[rank]].slots;
}

static const struct program_ops ops = {.next = next_call, .slots = slots};

/* ------------------------------------------------------------------ opening */

/* Marks the ranks kept whose mailbox gets messages of ranks that are not kept. */
static void look_outside(struct filter *filter)
{
    const struct program *source = &filter->source->program;
    for (uint32_t rank = 0; rank < source->ranks; rank++) {
        const struct call *calls = compiled_calls(filter->source, rank);
        if (is_kept(filter, (int32_t)rank))
            continue;
        for (uint64_t i = 0; i < filter->source->ranks[rank].calls.count; i++) {
            const struct call *call = &calls[i];
            bool counts =
                filter->choice->comm == FILTER_ALL_COMMS || call->context == (uint32_t)filter->choice->comm;
            if ((call->op == CALL_SEND || call->op == CALL_SENDRECV) && call->channel == CHANNEL_MAILBOX &&
                counts)
                filter->from_outside[call->peer] = true;
        }
    }
}

/* The members kept of each communicator, by their new numbers. */
static void make_groups(struct filter *filter)
{
    const struct program *source = &filter->source->program;
    size_t members = 0, used = 0;
    for (uint32_t i = 1; i < source->group_count; i++)
        members += source->groups[i].size;
    filter->groups = mem_alloc(source->group_count, sizeof *filter->groups, "communicators");
    filter->members = mem_alloc(members, sizeof *filter->members, "communicators");
    filter->groups[0].size = filter->choice->count;
    for (uint32_t i = 1; i < source->group_count; i++) {
        struct group *group = &filter->groups[i];
        group->world = &filter->members[used];
        for (uint32_t k = 0; k < source->groups[i].size; k++) {
            uint32_t number = filter->number_of[group_world(&source->groups[i], k)];
            if (number != NOT_KEPT)
                filter->members[used++] = number;
        }
        group->size = (uint32_t)(&filter->members[used] - group->world);
    }
}

static void open_filter(struct filter *filter)
{
    const struct program *source = &filter->source->program;
    const struct filter_choice *choice = filter->choice;
    filter->number_of = mem_alloc(source->ranks, sizeof *filter->number_of, "ranks");
    filter->from_outside = mem_alloc(source->ranks, sizeof *filter->from_outside, "ranks");
    filter->vectors = mem_alloc(1 + 2 * (size_t)choice->count, sizeof *filter->vectors, "a vector of sizes");
    memset(filter->number_of, 0xff, source->ranks * sizeof *filter->number_of);
    for (uint32_t i = 0; i < choice->count; i++)
        filter->number_of[choice->ranks[i]] = i;
    make_groups(filter);
    look_outside(filter);
    filter->lost.name = lost_name;
    filter->program = (struct program){.ops = &ops,
                                       .lost = &filter->lost,
                                       .name = source->name,
                                       .ranks = choice->count,
                                       .groups = filter->groups,
                                       .group_count = source->group_count,
                                       .counts = filter->vectors};
}

static enum status rank_text(void *self, uint32_t rank, char **text, size_t *size)
{
    struct filter *filter = self;
    filter->rank = filter->choice->ranks[rank];
    uint32_t slot_count = slots(&filter->program, rank);
    filter->requests = mem_grow(filter->requests, &filter->slot_capacity, slot_count, "requests");
    memset(filter->requests, 0, slot_count * sizeof *filter->requests);
    filter->round = 1;
    filter->started_kept = filter->started_others = false;
    filter->cursor = (struct program_cursor){0};
    *text = ti_rank_text(&filter->program, rank, size);
    if (!*text)
        return STATUS_FAILED;
    return filter->errors ? STATUS_BAD_INPUT : STATUS_OK;
}

enum status filter_make(const struct compiled_trace *source, const struct filter_choice *choice,
                        const char *out, struct filter_counts *counts, struct compiled_trace **result)
{
    struct filter filter = {.source = source, .choice = choice, .counts = counts};
    const struct edit edit = {.ranks = choice->count, .rank_text = rank_text, .self = &filter};
    *counts = (struct filter_counts){0};
    open_filter(&filter);
    enum status status = edit_make(&edit, out, result);
    free(filter.number_of);
    free(filter.from_outside);
    free(filter.groups);
    free(filter.members);
    free(filter.vectors);
    free(filter.requests);
    return status;
}
