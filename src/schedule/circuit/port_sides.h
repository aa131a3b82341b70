#ifndef HELIO_SCHEDULE_CIRCUIT_PORT_SIDES_H
#define HELIO_SCHEDULE_CIRCUIT_PORT_SIDES_H

#include "schedule/circuit/circuit.h"

/* For qsort of ps_t: the longest first. */
int port_longest_first(const void *a, const void *b);

/* What each sender and receiver has to carry, for bounds. */
struct port_side {
    ps_t *times_ps; /* of its entries, descending */
    uint32_t count;
    sum_t sum_ps;
};

struct port_sides {
    const struct circuit_problem *problem;
    struct port_side *list; /* senders, then receivers */
    ps_t *times_ps;
    uint32_t count;
};

void port_sides_init(struct port_sides *sides, const struct circuit_problem *problem);
void port_sides_free(struct port_sides *sides);

/* The least time in which K parallel links of a port carry all of its entries (docs/models/circuits.md). The
 * links together have `work_ps` and at least `setups` set-ups, of the port's own entries or of others. */
ps_t port_side_bound(const struct port_side *side, uint32_t links, ps_t delta_ps, sum_t work_ps,
                     uint32_t setups);

#endif
