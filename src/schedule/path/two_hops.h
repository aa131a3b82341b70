#ifndef HELIO_SCHEDULE_PATH_TWO_HOPS_H
#define HELIO_SCHEDULE_PATH_TWO_HOPS_H

#include "schedule/path/path.h"

/* Two hops through a topology: an entry goes direct, or whole over one node of the demand in between. Plans
 * are those of schedule/circuit/relay_plan.h, whose places are links here.
 *
 * Finds the routes between all nodes of the demand: problem->ways, without routes if there are too many
 * nodes, or faults cut some of them. */
void path_ways_init(struct path_problem *problem);

/* All bytes direct by the algorithm, or some over a node in between if that is shorter. */
enum status path_two_hops_make(const struct path_problem *problem, const struct path_algorithm *algorithm,
                               const struct circuit_effort *effort, struct path_schedule *schedule);

/* No schedule of the problem is shorter, with one hop or two for each byte, over nodes of the demand. */
ps_t path_two_hops_bound(const struct path_problem *problem);

#endif
