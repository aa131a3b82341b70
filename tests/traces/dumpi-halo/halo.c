/* The program of this trace, on four ranks in a row. MPICH's MPI_PROC_NULL at the ends is DUMPI's number for
 * MPI_ANY_SOURCE; communicators get the handle of one that has been freed. */
#include <mpi.h>

enum { TIMES = 5, HALO = 100, FEW = 10 };

int main(int argc, char **argv)
{
    double in[HALO], out[HALO] = {0};
    MPI_Request requests[4];
    MPI_Comm half;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < TIMES; i++) {
        MPI_Irecv(in, HALO, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in, HALO, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out, HALO, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(out, HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, FEW, MPI_DOUBLE, right, 3, in, FEW, MPI_DOUBLE, left, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, rank, &half);
        MPI_Barrier(half);
        MPI_Comm_free(&half);
    }
    MPI_Finalize();
    return 0;
}
