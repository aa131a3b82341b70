#ifndef HELIO_CLI_TRACER_H
#define HELIO_CLI_TRACER_H

#include <stdbool.h>

/* The libraries that write traces of MPI programs (live/capture), one for each MPI. */

/* The MPIs that there may be a tracer for; NULL behind the last. */
extern const char *const tracer_mpis[];

/* Whether it is one of them. False, reported: it is none. */
bool tracer_take_mpi(const char *name);

/* The library for one of them, to be freed; NULL when it is not where helio looks. */
char *tracer_library(const char *mpi);

/* The MPI that a launcher belongs to; NULL where that cannot be seen. */
const char *tracer_mpi_of(const char *launcher);

#endif
