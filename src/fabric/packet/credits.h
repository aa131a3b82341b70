#ifndef HELIO_FABRIC_PACKET_CREDITS_H
#define HELIO_FABRIC_PACKET_CREDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/packet/ports.h"

/* Rates of flows where links have credits: the switch at the end of a link has one queue for it, first in,
 * first out. A link that is full holds the queues before it, so that flows become slower whose own links are
 * free. docs/models/packet.md has the equations.
 *
 * All flows of a node have one rate, since they take turns at the node's link, and wait in one queue behind
 * it. A *port* is a link and the link that leads to it. The ports of a link take turns. The rates are a fixed
 * point: the loads of the ports give the level of each link, and the levels give the rate of each node.
 *
 * Rates are in the units of fabric/packet/maxmin.h. The functions are those of that file. The rates depend
 * only on the flows that there are, and not on those that there were. */
struct credits;

/* `capacities` in bytes per second; a flow has at most `links_per_flow` queues. */
struct credits *credits_open(const uint64_t *capacities, const struct queue_shape *shape);
void credits_close(struct credits *credits); /* NULL: does nothing */
size_t credits_bytes(const struct credits *credits);
double credits_estimate(const struct queue_shape *shape, double flows);

/* A flow over these queues, which no link lets go faster than `most` bytes per second. Flows with the same
 * first queue have the same node. Ids are small and are used again. */
uint32_t credits_add(struct credits *credits, const uint32_t *queues, uint32_t count, uint64_t most);
void credits_remove(struct credits *credits, uint32_t flow);
void credits_set_capacity(struct credits *credits, uint32_t link, uint64_t capacity);

/* The flows whose rates have changed, new ones included, in the order of their ids. */
const uint32_t *credits_solve(struct credits *credits, size_t *count);
uint64_t credits_rate(const struct credits *credits, uint32_t flow); /* at least 1 */

/* Of all calls of credits_solve: the rounds, and how many calls ended before the rates had settled. */
struct credits_rounds {
    uint64_t rounds, unsettled;
};
struct credits_rounds credits_rounds(const struct credits *credits);

#endif
