#include "live/program/end.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* MPICH 4.0.2 over TCP may wait in MPI_Finalize for ever, so its processes end without it. The launcher then
 * loses output that it has not passed on yet; so each rank waits first. */
#ifdef OPEN_MPI
enum { FINALIZES = 1, LEAVE_US = 0 };
#else
enum { FINALIZES = 0, LEAVE_US = 200000 };
#endif

void program_end(const char *last, int status)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (last && rank == 0)
        puts(last);
    fflush(stdout);
    if (FINALIZES) {
        MPI_Finalize();
        exit(status);
    }
    usleep(LEAVE_US);
    _exit(status);
}
