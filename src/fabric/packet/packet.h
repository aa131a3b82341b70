#ifndef HELIO_FABRIC_PACKET_PACKET_H
#define HELIO_FABRIC_PACKET_PACKET_H

#include <string.h>

#include "base/mem.h"
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
 *   lanes.c    the paths that a flow takes at once
 *   way.c      the links and the queues of a path in the solver
 *   change.c   links that fail or become slow during the run
 *   stage.c    windows of paths, and paths that are chosen again
 *   rates.c    the rates of flows under the congestion of the run
 *   queues.c   the rates where queues add to the round trips of windows
 *   credits.c  the rates where full links hold the queues before them
 *   ports.c    from which links flows come to a link
 *   maxmin.c   the flows that share links max-min fairly, and what the solver remembers
 *   sweep.c    their rates, link by link that changes
 *   fill.c     their rates, where most of them change
 *   paths.c    the links of a path over a topology
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
    ps_t step_ps;
    int routing;    /* enum path_choice */
    uint64_t paths; /* of a flow at once */
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
    ps_t busiest_link_ps;  /* the longest time that the bytes of a link between switches take at its rates */
    double switched_bytes; /* bytes x switches that they passed */
};

/* Messages that follow each other: the first is under way, the others wait. */
struct packet_flow {
    struct queue messages; /* linked by message->fabric */
    uint64_t rate;         /* in the solver's units: of all its lanes */
    maxmin_work_t left;    /* of the first message, at `since` */
    ps_t since;
    ps_t event_at;     /* of its one event; other events of it in the loop are out of date */
    uint32_t lane;     /* one of its lanes, which leads to the others */
    uint32_t hurried;  /* how many events came earlier than the one before */
    bool has_new_rate; /* of a lane, while all get theirs */
};

/* A path of a flow: a flow of the solver, by whose index it goes. All lanes of a flow move bytes of the same
 * message. */
struct packet_lane {
    uint32_t flow; /* POOL_NONE: the index is not in use */
    uint32_t next; /* lane of the flow; POOL_NONE: it is the last one */
    uint8_t links; /* with a topology: how many links it takes */
    uint8_t place; /* among the lanes of the flow */
};

/* What a lane does beside others. */
struct packet_share {
    maxmin_work_t moved; /* over these links */
    uint64_t rate;       /* its part of the flow's rate */
};

/* Links of the solver that one lane has for itself: what the links allow that do not share their rates, and
 * what a window allows. */
struct packet_own {
    uint32_t *of_flow; /* by the solver's flow index; POOL_NONE: none */
    uint32_t *unused;  /* links that no lane has now */
    uint32_t *shared; /* the links of a lane that share their rates, and its own; NULL: no lane has its own */
    size_t flow_capacity, unused_count, unused_capacity;
};

/* What a lane may do before its links change. */
struct packet_stage {
    maxmin_work_t open;  /* that is sent before acknowledgements limit it; 0: the window is closed */
    maxmin_work_t chunk; /* that is sent before it chooses its path again */
    uint64_t rate;       /* bytes per second, when the window is closed */
    bool is_closed;      /* the solver knows */
};

/* What a network file says takes a route for each pair, which messages ask for several times. */
struct packet_latency {
    uint32_t after_source, destination; /* 1 + source; 0: none */
    ps_t latency;
};

struct packet {
    struct fabric fabric;
    const struct packet_config *config;
    struct rates *rates;
    struct pool flows;           /* struct packet_flow */
    struct packet_lane *lanes;   /* by the solver's flow index, as far as it has been given out */
    struct packet_share *shares; /* by the same, where a flow has several lanes */
    size_t lane_capacity, share_capacity;
    uint32_t lanes_of_flow, lane_ids;
    struct queue_table
        by_key; /* the flow of messages that must follow each other: its index, in queue.head */
    bool solve_pending, has_topology, has_stages, may_stop;
    ps_t solved_at, between_solves; /* the last time; since the time before it */
    uint32_t solve_kind, end_kind;
    struct packet_statistics statistics;
    struct sums up_bytes, down_bytes;
    struct paths paths; /* this and all that follows: unused where has_topology is false */
    uint32_t *routes;   /* paths_words(limit) for each lane */
    size_t route_capacity;
    uint32_t *way;               /* the links of a lane that has no index yet */
    uint32_t *queues;            /* its queues; NULL: each link has one, or none counts */
    struct packet_own own;       /* where some links give each message their whole rate, or with windows */
    struct packet_stage *stages; /* by the solver's flow index; NULL: lanes have no stages, or none yet */
    size_t stage_capacity;
    ps_t tick;                        /* paths are chosen again at its multiples; 0: never */
    struct packet_change *change;     /* NULL: all links stay as they are */
    struct packet_latency *latencies; /* of pairs, the latest ones; NULL: they are computed at once */
    uint32_t latency_records;
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
    struct topo topo;              /* at the beginning */
    struct topology_states states; /* if it changes */
    uint32_t limit;                /* most links of a path */
};

