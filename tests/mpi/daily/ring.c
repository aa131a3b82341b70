/* All ranks' blocks travel round a ring, and each rank works on each block. */
#include "daily.h"

enum { BLOCK = 1000 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    double *here = daily_array(BLOCK), *next = daily_array(BLOCK), value = me;
    for (int step = 0; step < ranks - 1; step++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(next, BLOCK, MPI_DOUBLE, (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(here, BLOCK, MPI_DOUBLE, (me + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
        value = daily_work(200L * BLOCK, value);
        MPI_Waitall(2, requests, statuses);
        double *swap = here;
        here = next;
        next = swap;
    }
    free(here);
    free(next);
    daily_end(value + (double)BLOCK);
    return 0;
}
