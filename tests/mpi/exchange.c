/* Calls that SimGrid traces too. The lines of both captures must agree. Runs with four ranks. */
#include <mpi.h>
#include <stddef.h>
static MPI_Status statuses[2];
static double out[100000], in[100000];
int main(int argc, char **argv)
{
    int rank, n;
    MPI_Request r[2];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int right = (rank + 1) % n, left = (rank + n - 1) % n;
    int counts[64], starts[64];
    for (int i = 0; i < n; i++) {
        counts[i] = 1 + i;
        starts[i] = 100 * i;
    }
    for (int k = 0; k < 5; k++) {
        MPI_Irecv(in, 700, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &r[0]);
        MPI_Send(out, 700, MPI_DOUBLE, right, 7, MPI_COMM_WORLD);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Irecv(in, 20000, MPI_DOUBLE, left, 8, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 20000, MPI_DOUBLE, right, 8, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, statuses);
        MPI_Sendrecv(out, 5, MPI_INT, right, 4, in, 6, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce(out, in, 3, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
        MPI_Bcast(out, 4, MPI_INT, 2, MPI_COMM_WORLD);
        MPI_Alltoall(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Scatterv(out, counts, starts, MPI_DOUBLE, in, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Scan(out, in, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(out, in, 2, MPI_DOUBLE, MPI_SUM, half);
    MPI_Finalize();
    return 0;
}
