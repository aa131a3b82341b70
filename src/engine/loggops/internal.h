#ifndef HELIO_ENGINE_LOGGOPS_INTERNAL_H
#define HELIO_ENGINE_LOGGOPS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event.h"
#include "base/mem.h"
#include "base/queue.h"
#include "call/graph.h"
#include "call/sites.h"
#include "engine/engine.h"
#include "fabric/loggops.h"

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
    uint64_t order; /* number << NUMBER_AT | enum loggops_event_kind */
    uint32_t host, subject;
};

enum { NUMBER_AT = 2 };

enum loggops_need { NEED_CPU, NEED_CPU_AND_SEND, NEED_CPU_AND_RECEIVE };

/* The events that wait for the same cpu and NIC of a host. All go on at the same time, when both are free, so
 * that one entry in the queue stands for them. They are a pairing heap by their numbers, whose links are in
 * the operations, or in the messages. */
struct loggops_group {
    uint32_t first;      /* POOL_NONE: none waits */
    uint32_t host, next; /* group of the host; POOL_NONE: none */
    uint8_t need;        /* enum loggops_need */
    uint8_t core, nic;
};

/* Of what waits in a group. Of an operation in the queue `sibling` is the next one of its chain (loggops.c).
 */
struct loggops_links {
    uint32_t child, sibling;
};

struct loggops_heap {
    struct loggops_event *events;
    size_t count, capacity;
};

struct loggops_queue {
    struct event_loop loop;
    struct event_loop groups; /* entries of groups that are due later */
    struct loggops_heap heap;
    struct loggops_event held; /* the first of the loop's, if has_held */
    bool has_held;
    bool is_unordered; /* all are in the heap, which knows no order of equal times, as that of ATLAHS */
    uint64_t numbers;  /* given so far */
    uint64_t taken;
    size_t peak;
};

/* -------------------------------------------------------------------- hosts */

/* A host, with its table: receives that are posted, and messages that have met none, by source and tag. An
 * entry leads to the last one in the queue of its source and tag, whose link leads to the first, and so on.
 * The queue has receives or messages: 0 is no entry, 1 + n operation n of the host, 1 + operations of the
 * host + n message n. More than 2^32 of both have no room in memory. */
struct loggops_host {
    uint64_t first : 58; /* of the table, in `entries` */
    uint64_t log : 6;    /* the table has 2^log entries */
    uint32_t used;
    uint32_t groups;
    when_t covered; /* until then it has been busy, or its idle time has been told */
    when_t finish;  /* of its operations */
    ps_t software;  /* its cpus have spent on messages */
    when_t busy[];  /* until when its cpus, its sending and its receiving NICs are busy */
};

/* In place of the table of a host that uses wildcards. */
struct loggops_any {
    struct queue posted, unexpected;
    bool is_used;
};

/* For call sites: the operation of a host that ended last, and idle time of which it is not known yet for
 * what the host waited, since it handled a message then that no receive has met. */
struct loggops_waits {
    uint32_t ended;       /* POOL_NONE: none */
    uint32_t first, last; /* of struct loggops_idle; POOL_NONE: none */
};

struct loggops_idle {
    when_t since, until;
    uint32_t next;
};

/* A message that is under way or has met no receive. Observers see a struct message. */
struct loggops_message {
    uint64_t bytes;
    ps_t posted;
    union {
        ps_t delivered;             /* once the receiver has handled it */
        struct loggops_links links; /* before that */
    };
    uint32_t source, destination;
    uint32_t send; /* operation of the source */
    uint32_t tag;
    uint32_t link; /* number of its event while it is in the queue; then the next one of its table's queue */
    uint8_t core, nic;   /* of the send */
    bool is_synchronous; /* the send ends when the message is matched */
    bool is_free;        /* it takes no time in the network (engine/free.h) */
};

/* An operation during a run. */
struct loggops_run {
    union {
        when_t ready; /* rules that have dependences in time: not before then */
        ps_t posted;  /* of a receive that waits for its message */
        struct loggops_links links;
    };
    uint32_t needs; /* dependences that it still waits for, or how far it has come */
    uint32_t link;  /* as that of a message */
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
    struct pool groups, messages;
    uint32_t *entries; /* of the tables of all hosts */
    size_t entry_count, entry_capacity;
    unsigned char *hosts; /* struct loggops_host, each with its times */
    size_t host_bytes;
    struct loggops_any *any;           /* NULL: no host uses wildcards */
    const struct program_sites *sites; /* of the operations; NULL: not known */
    struct loggops_waits *waits;       /* of each host, if there are sites */
    struct pool idle;                  /* struct loggops_idle */
    struct loggops_run *operations;
    double ps_per_operation, scale;
    struct loggops_released *released; /* by the present event, in order */
    size_t released_count, released_capacity;
    uint64_t ended, sent, received;
    uint32_t posted;    /* receives that wait for their messages */
    size_t bytes;       /* of memory, at the end */
    uint64_t too_small; /* receives that have met a larger message, and the first of them */
    uint32_t small_host, small_receive;
    uint64_t early; /* messages received before they were sent, and the send of the first */
    uint32_t early_host, early_send;
    uint64_t small_bytes;
    struct fabric fabric;          /* what the observer of the end sees */
    struct free_messages *free;    /* NULL: no message is free */
    struct loggops_causes *causes; /* for the critical path; NULL: nobody asks */
    bool tells_releases;           /* it wants to know which operation waits for which */
    uint32_t told_core; /* of whose operations it knows that; of no core: POOL_NONE (host x cores + core) */
};

