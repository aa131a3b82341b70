#ifndef HELIO_SIM_DIMENSIONS_H
#define HELIO_SIM_DIMENSIONS_H

#include "base/tap.h"
#include "call/dimensions.h"
#include "sim/result.h"

/* Counts messages, bytes and idle time for each dimension of a program from now on, in the result. */
void dimensions_collect(struct result *result, const struct program_dimensions *dimensions, struct tap *tap);

/* Adds the time of messages on the critical path, if the result lists it. */
void dimensions_add_path(struct result *result, const struct program_dimensions *dimensions);

#endif
