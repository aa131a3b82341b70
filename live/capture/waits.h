#ifndef HELIO_CAPTURE_WAITS_H
#define HELIO_CAPTURE_WAITS_H

#include "live/capture/requests.h"

/* A request has completed in a call of this rank. NULL: does nothing. */
void record_wait(struct capture_request *request);

/* All of them have completed in one call. Entries may be NULL, and so may the array. */
void record_waitall(int count, struct capture_request **requests);

#endif
