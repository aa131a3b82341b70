#ifndef HELIO_ENGINE_LOGGOPS_INTERNAL_H
#define HELIO_ENGINE_LOGGOPS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event.h"
#include "base/mem.h"
#include "base/queue.h"
#include "base/queue_table.h"
#include "call/graph.h"
#include "engine/engine.h"
#include "fabric/loggops.h"
#include "fabric/message.h"

enum loggops_rules { LOGGOPS_MENDED, LOGGOPS_PUBLISHED, LOGGOPS_ATLAHS };

/* Times in the units of the rules: ps, or with compat ns modulo 2^64, as the simulators count. */
typedef uint64_t when_t;

/* ------------------------------------------------------------------- events */

enum loggops_event_kind {
    EVENT_OPERATION, /* subject: an operation of the host */
    EVENT_MESSAGE,   /* subject: a message that is at the host */
    EVENT_GROUP,     /* subject: a group, whose first event may go on */
};

/* Events leave by time, and those of equal time by their number, which an event keeps while it waits. */
struct loggops_event {
    when_t at;
    uint64_t order; /* number << 2 | enum loggops_event_kind */
    uint32_t host, subject;
};

/* A binary heap of the events that wait for the same cpu and NIC of a host. All go on at the same time, when
 * both are free, so that one entry in the queue stands for them. */
struct loggops_waiting {
    uint64_t order;
    uint32_t subject;
};

enum loggops_need { NEED_CPU, NEED_CPU_AND_SEND, NEED_CPU_AND_RECEIVE };

struct loggops_group {
    struct loggops_waiting *waiting;
    size_t count, capacity;
    uint32_t host, next; /* group of the host; POOL_NONE: none */
    uint8_t need;        /* enum loggops_need */
    uint8_t core, nic;
};

struct loggops_heap {
    struct loggops_event *events;
    size_t count, capacity;
};

struct loggops_queue {
    struct event_loop loop;
    struct loggops_heap heap;
    struct loggops_event held; /* the first of the loop's, if has_held */
    bool has_held;
    bool is_unordered; /* all are in the heap, which knows no order of equal times, as that of ATLAHS */
    uint64_t numbers;  /* given so far */
    uint64_t taken;
    size_t peak;
};

/* -------------------------------------------------------------------- hosts */

/* A posted receive that waits for its message. */
struct loggops_receive {
    ps_t posted;
    uint32_t operation, peer, tag;
    uint32_t next;
};

struct loggops_host {
    struct queue posted, unexpected; /* of a host that uses wildcards; else they are in the tables */
    uint32_t groups;
    bool has_any;
    when_t covered; /* until then it has been busy, or its idle time has been told */
    when_t finish;  /* of its operations */
    ps_t software;  /* its cpus have spent on messages */
};

/* An operation during a run. */
struct loggops_run {
    when_t ready;    /* rules that have dependences in time: not before then */
    uint32_t needs;  /* dependences that it still waits for, or how far it has come */
    uint32_t number; /* of its event, while it is in the queue */
};
#define OPERATION_BEGUN (UINT32_MAX - 1)
#define OPERATION_ENDED UINT32_MAX

struct loggops_released {
    uint32_t host, operation;
};

struct loggops {
    const struct engine_params *params;
    const struct graph *graph;
    enum loggops_rules rules;
    when_t L, o, g;
    struct loggops_per_byte G, O;
    double G_of_atlahs;
    uint64_t S;
    uint32_t cores, nics; /* of each host */

    struct loggops_queue queue;
    struct pool groups, messages, receives;
    struct queue_table posted, unexpected; /* by host, source and tag */
    struct loggops_host *hosts;
    when_t *times; /* of each host: until when its cpus, its sending and its receiving NICs are busy */
    struct loggops_run *operations;
    double ps_per_operation;
    struct loggops_released *released; /* by the present event, in order */
    size_t released_count, released_capacity;
    uint64_t ended, sent, received;
    uint64_t too_small; /* receives that have met a larger message, and the first of them */
    uint32_t small_host, small_receive;
    uint64_t early; /* messages received before they were sent, and the send of the first */
    uint32_t early_host, early_send;
    uint64_t small_bytes;
    struct fabric fabric; /* what the observer of the end sees */
};

static inline const struct graph_operation *loggops_operation(const struct loggops *engine, uint32_t host,
                                                              uint32_t operation)
{
    return &engine->graph->ranks[host].operations[operation];
}

/* Whether a send ends when its message is matched. */
static inline bool loggops_is_synchronous(const struct loggops *engine, const struct graph_operation *send)
{
    return send->amount > engine->S && !send->is_eager;
}

