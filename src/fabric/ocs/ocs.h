#ifndef HELIO_FABRIC_OCS_OCS_H
#define HELIO_FABRIC_OCS_OCS_H

#include "base/hashmap.h"
#include "base/queue.h"
#include "fabric/fabric.h"
#include "schedule/circuit/demand.h"

/* Optical circuit switches: each node has a link to each of them, and a circuit leads from the sender of one
 * node to the receiver of another one. To set a circuit up takes the switching time. docs/models/ocs.md
 *
 *   ocs.h        parameters, statistics, what the files share: this file
 *   settings.c   parameters, what follows from a machine, what the network is
 *   pairs.c      messages from node to node, and the pieces that will carry them
 *   lists.c      what waits for each port
 *   carry.c      circuits: set up, carrying, failing
 *   decide.c     which circuit a free port takes next
 *   control.c    who asks for circuits: each message, or rounds of a scheduler
 *   plan.c       circuits for the phases of a program, and for a round
 *   fixed.c      circuits that never change, and messages that take several
 *   ocs.c        the fabric
 */
enum ocs_control { OCS_DEMAND, OCS_COMPILED, OCS_STATIC };
enum ocs_policy { OCS_OLDEST, OCS_MOST_BYTES, OCS_ROUNDS };
enum ocs_circuits { OCS_CIRCUITS_SHIFTS, OCS_CIRCUITS_TRAFFIC };
enum ocs_side { OCS_SENDER, OCS_RECEIVER, OCS_SIDES };

enum { OCS_MOST_SWITCHES = 64, OCS_MOST_PLANES = 1024 };

/* Switches that fail, and when. */
struct ocs_failures {
    uint32_t count;
    uint32_t number[OCS_MOST_SWITCHES];
    ps_t at[OCS_MOST_SWITCHES];
};

struct ocs_config {
    uint64_t bandwidth_bytes_per_s;
    ps_t switching_ps, wire_ps, controller_ps, forwarding_ps;
    uint64_t switches, wavelengths, moves;
    int control, policy, switch_kind, circuits;
    const struct circuit_algorithm *algorithm;
    struct ocs_failures failed;
};

extern const struct param_table ocs_params; /* struct ocs_config */

struct ocs_statistics {
    sum_t carried;               /* by all links */
    sum_t setting;               /* likewise: time of set-ups */
    sum_t waited;                /* by messages, for a circuit */
    uint64_t setups;             /* circuits that were set up */
    uint64_t kept;               /* times that a circuit which was up carried again */
    uint64_t planned, unplanned; /* pieces of a plan, and circuits asked for one by one */
    uint64_t plans;
    uint64_t hops;
};

extern const struct metric_table ocs_metrics; /* struct ocs_statistics */

/* A message on its way. */
struct ocs_transfer {
    uint32_t message, next, pair;
    uint32_t parts; /* that circuits carry at this instant */
    uint64_t left;  /* bytes that no circuit has taken */
    ps_t told;      /* until when the tap knows what it did */
    ps_t visible;   /* at its receiver; PS_NEVER: no circuit has taken it yet */
};

enum ocs_piece_state {
    PIECE_FREE,
    PIECE_IDLE,  /* has no bytes to carry */
    PIECE_READY, /* has bytes, and waits for its ports */
    PIECE_ARMED, /* has its ports, and waits for bytes */
    PIECE_CARRYING
};

#define OCS_NONE UINT32_MAX
#define OCS_ANY  UINT32_MAX

/* Some bytes of a pair that one circuit will carry: a piece of a plan, or what a request asks for. Planned
 * pieces are in the lists of their ports, until they are put off because they have no bytes. */
struct ocs_piece {
    uint32_t pair;
    uint32_t plane; /* OCS_ANY: the first one whose ports are free */
    uint8_t state;
    bool is_listed;
    bool is_request; /* takes what waits when it begins */
    bool is_of_round;
    uint64_t order;                 /* earlier pieces go first */
    uint64_t group;                 /* an all-stop switch sets up the pieces of a group together */
    uint64_t budget;                /* bytes that it may still carry */
    uint64_t refill, times, stride; /* a piece that repeats: its bytes, how often, and how far apart */
    uint64_t last_message;          /* of its pair that it is meant for, counted from 1 */
    ps_t answered;                  /* the controller: when; 0: it was not asked for this piece */
    uint32_t next;                  /* of its pair, without bytes */
    uint32_t before[OCS_SIDES], behind[OCS_SIDES]; /* in the lists of its two ports */
    /* While it carries: */
    uint32_t transfer;
    uint64_t part_bytes, run_bytes; /* of this part, and of all before it since run_began */
    ps_t since, run_began, part_began, part_ends;
};