/* Whether the run needs a topology, and one that flows can cross. Fails, reported, also where the congestion
 * does not fit. */
enum status packet_choose_network(const struct config *config, uint32_t nodes,
                                  struct packet_network *network);
void packet_network_free(struct packet_network *network);
struct rates_shape packet_shape_of(const struct packet_config *config, const struct packet_network *network,
                                   uint32_t nodes);

/* ----------------------------- packet.c, for lanes.c, change.c and stage.c */

/* The next instant at which rates may change: with packet.step the end of the step. */
static inline ps_t packet_step_from(const struct packet *packet, ps_t time)
{
    const ps_t step = packet->config->step_ps;
    return step ? ps_multiple_from(time, step) : time;
}

/* All changes of one instant are solved together, after the other events of this instant; with packet.step
 * all changes of one step, at its end. */
void packet_request_solve(struct packet *packet);

/* The key of the messages that must follow each other. */
struct queue_key packet_key_of(const struct packet *packet, const struct message *message);

static inline struct packet_flow *packet_flow_at(const struct packet *packet, uint32_t flow)
{
    return (struct packet_flow *)(void *)packet->flows.records + flow;
}

/* The first message of the flow. */
static inline struct message *packet_first_of(const struct packet *packet, uint32_t flow)
{
    return fabric_message(&packet->fabric, packet_flow_at(packet, flow)->messages.head);
}

static inline uint32_t *packet_route_of(const struct packet *packet, uint32_t lane)
{
    return &packet->routes[lane * paths_words(&packet->paths, packet->paths.limit)];
}

/* Whether flows have several lanes, which share their bytes. */
static inline bool packet_has_shares(const struct packet *packet)
{
    return packet->lanes_of_flow > 1;
}

/* The flow has moved bytes at its rate until now. */
void packet_advance(struct packet *packet, uint32_t flow);
/* Of the message alone: that of the slowest link of its route. */
uint64_t packet_rate_alone(struct packet *packet, const struct message *message);
/* The latency of a message that takes the links of the lane, and that of fixed routing. */
ps_t packet_latency_over(const struct packet *packet, uint32_t lane, const struct message *message);
ps_t packet_latency_of(const struct packet *packet, const struct message *message);

/* The bytes of the flow's first message that have not been sent; a part of a byte counts as one. */
uint64_t packet_bytes_left(const struct packet_flow *flow);

/* ------------------------------------------------------------------ lanes.c */

/* How many lanes each flow has, of packet.paths. */
uint32_t lanes_of_each(const struct packet_config *config, const struct packet_network *network);
/* The lanes of a flow for its first message, which begins on them. */
void lanes_begin(struct packet *packet, uint32_t flow);
/* The next message of the flow begins on its lanes. */
void lanes_follow(struct packet *packet, uint32_t flow);
void lanes_end(struct packet *packet, uint32_t flow);
/* The lanes move at their rates for so long, and together as much as `done`. Only with stages, or with
 * several lanes. */
void lanes_send(struct packet *packet, const struct packet_flow *flow, maxmin_work_t done, ps_t time);
static inline uint64_t lane_rate(const struct packet *packet, uint32_t lane)
{
    return packet_has_shares(packet) ? packet->shares[lane].rate
                                     : packet_flow_at(packet, packet->lanes[lane].flow)->rate;
}
/* Of a message that has taken the lanes of the flow. */
ps_t lanes_latency(const struct packet *packet, uint32_t flow, const struct message *message);

/* The lane leaves the solver, its links and its flow. */
void lane_end(struct packet *packet, uint32_t lane);
/* A lane of the flow, which has ended, goes on over the first `count` links of packet->way, which count it
 * already. `stage` is not used if lanes have no stages. */
void lane_put_on(struct packet *packet, uint32_t flow, uint32_t place, const struct packet_stage *stage,
                 uint32_t count);
/* What has not been sent of the flow's first message takes the links of packet->way from now on, in place of
 * these, which the lane has left. */
void lane_carry_elsewhere(struct packet *packet, uint32_t flow, const uint32_t *links, uint32_t count,
                          uint32_t way_count);
