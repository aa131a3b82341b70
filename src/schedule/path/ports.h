#ifndef HELIO_SCHEDULE_PATH_PORTS_H
#define HELIO_SCHEDULE_PATH_PORTS_H

#include "schedule/path/path.h"

/* The nodes of a topology as ports of crossbars, and its planes as parallel switches: for what both problems
 * have in common. Entries are the same, in the same order. False: the demand takes too long. */
bool path_ports_init(const struct path_problem *problem, uint32_t hops, struct circuit_problem *ports);

/* Adds the pieces of a schedule of these ports, with direct bytes on the first route of their entry. */
void path_ports_take(const struct path_problem *problem, const struct circuit_schedule *found,
                     struct path_schedule *schedule);

#endif
