#ifndef HELIO_CAPTURE_TIMES_H
#define HELIO_CAPTURE_TIMES_H

#include <stdbool.h>

/* If HELIO_CAPTURE_TIMES is set, rank K writes into the file HELIO_CAPTURE_TIMES-K how long it ran, for helio
 * calibrate --check, also if its calls are not recorded. */
bool times_are_wanted(void);
void times_begin(void);         /* at the end of MPI_Init: a barrier, so that all ranks begin together */
void times_end(int world_rank); /* at the begin of MPI_Finalize */

#endif
