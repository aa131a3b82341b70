#include "extrapolate/rank_events.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

void pending_add(struct pending_list *outstanding, struct pending_request request)
{
    outstanding->at =
        mem_grow(outstanding->at, &outstanding->capacity, outstanding->count + 1, "outstanding of a rank");
    outstanding->at[outstanding->count++] = request;
}

void pending_remove(struct pending_list *outstanding, size_t index)
{
    outstanding->count--;
    memmove(&outstanding->at[index], &outstanding->at[index + 1],
            (outstanding->count - index) * sizeof *outstanding->at);
}

/* Why a call cannot be extrapolated; NULL: it can. */
static const char *hindrance(const struct call *call)
{
    if (call->op == CALL_TEST)
        return "asks whether a request is done, so how often it is called depends on the network";
    if (call->op == CALL_SLEEP)
        return "sleeps, and it is not known how the time grows";
    return NULL;
}

static enum status refuse(struct program *program, uint32_t rank, const struct call *call, const char *why)
{
    struct call_place at = program->ops->place(program, rank);
    char text[128];
    diag_report(DIAG_ERROR, &(struct diag_place){.file = at.file, .line = at.line},
                "cannot be extrapolated: %s %s", call_describe(call, text, sizeof text), why);
    return STATUS_BAD_INPUT;
}

/* Removes and returns the request of a wait. A slot without a request is possible in a trace that has not
 * been checked. */
static struct pending_request take_pending(struct pending_list *outstanding, uint32_t slot)
{
    for (size_t i = 0; i < outstanding->count; i++)
        if (outstanding->at[i].slot == slot) {
            struct pending_request request = outstanding->at[i];
            pending_remove(outstanding, i);
            return request;
        }
    return (struct pending_request){.peer = CALL_PROC_NULL, .op = CALL_RECV};
}

static const uint64_t *sizes_at(const struct program *program, uint64_t at)
{
    return at ? program->counts + at : NULL;
}

static struct rank_event event_of(const struct program *program, const struct call *call,
                                  struct pending_list *outstanding)
{
    struct rank_event event = {
        .op = call->op,
        .flags = call->flags,
        .element_bytes = call->element_bytes,
        .datatype = call->datatype,
        .peer = call->peer,
        .source = call->source,
        .tag = call->tag,
        .tag_apart = call->op == CALL_SENDRECV ? call->expected : 0,
        .comm = call->context,
        .bytes = call->bytes,
        .recv_bytes = call->recv_bytes,
        .sizes = {sizes_at(program, call->send_counts), sizes_at(program, call->recv_counts)},
        .amount = call->amount};
    if (rank_event_has_sizes(&event, 0) || rank_event_has_sizes(&event, 1))
        event.members = program->groups[call->group].size;
    if (call->flags & CALL_IMMEDIATE)
        pending_add(outstanding,
                    (struct pending_request){call->peer, call->tag, call->slot, call->context, call->op});
    if (call->op == CALL_WAIT) {
        struct pending_request request = take_pending(outstanding, call->slot);
        event.peer = request.peer;
        event.tag = request.tag;
        event.comm = request.comm;
        event.waits_for = request.op;
    } else if (call->op == CALL_WAITALL) {
        outstanding->count = 0;
    }
    return event;
}

/* The rank's next event. False: there is none, or, with *status, a call cannot be extrapolated. */
static bool next_event(struct program *program, uint32_t rank, struct pending_list *outstanding,
                       struct rank_event *event, enum status *status)
{
    struct call scratch;
    double operations = 0;
    for (const struct call *call; (call = program_next(program, rank, &scratch));) {
        if (call->op == CALL_NOTHING)
            continue;
        if (call->op == CALL_COMPUTE) {
            operations += call->amount;
            continue;
        }
        const char *why = hindrance(call);
        if (why) {
            *status = refuse(program, rank, call, why);
            return false;
        }
        *event = event_of(program, call, outstanding);
        event->operations = operations;
        return true;
    }
    return false;
}

enum status rank_events_read(struct program *program, uint32_t rank, const uint32_t *codes,
                             struct rank_events *events)
{
    struct pending_list outstanding = {0};
    struct rank_event event;
    enum status status = STATUS_OK;
    events->count = 0;
    while (next_event(program, rank, &outstanding, &event, &status)) {
        events->at = mem_grow(events->at, &events->capacity, events->count + 1, "calls of a rank");
        event.comm = codes ? codes[event.comm] : event.comm;
        events->at[events->count++] = event;
    }
    free(outstanding.at);
    return status;
}

struct call_place rank_events_place(struct program *program, uint32_t rank, size_t index)
{
    struct pending_list outstanding = {0};
    struct rank_event event;
    enum status status = STATUS_OK;
    program->ops->rewind(program);
    for (size_t i = 0; i <= index; i++)
        if (!next_event(program, rank, &outstanding, &event, &status))
            break;
    free(outstanding.at);
    return program->ops->place(program, rank);
}
