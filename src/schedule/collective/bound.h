#ifndef HELIO_SCHEDULE_COLLECTIVE_BOUND_H
#define HELIO_SCHEDULE_COLLECTIVE_BOUND_H

#include "schedule/collective/collective.h"

/* No way to do the collective in steps takes less time, whatever algorithm and circuits it has, if nothing is
 * carried while circuits change (docs/models/circuit-collectives.md has the proof). */
ps_t collective_bound_ps(const struct collective_task *collective, const struct collective_network *network,
                         ps_t switching_ps);

/* What the bound consists of, for a way with so many configurations. */
uint32_t collective_least_hops(const struct collective_task *collective, uint32_t switches,
                               uint32_t configurations);
uint64_t collective_least_bytes(const struct collective_task *collective, uint32_t switches,
                                uint32_t configurations);

#endif
