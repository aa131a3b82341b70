#ifndef HELIO_TOPO_DEADLOCK_H
#define HELIO_TOPO_DEADLOCK_H

#include "topo/topo.h"

/* Whether messages that hold links while they wait for others can wait in a circle (Dally and Seitz,
 * Deadlock-free message routing in multiprocessor interconnection networks, IEEE Trans. Comput. 1987). Link b
 * depends on link a if some route takes b directly after a. A link that holds any number of messages is left
 * out of routes, since nobody waits for it. Routes without a circle of dependencies are free of deadlock.
 * With a circle, messages that each hold one of its links and wait for the next one never end.
 */

enum deadlock_routes {
    DEADLOCK_FIXED, /* the deterministic routes */
    DEADLOCK_ANY    /* all routes that topo_choose allows */
};

struct link_circle {
    uint64_t dependencies;   /* different ones, between network links */
    uint32_t *links, length; /* a circle: each link depends on the one before it; NULL and 0: there is none */
};

/* Of all pairs of nodes that reach each other. The circle is the shortest one through the lowest link that is
 * on one. The caller frees it. False: too large, more than DEADLOCK_PAIRS_LIMIT pairs of a switch with nodes
 * and a node. */
#define DEADLOCK_PAIRS_LIMIT (UINT64_C(1) << 26)
bool deadlock_find(const struct topo *topo, enum deadlock_routes routes, struct link_circle *deadlock);

#endif
