#ifndef HELIO_SCHEDULE_COLLECTIVE_CHOICE_H
#define HELIO_SCHEDULE_COLLECTIVE_CHOICE_H

#include "schedule/collective/space.h"

/* The starting circuits stay up. Of several, those with the shortest time. */
struct collective_way collective_kept(const struct collective_space *space);

/* Each step has its own configuration, set up before it unless it is up. */
struct collective_way collective_every(const struct collective_space *space, ps_t switching_ps);

/* The shortest time of all sequences of configurations of the space: dynamic programming over the steps and
 * the configurations that are up. Of equal times, one that changes later and less. `up` gets the
 * configuration of each step. */
struct collective_way collective_choose(const struct collective_space *space, ps_t switching_ps,
                                        uint32_t *up);

#endif
