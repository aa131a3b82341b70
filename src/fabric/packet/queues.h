#ifndef HELIO_FABRIC_PACKET_QUEUES_H
#define HELIO_FABRIC_PACKET_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/packet/ports.h"

/* Rates of flows with windows, where the queues of full links add to the round trip: the switch at the end of
 * a link has one queue for it, first in, first out, with room for all that comes.
 * docs/models/congestion.md has the equations.
 *
 * A flow has its window in each round trip, which lasts as long as its way takes without queues, and the
 * delays of the queues that it waits in. The *ports* of a link, the links that lead to it, take turns, and so
 * do the flows of a node at the node's link. The delays are a fixed point: the rates give the loads of the
 * ports, and a queue that gets more than it can pass on becomes longer.
 *
 * Queues are numbered as in ports.h, rates are in the units of maxmin.h, and the functions are those of that
 * file. */
struct queues;

/* `capacities` in bytes per second; a flow has at most `links_per_flow` queues. */
struct queues *queues_open(const uint64_t *capacities, const struct queue_shape *shape);
void queues_close(struct queues *queues); /* NULL: does nothing */
size_t queues_bytes(const struct queues *queues);
double queues_estimate(const struct queue_shape *shape, double flows);

struct queues_window {
    uint64_t bytes;
    uint64_t rate; /* bytes per second: the window in a round trip without queues; UINT64_MAX: no limit but
                    * the queues, since all that the flow has sent fits into its window */
    uint64_t most; /* bytes per second, what the links let it have that give each message their whole rate */
};

/* A flow over these queues. Flows with the same first queue have the same node. Ids are small and are used
 * again. */
uint32_t queues_add(struct queues *queues, const uint32_t *of_flow, uint32_t count,
                    const struct queues_window *window);
void queues_remove(struct queues *queues, uint32_t flow);
void queues_set_capacity(struct queues *queues, uint32_t link, uint64_t capacity);

/* The flows whose rates have changed, new ones included, in the order of their ids. */
const uint32_t *queues_solve(struct queues *queues, size_t *count);
uint64_t queues_rate(const struct queues *queues, uint32_t flow); /* at least 1 */

/* Of all calls of queues_solve: the rounds, and how many calls ended before the rates had settled. */
struct queues_rounds {
    uint64_t rounds, unsettled;
};
struct queues_rounds queues_rounds(const struct queues *queues);

#endif
