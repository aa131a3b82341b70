#ifndef HELIO_SCHEDULE_CIRCUIT_RELAY_PLAN_H
#define HELIO_SCHEDULE_CIRCUIT_RELAY_PLAN_H

#include "schedule/circuit/demand.h"
#include "schedule/problem.h"

/* Which entries take two hops, over a port in between. A plan has two phases: bytes are on their first hop in
 * the first one, on their second hop in the second one, and direct bytes in either. The circuits of a pair of
 * ports in a phase are one, whose bytes follow each other.
 *
 * Ports of the demand, senders and receivers together, have an index here. A circuit occupies *places*: its
 * sender (the place of this index) and its receiver (`count` behind it), or the links of its route. */
struct relay_ports {
    uint32_t count, places;
    uint32_t *port;                    /* [count]: as users know it */
    uint32_t *of_sender, *of_receiver; /* index of a sender, of a receiver */
    const struct tdm_problem *ways;    /* a route for each pair of different ports; NULL: a crossbar */
};

/* The places of the circuits of two different ports. */
static inline const uint32_t *relay_way(const struct relay_ports *ports, uint32_t from, uint32_t to,
                                        uint32_t crossbar_way[2], uint32_t *count)
{
    if (ports->ways)
        return tdm_route(ports->ways, from * (ports->count - 1) + to - (to > from), count);
    crossbar_way[0] = from;
    crossbar_way[1] = ports->count + to;
    *count = 2;
    return crossbar_way;
}

/* The most of all places of a way. */
ps_t relay_way_most(const struct relay_ports *ports, const ps_t *load_ps, uint32_t from, uint32_t to);

/* Those of a crossbar. */
void relay_ports_init(struct relay_ports *ports, const struct circuit_problem *problem);
void relay_ports_free(struct relay_ports *ports);

struct relay_plan {
    uint32_t *via; /* [entries]: index of a port; CIRCUIT_NONE: direct */
    bool *is_late; /* [entries]: direct bytes in the second phase */
    ps_t load_ps;  /* the most that a place has to do, set-ups included: less is better */
};

/* Where a plan begins. */
struct relay_start {
    uint32_t columns; /* ports in rows of so many: bytes go within their row first, then within a column; 0:
                         all bytes go direct */
    ps_t large_ps;    /* entries that take longer go direct */
    ps_t enough_ps;   /* entries stay where they are if their ports have no more to do */
};

/* A plan that begins so, improved: each entry takes the way on which the busiest ports have less to do, again
 * and again. */
void relay_plan_init(struct relay_plan *plan, const struct circuit_problem *problem,
                     const struct relay_ports *ports, const struct relay_start *start);
void relay_plan_free(struct relay_plan *plan);

/* What a hop of an entry is; on a circuit, bytes that others wait for come first. */
enum relay_hop { FIRST_HOP, DIRECT, SECOND_HOP };

/* Bytes of an entry that are a part of what a circuit carries. */
struct relay_part {
    uint32_t from, to, entry; /* indices of ports */
    enum relay_hop hop;
    ps_t time_ps;
};

/* All parts of a plan, or of a phase, by circuit, in the order in which it carries them. */
enum relay_stage_of { RELAY_EARLY, RELAY_LATE, RELAY_ALL };
struct relay_parts {
    struct relay_part *list;
    uint32_t count;
};
void relay_parts_init(struct relay_parts *parts, const struct circuit_problem *problem);
void relay_parts_free(struct relay_parts *parts);
void relay_parts_list(struct relay_parts *parts, const struct circuit_problem *problem,
                      const struct relay_ports *ports, const struct relay_plan *plan,
                      enum relay_stage_of stage);

/* The circuit of the part carries from start to end. */
void relay_part_add(const struct relay_part *part, const struct relay_ports *ports,
                    const struct relay_plan *plan, uint32_t crossbar, ps_t start_ps, ps_t end_ps,
                    struct circuit_schedule *schedule);

/* Ports for which plans are made. */
enum { RELAY_MOST_PORTS = 1024 };

#endif
