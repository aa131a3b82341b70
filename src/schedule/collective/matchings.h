#ifndef HELIO_SCHEDULE_COLLECTIVE_MATCHINGS_H
#define HELIO_SCHEDULE_COLLECTIVE_MATCHINGS_H

#include <stddef.h>
#include <stdint.h>

struct collective_message {
    uint32_t source, destination;
    uint32_t matching; /* which of its step's */
    uint64_t bytes;
};

/* Splits messages into as few matchings as there can be, the largest number D of messages that leave or reach
 * a rank: sets matching to 0 ... D - 1. The messages stand in the order in which their senders, and
 * receivers, post them. If the order of posting makes matchings of all messages, it is kept: the k-th message
 * of each sender, or else of each receiver. Otherwise the messages are coloured as the edges of a bipartite
 * graph (König 1916). Returns D. */
uint32_t matchings_split(uint32_t ranks, struct collective_message *messages, size_t count);

#endif