/* What one node sends to another one. */
struct ocs_pair {
    uint32_t source, destination;
    struct queue waiting;      /* transfers with bytes that no circuit has taken, in order */
    struct queue idle;         /* planned pieces without bytes, in order */
    uint32_t armed;            /* one of these, or OCS_NONE */
    struct queue ready;        /* planned pieces with bytes, whose circuits do not carry */
    sum_t waiting_bytes;       /* of all waiting transfers */
    sum_t covered_bytes;       /* by the budgets of pieces that are ready or carry */
    uint64_t submitted, taken; /* messages */
    uint64_t planned;          /* messages of the phases that are loaded */
    uint32_t phases_ahead;     /* that are not loaded, and have this pair */
    bool has_request;          /* listed, or on its way to the controller */
    uint32_t request;          /* the piece, once it is listed; or OCS_NONE */
    bool waits_for_round;
    ps_t uncovered_since; /* the first of the waiting bytes that nothing covers came then */
    ps_t last_visible;
};

struct ocs_list {
    uint32_t first, last;
};

struct ocs_port {
    uint32_t peer;        /* at the other end of the circuit that is up, or was last set up */
    uint32_t piece;       /* that has taken it, or OCS_NONE */
    ps_t waits_since;     /* that others wait for it, while it waits for bytes of its plan */
    struct ocs_list list; /* planned pieces, by order */
};

struct ocs_plane {
    bool has_failed, is_dirty;
    uint32_t carrying;
};

/* A piece that a port can take at this instant. */
struct ocs_candidate {
    sum_t bytes; /* 0 where the order decides */
    uint64_t order;
    uint32_t piece, port;
};

/* A plan for pairs and their bytes, kept because phases repeat. */
struct ocs_plan {
    uint32_t pattern;
    size_t pairs, count;
    uint64_t *bytes; /* of each pair of the phase, for one time */
    struct ocs_plan_piece {
        uint32_t pair; /* of the phase */
        uint32_t plane;
        uint64_t bytes, group;
    } * pieces; /* in order */
};

/* Circuits that never change: links from node to node. */
struct ocs_fixed {
    uint32_t *to;        /* [planes][nodes]: the node at the end; OCS_NONE: no circuit */
    ps_t *free_at;       /* [planes][nodes] */
    uint16_t **distance; /* [nodes]: hops of all nodes to this one, computed when it is needed */
    uint32_t *at_node;   /* by message */
    size_t at_node_capacity;
};

struct ocs {
    struct fabric fabric;
    const struct ocs_config *config;
    uint32_t nodes, planes;
    uint64_t rate_bytes_per_s; /* of a circuit */
    struct ocs_plane *plane;
    struct ocs_port *ports[OCS_SIDES];    /* [planes][nodes] */
    struct ocs_list *requests[OCS_SIDES]; /* [nodes]: pieces for any plane */
    struct pool transfers, pieces;
    struct hashmap by_nodes; /* source << 32 | destination: index into pairs */
    struct ocs_pair *pairs;
    size_t pair_count, pair_capacity;
    uint64_t next_order, next_group;

    uint32_t *dirty; /* ports at which something may begin: (plane x nodes + node) x OCS_SIDES + side */
    uint8_t *is_dirty;
    size_t dirty_count, dirty_capacity;
    uint32_t *chosen; /* pieces that an all-stop switch sets up together */
    bool is_off_plan; /* the messages of the phase do not come in the order of the plan */
    bool decides;     /* an event will */

    struct ocs_candidate *candidates; /* a heap */
    size_t candidate_count, candidate_capacity;

    struct ocs_plan *plans;
    size_t plan_count, plan_capacity, plan_bytes;
    size_t phase;      /* the first that is not loaded */
    uint64_t expected; /* messages of the phases that are loaded, which have not been submitted */

    uint32_t *round_pairs; /* that wait for a round */
    size_t round_count, round_capacity;
    uint64_t round_left; /* pieces of the round that have not ended */
    bool round_comes;

    struct ocs_fixed fixed;
    uint32_t decide_kind, end_kind, request_kind, round_kind, fail_kind, hop_kind, wake_kind;
    struct ocs_statistics statistics;
};

static inline struct ocs_piece *ocs_piece(const struct ocs *ocs, uint32_t index)
{
    return pool_at(&ocs->pieces, index);
}

static inline struct ocs_transfer *ocs_transfer(const struct ocs *ocs, uint32_t index)
{
    return pool_at(&ocs->transfers, index);
}