/* What the way of a lane is in packet->way. */
void lane_copy_way(struct packet *packet, uint32_t lane);
double lanes_estimate(const struct packet_config *config, const struct packet_network *network,
                      double flows); /* bytes */
size_t lanes_bytes(const struct packet *packet);

/* -------------------------------------------------------------------- way.c */

void way_init(struct packet *packet, const struct packet_network *network, const struct rates_shape *shape);
/* The rate of a link now. */
uint64_t packet_rate_of_link(const struct packet *packet, uint32_t link);
/* A flow in the solver over the first `count` links of packet->way, whose window allows this rate; returns
 * its index. */
uint32_t packet_add_way(struct packet *packet, uint32_t count, uint64_t window_rate);

/* ------------------------------------------------------------------ stage.c */

/* Whether lanes choose their paths again. */
static inline bool packet_has_chunks(const struct packet *packet)
{
    return packet->config->chunk_bytes && packet->has_topology && !paths_are_minimal(packet->paths.choice);
}

/* Whether lanes have stages; without them none of the functions below does anything. */
static inline bool packet_has_stages(const struct packet *packet)
{
    return packet->has_stages;
}

/* A lane begins with this message: it may send a whole window at any rate. */
void stage_begin(struct packet *packet, uint32_t lane, const struct message *first);
/* Sets packet->has_stages and packet->tick. */
void stage_init(struct packet *packet);
/* A lane goes on in this stage. */
void stage_go_on(struct packet *packet, uint32_t lane, const struct packet_stage *stage);
/* The lane has done so much. Only with stages. */
void stage_send(struct packet *packet, uint32_t lane, maxmin_work_t done);
/* When a stage of the flow's lanes ends if their rates stay, of a flow that has moved until now; PS_NEVER:
 * not before its first message ends. Only with stages. */
ps_t stage_end(const struct packet *packet, uint32_t flow);
/* Closes windows, and chooses paths again, if it is time. Returns whether lanes have been put on links again.
 */
bool stage_next(struct packet *packet, uint32_t flow);
/* The rate of a closed window; UINT64_MAX: it is open. */
uint64_t stage_rate(const struct packet *packet, const struct packet_stage *stage);
double stage_estimate(double lanes); /* bytes of what lanes have for themselves */
/* Bytes that a lane may have under way. */
uint64_t stage_window(const struct packet *packet);
/* Bytes per second: so many bytes in the time from sending a byte to its acknowledgement. */
uint64_t stage_window_rate(uint64_t bytes, ps_t round_trip);

/* ----------------------------------------------------------------- change.c */

/* Takes the states over. At the time of each, links fail, become slow or are back. Until faults.reroute
 * later, messages on failed links stand still. Then routes are those of the state. */
void change_init(struct packet *packet, struct topology_states *states);
void change_free(struct packet *packet);

/* Whether the flow stands still, so that its end is not known: all its lanes are on links that have failed.
 */
bool change_has_stopped(const struct packet *packet, uint32_t flow);
static inline bool change_is_waiting(const struct packet *packet, uint32_t flow)
{
    return packet->may_stop && change_has_stopped(packet, flow);
}

/* The topology that the message is routed in: if it has no way now, and will have one, the topology of then.
 */
const struct topo *change_topo_of(const struct packet *packet, const struct message *message);
static inline const struct topo *packet_topo_of(const struct packet *packet, const struct message *message)
{
    const struct topo *topo = &packet->paths.topo;
    return packet->change && topo->faults ? change_topo_of(packet, message) : topo;
}

/* False, reported: the nodes of the message have been cut off from each other, and stay so. */
bool change_check_way(struct packet *packet, const struct message *message);
/* How long the message has no way from now on; 0: it has one. */
ps_t change_wait(const struct packet *packet, const struct message *message);
static inline ps_t packet_wait(const struct packet *packet, const struct message *message)
{
    return packet->change && packet->paths.topo.faults ? change_wait(packet, message) : 0;
}
/* A path for the message into packet->way, whose links count it; returns how many. */
uint32_t change_enter(struct packet *packet, const struct message *message, uint32_t place);
/* 1 B/s of a failed one. */
uint64_t change_rate_of_link(const struct packet *packet, uint32_t link, uint64_t of_fabric);
/* The least time that so many bytes take on the link at the rates that it has from the beginning on. What
 * passes while it has failed does not count. */
ps_t change_time_of(const struct packet *packet, uint32_t link, uint64_t bytes, uint64_t of_fabric);

#endif
