#ifndef HELIO_CLI_CLUSTER_RANKS_H
#define HELIO_CLI_CLUSTER_RANKS_H

#include "cli/sweep_command.h"

/* The ranks of an MPI program as workers: rank 0 submits points to all others. They have read the same
 * experiment file, so they receive only an index. MPI_Init has been called, and its errors end the program.
 */
void rank_pool_init(struct worker_pool *worker_pool);

/* What the other ranks do: run the points that they receive, each in a child process, whose end they survive,
 * until rank 0 shuts the pool down. Each run may take `room`. */
void ranks_serve(const struct sweep_point *points, struct memory_room room);

/* How many ranks share the memory of this machine. All ranks call it. */
unsigned ranks_of_machine(void);

/* Called by all ranks together: rank 0 decides whether to go on, and all ranks return its decision. */
bool ranks_agree_to_go_on(bool go_on);

/* Called by all ranks together: whether all have the points of rank 0. Rank 0 reports one that does not. */
bool ranks_have_the_same(const struct sweep_command *sweep);

#endif
