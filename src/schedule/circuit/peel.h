#ifndef HELIO_SCHEDULE_CIRCUIT_PEEL_H
#define HELIO_SCHEDULE_CIRCUIT_PEEL_H

#include "schedule/circuit/circuit.h"

/* Schedules with few configurations, for all-stop switches: every slot is chosen so that it raises the bound
 * rho + degree x delta of what is left, its own time included, as little as possible. For a given duration
 * the matching is an assignment: a port with the largest sum has to carry all the time, and one of the
 * largest degree has to finish an entry, or the bound rises. Durations are those of entries that are left.
 *
 * Runs `tries` times with other ties and durations, until a schedule reaches the bound, and leaves the
 * shortest in *schedule, which may hold one already. Each try takes time size^4 and more. */
void peel_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct circuit_schedule *schedule);

#endif
