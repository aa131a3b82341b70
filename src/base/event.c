#include "base/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void loop_init(struct event_loop *loop)
{
    memset(loop, 0, sizeof *loop);
    loop->heap_earliest = PS_NEVER;
}

void loop_free(struct event_loop *loop)
{
    for (unsigned i = 0; i < EVENT_BUCKETS; i++)
        free(loop->buckets[i].events);
    memset(loop, 0, sizeof *loop);
}

size_t loop_bytes(const struct event_loop *loop)
{
    size_t bytes = sizeof *loop;
    for (unsigned i = 0; i < EVENT_BUCKETS; i++)
        bytes += loop->buckets[i].capacity * sizeof *loop->buckets[i].events;
    return bytes;
}

uint32_t loop_register(struct event_loop *loop, void (*run)(void *self, uint32_t subject), void *self)
{
    assert(loop->kinds < EVENT_KINDS);
    loop->handlers[loop->kinds].run = run;
    loop->handlers[loop->kinds].self = self;
    return loop->kinds++;
}

/* Room at the end of a bucket: by moving its events down when at least half of it has been taken, else by
 * growing. */
void event_bucket_grow(struct event_bucket *bucket)
{
    if (bucket->begin > bucket->capacity / 2) {
        size_t live = bucket->end - bucket->begin;
        memmove(bucket->events, bucket->events + bucket->begin, live * sizeof *bucket->events);
        bucket->begin = 0;
        bucket->end = live;
        return;
    }
    bucket->events = mem_grow(bucket->events, &bucket->capacity, bucket->capacity + 1, "the event queue");
}

/* Bucket 0 is empty: takes the earliest event out of the first bucket that is not and spreads the others over
 * the buckets before it, now that they are nearer. */
static void take_from_later_bucket(struct event_loop *loop, struct event *event)
{
    unsigned index = (unsigned)__builtin_ctzll(loop->occupied);
    struct event_bucket *bucket = &loop->buckets[index];
    ps_t earliest = bucket->earliest;
    size_t i = bucket->begin, end = bucket->end;
    loop->last = earliest;
    loop->occupied &= ~(UINT64_C(1) << index);
    bucket->begin = bucket->end = 0;
    for (; bucket->events[i].at != earliest; i++)
        event_append(loop, event_bucket_of(loop, bucket->events[i].at), &bucket->events[i]);
    *event = bucket->events[i];
    for (i++; i < end; i++)
        event_append(loop, event_bucket_of(loop, bucket->events[i].at), &bucket->events[i]);
}

static void take_from_heap(struct event_loop *loop, struct event *event)
{
    if (loop->occupied & 1) {
        struct event_bucket *bucket = &loop->buckets[0];
        *event = bucket->events[bucket->begin++];
        if (bucket->begin == bucket->end) {
            bucket->begin = bucket->end = 0;
            loop->occupied &= ~UINT64_C(1);
        }
    } else {
        take_from_later_bucket(loop, event);
    }
    loop->heap_earliest = loop->occupied ? loop->buckets[__builtin_ctzll(loop->occupied)].earliest : PS_NEVER;
}

/* All of the latest time together, in their order: none may stay that is at a time the heap has. */
void event_make_room(struct event_loop *loop)
{
    uint32_t leaving = 1;
    while (leaving < loop->near_count && loop->near[leaving].at == loop->near[0].at)
        leaving++;
    for (uint32_t i = leaving; i-- > 0;)
        event_append(loop, event_bucket_of(loop, loop->near[i].at), &loop->near[i]);
    loop->near_count -= leaving;
    memmove(loop->near, loop->near + leaving, loop->near_count * sizeof *loop->near);
}

bool loop_take(struct event_loop *loop, struct event *event)
{
    if (loop->near_count)
        *event = loop->near[--loop->near_count];
    else if (loop->occupied)
        take_from_heap(loop, event);
    else
        return false;
    loop->pending--;
    loop->taken++;
    loop->now = event->at;
    return true;
}

void loop_run(struct event_loop *loop)
{
    struct event event;
    while (!loop->stopped && loop_take(loop, &event))
        loop->handlers[event.kind].run(loop->handlers[event.kind].self, event.subject);
}
