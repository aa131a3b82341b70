#ifndef HELIO_BASE_EVENT_H
#define HELIO_BASE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* The event queue and its loop. Events leave in the order of time, and events of equal time in the order in
 * which they were pushed.
 *
 * The earliest events are in a short sorted array. It is enough for runs of few ranks, and it takes over a
 * bucket of few events, because sorting few is faster than spreading them over buckets. All others are in a
 * monotone radix heap. Let T be the time of the last event taken from the heap. Bucket 0 has the events at T;
 * bucket b > 0 has those whose time differs from T first in bit b - 1. Events are appended to a bucket, and
 * spread from it in order, and events of equal time are always in one bucket, so they keep their order
 * without a stored sequence number. An event moves at most 63 times, in practice two or three. The cost per
 * event is the same for ten and for ten million pending events (bench/event.c).
 *
 * Every event of the array is strictly earlier than every event of the heap. */
struct event {
    ps_t at;
    uint32_t kind;    /* from loop_register */
    uint32_t subject; /* what it is about: a rank, a message, a flow ... */
};

enum {
    EVENT_BUCKETS = 64,
    EVENT_KINDS = 32,
    EVENT_NEAR = 48,
    EVENT_SORTED = 16,
    EVENT_GIVEN_BACK = 1 << 12, /* events of a bucket whose memory is freed when they are spread */
    EVENT_STEPS = 3,            /* of prefetching for an event; 5 steps are not faster */
    EVENT_STRIDE = 2,           /* events between two steps; 1 or 3 are not faster */
    EVENT_WATCH = 1 << 10,      /* events between two calls of the loop's watch */
};

struct event_bucket {
    struct event *events;
    size_t begin, end, capacity;
    ps_t earliest;
};

struct event_loop {
    ps_t now;
    bool stopped;      /* loop_run returns before the next event */
    bool out_of_range; /* an event at PS_NEVER was pushed: simulated time does not reach so far */
    uint64_t occupied; /* bit b: bucket b has events */
    ps_t last;         /* time of the last event taken from the heap */
    size_t pending, peak;
    uint64_t taken;
    struct event near[EVENT_NEAR]; /* the latest first */
    uint32_t near_count;
    ps_t heap_earliest; /* PS_NEVER when the heap is empty */
    struct event_bucket buckets[EVENT_BUCKETS];
    struct {
        void (*run)(void *self, uint32_t subject);
        void (*prefetch)(const void *self, uint32_t subject, unsigned step); /* NULL: none */
        void *self;
    } handlers[EVENT_KINDS];
    uint32_t kinds;
    bool prefetches; /* some kind has a prefetch function */
    void (*watch)(void *self);
    void *watch_self;
};

void loop_init(struct event_loop *loop);
void loop_free(struct event_loop *loop);
size_t loop_bytes(const struct event_loop *loop); /* memory held */
double loop_estimate(double events);              /* the same of a run with so many events at once */

/* Registers a kind of event with its handler. A loop has at most EVENT_KINDS. */
uint32_t loop_register(struct event_loop *loop, void (*run)(void *self, uint32_t subject), void *self);

/* Lets a kind of event prefetch memory that has left the caches. prefetch() is called for an event before it
 * is due, in EVENT_STEPS steps, EVENT_STRIDE events apart. The first step prefetches the record of `subject`,
 * the next step what that record refers to, and so on. An event that enters the sorted part of the queue late
 * gets only the last steps, or none. prefetch() must not change anything, so results do not depend on it. */
void loop_prefetch(struct event_loop *loop, uint32_t kind,
                   void (*prefetch)(const void *self, uint32_t subject, unsigned step));

/* The event that is `away` events ahead, for other loops; NULL: the queue has not sorted so far. */
static inline const struct event *loop_upcoming(const struct event_loop *loop, unsigned away)
{
    if (loop->near_count)
        return away <= loop->near_count ? &loop->near[loop->near_count - away] : NULL;
    const struct event_bucket *bucket = &loop->buckets[0];
    return away <= bucket->end - bucket->begin ? &bucket->events[bucket->begin + away - 1] : NULL;
}

/* Calls `watch` once in EVENT_WATCH events, before the event is handled. It may stop the loop. */
void loop_watch(struct event_loop *loop, void (*watch)(void *self), void *self);

/* Runs events until none is left, or a handler stops the loop. */
void loop_run(struct event_loop *loop);

/* Takes the next event, for tests and for other loops. False: there is none. */
bool loop_take(struct event_loop *loop, struct event *event);

/* Pushes an event that is not earlier than the heap, or when the array is full. False: its time is out of
 * range; it is not pushed, and the loop stops. */
bool event_push_far(struct event_loop *loop, const struct event *event);

/* Inserts an event that is earlier than the heap behind all events that are not later. The array has room. */
static inline void event_insert_near(struct event_loop *loop, const struct event *event)
{
    struct event *place = loop->near + loop->near_count++;
    for (; place > loop->near && place[-1].at <= event->at; place--)
        *place = place[-1];
    *place = *event;
}

/* Pushes an event. `at` is not before loop->now. */
static inline void loop_at(struct event_loop *loop, ps_t at, uint32_t kind, uint32_t subject)
{
    struct event event = {.at = at, .kind = kind, .subject = subject};
    if (at < loop->heap_earliest && loop->near_count < EVENT_NEAR)
        event_insert_near(loop, &event);
    else if (!event_push_far(loop, &event))
        return;
    if (++loop->pending > loop->peak)
        loop->peak = loop->pending;
}

/* What is known to happen at `at` has no event. If simulated time does not reach so far, the loop stops. */
static inline void loop_reach(struct event_loop *loop, ps_t at)
{
    if (at == PS_NEVER)
        loop->out_of_range = loop->stopped = true;
}

/* The time of the next event; PS_NEVER: there is none. A handler may move `now` forward to any time before it
 * without an event, because nothing else happens until then. */
static inline ps_t loop_next_at(const struct event_loop *loop)
{
    return loop->near_count ? loop->near[loop->near_count - 1].at : loop->heap_earliest;
}

#endif
