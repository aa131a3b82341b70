#ifndef HELIO_EXTRAPOLATE_EVENT_H
#define HELIO_EXTRAPOLATE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "call/call.h"

/* A call of one rank, free of what differs from run to run: computation is no event of its own but the
 * operations before one, and a wait names the request by its ends and tag, not by a slot. */
struct event {
    uint8_t op, flags, element_bytes, datatype; /* as in struct call */
    uint8_t waits_for;                          /* wait: CALL_SEND or CALL_RECV, what its request is */
    int32_t peer;
    int32_t source; /* sendrecv: where its receive comes from */
    int32_t tag;
    uint64_t bytes, recv_bytes;
    double amount;     /* reductions: their operations */
    double operations; /* computed since the event before */
};

/* Whether both are the same call; partners, tags and sizes apart. */
static inline bool event_like(const struct event *a, const struct event *b)
{
    return a->op == b->op && a->flags == b->flags && a->element_bytes == b->element_bytes &&
           a->datatype == b->datatype && a->waits_for == b->waits_for;
}

/* How many of `peer` and `source` name a partner. */
static inline unsigned event_peers(const struct event *event)
{
    if (event->op == CALL_SENDRECV)
        return 2;
    return event->op == CALL_SEND || event->op == CALL_RECV || event->op == CALL_WAIT ||
           event->op == CALL_BCAST || event->op == CALL_REDUCE || event->op == CALL_GATHER ||
           event->op == CALL_SCATTER;
}

static inline int32_t event_peer(const struct event *event, unsigned which)
{
    return which ? event->source : event->peer;
}

/* The same call with the same partners and sizes; what is computed before does not matter. */
static inline bool event_same(const struct event *a, const struct event *b)
{
    return event_like(a, b) && a->tag == b->tag && (event_peers(a) < 1 || a->peer == b->peer) &&
           (event_peers(a) < 2 || a->source == b->source) && a->bytes == b->bytes &&
           a->recv_bytes == b->recv_bytes;
}

struct events {
    struct event *at;
    size_t count, capacity;
};

/* A request that a rank has started and not waited for. */
struct pending {
    int32_t peer, tag;
    uint32_t slot;
    uint8_t op; /* CALL_SEND, CALL_RECV */
};

struct outstanding {
    struct pending *at; /* oldest first */
    size_t count, capacity;
};

void outstanding_add(struct outstanding *outstanding, struct pending request);
void outstanding_remove(struct outstanding *outstanding, size_t index);

/* The calls of one rank from its first to its last, in place of what *events held. STATUS_BAD_INPUT: a call
 * that cannot be extrapolated, reported. */
enum status events_read(struct program *program, uint32_t rank, struct events *events);

/* Where the rank's event `index` stands. Walks through the rank. */
struct call_place events_place(struct program *program, uint32_t rank, size_t index);

#endif