struct loggops_causes;
struct free_messages;
struct message;

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

static inline struct loggops_host *loggops_host(const struct loggops *engine, uint32_t host)
{
    return (struct loggops_host *)(void *)(engine->hosts + engine->host_bytes * host);
}

static inline struct loggops_message *loggops_message(const struct loggops *engine, uint32_t index)
{
    return &((struct loggops_message *)(void *)engine->messages.records)[index];
}

static inline struct loggops_run *loggops_run(const struct loggops *engine, uint32_t host, uint32_t operation)
{
    return &engine->operations[engine->graph->ranks[host].first + operation];
}

static inline when_t *loggops_cpu(const struct loggops *engine, uint32_t host, uint8_t core)
{
    return &loggops_host(engine, host)->busy[core];
}

static inline when_t *loggops_send_nic(const struct loggops *engine, uint32_t host, uint8_t nic)
{
    return &loggops_host(engine, host)->busy[engine->cores + nic];
}

static inline when_t *loggops_receive_nic(const struct loggops *engine, uint32_t host, uint8_t nic)
{
    return &loggops_host(engine, host)->busy[engine->cores + engine->nics + nic];
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
void loggops_keep(struct loggops *engine, uint32_t message);
/* Prefetches where a message looks up its receive, or with `is_found` the receive. */
void loggops_prefetch_receive(const struct loggops *engine, const struct loggops_message *message,
                              bool is_found);
void loggops_find_any(struct loggops *engine); /* which hosts use wildcards */
/* An empty table for a host of so many receives. */
void loggops_make_table(struct loggops *engine, uint32_t host, uint32_t receives);

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

/* loggops.c: frees what the end of the run does not show. */
void loggops_run_free(struct loggops *engine);

/* report.c */
ps_t loggops_ps(const struct loggops *engine, when_t time); /* PS_NEVER: out of range */
void loggops_open_waits(struct loggops *engine);
void loggops_close_waits(struct loggops *engine);
size_t loggops_waits_bytes(const struct loggops *engine);
/* The cpu begins to compute or to send, or waits for the start of its host's job; or it begins to handle a
 * message, which has met the receive, or none (POOL_NONE). */
enum loggops_busy {
    BUSY_SENDS,
    BUSY_STARTS,
    BUSY_COMPUTES_NOTHING,
    BUSY_COMPUTES_OPERATIONS,
    BUSY_COMPUTES_TIME
};
static inline enum loggops_busy loggops_busy_with(const struct graph_operation *computation)
{
    const enum call_op op = graph_computes(computation);
    if (computation->kind == GRAPH_COMPUTE && computation->time == GRAPH_TIME_OF_START)
        return BUSY_STARTS;
    return op == CALL_NOTHING   ? BUSY_COMPUTES_NOTHING
           : op == CALL_COMPUTE ? BUSY_COMPUTES_OPERATIONS
                                : BUSY_COMPUTES_TIME;
}
void loggops_tell_busy(struct loggops *engine, uint32_t host, uint8_t core, when_t since, when_t until,
                       enum loggops_busy with);
void loggops_tell_receives(struct loggops *engine, uint32_t host, when_t since, when_t until,
                           uint32_t receive);
/* If there are sites: the operation ends, and the host has waited for it. */
void loggops_tell_ended(struct loggops *engine, uint32_t host, uint32_t operation);
/* The message of a send, which begins at `at`: it is at its peer at `there`. */
void loggops_send(struct loggops *engine, uint32_t host, uint32_t operation, when_t at, when_t there,
                  bool is_free);
/* The host sends its next message. True: that is free. */
bool loggops_is_free(struct loggops *engine, uint32_t host);
/* The receiver's cpu has the message at `at`. */
void loggops_tell_delivered(struct loggops *engine, uint32_t message, when_t at);
/* A message and its receive have met, and the message is over: the receive ends at `at`, and a send that
 * waited for that at `released`. */
void loggops_tell_received(struct loggops *engine, uint32_t message, ps_t posted, when_t at, when_t released);
/* All is told that only the end shows. STATUS_FAILED, reported: operations are left that cannot go on. */
enum status loggops_finish(struct loggops *engine);

#endif
