#ifndef HELIO_SCHEDULE_HOPS_H
#define HELIO_SCHEDULE_HOPS_H

#include "topo/topo.h"

/* The links between switches by their two ends, for verifiers: they find what a file names without routing.
 */

/* A directed link, as two switches and its number among those of the same two. A link that is both directions
 * stands in the list twice, and the way back is numbered behind all others of the same two. */
struct hop {
    uint32_t from, to, parallel;
    uint32_t link; /* its number in the topology */
};

struct hops {
    struct hop *list; /* sorted by (from, to, parallel) */
    uint32_t count;
};

void hops_init(struct hops *hops, const struct topo *topo);
void hops_free(struct hops *hops);

/* The entry of the list; NULL: there is no such link. */
const struct hop *hops_find(const struct hops *hops, const struct hop *hop);

#endif