static inline struct loggops_run *loggops_run(const struct loggops *engine, uint32_t host, uint32_t operation)
{
    return &engine->operations[engine->graph->ranks[host].first + operation];
}

static inline when_t *loggops_times(const struct loggops *engine, uint32_t host)
{
    return engine->times + (size_t)host * (engine->cores + 2 * (size_t)engine->nics);
}

static inline when_t *loggops_cpu(const struct loggops *engine, uint32_t host, uint8_t core)
{
    return loggops_times(engine, host) + core;
}

static inline when_t *loggops_send_nic(const struct loggops *engine, uint32_t host, uint8_t nic)
{
    return loggops_times(engine, host) + engine->cores + nic;
}

static inline when_t *loggops_receive_nic(const struct loggops *engine, uint32_t host, uint8_t nic)
{
    return loggops_times(engine, host) + engine->cores + engine->nics + nic;
}

static inline when_t when_max(when_t a, when_t b)
{
    return a > b ? a : b;
}

/* Times of the simulators wrap around, ours do not. */
static inline when_t when_add(const struct loggops *engine, when_t a, when_t b)
{
    when_t sum = a + b;
    if (engine->rules == LOGGOPS_MENDED && (sum < a || sum > (when_t)PS_NEVER))
        return (when_t)PS_NEVER;
    return sum;
}

static inline struct loggops_receive *loggops_receive_at(const struct loggops *engine, uint32_t index)
{
    return pool_at(&engine->receives, index);
}

/* queue.c: the events */
void loggops_push(struct loggops *engine, when_t at, enum loggops_event_kind kind, uint32_t host,
                  uint32_t subject);
void loggops_push_again(struct loggops *engine, const struct loggops_event *event, when_t at);
bool loggops_take(struct loggops *engine, struct loggops_event *event);
/* The event waits until cpu and NIC of its host are free. */
void loggops_wait(struct loggops *engine, const struct loggops_event *event, enum loggops_need need,
                  uint8_t core, uint8_t nic);
/* Handles the event of a group. True: *event is the one that goes on now. */
bool loggops_wake(struct loggops *engine, struct loggops_event *event);
/* After that event: the next one of the group may go on. */
void loggops_woken(struct loggops *engine, uint32_t group);
void loggops_queue_free(struct loggops *engine);

/* match.c: the first posted receive that a message meets, or the first message that a receive meets, out of
 * its queue; POOL_NONE: there is none. */
uint32_t loggops_meet_receive(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag);
uint32_t loggops_meet_message(struct loggops *engine, uint32_t host, uint32_t source, uint32_t tag);
void loggops_post(struct loggops *engine, uint32_t host, uint32_t receive); /* behind all others */
void loggops_keep(struct loggops *engine, uint32_t host, uint32_t message);
void loggops_find_any(struct loggops *engine); /* which hosts use wildcards */

/* loggops.c: the operation has begun, or has ended. Those that wait for that may become ready, not before
 * `at`. */
void loggops_begin(struct loggops *engine, uint32_t host, uint32_t operation, when_t at);
void loggops_end(struct loggops *engine, uint32_t host, uint32_t operation, when_t at);
when_t loggops_duration(const struct loggops *engine, const struct graph_operation *operation);

/* published.c, atlahs.c: an operation or a message comes up. */
void loggops_published_operation(struct loggops *engine, const struct loggops_event *event);
void loggops_published_message(struct loggops *engine, const struct loggops_event *event);
void loggops_atlahs_operation(struct loggops *engine, const struct loggops_event *event);
void loggops_atlahs_message(struct loggops *engine, const struct loggops_event *event);

/* report.c */
ps_t loggops_ps(const struct loggops *engine, when_t time); /* PS_NEVER: out of range */
enum loggops_busy { BUSY_COMPUTES, BUSY_SENDS, BUSY_RECEIVES };
void loggops_tell_busy(struct loggops *engine, uint32_t host, uint8_t core, when_t since, when_t until,
                       enum loggops_busy with);
/* The message of a send, which begins at `at`: it is at its peer at `there`. */
void loggops_send(struct loggops *engine, uint32_t host, uint32_t operation, when_t at, when_t there);
/* The receiver's cpu has the message at `at`. */
void loggops_tell_delivered(struct loggops *engine, uint32_t message, when_t at);
/* A message and its receive have met, and the message is over: the receive ends at `at`, and a send that
 * waited for that at `released`. */
void loggops_tell_received(struct loggops *engine, uint32_t message, ps_t posted, when_t at, when_t released);
/* All is told that only the end shows. STATUS_FAILED, reported: operations are left that cannot go on. */
enum status loggops_finish(struct loggops *engine);

#endif
