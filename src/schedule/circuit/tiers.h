#ifndef HELIO_SCHEDULE_CIRCUIT_TIERS_H
#define HELIO_SCHEDULE_CIRCUIT_TIERS_H

#include "schedule/circuit/circuit.h"

/* Slots for all-stop switches with many ports, one after another, as peel.h makes them, but with matchings of
 * most edges in place of assignments: first of edges that raise the bound of what is left by almost nothing,
 * then also of those that raise it by a little, then of all. Durations are what the busiest port has left to
 * carry. *schedule becomes the result if that is shorter. */
void tiers_search(const struct circuit_problem *problem, const struct circuit_effort *effort,
                  struct circuit_schedule *schedule);

#endif
