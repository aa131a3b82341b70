#ifndef HELIO_SCHEDULE_COLLECTIVE_SPACE_H
#define HELIO_SCHEDULE_COLLECTIVE_SPACE_H

#include "schedule/collective/configuration.h"

/* What a plan can choose among: the configurations that switches may have before the first step, and those of
 * the steps, each with the time of every step on it. The configuration of a step has a circuit for each of
 * its messages; where m matchings are fewer than the switches, switch k has matching k modulo m. Ports that
 * are still free get circuits of the next steps, in their order. */
struct collective_space {
    struct collective_configuration *configurations; /* first the starting ones; all are distinct */
    uint32_t count, starts;
    uint32_t steps;
    uint32_t *own;                 /* [steps]: the configuration of the step */
    struct collective_load *loads; /* [steps][count] */
    ps_t *times_ps;                /* [steps][count]; PS_NEVER: a message has no path */
};

void collective_space_init(struct collective_space *space, const struct collective_steps *steps,
                           const struct collective_network *network);
void collective_space_free(struct collective_space *space);

#endif
