#ifndef HELIO_CLI_CLUSTER_RANKS_H
#define HELIO_CLI_CLUSTER_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sweep/worker_pool.h"

/* The ranks of an MPI program as workers: rank 0 submits points to all others. They have read the same
 * command, so they receive only an index. MPI_Init has been called, and its errors end the program. */
void rank_pool_init(struct worker_pool *worker_pool);

/* What the other ranks do: give the points that they receive to a worker of their own, until rank 0 shuts the
 * pool down. Then they shut down their own. */
void ranks_serve(struct worker_pool *own);

/* How many ranks share the memory of this machine. All ranks call it. */
unsigned ranks_of_machine(void);

/* Called by all ranks together: rank 0 decides whether to go on, and all ranks return its decision. */
bool ranks_agree_to_go_on(bool go_on);

/* Called by all ranks together: whether all have the number of rank 0, a hash of what they have read; 0: not
 * readable. Rank 0 reports one that has not. `what` is read: "sweep"; `name` is the word that names it. */
bool ranks_have_the_same(uint64_t mine, const char *what, const char *name);

#endif
