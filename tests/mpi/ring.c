/* The first test of an MPI: the program runs with the MPI that it was built for, with the right number of
 * ranks, and messages arrive. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *running_mpi(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return strstr(version, "Open MPI") ? "openmpi" : strstr(version, "MPICH") ? "mpich" : "neither";
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, came = -1, failed = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, &came, 1, MPI_INT, (rank + ranks - 1) % ranks, 7,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(running_mpi(), HELIO_MPI) != 0)
        failed = printf("rank %d: built for %s, runs with %s\n", rank, HELIO_MPI, running_mpi());
    if (argc != 2 || ranks != atoi(argv[1]))
        failed = printf("rank %d: one of %d ranks, not as many as were asked for\n", rank, ranks);
    if (came != (rank + ranks - 1) % ranks)
        failed = printf("rank %d: %d came round the ring\n", rank, came);
    MPI_Finalize();
    return failed ? 1 : 0;
}
