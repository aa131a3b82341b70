#ifndef HELIO_FABRIC_PHOTONIC_INTERNAL_H
#define HELIO_FABRIC_PHOTONIC_INTERNAL_H

/* What the files of this room share:
 *
 *   params.c      parameters, presets, what they come to for one run
 *   links.c       links with their channels, switches with their buffers
 *   photonic.c    messages cut into packets, sources, what happens when a transfer ends
 *   probe.c       reservation: which channels, how far, waiting and trying again
 *   hops.c        the same where a probe takes a channel at a time
 *   fetch.c       what a transfer's end will touch, brought into the caches
 *   trail.c       what a packet did, for who listens
 *   statistics.c  what was measured
 *   watchdog.c    why nothing moves
 */

#include "base/mem.h"
#include "base/queue_table.h"
#include "base/rng.h"
#include "fabric/photonic/photonic.h"

enum photonic_preset { PRESET_LITERAL, PRESET_PAPER_FIT };
enum photonic_retry { RETRY_WAIT, RETRY_NOW, RETRY_BACKOFF };
enum photonic_reservation { RESERVATION_ATOMIC, RESERVATION_HOP_BY_HOP };
enum photonic_up { UP_LEAST, UP_FIRST, UP_RANDOM, UP_DESTINATION };
enum photonic_order { ORDER_MESSAGE, ORDER_TURNS };
enum photonic_node_links { NODE_LINKS_AUTO, NODE_LINKS_CHANNELS, NODE_LINKS_FREE };

/* A number that the preset gives where nobody set one, and one that may be without bound. */
#define BY_PRESET UINT64_MAX
#define UNLIMITED (UINT64_MAX - 1)

struct photonic_config {
    int preset, retry, reservation, up, order, node_links; /* the enums above */
    bool pad;
    uint64_t channels, channel_rate_bytes_per_s, link_rate_bytes_per_s;
    uint64_t cycle_ps; /* or BY_PRESET */
    uint64_t forward_cycles, back_cycles;
    ps_t extractor_ps, converter_ps, eo_ps, oe_ps;
    uint64_t mtu_bytes;
    uint64_t injection, messages; /* or BY_PRESET, UNLIMITED */
    uint64_t jitter_cycles, backoff_doublings, watchdog_cycles;
};

enum buffer_rule { BUFFERS_EVERY, BUFFERS_LEVELS };

struct segment_config {
    struct buffer_layout {
        enum buffer_rule rule;
        uint32_t number;
    } buffers;
    uint64_t buffer_bytes; /* or UNLIMITED */
    uint64_t outputs, inputs;
};

/* The parameters of one run, with what the preset makes of those that nobody set. */
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
enum status photonic_settle(const struct photonic_plan *plan, struct photonic_settings *settings);

/* ----------------------------------------------------------------------------------------------- things */

struct link {
    uint32_t to;     /* switch where it ends; POOL_NONE: a node */
    uint32_t buffer; /* of that switch; POOL_NONE = none */
    uint32_t from;   /* switch where it begins; POOL_NONE: a node */
    ps_t data_ps;    /* channel time that bytes took */
    ps_t granted_ps; /* that circuits held, set-up included */
    ps_t tried_ps;   /* that probes held which gave it up again */
};

struct buffer {
    uint32_t at_switch;
    uint32_t free_slots, free_inputs, free_outputs, least_free_slots;
    struct queue stored; /* packets that have no output yet, in the order in which they arrived */
    ps_t reserved_ps;    /* slot time from reservation to departure */
    ps_t filled_ps;      /* and from arrival */
};

struct node {
    struct queue waiting; /* messages that have not begun */
    struct queue open;    /* those that have packets left to begin, the next to send first */
    uint64_t begun;       /* messages of which some packets, but not all, have left */
    uint64_t in_flight;   /* packets that have begun here and not left */
};

