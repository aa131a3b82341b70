#ifndef HELIO_WORKLOAD_MESSAGES_H
#define HELIO_WORKLOAD_MESSAGES_H

#include <stdint.h>

#include "workload/patterns.h"

/* About how many messages the program sends: from all calls of rank 0 and of some other ranks, in some
 * hundredths of a second. It is exact if all ranks but rank 0 send or receive equally many. 0: the ranks have
 * too many calls. Rewinds the program before and after. */
uint64_t program_messages_estimate(struct program *program, const struct patterns_options *options);

#endif
