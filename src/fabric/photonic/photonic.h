#ifndef HELIO_FABRIC_PHOTONIC_PHOTONIC_H
#define HELIO_FABRIC_PHOTONIC_PHOTONIC_H

#include "base/queue.h"
#include "base/rng.h"
#include "fabric/fabric.h"
#include "topo/faults.h"
#include "topo/topo.h"

/* Photonic networks at flow level: circuits of WDM channels, reserved by probes. After J. Duro, S. Petit,
 * M. E. Gomez, J. Sahuquillo: Segment Switching: A New Switching Strategy for Optical HPC Networks, IEEE
 * Access 9 (2021). Every reading that the paper leaves open is a parameter. docs/models/photonic.md
 *
 *   circuit.c, packetised.c, segment.c   the three fabrics
 *   photonic.c       what the three share: opening, closing, a message's submission
 *   settings.c       parameters and presets, and their values in one run
 *   describe.c       what the network is, alone; what it derives from a machine
 *   links.c          links with their channels, switches with their buffers
 *   transfer.c       messages cut into packets; what happens when a transfer ends
 *   probe.c          reservation: what a probe finds, what is granted, waiting and trying again
 *   at_once.c        a probe takes all its channels in one instant
 *   hops.c           a probe takes a channel at a time
 *   packet_trace.c   what a packet did, for the tap
 *   prefetch.c       brings what a transfer's end touches into the caches
 *   statistics.c     what was measured
 *   watchdog.c       ends a run in which nothing moves, and says why
 *
 * Each file uses those below it in this order: photonic, transfer, at_once and hops, probe, all others. */
enum photonic_switching {
    PHOTONIC_CIRCUIT,    /* a circuit for a whole message (section III) */
    PHOTONIC_PACKETISED, /* one for each packet of at most an MTU (VI-A) */
    PHOTONIC_SEGMENT,    /* as far as channels are free, and on from a buffer (IV, Algorithm 1) */
};

extern const struct param_table photonic_params; /* struct photonic_config */
extern const struct metric_table photonic_metrics;

enum photonic_preset { PRESET_LITERAL, PRESET_PAPER_FIT };
enum photonic_retry { RETRY_WAIT, RETRY_NOW, RETRY_BACKOFF };
enum photonic_wake { WAKE_FIRST, WAKE_NODE };
enum photonic_reservation { RESERVATION_ATOMIC, RESERVATION_HOP_BY_HOP };
enum photonic_up { UP_LEAST, UP_FIRST, UP_RANDOM, UP_DESTINATION };
enum photonic_order { ORDER_MESSAGE, ORDER_TURNS };
enum segment_tries { TRIES_OUTPUTS, TRIES_ALL };
enum photonic_node_links { NODE_LINKS_AUTO, NODE_LINKS_CHANNELS, NODE_LINKS_FREE };

/* A number that was not set, so that the preset gives it; and no bound. */
#define BY_PRESET UINT64_MAX
#define UNLIMITED (UINT64_MAX - 1)

struct photonic_config {
    int preset, retry, wake, reservation, up, order, node_links; /* the enums above */
    bool pad;
    uint64_t channels, channel_rate_bytes_per_s, link_rate_bytes_per_s;
    uint64_t cycle_ps; /* or BY_PRESET */
    uint64_t forward_cycles, back_cycles;
    ps_t extractor_ps, converter_ps, eo_ps, oe_ps, wire_ps;
    uint64_t mtu_bytes;
    uint64_t injection, messages; /* or BY_PRESET, UNLIMITED */
    uint64_t jitter_cycles, backoff_doublings, watchdog_cycles;
};

enum buffer_rule { BUFFERS_EVERY, BUFFERS_LEVELS };

struct segment_buffers {
    enum buffer_rule rule;
    uint32_t number;
};

struct segment_config {
    struct segment_buffers buffers;
    uint64_t buffer_bytes; /* or UNLIMITED */
    uint64_t outputs, inputs;
    int tries; /* enum segment_tries */
};

/* The parameters of one run, with the preset's values for those that were not set. */
struct photonic_settings {
    struct photonic_config photonic;
    struct segment_config segment;
    uint64_t rate_bytes_per_s; /* of a channel */
    ps_t cycle_ps;
    ps_t forward_ps, back_ps;   /* set-up of a hop: its cycles, and the component that it passes */
    ps_t full_packet_ps;        /* service of a whole MTU */
    bool node_links_count;      /* injection and ejection links have channels and are hops */
    uint32_t slots_of_a_buffer; /* UINT32_MAX = unlimited */
};
/* ----------------------------------------------- links, packets, statistics */

