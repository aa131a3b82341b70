#ifndef HELIO_ENGINE_RANK_DEMAND_H
#define HELIO_ENGINE_RANK_DEMAND_H

#include <stdint.h>

#include "call/call.h"
#include "engine/params.h"

/* How much a program has under way at once, found before it runs: the first calls of a sample of its ranks
 * are read, and the phases of their collective calls are emitted and counted. Time plays no part, so it is an
 * estimate: all ranks are taken to be at their peaks together. */

struct demand_options {
    const struct protocol_config *protocol;
    const struct collective_config *collective;
    uint32_t ranks_per_node;
};

/* Sums over all ranks of each rank's peak. */
struct program_demand {
    double slots;       /* of requests */
    double sends;       /* outstanding sends */
    double receives;    /* outstanding receives */
    double with_bytes;  /* outstanding sends that are not empty */
    double bytes;       /* mean size of these, weighted by peaks */
    double collectives; /* collective calls that a rank is in */
    double pairs;       /* of ranks, where the first sends to the second */
};

/* Changes nothing in the program. */
void program_demand_find(const struct program *program, const struct demand_options *options,
                         struct program_demand *demand);

/* The messages outstanding at once. A record stands for a message from the first of its two posts on, so
 * receives without their sends count too. */
static inline double program_demand_messages(const struct program_demand *demand)
{
    return demand->sends > demand->receives ? demand->sends : demand->receives;
}

#endif
