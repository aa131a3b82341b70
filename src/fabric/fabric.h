#ifndef HELIO_FABRIC_FABRIC_H
#define HELIO_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/estimate.h"
#include "base/event.h"
#include "base/metric.h"
#include "base/param.h"
#include "base/status.h"
#include "base/tap.h"
#include "fabric/hardware.h"
#include "fabric/machine.h"
#include "fabric/message.h"

/* A fabric is the model of what moves a message between two nodes: an ops table, a table of parameters, a
 * table of metrics. This is what all fabrics share, and what everyone who uses one sees.
 *
 *   fabric.h, .c       the ops table; opening and closing a fabric
 *   message.h          what a fabric sees of a message
 *   machine.h, .c      the machine: its parameters, what a fabric derives from them and says of itself
 *   list.h, .c, .def   all fabrics there are, a line each in list.def
 *   topology.h, .c     the parameter `topology`, for every fabric with switches and links
 *   hardware.h, .c     what a network is built of, for its cost and its power
 *
 *   ideal.c            no latency, no limit of bandwidth: the tutorial
 *   hockney.c          latency + size / bandwidth
 *   loggops.h, .c      LogGOPS, with its hosts: the parameters, which engine/loggops uses
 *   hybrid/            small messages by packet, large ones by fmu, ocs or rotor
 *   packet/            packet switching: max-min fair flows, on any topology
 *   fmu/               an optically disaggregated memory pool
 *   photonic/          circuit, packetised, segment: three switchings of one photonic network
 *   tdm/               tdm-compiled, tdm-dynamic: time-multiplexed light paths
 *   rotor/             optical switches that rotate through fixed matchings
 *   ocs/               optical circuit switches: on demand, compiled, static
 *
 * No file outside includes a header of these folders, and no fabric includes another one's: code that needs a
 * fabric finds it in the list by its name, and its parameters in the config. */

/* What a fabric says of every message, each once, delivered last, at or after the loop's present. It may say
 * so ahead of time, as soon as it knows: `at` is when the thing happens. A fabric in which messages do not
 * depend on each other therefore needs no events at all. */
struct fabric_callbacks {
    void *self;
    void (*visible)(void *self, uint32_t message, ps_t at);     /* the receiver knows its envelope */
    void (*sender_done)(void *self, uint32_t message, ps_t at); /* its last byte has left the sender */
    /* Its last byte is there. The fabric does not touch the message again. */
    void (*delivered)(void *self, uint32_t message, ps_t at);
    void (*failed)(void *self, enum status status); /* the run cannot go on; the fabric has reported why */
};

/* What a program is going to send, for fabrics that are set up for it before it runs: phase after phase, how
 * many messages each pair of nodes has. Ranks of one node are no pair. */
struct fabric_pair {
    uint32_t source, destination;
    uint64_t messages;
    uint64_t bytes; /* of these messages; at most INT64_MAX */
};

struct fabric_phase {
    uint32_t pattern; /* phases with the same pairs have the same number, from 0 */
    uint64_t times;   /* that the pairs send in turn: messages and bytes are those of all times */
    const struct fabric_pair *pairs; /* ascending by (source, destination) */
    size_t count;
};

struct fabric_traffic {
    const struct fabric_phase *phases;
    size_t count;
    uint32_t patterns;
};

/* About what a whole run sends between nodes; zeroes: that is not known. */
struct fabric_work {
    double messages, bytes;
};

/* What a fabric is opened with. */
struct fabric_params {
    const struct config *config; /* config_of(config, &its_params) is its struct */
    struct event_loop *loop;
    struct pool *messages;
    uint32_t nodes;
    uint64_t seed;
    uint64_t included_bytes; /* of each message, whose time the latency includes: with a host model, the first
                                block; else 0 */
    struct fabric_callbacks callbacks;
    const struct tap *tap;                /* for tap_emit_part: where a message's time goes */
    const struct fabric_traffic *traffic; /* where wants_traffic() is true; else NULL */
    struct fabric_work work;              /* where wants_work is true; else zeroes */
};

/* What a run is expected to ask of a fabric, for an estimate of its memory. */
struct fabric_demand {
    const struct fabric_ops *ops;
    const struct config *config;
    uint32_t nodes;
    double messages;   /* under way at once, of all nodes */
    double with_bytes; /* those of them that are not empty */
    double bytes;      /* mean size of these */
    double pairs;      /* of nodes that send to each other */
    bool is_staggered; /* messages begin and end at different times: shares of a link change often */
};

/* Every fabric's own struct begins with this one. */
struct fabric {
    const struct fabric_ops *ops;
    struct fabric_params params;
    bool is_cut; /* a message has had no way, as topology_check_way() has reported */
};

/* Which parts of a host a message passes on its way. The CPU writes and reads the messages of a buffered
 * fabric in any case. */
enum fabric_host_path {
    HOST_PATH_UNKNOWN, /* not declared: no run with a host model */
    HOST_PATH_NIC,     /* PCIe and a NIC at both ends, and the root complex that writes to memory */
    HOST_PATH_CPU,     /* none of them */
};

