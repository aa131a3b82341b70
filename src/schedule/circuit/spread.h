#ifndef HELIO_SCHEDULE_CIRCUIT_SPREAD_H
#define HELIO_SCHEDULE_CIRCUIT_SPREAD_H

#include "schedule/circuit/circuit.h"

/* Slots of one all-stop switch as those of several, one switch after another: McNaughton's rule (Management
 * Science 6, 1959) with set-ups. A switch gets slots until it has its share of all slots and of one more
 * set-up for each other switch; a slot in which its share ends goes on on the next switch. Adds the pieces to
 * an empty schedule. */
void slots_spread(const struct circuit_problem *problem, const struct circuit_schedule *one,
                  struct circuit_schedule *schedule);

/* Lets the circuits of an all-stop schedule begin as soon as both ports are done with the circuits before: a
 * schedule of switches that do not stop. */
void slots_unstop(const struct circuit_problem *problem, struct circuit_schedule *schedule);

#endif