/* A message. The links of a fixed route follow it. */
struct transmission {
    uint64_t bytes;
    ps_t generated;
    ps_t begun_at, sent_at,
        left_at; /* its first packet's first attempt and transmission, its last one's leaving */
    uint64_t packets, begun, left, arrived; /* how many there are, have begun, left the source, arrived */
    uint32_t next, id;
    uint32_t source, destination;
    uint32_t hops;
    bool is_visible;
    uint32_t route[];
};

enum packet_state { PACKET_GONE, PACKET_STORED, PACKET_WAITING, PACKET_FORWARD, PACKET_BACK, PACKET_SENT };

/* Or a whole message, where it is not cut. Its path so far follows it where routes adapt. */
struct packet {
    uint32_t next;
    uint32_t transmission;
    uint32_t blocked_on; /* what it found taken: a link, or behind the links a switch; POOL_NONE = nothing */
    uint16_t at;         /* links behind it */
    uint16_t reached;    /* links reserved, those behind it included */
    uint16_t end;        /* of the segment that it is sent over, likewise */
    uint8_t state;       /* enum packet_state */
    uint8_t is_short;    /* the last of a message, with what is left of it */
    uint16_t tries;      /* that have failed since it came here, at most UINT16_MAX */
    uint16_t turned;     /* hop by hop: how far its probe had come when it turned back */
    uint32_t times_stored;
    ps_t since;      /* its probe set out */
    ps_t begun;      /* it was the first time */
    ps_t arrived;    /* in the buffer where it is */
    ps_t slot_since; /* the slot there was reserved */
    ps_t next_slot_since;
    ps_t buffer_ps; /* spent in buffers so far */
    uint32_t path[];
};

enum { STORED_CLASSES = 32, SPREAD_BINS = 4096, CURVE_POINTS = 11 };

/* Bytes by the time of their arrival, in bins whose width doubles when time outgrows them. */
struct spread {
    ps_t width_ps;
    uint64_t bins[SPREAD_BINS];
};

struct photonic_statistics {
    uint64_t packets, hop_bytes, attempts, failed_attempts, probe_hops, segments;
    uint64_t buffer_count, buffer_peak_slots;
    double queue_mean_s, network_mean_s, buffer_mean_s; /* of a packet */
    ps_t last_delivery_ps, t95_ps, cycle_ps;
    double data, granted, tried, data_most, granted_most;
    double granted_curve[CURVE_POINTS], buffer_curve[CURVE_POINTS];
    double buffers_reserved, buffers_filled;
    double never_stored, stored_once, stored_twice, stored_more, times_stored_mean;
    struct metric_series link_data, link_granted, link_tried, buffer_reserved, buffer_switch, times_stored;
};

/* What a packet has done so far, kept while somebody wants to hear of it. */
struct trail {
    uint32_t first, last; /* struct step; POOL_NONE = none */
    ps_t until;           /* the last of them ended */
};

struct step {
    ps_t since, at;
    const char *awaited;
    uint32_t which;
    uint32_t next;
    uint8_t part; /* enum tap_part */
};

struct photonic {
    struct photonic_settings settings;
    enum photonic_switching switching;
    const char *name;
    struct topo topo;
    struct event_loop *loop;
    const struct tap *tap;
    struct photonic_callbacks callbacks;
    struct rng rng;
    bool is_adaptive;     /* which links lead on is found switch by switch */
    bool is_watched;      /* an event of the watchdog is in the queue */
    uint32_t hops_most;   /* of a route */
    uint32_t first_link;  /* that has channels; those before are free */
    uint16_t *free;       /* channels of each link: apart from the links, since probes read little else */
    struct queue *asleep; /* packets that wait for a link, then those that wait for any of a switch */
    struct link *links;
    struct buffer *buffers;
    uint32_t buffer_count;
    struct node *nodes;
    struct pool transmissions, packets;
    struct trail *trails; /* by packet; none while nobody listens */
    size_t trail_capacity;
    struct pool steps;
    uint32_t sending; /* transfers that have been granted and not ended */
    ps_t progress_at; /* when the last of them ended */
    uint32_t end_kind, step_kind, watch_kind;
    /* measured */
    struct photonic_statistics statistics, shown; /* as it is counted, and as it was last asked for */
    double queue_total_ps, network_total_ps, buffer_total_ps;
    int64_t times_stored[STORED_CLASSES];
    struct spread spread;
    int64_t *series; /* of links, three times over, then of buffers, twice */
};

