#ifndef HELIO_SCHEDULE_PATH_SLOT_SEARCH_H
#define HELIO_SCHEDULE_PATH_SLOT_SEARCH_H

#include "schedule/path/path.h"

/* Slots for all-stop switches: each raises the bound of what is left by as little as it can. For some
 * durations entries are taken in order of the work that their links have left, as far as links are free; the
 * duration counts whose time and bound of the rest are the least. An entry may be carried in several slots.
 * After the first try some entries count a little more or less. */
void slot_search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct path_schedule *schedule);

/* About how many basic steps a try takes. */
double slot_cost(const struct path_problem *problem);

#endif
