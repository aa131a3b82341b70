#ifndef HELIO_SCHEDULE_PATH_WRITE_H
#define HELIO_SCHEDULE_PATH_WRITE_H

#include <stdio.h>

#include "schedule/path/path.h"

/* Lines `start_s,end_s,src,dst,links` in the order of their starts: a circuit from node src to node dst
 * carries from start to end, in seconds with 12 decimals, exactly. Links are hops `from>to` between switches,
 * joined by blanks, as in a schedule of slots (schedule/write.h). With several planes the plane comes first:
 * `plane,start_s,end_s,src,dst,links`. With two hops lines also name the nodes whose bytes the circuit
 * carries: `start_s,end_s,src,dst,from,to,links`. */
void path_write(const struct path_problem *problem, const struct path_schedule *schedule, FILE *file);

#endif
