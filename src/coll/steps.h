#ifndef HELIO_COLL_STEPS_H
#define HELIO_COLL_STEPS_H

#include "coll/coll.h"

/* What generators use: spans, steps and the arithmetic of ranks. */

static inline struct coll_span span_of(enum coll_buffer buffer, uint64_t offset, uint64_t bytes)
{
    return (struct coll_span){buffer, offset, bytes};
}

/* A receive and a send. The receive comes first, so that it is posted when the message arrives. */
static inline void step_exchange(struct coll_sink *sink, uint32_t to, struct coll_span from, uint32_t source,
                                 struct coll_span into)
{
    sink->recv(sink, source, into);
    sink->send(sink, to, from);
}

static inline void step_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if (sink->local && from.bytes > 0)
        sink->copy(sink, from, into);
}

static inline void step_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    if (sink->local && from.bytes > 0)
        sink->reduce(sink, from, into);
}

/* rank + distance and rank - distance on the ring of `size`; distance <= size. */
static inline uint32_t ring_up(uint32_t rank, uint32_t distance, uint32_t size)
{
    uint32_t left = size - rank;
    return distance < left ? rank + distance : distance - left;
}

static inline uint32_t ring_down(uint32_t rank, uint32_t distance, uint32_t size)
{
    return distance <= rank ? rank - distance : size - (distance - rank);
}

static inline uint32_t log2_floor(uint32_t number)
{
    return 31 - (uint32_t)__builtin_clz(number);
}

/* The rounded-up logarithm of `number`, which is at least 1. */
static inline uint32_t log2_ceil(uint32_t number)
{
    return number > 1 ? log2_floor(number - 1) + 1 : 0;
}

/* Rank number `index` of all ranks but `without`, in ascending order. */
static inline uint32_t rank_other_than(uint32_t without, uint32_t index)
{
    return index < without ? index : index + 1;
}

/* Outstanding requests of algorithms with a window: the default is that of MPICH for alltoall. */
enum { WINDOW_DEFAULT = 32 };

static inline uint32_t window_of(const struct coll_call *call)
{
    return call->window > 0 ? call->window : WINDOW_DEFAULT;
}

#endif
