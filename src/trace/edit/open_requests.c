#include "trace/edit/open_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void open_requests_begin(struct open_requests *requests, const struct compiled_trace *source, uint32_t rank)
{
    uint32_t slots = source->ranks[rank].slots;
    requests->count = 0;
    requests->at = mem_grow(requests->at, &requests->at_capacity, slots, "requests");
    memset(requests->at, 0, slots * sizeof *requests->at);
}

void open_requests_free(struct open_requests *requests)
{
    free(requests->list);
    free(requests->at);
}

static void start(struct open_requests *requests, uint32_t slot, uint64_t at, uint64_t place)
{
    if (!requests->at[slot]) {
        requests->list = mem_grow(requests->list, &requests->capacity, requests->count + 1, "requests");
        requests->at[slot] = (uint32_t)++requests->count;
    }
    requests->list[requests->at[slot] - 1] =
        (struct started_request){.slot = slot, .place = place, .started = at};
}

static void end(struct open_requests *requests, uint32_t slot)
{
    uint32_t number = requests->at[slot] - 1;
    requests->at[slot] = 0;
    requests->count--;
    if (number == requests->count)
        return;
    requests->list[number] = requests->list[requests->count];
    requests->at[requests->list[number].slot] = number + 1;
}

static void end_all(struct open_requests *requests, uint64_t at, uint64_t place, open_requests_named *named,
                    void *self)
{
    for (size_t i = 0; i < requests->count; i++) {
        const struct started_request *request = &requests->list[i];
        if (!request->tested)
            named(self, request->place, place, request->started, at);
        requests->at[request->slot] = 0;
    }
    requests->count = 0;
}

void open_requests_see(struct open_requests *requests, const struct call *call, uint64_t at, uint64_t place,
                       open_requests_named *named, void *self)
{
    if (call->op == CALL_WAITALL) {
        end_all(requests, at, place, named, self);
    } else if (call->op == CALL_WAIT || call->op == CALL_TEST) {
        if (!requests->at[call->slot])
            return;
        struct started_request *request = &requests->list[requests->at[call->slot] - 1];
        named(self, request->place, place, request->started, at);
        request->place = place;
        request->tested = true;
        if (call->op == CALL_WAIT)
            end(requests, call->slot);
    } else if (call->flags & CALL_IMMEDIATE) {
        start(requests, call->slot, at, place);
    }
}
