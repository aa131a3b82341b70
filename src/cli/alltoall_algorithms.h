#ifndef HELIO_CLI_ALLTOALL_ALGORITHMS_H
#define HELIO_CLI_ALLTOALL_ALGORITHMS_H

#include "coll/coll.h"

/* The algorithm of MPI_Alltoall of that name, or NULL, reported. */
const struct coll_algorithm *alltoall_algorithm(const char *name);

/* The index-th algorithm of MPI_Alltoall; NULL behind the last. */
const struct coll_algorithm *alltoall_algorithm_at(size_t index);

#endif
