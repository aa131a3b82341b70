#ifndef HELIO_SCHEDULE_CIRCUIT_VERIFY_RELAYS_H
#define HELIO_SCHEDULE_CIRCUIT_VERIFY_RELAYS_H

#include "schedule/circuit/circuit.h"
#include "schedule/schedule_lines.h"

/* Bytes of an entry that arrive at a port between their two circuits, or leave it. */
struct relay_use {
    uint32_t entry, port, line;
    bool leaves;
    ps_t start_ps, end_ps;
};

struct relays {
    struct relay_use *uses;
    size_t count, capacity;
};

void relays_add(struct relays *relays, const struct relay_use *use);
void relays_free(struct relays *relays);

/* `place` is what users call a port: "port", "node". Bytes leave a port in the order in which they arrive.
 * Finds those that leave before they have arrived, those that stay, and senders that send more of an entry
 * (sent_ps) than it has. */
void relays_check(struct relays *relays, const struct circuit_problem *problem, const char *place,
                  const ps_t *sent_ps, struct schedule_problems *found);

#endif
