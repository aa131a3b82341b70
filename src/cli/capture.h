#ifndef HELIO_CLI_CAPTURE_H
#define HELIO_CLI_CAPTURE_H

/* The MPIs that there may be a tracer for; NULL behind the last. */
extern const char *const capture_mpis[];

/* The tracer's library for one of them, to be freed; NULL when it is not where helio looks. */
char *capture_library(const char *mpi);

#endif
