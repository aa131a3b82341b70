#ifndef HELIO_CAPTURE_TOPOLOGY_H
#define HELIO_CAPTURE_TOPOLOGY_H

#include <mpi.h>
#include <stdbool.h>

/* The neighbours of this rank in a communicator with a topology of MPI: a grid or a graph. */
struct neighbours {
    int in, out;
    int *sources, *targets; /* ranks in the communicator, or MPI_PROC_NULL; `in` and `out` of them */
    bool is_grid;
    char name[50]; /* of the communicator that their messages have in the trace */
};

/* NULL: no memory. */
struct neighbours *neighbours_open(MPI_Comm handle, int rank);
void neighbours_close(struct neighbours *neighbours); /* NULL: does nothing */

#endif
