#ifndef HELIO_FABRIC_PACKET_PACKET_H
#define HELIO_FABRIC_PACKET_PACKET_H

#include <string.h>

#include "base/queue.h"
#include "base/queue_table.h"
#include "fabric/fabric.h"
#include "fabric/packet/maxmin.h"
#include "fabric/packet/paths.h"

/* A packet-switched network at flow level: the messages under way share links max-min fairly. Without a
 * topology, the links are each node's up and down link, and there is no contention between them. With one,
 * they are all links of the route. A message alone takes what Eq. 6 of the FMU paper says.
 * docs/models/packet.md
 *
 *   settings.c parameters, metrics, and what the fabric says of itself
 *   packet.c   messages, the flows that they make, the events of flows
 *   change.c   links that fail or become slow during the run
 *   maxmin.c   the flows that share links, and what the solver remembers
 *   sweep.c    their rates
 *   paths.c    the links that a flow takes over a topology
 *   spray.c    the links of a flow that is spread over all minimal ways
 */
enum packet_duplex { PACKET_DUPLEX_FULL, PACKET_DUPLEX_HALF };
enum packet_injection { PACKET_INJECTION_SHARED, PACKET_INJECTION_ORDERED };

struct packet_config {
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
    int duplex;    /* enum packet_duplex */
    int injection; /* enum packet_injection */
    ps_t hop_latency_ps;
    int routing; /* enum path_choice */
};

struct packet_statistics {
    uint64_t flows, peak_flows, solves, rate_changes;
    uint64_t hops;
    struct metric_series up_bytes, down_bytes, link_bytes;
};

/* Messages that follow each other, by the solver's flow index: the first is under way, the others wait. */
struct packet_flow {
    struct queue messages; /* linked by message->fabric; the head of an index without a flow is POOL_NONE */
    uint64_t rate;         /* in the solver's units */
    maxmin_work_t left;    /* of the first message, at `since` */
    ps_t since;
    ps_t finish;    /* when it ends if its rate stays */
    ps_t event_at;  /* of its one event; other events of it in the loop are out of date */
    uint32_t links; /* with a topology: how many links it takes */
};

/* Links of the solver that one flow has for itself: what the links allow that do not share their rates. */
struct packet_own {
    uint32_t *of_flow; /* by the solver's flow index; POOL_NONE: none */
    uint32_t *unused;  /* links that no flow has now */
    uint32_t *shared;  /* the links of a flow that share their rates */
    size_t flow_capacity, unused_count, unused_capacity;
};

struct packet {
    struct fabric fabric;
    const struct packet_config *config;
    struct maxmin *solver;
    struct packet_flow *flows;
    size_t flow_capacity;
    uint32_t flow_count;
    uint32_t flow_ids; /* given out so far */
    struct queue_table
        by_key; /* the flow of messages that must follow each other: its index, in queue.head */
    bool solve_pending, has_topology;
    uint32_t solve_kind, end_kind;
    struct packet_statistics statistics;
    struct sums up_bytes, down_bytes;
    struct paths paths; /* this and all that follows: unused where has_topology is false */
    uint32_t *routes;   /* paths_words(limit) for each flow */
    size_t route_capacity;
    uint32_t *way;                /* the links of a flow that has no index yet */
    struct packet_own own;        /* where some links give each message their whole rate */
    struct packet_change *change; /* NULL: all links stay as they are */
};

/* --------------------------------------------------- settings.c, for packet.c */

extern const struct param_table packet_params;   /* struct packet_config */
extern const struct metric_table packet_metrics; /* struct packet_statistics */
extern const char *const packet_routing_names[];
void packet_derive(struct derivation *derivation);
void packet_describe(const struct config *config, uint32_t nodes, struct fabric_description *description);
enum status packet_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);
struct hardware_use packet_use(const struct config *config, uint32_t nodes, const void *statistics);

/* --------------------------------------------------- packet.c, for change.c */

/* All changes of one instant are solved together, after the other events of this instant. */
void packet_request_solve(struct packet *packet);

/* The key of the messages that must follow each other. */
struct queue_key packet_key_of(const struct packet *packet, const struct message *message);

static inline uint32_t *packet_route_of(const struct packet *packet, uint32_t id)
{
    return &packet->routes[id * paths_words(&packet->paths, packet->paths.limit)];
}

/* A flow in the solver over the first `count` links of packet->way, of which the flow's record says the
 * number. */
uint32_t packet_add_way(struct packet *packet, uint32_t count);
/* The flow leaves the solver and its links. Its record stays as it is, but for the head of its messages. */
void packet_end_flow(struct packet *packet, uint32_t id);
/* A message takes the links of its flow. */
void packet_carry(struct packet *packet, const uint32_t *links, uint32_t count, uint64_t bytes);

/* ----------------------------------------------------------------- change.c */

/* At faults.at links fail or become slow. From then on until faults.reroute later, messages on failed links
 * stand still. Then the topology becomes `later`, and they take new routes. */
void change_init(struct packet *packet, const struct topo *later);
void change_free(struct packet *packet);

/* Whether the flow stands still, so that its end is not known. */
bool change_is_waiting(const struct packet *packet, uint32_t id);

/* False, reported: the nodes of the message have been cut off from each other. */
bool change_check_way(const struct packet *packet, const struct message *message);

#endif
