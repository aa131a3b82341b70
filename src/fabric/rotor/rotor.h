#ifndef HELIO_FABRIC_ROTOR_ROTOR_H
#define HELIO_FABRIC_ROTOR_ROTOR_H

#include "base/hashmap.h"
#include "base/mem.h"
#include "base/queue.h"
#include "fabric/fabric.h"

/* Optical switches that rotate through fixed matchings, as in RotorNet (SIGCOMM 2017), Opera (NSDI 2020) and
 * Sirius (SIGCOMM 2020). Nobody asks them for a circuit: at any time the schedule says which circuits are up.
 * docs/models/rotor.md
 *
 *   rotor.h, .c   the fabric: which way a message takes; statistics, memory
 *   plan.c        parameters, their checks, and the matchings of each switch
 *   schedule.c    when a circuit is up, in closed form
 *   direct.c      rotor.hops=1: a pair has its circuit for itself, so no events are needed
 *   links.c       rotor.hops=2 or rotor.short: what each link carries next
 *   arrive.c      what becomes of bytes that have left: messages in the order of their pair
 *   routes.c      rotor.short: shortest paths over the circuits that are up
 *   describe.c    what the fabric derives from the machine and says of itself
 */
enum rotor_offset { ROTOR_TOGETHER, ROTOR_STAGGERED };
enum rotor_order { ROTOR_CYCLIC, ROTOR_RANDOM };
enum rotor_accept { ROTOR_ACCEPT_ANY, ROTOR_ACCEPT_SLOT };

struct rotor_config {
    uint64_t switches; /* 0: one for each ROTOR_MATCHINGS */
    uint64_t bandwidth_bytes_per_s;
    ps_t slot_ps, guard_ps, wire_ps;
    int offset, order, accept; /* enum rotor_offset, rotor_order, rotor_accept */
    uint64_t hops;
    uint64_t cell_bytes;   /* 0: what a slot carries */
    uint64_t stored_bytes; /* 0: no limit */
    uint64_t short_bytes;
    const char *failed;
};

extern const struct param_table rotor_params; /* struct rotor_config */

/* Matchings of one switch where rotor.switches is 0. */
enum { ROTOR_MATCHINGS = 16 };

/* --------------------------------------------------------------- plan.c */

/* Matching m connects each node i to node (i + m) mod nodes. Switch s has the matchings order[s],
 * order[s + switches], order[s + 2 switches] ... at its positions 0, 1, 2 ... */
struct rotor_plan {
    const struct rotor_config *config;
    uint32_t nodes, switches;
    uint32_t working;       /* switches that have not failed */
    ps_t period_ps;         /* guard and slot */
    ps_t light_ps;          /* from node to node */
    uint64_t slot_bytes;    /* that a link carries in a slot */
    uint64_t cell_bytes;    /* the largest cell */
    uint32_t *order;        /* [nodes - 1] */
    uint32_t *dealt;        /* [nodes]: where each matching is in `order` */
    bool *failed;           /* [switches] */
    struct rotor_up *views; /* [switches]: the slot of the latest look, since time does not go back */
};

/* Reports what is wrong. The plan is freed in any case. */
enum status rotor_plan_init(struct rotor_plan *plan, const struct config *config, uint32_t nodes);
void rotor_plan_free(struct rotor_plan *plan);
size_t rotor_plan_bytes(uint32_t nodes, uint32_t switches);
/* The switches of a run; at least one, even for a single node. */
uint32_t rotor_switches(const struct rotor_config *config, uint32_t nodes);

/* The number of the matching that connects the nodes. */
static inline uint32_t rotor_matching(const struct rotor_plan *plan, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + (plan->nodes - from);
}

static inline uint32_t rotor_switch_of(const struct rotor_plan *plan, uint32_t matching)
{
    return plan->dealt[matching] % plan->switches;
}

/* How many matchings a switch has. */
static inline uint32_t rotor_positions(const struct rotor_plan *plan, uint32_t of_switch)
{
    return (plan->nodes - 2 - of_switch) / plan->switches + 1;
}

/* The time of so many bytes on a link, whose rate is rotor.bandwidth / switches. */
ps_t rotor_service(const struct rotor_plan *plan, uint64_t bytes);
/* The bytes that a link carries in this time. */
uint64_t rotor_capacity(const struct rotor_plan *plan, ps_t time);

/* ----------------------------------------------------------- schedule.c */

/* How long before the others' changes those of this switch are. */
ps_t rotor_lead(const struct rotor_plan *plan, uint32_t of_switch);

/* The slot of a switch at some time: dark until `since`, then it carries until `until`. */
struct rotor_up {
    ps_t since, until;
    uint32_t matching;
};

/* The slot at `at`; calls for a switch come in the order of time. */
const struct rotor_up *rotor_up_at(const struct rotor_plan *plan, uint32_t of_switch, ps_t at);
/* The first time from `at` on at which the circuit of a matching is up. */
ps_t rotor_next(const struct rotor_plan *plan, uint32_t matching, ps_t at);

/* A transfer over the circuit of a matching, in one slot after another. */
struct rotor_transfer {
    ps_t begin, end;
    int64_t first, last; /* the cycles in which it begins and ends */
};

/* From `at` on, for `service` of time in slots. Times that are out of range are PS_NEVER. */
struct rotor_transfer rotor_transfer(const struct rotor_plan *plan, uint32_t matching, ps_t at, ps_t service);
/* The cycle of this circuit that has carried up to `at`, exclusive. */
int64_t rotor_cycle_before(const struct rotor_plan *plan, uint32_t matching, ps_t at);

/* -------------------------------------------------------------- routes.c */

