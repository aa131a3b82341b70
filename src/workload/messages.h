#ifndef HELIO_WORKLOAD_MESSAGES_H
#define HELIO_WORKLOAD_MESSAGES_H

#include <stdint.h>

#include "workload/patterns.h"

/* About how much a program does, for its progress. */
struct program_estimate {
    uint64_t calls, messages;
    double bytes, between_nodes; /* of messages from one node to another, and how many these are */
};

/* From all calls of rank 0 and of some other ranks, in some hundredths of a second. It is exact if all ranks
 * but rank 0 make as many calls and send or receive as many messages. Zeroes: the ranks have too many calls.
 * Rewinds the program before and after. */
struct program_estimate program_estimate(struct program *program, const struct patterns_options *options);

#endif
