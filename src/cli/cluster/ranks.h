#ifndef HELIO_CLI_CLUSTER_RANKS_H
#define HELIO_CLI_CLUSTER_RANKS_H

#include "cli/sweep_command.h"

/* The ranks of an MPI program as a crew: rank 0 gives points to all others, which have read the same
 * experiment file and so get no more than an index. MPI_Init has been called, and its errors end the program.
 */
void worker_pool_of_ranks(struct worker_pool *worker_pool);

/* What the other ranks do: run what they are given, in a process of their own that may be lost, until the
 * crew is dismissed. */
void ranks_serve(const struct sweep_point *points);

/* For all ranks together: rank 0 says whether to go on, and everybody hears it. */
bool ranks_agree_to_go_on(bool go_on);

/* For all ranks together: whether everybody has the points of rank 0, which reports who has not. */
bool ranks_have_the_same(const struct sweep_command *sweep);

#endif
