/* Preloaded: an MPI whose barriers take STALL_MS each. From barrier number STALL_FROM on they never end. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static long number_of(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

int MPI_Barrier(MPI_Comm comm)
{
    static long calls;
    if (++calls >= number_of("STALL_FROM", LONG_MAX))
        for (;;)
            pause();
    usleep((useconds_t)(1000 * number_of("STALL_MS", 0)));
    return PMPI_Barrier(comm);
}
