#ifndef HELIO_SCHEDULE_CIRCUIT_RELAY_LIST_H
#define HELIO_SCHEDULE_CIRCUIT_RELAY_LIST_H

#include "schedule/circuit/relay_plan.h"

/* List schedules of a plan on switches whose other circuits carry on (not-all-stop): as soon as ports are
 * free, the most urgent circuit whose bytes are there when their turn comes gets them. A circuit is as urgent
 * as its busiest place, and more so while others wait for bytes that it brings. *schedule becomes the
 * shortest of some tries if that is shorter. */
enum { RELAY_TRIES = 64 };
void relay_list_search(const struct circuit_problem *problem, const struct relay_ports *ports,
                       const struct relay_plan *plan, const struct circuit_effort *effort, ps_t bound_ps,
                       uint64_t most_tries, struct circuit_schedule *schedule);

/* About how many basic steps a try takes, with so many hops. */
double relay_list_cost(double hops);

#endif