static inline struct ocs_port *ocs_port(const struct ocs *ocs, enum ocs_side side, uint32_t plane,
                                        uint32_t node)
{
    return &ocs->ports[side][(size_t)plane * ocs->nodes + node];
}

/* A port as a number, for events. */
static inline uint32_t ocs_port_number(const struct ocs *ocs, enum ocs_side side, uint32_t plane,
                                       uint32_t node)
{
    return (plane * ocs->nodes + node) * OCS_SIDES + side;
}

static inline uint32_t ocs_node(const struct ocs_pair *pair, enum ocs_side side)
{
    return side == OCS_SENDER ? pair->source : pair->destination;
}

/* Light on the two wires of a circuit. */
static inline ps_t ocs_light_ps(const struct ocs *ocs)
{
    return ps_times(ocs->config->wire_ps, 2);
}

/* settings.c */
uint32_t ocs_planes(const struct ocs_config *config); /* circuits that a node can have at once */
enum status ocs_check(const struct ocs_config *config, uint32_t nodes);
void ocs_derive(struct derivation *derivation);
void ocs_describe(const struct config *config, uint32_t nodes, struct fabric_description *description);
enum status ocs_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware);
struct hardware_use ocs_use(const struct config *config, uint32_t nodes, const void *statistics);
enum status ocs_estimate(const struct fabric_demand *demand, struct estimate *estimate);

/* pairs.c */
uint32_t ocs_pair_of(struct ocs *ocs, uint32_t source, uint32_t destination);
void ocs_pair_submit(struct ocs *ocs, uint32_t message);
/* A new piece of the pair. The caller sets what is not zero, and lists it. */
uint32_t ocs_piece_new(struct ocs *ocs, uint32_t pair);
void ocs_piece_append(struct ocs *ocs, uint32_t piece); /* a planned one, which is idle */
/* Lists pieces until what waits is covered, and asks for more. */
void ocs_cover(struct ocs *ocs, uint32_t pair);
void ocs_piece_begins(struct ocs *ocs, uint32_t piece); /* a planned one, which is ready */
/* Other circuits have taken all bytes of the pair. */
void ocs_no_bytes_left(struct ocs *ocs, struct ocs_pair *pair);
/* A circuit has ended, or has failed: what becomes of its piece. */
void ocs_piece_ended(struct ocs *ocs, uint32_t piece);

/* lists.c */
void ocs_list_insert(struct ocs *ocs, uint32_t piece);
void ocs_list_remove(struct ocs *ocs, uint32_t piece); /* does nothing if it is not listed */
uint32_t ocs_first_ready(const struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node);
/* The port decides anew, at the end of this instant. */
void ocs_mark(struct ocs *ocs, enum ocs_side side, uint32_t plane, uint32_t node);
void ocs_mark_piece(struct ocs *ocs, uint32_t piece);

/* carry.c */
bool ocs_is_up(const struct ocs *ocs, uint32_t plane, const struct ocs_pair *pair);
bool ocs_take_ports(struct ocs *ocs, uint32_t plane, uint32_t piece);
void ocs_begin(struct ocs *ocs, uint32_t piece, ps_t setup); /* it carries after the set-up */
void ocs_arm(struct ocs *ocs, uint32_t piece, ps_t setup);   /* it is up after the set-up */
void ocs_begin_armed(struct ocs *ocs, uint32_t piece);
void ocs_disarm(struct ocs *ocs, uint32_t piece);
void ocs_on_end(void *self, uint32_t piece);
void ocs_on_fail(void *self, uint32_t failure);

/* decide.c */
void ocs_on_decide(void *self, uint32_t nothing);
void ocs_on_wake(void *self, uint32_t port);

/* control.c */
void ocs_request(struct ocs *ocs, uint32_t pair);
void ocs_on_request(void *self, uint32_t pair);
void ocs_ask_for_round(struct ocs *ocs, uint32_t pair);
void ocs_round_piece_ended(struct ocs *ocs);
void ocs_on_round(void *self, uint32_t nothing);

/* plan.c */
enum status ocs_plan_check(const struct ocs *ocs);
void ocs_count_phases(struct ocs *ocs);
void ocs_load_phase(struct ocs *ocs);
void ocs_load_ahead(struct ocs *ocs);
void ocs_plan_round(struct ocs *ocs);
void ocs_plans_free(struct ocs *ocs);

/* fixed.c */
enum status ocs_fixed_init(struct ocs *ocs);
void ocs_fixed_free(struct ocs *ocs);
size_t ocs_fixed_bytes(const struct ocs *ocs);
void ocs_fixed_submit(struct ocs *ocs, uint32_t message);
void ocs_on_hop(void *self, uint32_t message);

#endif
