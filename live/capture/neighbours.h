#ifndef HELIO_CAPTURE_NEIGHBOURS_H
#define HELIO_CAPTURE_NEIGHBOURS_H

#include "live/capture/collectives.h"

/* A neighbourhood collective. Counts and types: one for all neighbours, or one for each. */
void record_neighbours(const struct collective_call *call);

/* The lines of the waits for its messages. */
void neighbours_wait(const struct capture_comm *comm);

#endif
