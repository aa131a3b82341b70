#ifndef HELIO_SCHEDULE_COLLECTIVE_CONFIGURATION_H
#define HELIO_SCHEDULE_COLLECTIVE_CONFIGURATION_H

#include "schedule/collective/steps.h"

/* The circuits that are up on all switches: a partial matching on each. A message goes along the circuits of
 * one switch from rank to rank, or in equal parts over all switches on which it has the shortest path. */
#define CIRCUIT_UNSET UINT32_MAX
struct collective_configuration {
    uint32_t *next; /* [switches][ranks]: the receiver of the rank's circuit, or CIRCUIT_UNSET */
    /* Circuits that follow each other are a chain. Each rank has a place on each switch; the places of a
     * chain follow each other too. */
    uint32_t *place; /* [switches][ranks] */
    uint32_t *first; /* [switches][ranks]: the first place of the rank's chain */
    uint32_t *ranks; /* [switches][ranks]: how many ranks the chain has; its top bit: it is a ring */
    bool is_shift;   /* all circuits of a switch lead to the rank `shifts` after */
    uint32_t shifts[COLLECTIVE_MOST_SWITCHES];
    uint64_t hash;
    char name[48];
};

/* Takes `next`, which has to be freed with the configuration. */
void collective_configuration_init(struct collective_configuration *configuration, uint32_t ranks,
                                   uint32_t switches, uint32_t *next);
void collective_configuration_free(struct collective_configuration *configuration);

struct collective_load {
    uint32_t hops;  /* of the longest path; 0: a message has no path */
    uint64_t bytes; /* over the circuit with most */
};

/* Room for loads: [switches * ranks + 1]. */
struct collective_load collective_load_of(const struct collective_configuration *configuration,
                                          const struct collective_steps *steps,
                                          const struct collective_step *step, uint64_t *room);

/* hops x latency + bytes / rate; PS_NEVER without a path, or out of range. */
ps_t collective_step_ps(const struct collective_network *network, struct collective_load load);

#endif
