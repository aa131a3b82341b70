#ifndef HELIO_CAPTURE_COUNTER_H
#define HELIO_CAPTURE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* A counter of the processor for each thread, by perf_event_open: instructions that the program executes,
 * without those of the kernel; or, to try it where there is none, "task-clock": nanoseconds. */

/* False: the system does not let this thread count; rank 0 says why. */
bool counter_open(const char *event);

/* What the calling thread has counted. 0 if it cannot. */
uint64_t counter_read(void);

#endif
