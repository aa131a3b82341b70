#ifndef TESTS_SUPPORT_PACKETS_H
#define TESTS_SUPPORT_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

/* A network packet by packet, which shares no code with the fabrics. Time is in slots. A link sends at most
 * one packet a slot, or one in `interval` slots. The switch at its end keeps one queue of packets, first in,
 * first out. Only the head of the queue can go on. A link sends only if the queue at its end has room: it has
 * a credit for each place. The queues whose heads want the same link take turns. A node takes what comes. At
 * a node's link the flows of the node take turns; or each turn is drawn at random. Links can be both
 * directions of one: these send one packet at a time, in turns. A flow with a window has at most so many
 * packets under way, until they are acknowledged. */
struct packets_flow {
    uint32_t links[16], count; /* from the node's link on, to the node's */
    uint64_t packets;          /* 0: without an end */
    uint32_t window;           /* 0: none */
    uint32_t answer;           /* slots from delivery to acknowledgement */
    uint64_t delivered;        /* out: since the warm-up */
    uint64_t end;              /* out: the slot in which the last packet arrived; 0: it has not */
};

struct packets_network {
    uint32_t links;
    uint32_t room;            /* of each queue, above `latency` */
    uint32_t latency;         /* slots from link to queue */
    const uint32_t *interval; /* [links]; NULL: 1 each */
    const uint32_t *both;     /* [links] the lower one of both directions of a link; NULL: each is one */
    uint64_t random;          /* 0: in turns; else the state of the draws */
};

/* Runs for so many slots, of which the first `warm_up` do not count. */
void packets_run(struct packets_network *network, struct packets_flow *flows, uint32_t count,
                 uint64_t warm_up, uint64_t slots);

#endif