struct photonic_link {
    uint32_t to;     /* switch where it ends; POOL_NONE: a node */
    uint32_t buffer; /* of that switch; POOL_NONE = none */
    uint32_t from;   /* switch where it begins; POOL_NONE: a node */
    /* Low halves of sums, as those of struct sums: a link has many channels. */
    uint64_t data_ps;    /* channel time that bytes took */
    uint64_t granted_ps; /* that circuits held, set-up included */
    uint64_t tried_ps;   /* that probes held and gave up again */
    uint64_t busy_ps;    /* that at least one channel was taken; not a channel's time, so it fits */
    uint64_t steps;      /* steps (struct photonic) that granted circuits held its channels, added */
    ps_t busy_since;     /* while one is taken */
};

struct photonic_buffer {
    uint32_t at_switch;
    uint32_t free_slots, free_inputs, free_outputs, least_free_slots;
    bool is_trying;       /* its stored packets, one after the other */
    struct queue stored;  /* packets that have no output yet, in the order in which they came to need one */
    uint64_t reserved_ps; /* slot time from reservation to departure: the low half of a sum */
    uint64_t filled_ps;   /* and from arrival, likewise */
    uint64_t steps;       /* steps from reservation to departure, of all slots */
};

struct photonic_node {
    struct queue waiting; /* messages that have not begun */
    struct queue open;    /* messages with packets that have not begun, the next one to send first */
    uint64_t begun;       /* open messages: not all their packets have left */
    uint64_t in_flight;   /* packets that have begun here and not left */
};

/* A message. The links of a fixed route follow it. */
struct photonic_transmission {
    uint64_t bytes;
    ps_t generated;
    ps_t begun_at, sent_at,
        left_at; /* the first attempt and the first transmission of a packet; the last packet's leaving */
    uint64_t packets, begun, left,
        arrived; /* how many there are, have begun, have left the source, have arrived */
    uint32_t next, id;
    uint32_t source, destination;
    uint32_t hops;
    bool is_visible;
    uint32_t route[];
};

enum packet_state { PACKET_GONE, PACKET_STORED, PACKET_WAITING, PACKET_FORWARD, PACKET_BACK, PACKET_SENT };

/* A packet, or a whole message that is not cut. With adaptive routes its path so far follows it. */
struct photonic_packet {
    uint32_t next;
    uint32_t transmission;
    uint32_t blocked_on; /* what it found taken: a link, or, counted behind the links, a switch; POOL_NONE =
                            nothing */
    uint16_t at;         /* how many links it has passed */
    uint16_t reached;    /* how many it has passed or reserved */
    uint16_t end;        /* how many it will have passed at the end of its segment */
    uint8_t state;       /* enum packet_state */
    uint8_t is_short;    /* the last packet of a message, shorter than the MTU */
    uint16_t tries;      /* failed ones since it came here, at most UINT16_MAX */
    uint16_t turned;     /* hop by hop: how far its probe had come when it turned back */
    uint32_t times_stored;
    ps_t since;      /* its probe set out */
    ps_t begun;      /* its first probe set out */
    ps_t arrived;    /* in the buffer where it is */
    ps_t slot_since; /* the slot there was reserved */
    ps_t next_slot_since;
    ps_t buffer_ps;                                   /* spent in buffers so far */
    uint64_t granted_step, slot_step, next_slot_step; /* photonic.ended at its grant, and of its slots */
    uint32_t path[];
};

enum { STORED_CLASSES = 32, SPREAD_BINS = 4096, CURVE_POINTS = 11 };

/* Bytes by the time of their arrival, in bins whose width doubles when time outgrows them. */
struct photonic_spread {
    ps_t width_ps;
    uint64_t bins[SPREAD_BINS]; /* low halves of sums */
    int64_t *high;              /* NULL: all are 0 */
};

struct photonic_statistics {
    sum_t hop_bytes;
    uint64_t packets, attempts, failed_attempts, probe_hops, segments;
    uint64_t buffer_count, buffer_peak_slots;
    double queue_mean_s, network_mean_s, buffer_mean_s; /* of a packet */
    ps_t last_delivery_ps, t95_ps, cycle_ps;
    double data, granted, tried, busy, in_use, steps;
    double data_most, granted_most, busy_most, in_use_most, steps_most;
    double granted_curve[CURVE_POINTS], buffer_curve[CURVE_POINTS];
    double buffers_reserved, buffers_filled, buffers_steps;
    double never_stored, stored_once, stored_twice, stored_more, times_stored_mean;
    struct metric_series link_data, link_granted, link_tried, buffer_reserved, buffer_switch, times_stored;
};

