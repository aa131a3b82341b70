#ifndef HELIO_ENGINE_RANK_ENDPOINT_H
#define HELIO_ENGINE_RANK_ENDPOINT_H

#include "engine/engine.h"
#include "engine/rank/context.h"
#include "fabric/fabric.h"
#include "host/copy.h"

/* What a message passes at its two ends before and after the fabric, and what the cores of ranks do for it.
 * The null endpoint, a NULL pointer, is the run without a host model: messages and calls pass at once. The
 * functions below answer for it; their one test for NULL is cheaper than a call through a table.
 *
 * Another endpoint is a file with a struct endpoint_ops, as endpoint_host.c, and a line in endpoint_list.c.
 *
 * An endpoint knows ranks by number only. It is told when a rank begins to wait and when it has waited, and
 * polls for the rank in between. */

/* The kind of call in which a rank waits. */
enum endpoint_wait {
    ENDPOINT_WAIT_SEND,     /* a blocking send */
    ENDPOINT_WAIT_CALL,     /* another blocking call */
    ENDPOINT_WAIT_REQUESTS, /* a wait for requests */
};

/* What a rank's core does for its node. */
enum endpoint_work {
    ENDPOINT_WORK_NONE,
    ENDPOINT_WORK_BARRIER, /* arrives at a barrier of the node */
    ENDPOINT_WORK_FLAG,    /* raises or awaits a flag */
    ENDPOINT_WORK_CALL,    /* begins a collective call */
};

/* What an endpoint tells about a message that it was given. */
struct endpoint_callbacks {
    void *self;
    void (*posted)(void *self, uint32_t message, ps_t at);  /* by the core of its sender */
    void (*leaves)(void *self, uint32_t message);           /* now, to the fabric or within the node */
    void (*arrived)(void *self, uint32_t message, ps_t at); /* the core of its receiver has it */
};

/* What an endpoint is made with. */
struct endpoint_params {
    const struct engine_params *run;
    struct run_context *context;
    struct pool *messages;
    struct endpoint_callbacks callbacks;
    uint32_t ranks, nodes, ranks_per_node;
};

struct endpoint_ops {
    /* Whether the run is to have this endpoint. */
    bool (*is_wanted)(const struct engine_params *run);
    struct endpoint *(*open)(const struct endpoint_params *params);
    void (*attach)(struct endpoint *endpoint, const struct fabric *fabric); /* before the first message */
    void (*begin_send)(struct endpoint *endpoint, uint32_t rank);           /* the rank calls a send */
    /* The message may leave: the endpoint tells `posted`, and `leaves` when it does. */
    void (*post)(struct endpoint *endpoint, uint32_t message);
    /* The message comes out of the fabric at `at`: the endpoint tells `arrived`. */
    void (*deliver)(struct endpoint *endpoint, uint32_t message, ps_t at);
    void (*enter)(struct endpoint *endpoint, uint32_t rank, enum endpoint_wait wait); /* the rank waits */
    ps_t (*leave)(struct endpoint *endpoint, uint32_t rank, ps_t at); /* it has waited; until when */
    /* In place of both: what the rank waits for completes at `at`, which is known. Until when it waits. */
    ps_t (*pass)(struct endpoint *endpoint, uint32_t rank, ps_t at, enum endpoint_wait wait);
    void (*test)(struct endpoint *endpoint, uint32_t rank); /* it polls once */
    /* The core does this when it is free; returns when it is done. */
    ps_t (*work)(struct endpoint *endpoint, uint32_t rank, enum endpoint_work work);
    void (*copy)(struct endpoint *endpoint, const struct host_copy *copy);   /* the core copies */
    void (*reduce)(struct endpoint *endpoint, const struct host_copy *copy); /* it combines as many bytes */
    /* A message of `bytes` for the rank has come, `from` another one, and is at this place. */
    void (*fill)(struct endpoint *endpoint, uint32_t rank, uint32_t from, struct host_place into,
                 uint64_t bytes);
    void (*account)(const struct endpoint *endpoint, struct engine_usage *usage); /* adds what it used */
    /* The bytes that it will hold, beside its events, with so many messages under way at once. */
    double (*estimate)(const struct engine_params *run, uint32_t nodes, double messages);
    void (*close)(struct endpoint *endpoint);
};

/* Implementations embed this as their first member. */
struct endpoint {
    const struct endpoint_ops *ops;
    bool tells_sending; /* an eager message has parts without a gap from when it is posted until it leaves */
    bool copies;        /* copies or reductions take time: `copy` and `reduce` may be called */
    bool has_caches;    /* `fill` is to be called */
    uint64_t included_bytes; /* of each message, whose time on the wire the fabric's latency includes */
    /* Of rank 0; for the other ranks each `core_stride` bytes behind the one before. They are read in every
     * call, so no function of the table is asked for them. */
    const ps_t *free_at;  /* when the core is free */
    const ps_t *software; /* what the core has spent on messages */
    size_t core_stride;
};

