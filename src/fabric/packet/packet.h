#ifndef HELIO_FABRIC_PACKET_PACKET_H
#define HELIO_FABRIC_PACKET_PACKET_H

#include <string.h>

#include "base/queue.h"
#include "base/queue_table.h"
#include "fabric/fabric.h"
#include "fabric/packet/paths.h"
#include "fabric/packet/rates.h"

/* A packet-switched network at flow level: the messages under way share links max-min fairly. Without a
 * topology, the links are each node's up and down link, and there is no contention between them. With one,
 * they are all links of the route. A message alone takes what Eq. 6 of the FMU paper says.
 * docs/models/packet.md
 *
 *   settings.c parameters, metrics, and what the fabric says of itself
 *   network.c  the topology of the run, and what does not fit
 *   packet.c   messages, the flows that they make, the events of flows
 *   way.c      the links and the queues of a flow in the solver
 *   change.c   links that fail or become slow during the run
 *   stage.c    windows of flows, and paths that are chosen again
 *   rates.c    the rates of flows under the congestion of the run
 *   credits.c  the rates where full links hold the queues before them
 *   ports.c    from which links flows come to a link
 *   maxmin.c   the flows that share links max-min fairly, and what the solver remembers
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
    uint64_t chunk_bytes;
    int congestion; /* enum packet_congestion */
    uint64_t window_bytes;
    ps_t turnaround_ps;
    struct incast_config incast;
};

struct packet_statistics {
    uint64_t flows, peak_flows, solves, rate_changes;
    uint64_t hops, unsettled;
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

/* Links of the solver that one flow has for itself: what the links allow that do not share their rates, and
 * what a window allows. */
struct packet_own {
    uint32_t *of_flow; /* by the solver's flow index; POOL_NONE: none */
    uint32_t *unused;  /* links that no flow has now */
    uint32_t *shared; /* the links of a flow that share their rates, and its own; NULL: no flow has its own */
    size_t flow_capacity, unused_count, unused_capacity;
};

/* What a flow may do before its links change. */
struct packet_stage {
    maxmin_work_t open;  /* that is sent before acknowledgements limit it; 0: the window is closed */
    maxmin_work_t chunk; /* that is sent before it chooses its path again */
    uint64_t rate;       /* bytes per second, when the window is closed */
};

struct packet {
    struct fabric fabric;
    const struct packet_config *config;
    struct rates *rates;
    struct packet_flow *flows;
    size_t flow_capacity;
    uint32_t flow_count;
    uint32_t flow_ids; /* given out so far */
    struct queue_table
        by_key; /* the flow of messages that must follow each other: its index, in queue.head */
    bool solve_pending, has_topology, has_stages;
    uint32_t solve_kind, end_kind;
    struct packet_statistics statistics;
    struct sums up_bytes, down_bytes;
    struct paths paths; /* this and all that follows: unused where has_topology is false */
    uint32_t *routes;   /* paths_words(limit) for each flow */
    size_t route_capacity;
    uint32_t *way;               /* the links of a flow that has no index yet */
    uint32_t *queues;            /* its queues; NULL: each link has one, or none counts */
    struct packet_own own;       /* where some links give each message their whole rate, or with windows */
    struct packet_stage *stages; /* by the solver's flow index; NULL: flows have no stages, or none yet */
    size_t stage_capacity;
    ps_t tick;                    /* paths are chosen again at its multiples; 0: never */
    struct packet_change *change; /* NULL: all links stay as they are */
};

/* ------------------------------------------------- settings.c, for packet.c */

extern const struct param_table packet_params;   /* struct packet_config */
extern const struct metric_table packet_metrics; /* struct packet_statistics */
extern const char *const packet_routing_names[], *const packet_congestion_names[];
void packet_derive(struct derivation *derivation);
void packet_describe(const struct config *config, uint32_t nodes, struct fabric_description *description);
enum status packet_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);
struct hardware_use packet_use(const struct config *config, uint32_t nodes, const void *statistics);

/* ---------------------------------------------------------------- network.c */

/* The topology of the run, if it needs one. */
struct packet_network {
    bool is_needed, changes;
    struct topo topo, later;
    uint32_t limit; /* most links of a path */
};

/* Whether the run needs a topology, and one that flows can cross. Fails, reported, also where the congestion
 * does not fit. */
enum status packet_choose_network(const struct config *config, uint32_t nodes,
                                  struct packet_network *network);
struct rates_shape packet_shape_of(const struct packet_config *config, const struct packet_network *network,
                                   uint32_t nodes);

/* -------------------------------------- packet.c, for change.c and stage.c */

