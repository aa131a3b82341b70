#include "base/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/estimate.h"
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

/* The loop itself counts as this much memory: a constant, so that the account of a run depends on what it
 * does, and not on how many kinds of events there can be. */
enum { LOOP_BYTES = 3808 };

size_t loop_bytes(const struct event_loop *loop)
{
    size_t bytes = LOOP_BYTES;
    for (unsigned i = 0; i < EVENT_BUCKETS; i++)
        bytes += loop->buckets[i].capacity * sizeof *loop->buckets[i].events;
    return bytes;
}

/* The events of one time are in one bucket; the bucket from which they were spread keeps its memory. */
double loop_estimate(double events)
{
    return LOOP_BYTES + 2 * estimate_array(events, sizeof(struct event));
}

uint32_t loop_register(struct event_loop *loop, void (*run)(void *self, uint32_t subject), void *self)
{
    if (loop->kinds == EVENT_KINDS)
        mem_exhausted("another kind of event: a run has at most 32");
    loop->handlers[loop->kinds].run = run;
    loop->handlers[loop->kinds].self = self;
    return loop->kinds++;
}

/* Makes room at the end of a bucket. If more than half of its events have been taken, the others move down,
 * else it grows. */
static void bucket_grow(struct event_bucket *bucket)
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

/* Appends the event to its bucket; returns the number of this. `last` is the loop's. */
static inline __attribute__((always_inline)) unsigned put(struct event_loop *loop, ps_t last,
                                                          const struct event *event)
{
    uint64_t differing = (uint64_t)event->at ^ (uint64_t)last;
    unsigned index = differing ? 64 - (unsigned)__builtin_clzll(differing) : 0;
    struct event_bucket *bucket = &loop->buckets[index];
    if (__builtin_expect(bucket->end == bucket->capacity, 0))
        bucket_grow(bucket);
    if (bucket->begin == bucket->end || event->at < bucket->earliest)
        bucket->earliest = event->at;
    bucket->events[bucket->end++] = *event;
    return index;
}

static void append(struct event_loop *loop, const struct event *event)
{
    loop->occupied |= UINT64_C(1) << put(loop, loop->last, event);
    if (event->at < loop->heap_earliest)
        loop->heap_earliest = event->at;
}

/* Takes the earliest event from a bucket. The others now differ from the last time in lower bits, and are
 * spread over the buckets before it; the caller finds out when these begin. */
static void spread(struct event_loop *loop, struct event_bucket *bucket, struct event *event)
{
    const ps_t last = loop->last;
    const struct event *next = bucket->events + bucket->begin, *end = bucket->events + bucket->end;
    uint64_t occupied = loop->occupied;
    bucket->begin = bucket->end = 0;
    for (; next->at != last; next++)
        occupied |= UINT64_C(1) << put(loop, last, next);
    *event = *next++;
    for (; next < end; next++)
        occupied |= UINT64_C(1) << put(loop, last, next);
    loop->occupied = occupied;
    if (bucket->capacity >= EVENT_GIVEN_BACK) { /* the others have these events now */
        free(bucket->events);
        bucket->events = NULL;
        bucket->capacity = 0;
    }
}

/* Sorts the events of a bucket into the empty array, and takes the earliest. */
static void sort_near(struct event_loop *loop, struct event_bucket *bucket, struct event *event)
{
    for (size_t next = bucket->begin; next < bucket->end; next++) {
        uint32_t i = loop->near_count++;
        for (; i > 0 && loop->near[i - 1].at <= bucket->events[next].at; i--)
            loop->near[i] = loop->near[i - 1];
        loop->near[i] = bucket->events[next];
    }
    bucket->begin = bucket->end = 0;
    *event = loop->near[--loop->near_count];
}

/* Takes the earliest event from the first bucket that has any. Array and bucket 0 are empty. */
static void take_from_later_bucket(struct event_loop *loop, struct event *event)
{
    unsigned index = (unsigned)__builtin_ctzll(loop->occupied);
    struct event_bucket *bucket = &loop->buckets[index];
    loop->last = bucket->earliest;
    loop->occupied &= ~(UINT64_C(1) << index);
    if (bucket->end - bucket->begin <= EVENT_SORTED)
        sort_near(loop, bucket, event);
    else
        spread(loop, bucket, event);
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

/* The array is full. Its latest events move to the heap: all of the same time, in their order, since no time
 * may be both in the array and in the heap. */
static void make_room(struct event_loop *loop)
{
    uint32_t leaving = 1;
    while (leaving < loop->near_count && loop->near[leaving].at == loop->near[0].at)
        leaving++;
    for (uint32_t i = leaving; i-- > 0;)
        append(loop, &loop->near[i]);
    loop->near_count -= leaving;
    memmove(loop->near, loop->near + leaving, loop->near_count * sizeof *loop->near);
}

bool event_push_far(struct event_loop *loop, const struct event *event)
{
    if (event->at == PS_NEVER) {
        loop->out_of_range = loop->stopped = true;
        return false;
    }
    if (event->at < loop->heap_earliest)
        make_room(loop);
    if (event->at < loop->heap_earliest) /* make_room has made the heap begin earlier */
        event_insert_near(loop, event);
    else
        append(loop, event);
    return true;
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

void loop_prefetch(struct event_loop *loop, uint32_t kind,
                   void (*prefetch)(const void *self, uint32_t subject, unsigned step))
{
    loop->handlers[kind].prefetch = prefetch;
    loop->prefetches = true;
}

static void prefetch_upcoming(const struct event_loop *loop)
{
    for (unsigned step = 0; step < EVENT_STEPS; step++) {
        const struct event *event = loop_upcoming(loop, EVENT_STRIDE * (EVENT_STEPS - step));
        if (event && loop->handlers[event->kind].prefetch)
            loop->handlers[event->kind].prefetch(loop->handlers[event->kind].self, event->subject, step);
    }
}

void loop_watch(struct event_loop *loop, void (*watch)(void *self), void *self)
{
    loop->watch = watch;
    loop->watch_self = self;
}

void loop_run(struct event_loop *loop)
{
    struct event event;
    while (!loop->stopped && loop_take(loop, &event)) {
        if (loop->taken % EVENT_WATCH == 0 && loop->watch)
            loop->watch(loop->watch_self);
        if (loop->prefetches)
            prefetch_upcoming(loop);
        loop->handlers[event.kind].run(loop->handlers[event.kind].self, event.subject);
    }
}
