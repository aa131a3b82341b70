#ifndef HELIO_SCHEDULE_PATH_SLOT_MOVES_H
#define HELIO_SCHEDULE_PATH_SLOT_MOVES_H

#include "schedule/path/path.h"

/* Local search over the slots of an all-stop schedule (slot_plan.h): a part of an entry moves to another
 * slot, where it may change places with another one; it is split over two slots, or two parts become one; a
 * slot moves to another place in the order. A longer schedule is accepted with a probability that sinks.
 * *schedule, whose pieces of a slot start together, becomes the shortest that was found, or stays. */
void slot_moves(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                uint64_t moves, struct path_schedule *schedule);

/* About how many basic steps a move takes. */
double slot_move_cost(const struct path_problem *problem);

#endif