/* All changes of one instant are solved together, after the other events of this instant. */
void packet_request_solve(struct packet *packet);

/* The key of the messages that must follow each other. */
struct queue_key packet_key_of(const struct packet *packet, const struct message *message);

static inline uint32_t *packet_route_of(const struct packet *packet, uint32_t id)
{
    return &packet->routes[id * paths_words(&packet->paths, packet->paths.limit)];
}

/* The flow has moved bytes at its rate until now. */
void packet_advance(struct packet *packet, uint32_t id);
/* A flow that has been taken off its links goes on over the first `count` links of packet->way, which count
 * it already. `stage` is not used if flows have no stages. */
void packet_put_on(struct packet *packet, const struct packet_flow *flow, const struct packet_stage *stage,
                   uint32_t count);
/* What the way of a flow is in packet->way. */
void packet_copy_way(struct packet *packet, uint32_t id);
/* Of the message alone: that of the slowest link of its route. */
uint64_t packet_rate_alone(struct packet *packet, const struct message *message);
/* The latency of a message that takes the links of its flow, and that of fixed routing. */
ps_t packet_latency_over(const struct packet *packet, uint32_t id, const struct message *message);
ps_t packet_latency_of(const struct packet *packet, const struct message *message);
/* The flow leaves the solver and its links. Its record stays as it is, but for the head of its messages. */
void packet_end_flow(struct packet *packet, uint32_t id);
/* A message takes the links of its flow. */
void packet_carry(struct packet *packet, const uint32_t *links, uint32_t count, uint64_t bytes);

/* The bytes of the flow's first message that have not been sent; a part of a byte counts as one. */
uint64_t packet_bytes_left(const struct packet_flow *flow);

/* -------------------------------------------------------------------- way.c */

void way_init(struct packet *packet, const struct packet_network *network, const struct rates_shape *shape);
/* The rate of a link now. */
uint64_t packet_rate_of_link(const struct packet *packet, uint32_t link);
/* A flow in the solver over the first `count` links of packet->way, no faster than `most`. The flow's record
 * says how many they are. */
uint32_t packet_add_way(struct packet *packet, uint32_t count, uint64_t most);

/* ------------------------------------------------------------------ stage.c */

/* Whether flows choose their paths again. */
static inline bool packet_has_chunks(const struct packet *packet)
{
    return packet->config->chunk_bytes && packet->has_topology && !paths_are_minimal(packet->paths.choice);
}

/* Whether flows have stages; without them none of the functions below does anything. */
static inline bool packet_has_stages(const struct packet *packet)
{
    return packet->has_stages;
}

/* A flow begins with this message: it may send a whole window at any rate. */
void stage_begin(struct packet *packet, uint32_t id, const struct message *first);
/* Sets packet->has_stages and packet->tick. */
void stage_init(struct packet *packet);
/* The flow has done so much. Only with stages. */
void stage_send(struct packet *packet, uint32_t id, maxmin_work_t done);
/* When the stage ends if the flow's rate stays, of a flow that has moved until now; PS_NEVER: not before its
 * first message ends. Only with stages. */
ps_t stage_end(const struct packet *packet, uint32_t id);
/* Closes the window, and chooses the path again, if it is time. Returns whether the flow has been put on
 * links again; it may have another index then. */
bool stage_next(struct packet *packet, uint32_t id);
/* The rate of a closed window; UINT64_MAX: it is open. */
uint64_t stage_rate(const struct packet *packet, const struct packet_stage *stage);
double stage_estimate(double flows); /* bytes of what flows have for themselves */
/* Bytes per second: so many bytes in the time from sending a byte to its acknowledgement. */
uint64_t stage_window_rate(uint64_t bytes, ps_t round_trip);

/* ----------------------------------------------------------------- change.c */

/* At faults.at links fail or become slow. From then on until faults.reroute later, messages on failed links
 * stand still. Then the topology becomes `later`, and they take new routes. */
void change_init(struct packet *packet, const struct topo *later);
void change_free(struct packet *packet);

/* Whether the flow stands still, so that its end is not known: its links have failed. */
bool change_has_stopped(const struct packet *packet, uint32_t id);
static inline bool change_is_waiting(const struct packet *packet, uint32_t id)
{
    return packet->change && change_has_stopped(packet, id);
}

/* False, reported: the nodes of the message have been cut off from each other. */
bool change_check_way(struct packet *packet, const struct message *message);
/* While links change: 1 B/s of a failed one, until there are new routes. */
uint64_t change_rate_of_link(const struct packet *packet, uint32_t link, uint64_t of_fabric);

#endif
