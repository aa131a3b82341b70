#ifndef HELIO_SCHEDULE_PATH_LIST_SEARCH_H
#define HELIO_SCHEDULE_PATH_LIST_SEARCH_H

#include "schedule/path/path.h"

/* List schedules for networks whose other circuits carry on (not-all-stop): as soon as links are free, the
 * most urgent waiting entry whose links are all free gets them, until its last byte. An entry is as urgent as
 * the most urgent one of its links; a link, as what it has still to do, its set-ups included, and its weight.
 * Links that are done behind the bound become more urgent in the next try. */
void list_search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                 uint64_t tries, struct path_schedule *schedule);

/* The same with entries in their order in place of urgency: one try. */
void list_in_order(const struct path_problem *problem, struct path_schedule *schedule);

/* About how many basic steps a try takes. */
double list_cost(const struct path_problem *problem);

#endif
