#ifndef HELIO_CAPTURE_BETWEEN_H
#define HELIO_CAPTURE_BETWEEN_H

#include "live/capture/collectives.h"

/* Records a collective: `within` does if its communicator has one group. One of an intercommunicator moves
 * data between two groups. */
void record_collective(void (*within)(const struct collective_call *call),
                       const struct collective_call *call);

#endif