static inline struct transmission *transmission_at(const struct photonic *photonic, uint32_t index)
{
    return pool_at(&photonic->transmissions, index);
}

static inline struct packet *packet_at(const struct photonic *photonic, uint32_t index)
{
    return pool_at(&photonic->packets, index);
}

/* The packet's links, from its source on. */
static inline const uint32_t *links_of(const struct photonic *photonic, const struct packet *packet)
{
    return photonic->is_adaptive ? packet->path : transmission_at(photonic, packet->transmission)->route;
}

/* The buffer that the packet is in; POOL_NONE at its source. */
static inline uint32_t buffer_of(const struct photonic *photonic, const struct packet *packet)
{
    return packet->at ? photonic->links[links_of(photonic, packet)[packet->at - 1]].buffer : POOL_NONE;
}

/* links.c  */
void links_make(struct photonic *photonic);
void links_free(struct photonic *photonic);
size_t links_bytes(const struct photonic *photonic);
void links_route(const struct photonic *photonic, struct transmission *transmission);

/* photonic.c */
ps_t packet_service_ps(const struct photonic *photonic, const struct packet *packet);
void packet_push(struct photonic *photonic, struct queue *queue, uint32_t packet);
bool packet_pop(struct photonic *photonic, struct queue *queue, uint32_t *packet);

/* probe.c */
enum probe_step { PROBE_FREE, PROBE_TAKEN, PROBE_ARRIVED };
enum probe_step probe_look(struct photonic *photonic, struct packet *packet, uint32_t *link);
void probe_begin(struct photonic *photonic, uint32_t packet);  /* it is at its source, or has an output */
void probe_on_step(void *self, uint32_t packet);               /* event */
void probe_wake(struct photonic *photonic, uint32_t link);     /* a channel of the link is free */
void probe_failed(struct photonic *photonic, uint32_t packet); /* it is back, or has never left */
bool probe_buffer(struct photonic *photonic, struct packet *packet, uint32_t end); /* a slot, reserved */
void probe_grant(struct photonic *photonic, uint32_t packet, ps_t from);           /* sent from then on */
void probe_seen(struct photonic *photonic, struct packet *packet, ps_t at);        /* at its destination */

/* hops.c */
void hops_begin(struct photonic *photonic, uint32_t packet);
void hops_step(struct photonic *photonic, uint32_t packet);

/* fetch.c: for loop_prefetch */
void fetch_for_step(const void *self, uint32_t packet, unsigned step);
void fetch_for_end(const void *self, uint32_t packet, unsigned step);

/* trail.c: nothing while nobody listens */
void trail_begin(struct photonic *photonic, uint32_t packet);
void trail_waited(struct photonic *photonic, uint32_t packet); /* until now, for what its state says */
void trail_go(struct photonic *photonic, uint32_t packet, enum tap_part part,
              ps_t at);                                                  /* from its last step on */
void trail_tell(struct photonic *photonic, uint32_t packet, ps_t since); /* all that lies behind `since` */
void trail_end(struct photonic *photonic, uint32_t packet);

/* statistics.c */
void statistics_count_arrival(struct photonic *photonic, const struct packet *packet, uint64_t bytes);

/* watchdog.c */
void watchdog_begin(struct photonic *photonic);       /* something is under way */
void watchdog_on_watch(void *self, uint32_t subject); /* event */

#endif
