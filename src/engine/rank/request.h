#ifndef HELIO_ENGINE_RANK_REQUEST_H
#define HELIO_ENGINE_RANK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tap.h"
#include "base/time.h"
#include "engine/critical.h"

/* Requests and their completion. A waiter opens requests, awaits some of them, and is told when the last of
 * these is complete. It has numbered slots, and a slot holds one request at a time. A rank that executes a
 * sequence of calls is one waiter; its slots are the requests of its program. A user that needs no slots,
 * such as a collective call or an operation of a graph, registers a handler and is told of each completion.
 */

/* The owner of a completion: a request, by its index in the table, or the index of a handler with its tag. */
#define REQUEST_NOBODY     UINT32_MAX
#define REQUEST_HANDLED    (UINT32_C(1) << 31)
#define REQUEST_INDEX_BITS 29
#define REQUEST_INDEX_MASK ((UINT32_C(1) << REQUEST_INDEX_BITS) - 1)

enum { REQUEST_HANDLERS = 3 }; /* at most; with a fourth, REQUEST_NOBODY would be an owner */

/* `at` is when it completes, or one of the values below. */
struct request {
    ps_t at;
    uint8_t op;     /* enum call_op */
    bool has_cause; /* of its completion; it is in `links` */
    uint32_t peer;  /* the rank at the other end, or TAP_NOBODY */
};

#define REQUEST_FREE    ((ps_t)-1)
#define REQUEST_OPEN    ((ps_t)-2) /* not complete, and not awaited */
#define REQUEST_AWAITED ((ps_t)-3) /* not complete, and awaited */

/* One waiter. The struct of its user embeds it. */
struct request_waiter {
    ps_t latest;      /* the latest completion that it awaited */
    uint32_t first;   /* its slot 0 in the table */
    uint32_t awaited; /* requests that it awaits and that are not complete */
    uint32_t peer;    /* of the latest completion */
    uint8_t cause;    /* enum call_op of the latest completion */
    bool has_link;    /* there is one in `waiter_links`, since the call began */
};

struct request_handler {
    void *self;
    void (*complete)(void *self, uint32_t index, ps_t at, uint32_t peer);
};

struct request_table {
    struct request *slots;
    uint64_t slot_count;
    void *waiters; /* waiter 0, inside the first of equal structs of `stride` bytes */
    size_t stride;
    void (*ready)(void *self, uint32_t waiter); /* the last request that it awaited has completed */
    void *self;
    struct critical *critical;    /* NULL: nobody asks, and there are no links */
    uint32_t *links;              /* of the critical path, held: of each request with a cause */
    uint32_t *waiter_links;       /* of each waiter's latest completion */
    struct slack_moment *moments; /* of each complete request */
    struct request_handler handlers[REQUEST_HANDLERS];
    uint32_t handler_count;
};

void request_table_init(struct request_table *requests);
void request_table_free(struct request_table *requests);
size_t request_table_bytes(const struct request_table *requests);
double request_table_estimate(double slots); /* bytes of so many slots */

/* Gives the waiter its slots, before request_table_start(). */
void request_waiter_init(struct request_waiter *waiter, struct request_table *requests, uint32_t slots);

/* All waiters have their slots. Waiter 0 is *waiters, and the others follow, each `stride` bytes behind the
 * one before. ready(self, i) is called when the last request that waiter i awaited has completed. */
void request_table_start(struct request_table *requests, struct request_waiter *waiters, size_t stride,
                         void *self, void (*ready)(void *self, uint32_t waiter));

/* Keeps the causes of completions for the critical path, after request_table_start(). */
void request_table_follow(struct request_table *requests, uint32_t waiters, struct critical *critical);

/* The tag of a new handler: tag | index is an owner, for an index up to REQUEST_INDEX_MASK. */
uint32_t request_add_handler(struct request_table *requests, void *self,
                             void (*complete)(void *self, uint32_t index, ps_t at, uint32_t peer));

/* What `owner` names completes at `at`, which may lie in the future. `waiter` matters where the owner is a
 * request. Each request is completed once after it was opened. */
void request_complete(struct request_table *requests, uint32_t owner, uint32_t waiter, ps_t at, uint8_t op,
                      uint32_t peer);

/* The slot of an owner that is a request of this waiter; TAP_NOBODY: it has a handler. */
static inline uint32_t request_slot(const struct request_table *requests, uint32_t owner, uint32_t waiter)
{
    if (owner & REQUEST_HANDLED)
        return TAP_NOBODY;
    const char *first = requests->waiters;
    return owner - ((const struct request_waiter *)(const void *)(first + waiter * requests->stride))->first;
}

/* The waiter begins a call: it has awaited nothing later than `now`. */
static inline void request_begin(struct request_waiter *waiter, ps_t now)
{
    waiter->latest = now;
    waiter->has_link = false;
}

/* Opens the request of a slot and returns its owner. */
static inline uint32_t request_open(struct request_table *requests, const struct request_waiter *waiter,
                                    uint32_t slot)
{
    uint32_t owner = waiter->first + slot;
    requests->slots[owner].at = REQUEST_OPEN;
    return owner;
}

/* For the critical path: the waiter awaits a complete request. It keeps the cause of the latest completion,
 * the first of several at the same time. */
void request_take_cause(struct request_table *requests, struct request_waiter *waiter,
                        const struct request *request);

/* Whether there is a cause to keep or to forget. Most sends are complete when they are posted, without one.
 */
static inline bool request_tells_cause(const struct request_table *requests,
                                       const struct request_waiter *waiter, const struct request *request)
{
    return requests->critical && (request->has_cause || waiter->has_link || requests->moments);
}

/* The cause of what the waiter has waited for, which is held. POOL_NONE: there is none. */
uint32_t *request_cause(struct request_table *requests, uint32_t waiter);

static inline void request_note(struct request_waiter *waiter, const struct request *request, ps_t at)
{
    if (at < waiter->latest)
        return;
    waiter->latest = at;
    waiter->cause = request->op;
    waiter->peer = request->peer;
}

/* The waiter awaits the request of a slot from now on, and the slot is free when it has completed. A slot
 * without a request is passed over. */
static inline void request_await(struct request_table *requests, struct request_waiter *waiter, uint32_t slot)
{
    struct request *request = &requests->slots[waiter->first + slot];
    if (request->at == REQUEST_FREE)
        return;
    if (request->at == REQUEST_OPEN) {
        request->at = REQUEST_AWAITED;
        waiter->awaited++;
        return;
    }
    if (request_tells_cause(requests, waiter, request))
        request_take_cause(requests, waiter, request);
    request_note(waiter, request, request->at);
    request->at = REQUEST_FREE;
}

#endif
