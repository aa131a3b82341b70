#ifndef HELIO_EXTRAPOLATE_RANK_EVENTS_H
#define HELIO_EXTRAPOLATE_RANK_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "call/call.h"

/* A call of one rank in a form in which calls can be compared. A computation is not an event; an event has
 * the operations before it. A wait has the ends and the tag of its request, not its slot. */
struct rank_event {
    uint8_t op, flags, element_bytes, datatype; /* as in struct call */
    uint8_t waits_for;                          /* wait: the op of its request, CALL_SEND or CALL_RECV */
    int32_t peer;
    int32_t source; /* sendrecv: where its receive comes from */
    int32_t tag;
    uint32_t tag_apart; /* sendrecv: the tag of its receive less that of its send */
    uint32_t comm;      /* its communicator, by comm_codes(); of a wait, that of its request */
    uint64_t bytes, recv_bytes;
    const uint64_t *sizes[2]; /* sent to each member, received from each; NULL: all are alike, or unknown */
    uint32_t members;         /* of its communicator, if the call has such sizes */
    double amount;            /* reductions: their operations */
    double operations;        /* computed since the last event */
};

/* Whether both are the same call, if partners, tags and sizes are ignored. */
static inline bool rank_event_like(const struct rank_event *a, const struct rank_event *b)
{
    return a->op == b->op && a->flags == b->flags && a->element_bytes == b->element_bytes &&
           a->datatype == b->datatype && a->waits_for == b->waits_for && a->comm == b->comm &&
           a->tag_apart == b->tag_apart;
}

/* The number of partners: 2 if `peer` and `source` are partners, 1 if `peer` is one. */
static inline unsigned rank_event_peers(const struct rank_event *event)
{
    if (event->op == CALL_SENDRECV)
        return 2;
    return event->op == CALL_SEND || event->op == CALL_RECV || event->op == CALL_WAIT ||
           event->op == CALL_BCAST || event->op == CALL_REDUCE || event->op == CALL_GATHER ||
           event->op == CALL_SCATTER || event->op == CALL_GATHERV || event->op == CALL_SCATTERV;
}

/* Whether the root alone knows the sizes that members send (side 0) or receive: those of gatherv, scatterv.
 */
static inline bool rank_event_root_knows(const struct rank_event *event, unsigned side)
{
    return event->op == (side ? CALL_GATHERV : CALL_SCATTERV);
}

/* Whether the call has a size for each member on this side, whether or not this rank knows it. */
static inline bool rank_event_has_sizes(const struct rank_event *event, unsigned side)
{
    return event->sizes[side] || rank_event_root_knows(event, side);
}

/* Whether `bytes` of a rank is its entry in the sizes of some side. */
static inline bool rank_event_has_entry(const struct rank_event *event)
{
    return event->op == CALL_ALLGATHERV || event->op == CALL_GATHERV || event->op == CALL_SCATTERV;
}

static inline int32_t rank_event_peer(const struct rank_event *event, unsigned which)
{
    return which ? event->source : event->peer;
}

static inline bool rank_event_same_sizes(const struct rank_event *a, const struct rank_event *b)
{
    for (int side = 0; side < 2; side++)
        if (!a->sizes[side] != !b->sizes[side] || a->members != b->members ||
            (a->sizes[side] && memcmp(a->sizes[side], b->sizes[side], a->members * sizeof(uint64_t))))
            return false;
    return true;
}

/* Whether both are the same call with the same partners, tags and sizes. Operations are ignored. */
static inline bool rank_event_same(const struct rank_event *a, const struct rank_event *b)
{
    return rank_event_like(a, b) && a->tag == b->tag && (rank_event_peers(a) < 1 || a->peer == b->peer) &&
           (rank_event_peers(a) < 2 || a->source == b->source) && a->bytes == b->bytes &&
           a->recv_bytes == b->recv_bytes && rank_event_same_sizes(a, b);
}

struct rank_events {
    struct rank_event *at;
    size_t count, capacity;
};

/* A request that a rank has started and has not waited for. */
struct pending_request {
    int32_t peer, tag;
    uint32_t slot, comm;
    uint8_t op; /* CALL_SEND, CALL_RECV */
};

struct pending_list {
    struct pending_request *at; /* oldest first */
    size_t count, capacity;
};

void pending_add(struct pending_list *outstanding, struct pending_request request);
void pending_remove(struct pending_list *outstanding, size_t index);

/* Reads the calls of one rank from its next to its last. Older contents of *events are lost. `codes`: those
 * of comm_codes(); NULL: communicators are numbers of groups. STATUS_BAD_INPUT, reported: a call cannot be
 * extrapolated. */
enum status rank_events_read(struct program *program, uint32_t rank, const uint32_t *codes,
                             struct rank_events *events);

/* The place of the rank's event `index`. Reads the rank from the start, after a rewind of the program. */
struct call_place rank_events_place(struct program *program, uint32_t rank, size_t index);

#endif