/* NULL is right for every function that a fabric has no use for, but for submit. */
struct fabric_ops {
    const char *name;
    const char *doc;                  /* one line for --help */
    const struct param_table *params; /* its parameters; NULL = it has none */
    const struct metric_table *metrics;
    /* The metrics of a fabric whose metrics depend on its parameters, which has none in `metrics`. */
    const struct metric_table *(*metrics_of)(const struct fabric *fabric);
    enum fabric_host_path host_path;
    /* The parameter whose default was measured from end to end, and so includes hosts; NULL = none. With a
     * host model it has to be set to what wire and switches take. */
    const char *latency_name;
    bool is_bound; /* not a network, but what no network can beat: its messages pass no NIC either */
    /* Sets the fabric's own parameters that still have their defaults from the machine's (fabric/machine.h).
     * What the fabric adds to wires and hosts, as the time to switch a light path, stays. */
    void (*derive)(struct derivation *derivation);
    /* What the network is: its rate and its latency with nothing else under way. NULL: not known. The tables
     * of parameters that it reads count as the fabric's, beside `params` (sim/unused.h). */
    void (*describe)(const struct config *config, uint32_t nodes, struct fabric_description *description);
    /* What it is built of, all zero before; for its cost. STATUS_BAD_INPUT, reported. NULL: the model does
     * not say. The tables of parameters are those of describe(). */
    enum status (*hardware)(const struct config *config, uint32_t nodes, struct hardware *hardware);
    /* What a run with these statistics has used of it. NULL: they do not say. */
    struct hardware_use (*use)(const struct config *config, uint32_t nodes, const void *statistics);
    /* True if the fabric needs the program's messages before the run, as params.traffic. */
    bool (*wants_traffic)(const struct config *config);

    size_t size; /* of its struct, which begins with a struct fabric */
    /* What the struct counts as in the memory of a run: a constant, so that the account depends on what a run
     * does and not on the layout of a struct. 0: its size. */
    size_t counted_bytes;
    /* Sets up what is not zero. ops and params are there, all else is zero. Where it fails it has reported
     * why, and leaves what it has made to free(). */
    enum status (*init)(struct fabric *fabric);
    /* Frees what init has made, but not the struct: all of it, or where init failed, as far as that came. */
    void (*free)(struct fabric *fabric);

    void (*submit)(struct fabric *fabric, uint32_t message); /* its transfer may begin now; nodes differ */
    /* A message of the program, between nodes, that takes no time and is not submitted (engine/free.h). NULL:
     * the fabric does not plan for it. */
    void (*pass)(struct fabric *fabric, const struct message *message);
    /* Whether the fabric is buffered for this message: takes it from the sender before the receive is posted.
     * Then the message is submitted when it is sent, whatever its size, and match() says when its receive is
     * there and its envelope visible. Otherwise it goes from node to node, and a large one waits for its
     * receive (rendezvous). NULL: it never is. */
    bool (*is_buffered)(const struct fabric *fabric, const struct message *message);
    void (*match)(struct fabric *fabric, uint32_t message);
    /* Whether it can move this message at all, for fabrics that are made of others (NULL: any). */
    bool (*can_move)(const struct fabric *fabric, const struct message *message);

    const void *(*statistics)(struct fabric *fabric); /* the struct of the metric table */
    /* The bytes a second that a node's messages share, each way, so that together they come no faster (NULL:
     * a node's messages do not share what they take). */
    uint64_t (*node_rate)(const struct fabric *fabric);
    size_t (*bytes)(const struct fabric *fabric); /* memory held, besides its struct */
    /* Adds to the estimate, within a factor of two, what bytes() will be and what the fabric's pending events
     * take. STATUS_BAD_INPUT, reported: init() would fail. */
    enum status (*estimate)(const struct fabric_demand *demand, struct estimate *estimate);
    bool wants_work;   /* it tells the user how long the run takes, where that is long */
    bool is_immediate; /* nearly always submit() gives all answers, so the fabric holds no message */
    void (*explain)(const struct fabric *fabric); /* notes on what blocks it, at a deadlock */
};

/* On failure, which has been reported, *fabric is NULL and nothing is left to free. The pointers in params
 * stay the caller's, and are valid until fabric_close. */
enum status fabric_open(const struct fabric_ops *ops, const struct fabric_params *params,
                        struct fabric **fabric);
void fabric_close(struct fabric *fabric);                /* NULL: does nothing */
size_t fabric_memory_bytes(const struct fabric *fabric); /* memory held */
/* Adds what the fabric demand->ops will need to the estimate. */
enum status fabric_estimate(const struct fabric_demand *demand, struct estimate *estimate);
/* Adds bytes of a fabric to the estimate. For the fabrics' own functions. */
void fabric_estimate_add(struct estimate *estimate, double bytes);

/* -------------------------------------------------------------- for fabrics */

static inline ps_t fabric_now(const struct fabric *fabric)
{
    return fabric->params.loop->now;
}

/* Valid until the next pool_take of the run's messages. */
static inline struct message *fabric_message(const struct fabric *fabric, uint32_t index)
{
    return message_at(fabric->params.messages, index);
}

/* The bytes of a message whose time the fabric has to count: those beyond included_bytes. */
static inline uint64_t fabric_message_bytes(const struct fabric *fabric, const struct message *message)
{
    uint64_t included = fabric->params.included_bytes;
    return message->bytes > included ? message->bytes - included : 0;
}

static inline void fabric_visible(const struct fabric *fabric, uint32_t message, ps_t at)
{
    fabric->params.callbacks.visible(fabric->params.callbacks.self, message, at);
}

static inline void fabric_sender_done(const struct fabric *fabric, uint32_t message, ps_t at)
{
    fabric->params.callbacks.sender_done(fabric->params.callbacks.self, message, at);
}

static inline void fabric_delivered(const struct fabric *fabric, uint32_t message, ps_t at)
{
    fabric->params.callbacks.delivered(fabric->params.callbacks.self, message, at);
}

static inline void fabric_failed(const struct fabric *fabric, enum status status)
{
    fabric->params.callbacks.failed(fabric->params.callbacks.self, status);
}

#endif
