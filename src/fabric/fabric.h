#ifndef HELIO_FABRIC_FABRIC_H
#define HELIO_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/event.h"
#include "base/metric.h"
#include "base/param.h"
#include "base/status.h"
#include "base/tap.h"
#include "fabric/message.h"

/* A fabric moves messages between nodes: an ops table, a table of parameters, a table of metrics. ideal.c is
 * the tutorial. A new one is one file and one line in list.c. */

/* What a fabric answers for every message it was given, each once, delivered last, at or after loop->now.
 * It may answer ahead of time, as soon as it knows: `at` is when the thing happens. A fabric whose answers do
 * not depend on other messages therefore needs no events at all. */
struct fabric_callbacks {
    void *self;
    void (*visible)(void *self, uint32_t message, ps_t at); /* its envelope can be matched at the receiver */
    void (*sender_done)(void *self, uint32_t message, ps_t at); /* its last byte has left the sender */
    void (*delivered)(void *self, uint32_t message, ps_t at);   /* its last byte is there. The message is gone
                                                                   then:   the fabric does not touch it again */
    /* The run cannot go on; the fabric has reported why. */
    void (*failed)(void *self, enum status status);
};

/* What a program is going to send, for fabrics that are set up for it before it runs: phase after phase, how
 * many messages each pair of nodes has. Ranks of one node are no pair. */
struct fabric_pair {
    uint32_t source, destination;
    uint64_t messages;
};

struct fabric_phase {
    uint32_t pattern;                /* phases with the same pairs have the same number, from 0 */
    const struct fabric_pair *pairs; /* ascending by (source, destination) */
    size_t count;
};

struct fabric_traffic {
    const struct fabric_phase *phases;
    size_t count;
    uint32_t patterns;
};

/* What a fabric is made with. */
struct fabric_ops;
struct fabric_params {
    const struct fabric_ops *ops; /* which fabric of the list is made, also where it makes others */
    const struct config *config;  /* config_of(config, &its_params) is its struct */
    struct event_loop *loop;
    struct pool *messages;
    uint32_t nodes;
    uint64_t seed;
    uint64_t included_bytes; /* of each message, whose time the latency includes: with a host model, the first
                                block; else 0 */
    struct fabric_callbacks callbacks;
    const struct tap *tap;                /* for tap_emit_part: where a message's time goes */
    const struct fabric_traffic *traffic; /* where wants_traffic() said so; else NULL */
};

/* The bytes of a message whose time the fabric has to count. */
static inline uint64_t fabric_bytes_beyond(uint64_t bytes, uint64_t included_bytes)
{
    return bytes > included_bytes ? bytes - included_bytes : 0;
}

struct fabric;

/* Which parts of a host the way of a message crosses. Messages that the fabric stores are written and read by
 * the CPU in any case. */
enum fabric_host_path {
    HOST_PATH_UNKNOWN, /* not declared: no run with a host model */
    HOST_PATH_NIC,     /* PCIe and a NIC at both ends, and the root complex that writes to memory */
    HOST_PATH_CPU,     /* none of them */
};

struct fabric_ops {
    const char *name;
    const char *doc; /* one line for --help */
    const struct param_table *params;
    const struct metric_table *metrics;
    enum fabric_host_path host_path;
    /* The parameter whose default was measured from end to end, and so includes hosts; NULL = none. With a
     * host model it has to be set to what wire and switches take. */
    const char *latency_name;
    /* Whether the fabric stores this message on its way (NULL: never). If not, it goes from node to node, and
     * a large one waits for its receiver (rendezvous). If so, it is submitted when it is sent, whatever its
     * size, and match() tells when its receiver is there and its envelope visible. */
    bool (*is_buffered)(const struct fabric *fabric, const struct message *message);
    /* Whether it is to know what the program is going to send (NULL: no). */
    bool (*wants_traffic)(const struct config *config);
    enum status (*prepare)(const struct fabric_params *plan, struct fabric **fabric);
    void (*submit)(struct fabric *fabric, uint32_t message); /* its transfer may begin now; nodes differ */
    void (*match)(struct fabric *fabric,
                  uint32_t message);                  /* of a stored message: its receiver is there now */
    const void *(*statistics)(struct fabric *fabric); /* the struct of the metric table */
    /* The bytes a second that a node's messages share, each way, so that together they come no faster (NULL:
     * a node's messages do not share what they take). */
    uint64_t (*node_rate)(const struct fabric *fabric);
    size_t (*bytes)(const struct fabric *fabric); /* memory held */
    void (*explain)(
        const struct fabric *fabric); /* notes on what blocks it, at a deadlock; NULL = nothing ever does */
    void (*close)(struct fabric *fabric);
};

/* Implementations embed this as their first member. */
struct fabric {
    const struct fabric_ops *ops;
};

/* All fabrics there are; ends with NULL. */
enum { FABRICS_AT_MOST = 64 };
extern const struct fabric_ops *fabrics[FABRICS_AT_MOST + 1];

/* One more, for the rest of the process. STATUS_BAD_INPUT, reported: there is one of its name, or no room. */
enum status fabric_add(const struct fabric_ops *ops);

const struct fabric_ops *fabric_find(const char *name); /* NULL when there is none */
const char *fabric_nearest(const char *name);           /* a name that may be meant; NULL: none is near */

#endif
