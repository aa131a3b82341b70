#include "engine/rank/request.h"

#include <assert.h>
#include <stdbool.h>

#include "base/mem.h"

void request_table_init(struct request_table *requests, uint32_t waiters,
                        uint32_t (*slots)(const void *self, uint32_t waiter), const void *slots_self)
{
    uint64_t count = 0;
    *requests = (struct request_table){.waiter_count = waiters};
    requests->waiters = mem_alloc((size_t)waiters + 1, sizeof *requests->waiters, "waiting ranks");
    for (uint32_t i = 0; i < waiters; i++) {
        requests->waiters[i].first = (uint32_t)count;
        count += slots(slots_self, i);
    }
    requests->waiters[waiters].first = (uint32_t)count;
    requests->slots = mem_alloc(count, sizeof *requests->slots, "requests");
    for (uint64_t i = 0; i < count; i++)
        requests->slots[i].at = REQUEST_FREE;
}

void request_table_free(struct request_table *requests)
{
    free(requests->slots);
    free(requests->waiters);
}

size_t request_table_bytes(const struct request_table *requests)
{
    return requests->waiter_count * sizeof *requests->waiters +
           requests->waiters[requests->waiter_count].first * sizeof *requests->slots;
}

void request_notify(struct request_table *requests, void *self, void (*ready)(void *self, uint32_t waiter))
{
    requests->self = self;
    requests->ready = ready;
}

uint32_t request_add_handler(struct request_table *requests, void *self,
                             void (*complete)(void *self, uint32_t index, ps_t at, uint32_t peer))
{
    assert(requests->handler_count < REQUEST_HANDLERS);
    uint32_t handler = requests->handler_count++;
    requests->handlers[handler] = (struct request_handler){.self = self, .complete = complete};
    return REQUEST_HANDLED | handler << REQUEST_INDEX_BITS;
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
    struct request *request = &requests->slots[owner];
    bool awaited = request->at == REQUEST_AWAITED;
    request->op = op;
    request->peer = peer;
    request->at = awaited ? REQUEST_FREE : at;
    if (!awaited)
        return;
    struct request_waiter *waiter = &requests->waiters[waiter_index];
    request_note(waiter, request, at);
    if (--waiter->awaited == 0)
        requests->ready(requests->self, waiter_index);
}