/* What a packet has done so far, kept while the tap has a handler for it. */
struct packet_trace {
    struct queue steps;
    ps_t begun, until; /* the last of them ended */
};

/* A step begins when the one before it has ended. Many packets may be under way at once, so it is small. */
struct packet_trace_step {
    ps_t at; /* its end */
    uint32_t which;
    uint32_t next;
    uint8_t part;    /* enum tap_part */
    uint8_t awaited; /* what for, in packet_trace.c */
};

/* When a probe takes its channels: at_once.c or hops.c. */
struct photonic;
struct reservation_ops {
    void (*begin)(struct photonic *photonic, uint32_t packet); /* the probe sets out */
    void (*step)(struct photonic *photonic, uint32_t packet);  /* it is at the next switch */
};
extern const struct reservation_ops reservation_at_once, reservation_hop_by_hop;

struct photonic {
    struct fabric fabric;
    struct photonic_settings settings;
    enum photonic_switching switching;
    const struct reservation_ops *reservation;
    struct topo topo;
    struct rng rng;
    bool is_adaptive;      /* the next link is chosen switch by switch */
    bool is_watched;       /* an event of the watchdog is in the queue */
    uint32_t hops_most;    /* of a route */
    uint32_t first_link;   /* that has channels; links before it are never full */
    uint16_t *free;        /* channels of each link; not in the links, since probes read little else */
    struct queue *waiters; /* [links + switches]: packets that wait for a link, or for any link of a switch */
    struct photonic_link *links;
    struct photonic_buffer *buffers;
    uint32_t *buffer_at; /* [switches] which buffer; NULL where a link says it for all that take it */
    uint32_t buffer_count;
    struct photonic_node *nodes;
    struct pool transmissions, packets;
    struct packet_trace *traces; /* by packet; none where the tap has no handler for it */
    size_t trace_capacity;
    struct pool steps;
    uint64_t announced; /* packets of the messages so far, until the user is told how many they are */
    uint32_t sending;   /* transfers that have been granted and not ended */
    ps_t progress_at;   /* when the last of them ended */
    uint64_t ended;     /* how many have: the simulator's steps, if each has the same weight */
    uint32_t end_kind, step_kind, watch_kind;
    ps_t watch_ps; /* without a transfer, after which the run ends; 0: not known yet */
    /* measured */
    struct photonic_statistics statistics, shown; /* counted so far; as photonic_statistics() returned it */
    double queue_total_ps, network_total_ps, buffer_total_ps;
    int64_t times_stored[STORED_CLASSES];
    struct photonic_spread spread;
    int64_t *series; /* three of all links, then two of all buffers */
    int64_t *high;   /* of these, and of the buffers' filled_ps behind them; NULL: all are 0 */
};

static inline struct photonic_transmission *transmission_at(const struct photonic *photonic, uint32_t index)
{
    return pool_at(&photonic->transmissions, index);
}

static inline struct photonic_packet *packet_at(const struct photonic *photonic, uint32_t index)
{
    return pool_at(&photonic->packets, index);
}

/* Packets follow each other in the queues of links, switches and buffers. */
static inline struct queue_links packet_links(const struct photonic *photonic)
{
    return (struct queue_links){.records = photonic->packets.records,
                                .stride = photonic->packets.size,
                                .offset = offsetof(struct photonic_packet, next)};
}

/* The packet's links, from its source on. */
static inline const uint32_t *links_of(const struct photonic *photonic, const struct photonic_packet *packet)
{
    return photonic->is_adaptive ? packet->path : transmission_at(photonic, packet->transmission)->route;
}

/* Of a link that nobody uses. */
static inline uint32_t links_channels(const struct photonic *photonic, uint32_t link)
{
    uint32_t lost = photonic->topo.faults ? faults_channels_lost(&photonic->topo, link) : 0;
    return (uint32_t)photonic->settings.photonic.channels - lost;
}

/* A circuit takes a channel of the link, and gives it back. A link that gives each message its whole rate has
 * channels for any number. */
