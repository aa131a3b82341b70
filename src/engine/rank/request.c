#include "engine/rank/request.h"

#include <assert.h>
#include <stdbool.h>

#include "base/mem.h"

void request_table_init(struct request_table *requests)
{
    *requests = (struct request_table){.slots = NULL};
}

void request_waiter_init(struct request_waiter *waiter, struct request_table *requests, uint32_t slots)
{
    *waiter = (struct request_waiter){.first = (uint32_t)requests->slot_count};
    requests->slot_count += slots;
}

void request_table_start(struct request_table *requests, struct request_waiter *waiters, size_t stride,
                         void *self, void (*ready)(void *self, uint32_t waiter))
{
    requests->waiters = waiters;
    requests->stride = stride;
    requests->self = self;
    requests->ready = ready;
    requests->slots = mem_alloc(requests->slot_count, sizeof *requests->slots, "requests");
    for (uint64_t i = 0; i < requests->slot_count; i++)
        requests->slots[i].at = REQUEST_FREE;
}

void request_table_follow(struct request_table *requests, uint32_t waiters, struct critical *critical)
{
    requests->critical = critical;
    requests->links = mem_alloc(requests->slot_count, sizeof *requests->links, "critical path");
    requests->waiter_links = mem_alloc(waiters, sizeof *requests->waiter_links, "critical path");
    if (critical_has_slack(critical))
        requests->moments = mem_alloc(requests->slot_count, sizeof *requests->moments, "slack");
    for (uint32_t i = 0; i < waiters; i++)
        requests->waiter_links[i] = POOL_NONE;
}

void request_table_free(struct request_table *requests)
{
    free(requests->links);
    free(requests->waiter_links);
    free(requests->moments);
    free(requests->slots);
}

size_t request_table_bytes(const struct request_table *requests)
{
    return requests->slot_count * sizeof *requests->slots;
}

static struct request_waiter *waiter_at(const struct request_table *requests, uint32_t index)
{
    return (struct request_waiter *)(void *)((unsigned char *)requests->waiters + index * requests->stride);
}

uint32_t request_add_handler(struct request_table *requests, void *self,
                             void (*complete)(void *self, uint32_t index, ps_t at, uint32_t peer))
{
    assert(requests->handler_count < REQUEST_HANDLERS);
    uint32_t handler = requests->handler_count++;
    requests->handlers[handler] = (struct request_handler){.self = self, .complete = complete};
    return REQUEST_HANDLED | handler << REQUEST_INDEX_BITS;
}

uint32_t *request_cause(struct request_table *requests, uint32_t waiter)
{
    return &requests->waiter_links[waiter];
}

void request_take_cause(struct request_table *requests, struct request_waiter *waiter,
                        const struct request *request)
{
    size_t index =
        (size_t)((const unsigned char *)waiter - (unsigned char *)requests->waiters) / requests->stride;
    size_t slot = (size_t)(request - requests->slots);
    uint32_t link = request->has_cause ? requests->links[slot] : POOL_NONE;
    if (requests->moments)
        critical_await(requests->critical, critical_rank(requests->critical, (uint32_t)index),
                       requests->moments[slot]);
    if (request->at > waiter->latest) {
        critical_drop(requests->critical, &requests->waiter_links[index]);
        requests->waiter_links[index] = link;
        waiter->has_link = request->has_cause;
    } else {
        critical_drop(requests->critical, &link);
    }
}

/* For slack: the moment of a completion, for the waiter or until it is awaited. Each waiter is a rank. */
__attribute__((noinline)) static void keep_moment(struct request_table *requests, uint32_t owner,
                                                  uint32_t waiter, bool awaited)
{
    if (awaited)
        critical_await(requests->critical, critical_rank(requests->critical, waiter),
                       critical_moment(requests->critical));
    else
        requests->moments[owner] = critical_moment(requests->critical);
}

static inline void keep_cause(struct request_table *requests, uint32_t owner)
{
    struct request *request = &requests->slots[owner];
    request->has_cause = critical_has_cause(requests->critical);
    if (!request->has_cause)
        return;
    requests->links[owner] = POOL_NONE;
    critical_hold(requests->critical, &requests->links[owner]);
}

/* The completion of a slot, written once for runs with the critical path and once for all others, which are
 * not to test for it. */
static inline __attribute__((always_inline)) void complete_slot(struct request_table *requests,
                                                                uint32_t owner, uint32_t waiter_index,
                                                                ps_t at, uint8_t op, uint32_t peer,
                                                                bool with_cause)
{
    struct request *request = &requests->slots[owner];
    bool awaited = request->at == REQUEST_AWAITED;
    request->op = op;
    request->peer = peer;
    if (with_cause && !awaited)
        keep_cause(requests, owner);
    if (with_cause && requests->moments)
        keep_moment(requests, owner, waiter_index, awaited);
    request->at = awaited ? REQUEST_FREE : at;
    if (!awaited)
        return;
    struct request_waiter *waiter = waiter_at(requests, waiter_index);
    if (with_cause && at > waiter->latest) {
        critical_hold(requests->critical, &requests->waiter_links[waiter_index]);
        waiter->has_link = true;
    }
    request_note(waiter, request, at);
    if (--waiter->awaited == 0)
        requests->ready(requests->self, waiter_index);
}

__attribute__((noinline)) static void complete_with_cause(struct request_table *requests, uint32_t owner,
                                                          uint32_t waiter_index, ps_t at, uint8_t op,
                                                          uint32_t peer)
{
    complete_slot(requests, owner, waiter_index, at, op, peer, true);
}

void request_complete(struct request_table *requests, uint32_t owner, uint32_t waiter_index, ps_t at,
                      uint8_t op, uint32_t peer)
{
    if (owner == REQUEST_NOBODY)
        return;
    if (owner & REQUEST_HANDLED) {
        const struct request_handler *handler =
            &requests->handlers[(owner & ~REQUEST_HANDLED) >> REQUEST_INDEX_BITS];
        handler->complete(handler->self, owner & REQUEST_INDEX_MASK, at, peer);
        return;
    }
    if (requests->critical)
        complete_with_cause(requests, owner, waiter_index, at, op, peer);
    else
        complete_slot(requests, owner, waiter_index, at, op, peer, false);
}

double request_table_estimate(double slots)
{
    return slots * (double)sizeof(struct request);
}