static inline ps_t endpoint_core_value(const struct endpoint *endpoint, const ps_t *first, uint32_t rank)
{
    return *(const ps_t *)(const void *)((const unsigned char *)first + rank * endpoint->core_stride);
}

static inline bool endpoint_is_null(const struct endpoint *endpoint)
{
    return !endpoint;
}

static inline bool endpoint_tells_sending(const struct endpoint *endpoint)
{
    return endpoint && endpoint->tells_sending;
}

static inline bool endpoint_copies(const struct endpoint *endpoint)
{
    return endpoint && endpoint->copies;
}

static inline uint64_t endpoint_included_bytes(const struct endpoint *endpoint)
{
    return endpoint ? endpoint->included_bytes : 0;
}

static inline void endpoint_attach(struct endpoint *endpoint, const struct fabric *fabric)
{
    if (endpoint)
        endpoint->ops->attach(endpoint, fabric);
}

/* True: what the rank sends is posted now. False: the endpoint will tell when. */
static inline bool endpoint_begin_send(struct endpoint *endpoint, uint32_t rank)
{
    if (!endpoint)
        return true;
    endpoint->ops->begin_send(endpoint, rank);
    return false;
}

/* True: the message leaves now. False: the endpoint has it, and will tell. */
static inline bool endpoint_post(struct endpoint *endpoint, uint32_t message)
{
    if (!endpoint)
        return true;
    endpoint->ops->post(endpoint, message);
    return false;
}

/* True: the receiver has the message at `at`. False: the endpoint has it, and will tell. */
static inline bool endpoint_deliver(struct endpoint *endpoint, uint32_t message, ps_t at)
{
    if (!endpoint)
        return true;
    endpoint->ops->deliver(endpoint, message, at);
    return false;
}

static inline void endpoint_enter(struct endpoint *endpoint, uint32_t rank, enum endpoint_wait wait)
{
    if (endpoint)
        endpoint->ops->enter(endpoint, rank, wait);
}

static inline ps_t endpoint_leave(struct endpoint *endpoint, uint32_t rank, ps_t at)
{
    return endpoint ? endpoint->ops->leave(endpoint, rank, at) : at;
}

static inline ps_t endpoint_pass(struct endpoint *endpoint, uint32_t rank, ps_t at, enum endpoint_wait wait)
{
    return endpoint ? endpoint->ops->pass(endpoint, rank, at, wait) : at;
}

static inline void endpoint_test(struct endpoint *endpoint, uint32_t rank)
{
    if (endpoint)
        endpoint->ops->test(endpoint, rank);
}

/* `now` is the present time, here and below. */
static inline ps_t endpoint_work(struct endpoint *endpoint, uint32_t rank, enum endpoint_work work, ps_t now)
{
    return endpoint ? endpoint->ops->work(endpoint, rank, work) : now;
}

/* Only where endpoint_copies(). */
static inline void endpoint_copy(struct endpoint *endpoint, const struct host_copy *copy)
{
    endpoint->ops->copy(endpoint, copy);
}

static inline void endpoint_reduce(struct endpoint *endpoint, const struct host_copy *copy)
{
    endpoint->ops->reduce(endpoint, copy);
}

static inline bool endpoint_has_caches(const struct endpoint *endpoint)
{
    return endpoint && endpoint->has_caches;
}

/* Only where endpoint_has_caches(). */
static inline void endpoint_fill(struct endpoint *endpoint, uint32_t rank, uint32_t from,
                                 struct host_place into, uint64_t bytes)
{
    endpoint->ops->fill(endpoint, rank, from, into, bytes);
}

static inline ps_t endpoint_free_at(const struct endpoint *endpoint, uint32_t rank, ps_t now)
{
    return endpoint ? endpoint_core_value(endpoint, endpoint->free_at, rank) : now;
}

static inline ps_t endpoint_software(const struct endpoint *endpoint, uint32_t rank)
{
    return endpoint ? endpoint_core_value(endpoint, endpoint->software, rank) : 0;
}

static inline void endpoint_account(const struct endpoint *endpoint, struct engine_usage *usage)
{
    if (endpoint)
        endpoint->ops->account(endpoint, usage);
}

static inline void endpoint_close(struct endpoint *endpoint)
{
    if (endpoint)
        endpoint->ops->close(endpoint);
}

#endif
