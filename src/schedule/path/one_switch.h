#ifndef HELIO_SCHEDULE_PATH_ONE_SWITCH_H
#define HELIO_SCHEDULE_PATH_ONE_SWITCH_H

#include "schedule/path/path.h"

/* A topology of one switch is a crossbar, and its planes are parallel switches, for which schedule/circuit
 * has bounds and searches of its own.
 *
 * Whether each circuit passes a node's link to the switch and one back, and no other. */
bool path_is_crossbar(const struct path_problem *problem);

/* Keeps what `best` of that room finds in *schedule if that is shorter. Does nothing on other topologies. */
void one_switch_search(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule);

#endif
