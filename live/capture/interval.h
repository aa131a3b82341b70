#ifndef HELIO_CAPTURE_INTERVAL_H
#define HELIO_CAPTURE_INTERVAL_H

#include <stdbool.h>

/* The part of the run that is recorded: from HELIO_CAPTURE_FROM to HELIO_CAPTURE_TO, in seconds since the end
 * of MPI_Init; without them what MPI_Pcontrol says. Outside of it lines are not kept (output.h). Where it
 * begins, a line says how many collectives and messages are behind the rank. */

void interval_open(void);
/* The part is given in seconds, so that any call may be its first or its last. */
bool interval_is_timed(void);
/* All calls have been recorded until here. */
bool interval_is_whole(void);
/* A call begins. */
void interval_enter(void);
/* MPI_Pcontrol: 0 switches off, anything else on. */
void interval_control(int level);

#endif
