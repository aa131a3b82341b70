#ifndef HELIO_SCHEDULE_CIRCUIT_WRITE_H
#define HELIO_SCHEDULE_CIRCUIT_WRITE_H

#include <stdio.h>

#include "schedule/circuit/circuit.h"

/* A line `switch,start_s,end_s,src,dst` for each piece, by start: the circuit from src to dst carries from
 * start to end, in seconds with twelve decimals, which are whole picoseconds. It is set up before start.
 * With two hops `,from,to` follows: the ports whose bytes it carries. */
void circuit_write(const struct circuit_problem *problem, const struct circuit_schedule *schedule,
                   FILE *file);

#endif
