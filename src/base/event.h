#ifndef HELIO_BASE_EVENT_H
#define HELIO_BASE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* The event queue and the loop around it. Events leave in the order of (time, order of pushing).
 *
 * The nearest events stand in a short sorted array; it serves runs of few ranks, whose events are few, and
 * takes over a bucket of few events, which are sorted sooner than spread over further buckets. All others are
 * in a monotone radix heap: bucket b > 0 holds the events whose time first differs from the time of the last
 * event taken from the heap in bit b - 1, bucket 0 those at that very time. Events are only ever appended to
 * a bucket and spread from it in order, and events of equal time are always in the same bucket, so first in,
 * first out among equals needs no stored sequence number. An event moves at most 63 times, in practice two or
 * three: cost per event is flat from ten to ten million pending ones (bench/event.c).
 *
 * Every event of the array is earlier than every event of the heap, never at the same time. */
struct event {
    ps_t at;
    uint32_t kind;    /* as loop_register returned it */
    uint32_t subject; /* what it is about: a rank, a message, a flow ... */
};

enum {
    EVENT_BUCKETS = 64,
    EVENT_KINDS = 16,
    EVENT_NEAR = 48,
    EVENT_SORTED = 16,
    EVENT_STEPS = 3,  /* of foreseeing an event; five, */
    EVENT_STRIDE = 2, /* or one or three events from step to step, were no faster */
};

struct event_bucket {
    struct event *events;
    size_t begin, end, capacity;
    ps_t earliest;
};

struct event_loop {
    ps_t now;
    bool stopped;      /* no further event is taken */
    bool out_of_range; /* an event was pushed at PS_NEVER: the run has left the range of simulated time */
    uint64_t occupied; /* bit b: bucket b has events */
    ps_t last;         /* time of the last event taken: nothing may be pushed before it */
    size_t pending, peak;
    uint64_t taken;
    struct event near[EVENT_NEAR]; /* the latest first */
    uint32_t near_count;
    ps_t heap_earliest; /* PS_NEVER when the heap is empty */
    struct event_bucket buckets[EVENT_BUCKETS];
    struct {
        void (*run)(void *self, uint32_t subject);
        void (*prefetch)(const void *self, uint32_t subject, unsigned step); /* NULL: does not want to know */
        void *self;
    } handlers[EVENT_KINDS];
    uint32_t kinds;
    bool prefetches; /* events of some kind */
};

void loop_init(struct event_loop *loop);
void loop_free(struct event_loop *loop);
size_t loop_bytes(const struct event_loop *loop); /* memory held */

/* A new kind of event and who handles it. At most EVENT_KINDS per loop. */
uint32_t loop_register(struct event_loop *loop, void (*run)(void *self, uint32_t subject), void *self);

/* Before an event of the kind is due, foresee() is called for it in EVENT_STEPS steps, EVENT_STRIDE events
 * apart: where what it is about has long left the caches, that can be fetched meanwhile, first what `subject`
 * names, in the next step what that names, and so on. Of those that the queue sorts later than that some
 * steps, or all, are left out. Nothing may be changed, so results do not depend on it. */
void loop_prefetch(struct event_loop *loop, uint32_t kind,
                   void (*prefetch)(const void *self, uint32_t subject, unsigned step));

/* Takes events until none is left or a handler stops the loop. */
void loop_run(struct event_loop *loop);

/* The next event, for tests and for loops of one's own; false when there is none. */
bool loop_take(struct event_loop *loop, struct event *event);

/* The event is not earlier than the heap, or the array is full. False when it is out of range: nothing was
 * pushed, and the loop is stopped. */
bool event_push_far(struct event_loop *loop, const struct event *event);

/* Behind all that are not later. It is earlier than the heap, and there is room. */
static inline void event_insert_near(struct event_loop *loop, const struct event *event)
{
    struct event *place = loop->near + loop->near_count++;
    for (; place > loop->near && place[-1].at <= event->at; place--)
        *place = place[-1];
    *place = *event;
}

/* `at` is at or after loop->now. */
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

/* The time of the next event, PS_NEVER when there is none. Whoever acts alone before it may move `now` up to,
 * not onto, this time without going through the queue: nothing else can happen in between. */
static inline ps_t loop_next_at(const struct event_loop *loop)
{
    return loop->near_count ? loop->near[loop->near_count - 1].at : loop->heap_earliest;
}

#endif