static inline void take_channel(struct photonic *photonic, uint32_t link)
{
    if (photonic->free[link] == links_channels(photonic, link))
        photonic->links[link].busy_since = fabric_now(&photonic->fabric);
    photonic->free[link] -= topo_is_held(&photonic->topo, link);
}

static inline void give_channel(struct photonic *photonic, uint32_t link)
{
    struct photonic_link *record = &photonic->links[link];
    photonic->free[link] += topo_is_held(&photonic->topo, link);
    if (photonic->free[link] == links_channels(photonic, link))
        record->busy_ps += (uint64_t)(fabric_now(&photonic->fabric) - record->busy_since);
}

/* links.c: the same where a link leads to another switch, depending on whence it is taken. */
uint32_t buffer_on_way(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t end);

/* The buffer behind the first `end` links of the packet, at least one; POOL_NONE: there is none. */
static inline uint32_t buffer_behind(const struct photonic *photonic, const struct photonic_packet *packet,
                                     uint32_t end)
{
    return photonic->buffer_at ? buffer_on_way(photonic, packet, end)
                               : photonic->links[links_of(photonic, packet)[end - 1]].buffer;
}

/* The buffer that the packet is in; POOL_NONE at its source. */
static inline uint32_t buffer_of(const struct photonic *photonic, const struct photonic_packet *packet)
{
    return packet->at ? buffer_behind(photonic, packet, packet->at) : POOL_NONE;
}

static inline uint64_t packet_bytes(const struct photonic *photonic, const struct photonic_packet *packet)
{
    uint64_t mtu = photonic->settings.photonic.mtu_bytes;
    const struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    if (photonic->switching == PHOTONIC_CIRCUIT)
        return transmission->bytes;
    return packet->is_short ? transmission->bytes - (transmission->packets - 1) * mtu : mtu;
}

/* links.c, where the network gives rates or latencies: of a channel over the links of the packet's segment,
 * the slowest; what links `from` to `to` of its path take beyond as many of photonic.wire; what the links of
 * the nodes at its ends take beyond that, if they are no hops. */
uint64_t links_rate(const struct photonic *photonic, const struct photonic_packet *packet);
ps_t links_beyond(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t from,
                  uint32_t to);
ps_t node_links_beyond(const struct photonic *photonic, const struct photonic_packet *packet);

static inline ps_t wires_beyond(const struct photonic *photonic, const struct photonic_packet *packet,
                                uint32_t from, uint32_t to)
{
    return topo_has_latencies(&photonic->topo) ? links_beyond(photonic, packet, from, to) : 0;
}

/* On one channel. Padded packets take as long as an MTU. */
static inline ps_t packet_service_ps(const struct photonic *photonic, const struct photonic_packet *packet)
{
    const struct photonic_settings *settings = &photonic->settings;
    bool is_packet = photonic->switching != PHOTONIC_CIRCUIT;
    bool is_full = is_packet && (!packet->is_short || settings->photonic.pad);
    if (topo_has_rates(&photonic->topo))
        return service_ps(is_full ? settings->photonic.mtu_bytes : packet_bytes(photonic, packet),
                          links_rate(photonic, packet));
    if (is_full)
        return settings->full_packet_ps;
    return service_ps(packet_bytes(photonic, packet), settings->rate_bytes_per_s);
}

/* photonic.c: the topology of the run with its faults. */
enum status photonic_topology(struct photonic *photonic, uint32_t nodes);

/* photonic.c: for circuit.c, packetised.c and segment.c; `segment` is NULL where there are no buffers */
enum status photonic_init(struct fabric *fabric, enum photonic_switching switching,
                          const struct segment_config *segment);
void photonic_free(struct fabric *fabric);
void photonic_submit(struct fabric *fabric, uint32_t message);
const void *photonic_statistics(struct fabric *fabric);
size_t photonic_bytes(const struct fabric *fabric);
/* For fabric_ops.estimate. */
enum status photonic_estimate(const struct fabric_demand *demand, enum photonic_switching switching,
                              const struct segment_config *segment, struct estimate *estimate);
void photonic_explain(const struct fabric *fabric);
/* For fabric_ops.derive and describe. */
void photonic_derive(struct derivation *derivation);
void photonic_describe(const struct config *config, uint32_t nodes, enum photonic_switching switching,
                       struct fabric_description *description);
enum status photonic_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);
struct hardware_use photonic_use(const struct config *config, uint32_t nodes, const void *statistics);