/* Shortest paths over the circuits that are up. As all nodes have circuits to the same distances, the first
 * circuit of a path depends on the distance from node to node alone. */
struct rotor_routes {
    uint32_t *first;  /* [nodes]: by matching, the switch to take; ROTOR_NO_WAY: there is no path */
    uint32_t *hops;   /* [nodes]: how many circuits the path has */
    uint32_t *queue;  /* [nodes]: of the search */
    ps_t valid_until; /* a circuit goes down or comes up */
};

#define ROTOR_NO_WAY UINT32_MAX

void rotor_routes_init(struct rotor_routes *routes, uint32_t nodes);
void rotor_routes_free(struct rotor_routes *routes);
/* Computes the paths at `at`, unless they are known. */
void rotor_routes_at(struct rotor_routes *routes, const struct rotor_plan *plan, ps_t at);

/* --------------------------------------------------------------- rotor.c */

struct rotor_statistics {
    uint64_t direct_messages, two_hop_messages, short_messages;
    sum_t direct_bytes, two_hop_bytes, short_bytes;
    sum_t waited;
    sum_t slots;
    double duty_cycle;
    uint64_t stored_peak;
};

extern const struct metric_table rotor_metrics; /* struct rotor_statistics */

/* A message under way, of those that links.c moves; message->fabric is its index. */
struct rotor_message {
    uint32_t index, pair;
    uint32_t next_to_send;     /* in rotor_pair.to_send */
    uint32_t next_in_order;    /* in rotor_pair.in_order */
    uint64_t bytes;            /* at least 1, for its envelope */
    uint64_t at_source;        /* that have not left the source */
    uint64_t missing;          /* that have not begun their last hop */
    ps_t begun, left;          /* the first byte leaves the source; the last one has left */
    ps_t first, last;          /* when the first and the last byte are there; first PS_NEVER: not known */
    ps_t visible;              /* PS_NEVER: not yet */
    bool is_short, is_two_hop; /* some bytes take two hops */
};

/* Bytes of a message on their way through other nodes. */
struct rotor_piece {
    uint64_t bytes;
    uint32_t message; /* a struct rotor_message */
    uint32_t next;    /* in the queue in which it waits */
    uint32_t node;    /* where it is, or arrives */
    uint16_t tries;   /* circuits that it has taken, and times that there was no path */
    bool at_source;   /* it has not left yet */
};

/* What one node has for another one. */
struct rotor_pair {
    uint32_t source, destination;
    struct queue to_send;   /* its own messages with bytes left, that are not short */
    struct queue stored;    /* pieces on their second hop */
    struct queue in_order;  /* its own messages that are not visible yet */
    uint64_t waiting;       /* bytes of to_send and stored, and of pieces on their way to stored */
    uint32_t before, after; /* in the ring of pairs of rotor_node */
    bool waits;             /* an event comes when its circuit is up */
    ps_t visible;           /* the latest message was */
};

struct rotor_node {
    uint32_t pairs;  /* a ring of those with messages to send; POOL_NONE: none */
    uint64_t stored; /* bytes for others, also on their way here */
};

/* A node's link to a switch. */
struct rotor_link {
    ps_t busy_until;
    ps_t event_at;       /* of its one event that counts; PS_NEVER: there is none */
    ps_t used_until;     /* the end of the latest slot in which it carried something */
    struct queue shorts; /* pieces that go over the circuit of the slot that ends at shorts_until */
    ps_t shorts_until;
};

struct rotor {
    struct fabric fabric;
    const struct rotor_config *config;
    struct rotor_plan plan;
    struct hashmap pair_numbers; /* of source and destination: one more than the number of the pair */
    uint32_t pair_count;
    ps_t *free_at; /* direct.c: by pair, when the latest message has left */
    size_t free_capacity;
    struct rotor_pair *pairs; /* links.c */
    size_t pair_capacity;
    struct rotor_node *nodes;
    struct rotor_link *links; /* [node * switches + switch]; NULL: direct.c carries all */
    struct pool messages, pieces;
    struct rotor_routes routes;
    uint8_t *two_hops; /* by matching, where switches have failed: enum rotor_reach */
    uint32_t link_kind, pair_kind, piece_kind;
    struct rotor_statistics statistics;
};

/* describe.c */
enum status rotor_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);

/* Whether there is a way, reported if there is none. */
bool rotor_can_reach(struct rotor *rotor, uint32_t source, uint32_t destination);

static inline uint64_t rotor_pair_key(uint32_t source, uint32_t destination)
{
    return (uint64_t)source << 32 | destination;
}

/* -------------------------------------------------- direct.c and links.c */

void rotor_direct_submit(struct rotor *rotor, uint32_t index);

void rotor_links_init(struct rotor *rotor);
void rotor_links_free(struct rotor *rotor);
void rotor_links_submit(struct rotor *rotor, uint32_t index);
size_t rotor_links_bytes(const struct rotor *rotor);

/* -------------------------------------------------------------- arrive.c */

static inline struct rotor_message *rotor_message_at(const struct rotor *rotor, uint32_t number)
{
    return &((struct rotor_message *)(void *)rotor->messages.records)[number];
}

/* Bytes of a message leave their source from now on, until `end`. */
void rotor_leave(struct rotor *rotor, uint32_t number, uint64_t bytes, ps_t end);
/* Bytes of a message take their last hop from now on, and its link until `end`. */
void rotor_arrive(struct rotor *rotor, uint32_t number, uint64_t bytes, ps_t end);

/* ------------------------------------------------------------ describe.c */

void rotor_derive(struct derivation *derivation);
void rotor_describe(const struct config *config, uint32_t nodes, struct fabric_description *description);

#endif