/* settings.c: STATUS_BAD_INPUT, reported, where parameters do not go together */
enum status photonic_resolve(struct photonic *photonic, const struct segment_config *segment);
/* For parsers of parameters: sets the problem at this byte, and returns false. */
bool photonic_refuse(struct param_problem *problem, uint32_t at, const char *text);

/* links.c */
void links_init(struct photonic *photonic);
void links_free(struct photonic *photonic);
size_t links_bytes(const struct photonic *photonic);
/* From topo, settings and switching alone: the same, before links_init(). Sets the number of buffers. */
size_t links_estimate(struct photonic *photonic);
void links_route(const struct photonic *photonic, struct photonic_transmission *transmission);
/* Of one channel over these links, the slowest of them. */
uint64_t links_channel_rate(const struct photonic *photonic, const uint32_t *links, uint32_t count);

/* transfer.c */
void transfer_begin(struct photonic *photonic, uint32_t message); /* of a new message */
void transfer_on_end(void *self, uint32_t packet);                /* event */

/* probe.c */
enum probe_step { PROBE_FREE, PROBE_TAKEN, PROBE_ARRIVED };
void probe_begin(struct photonic *photonic, uint32_t packet); /* it is at its source, or has an output */
void probe_on_step(void *self, uint32_t packet);              /* event */
/* The packet is in a buffer: it tries as soon as it has an output. */
void probe_from_buffer(struct photonic *photonic, uint32_t packet);
/* Stored packets of this buffer try while it has a free output. */
void probe_stored(struct photonic *photonic, struct photonic_buffer *buffer);
/* For the two kinds of reservation. */
enum probe_step probe_look(struct photonic *photonic, struct photonic_packet *packet, uint32_t *link);
bool probe_look_ahead(struct photonic *photonic, struct photonic_packet *packet);           /* all the way? */
bool probe_buffer(struct photonic *photonic, struct photonic_packet *packet, uint32_t end); /* takes a slot */
void probe_grant(struct photonic *photonic, uint32_t packet, ps_t from);             /* sent from then on */
void probe_seen(struct photonic *photonic, struct photonic_packet *packet, ps_t at); /* at its destination */
void probe_failed(struct photonic *photonic, uint32_t packet); /* the packet holds no channel */
void probe_notify(struct photonic *photonic, uint32_t link);   /* a channel of the link is free */

/* prefetch.c: for loop_prefetch */
void prefetch_for_step(const void *self, uint32_t packet, unsigned step);
void prefetch_for_end(const void *self, uint32_t packet, unsigned step);

/* statistics.c: adds to the low half of a sum of a link or a buffer */
enum link_sum { LINK_DATA, LINK_GRANTED, LINK_TRIED };
enum buffer_sum { BUFFER_RESERVED, BUFFER_FILLED };
void statistics_carry_link(struct photonic *photonic, uint32_t link, enum link_sum which);
void statistics_carry_buffer(struct photonic *photonic, uint32_t buffer, enum buffer_sum which);

static inline void statistics_add_link(struct photonic *photonic, uint32_t link, enum link_sum which,
                                       uint64_t *sum, ps_t time)
{
    if (__builtin_add_overflow(*sum, (uint64_t)time, sum))
        statistics_carry_link(photonic, link, which);
}

static inline void statistics_add_buffer(struct photonic *photonic, uint32_t buffer, enum buffer_sum which,
                                         uint64_t *sum, ps_t time)
{
    if (__builtin_add_overflow(*sum, (uint64_t)time, sum))
        statistics_carry_buffer(photonic, buffer, which);
}

/* packet_trace.c: does nothing where the tap has no handler for it */
void packet_trace_begin(struct photonic *photonic, uint32_t packet);
/* The packet has waited until now; its state says for what. */
void packet_trace_waited(struct photonic *photonic, uint32_t packet);
/* Adds a step, from the end of the last one until `at`. */
void packet_trace_add(struct photonic *photonic, uint32_t packet, enum tap_part part, ps_t at);
/* Tells the tap of all steps after `since`. */
void packet_trace_emit(const struct photonic *photonic, uint32_t packet, ps_t since);
void packet_trace_end(struct photonic *photonic, uint32_t packet);

/* statistics.c */
void statistics_count_arrival(struct photonic *photonic, const struct photonic_packet *packet,
                              uint64_t bytes);

/* watchdog.c */
void watchdog_begin(struct photonic *photonic);       /* something is under way */
void watchdog_on_watch(void *self, uint32_t subject); /* event */

#endif
