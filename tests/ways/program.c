/* The program that is captured in three ways (tests/ways/run): by helio capture, by Score-P, and by SimGrid's
 * SMPI. It has a call of each kind that one of the three says less about. With an argument it calls
 * neighbourhood collectives too, which SMPI does not have. Runs with 4 ranks. */
#include <mpi.h>

enum { RANKS = 4, TIMES = 10, HALO = 1000, WORK = 200000 };

static int rank, left, right;
static double out[4 * HALO], in[4 * HALO];
static volatile double result;

static void compute(void)
{
    double sum = 0;
    for (int i = 1; i < WORK; i++)
        sum += 1.0 / i;
    result = sum;
}

static void halo(void)
{
    MPI_Request requests[4];
    MPI_Irecv(in, HALO, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + HALO, HALO, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out + HALO, HALO, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void messages(void)
{
    MPI_Sendrecv(out, 10, MPI_DOUBLE, right, 3, in, 10, MPI_DOUBLE, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(out, 100 * rank, MPI_INT, 0, 4, MPI_COMM_WORLD);
    for (int i = 1; i < RANKS && !rank; i++)
        MPI_Recv(in, 100 * RANKS, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Ssend(out, 50, MPI_DOUBLE, 2, 5, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Recv(in, 50, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm row)
{
    int sends[RANKS], receives[RANKS], starts[RANKS], ends[RANKS];
    for (int i = 0, sent = 0, received = 0; i < RANKS; i++) {
        sends[i] = 10 * (rank + 1) * (i % 2 + 1);
        receives[i] = 10 * (i + 1) * (rank % 2 + 1);
        starts[i] = sent;
        ends[i] = received;
        sent += sends[i];
        received += receives[i];
    }
    MPI_Allreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(in, HALO, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Alltoallv(out, sends, starts, MPI_DOUBLE, in, receives, ends, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 20, MPI_DOUBLE, MPI_SUM, 0, row);
    MPI_Reduce_scatter_block(out, in, 30, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm row, grid;
    int sizes[2] = {2, 2}, periods[2] = {1, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left = (rank + RANKS - 1) % RANKS;
    right = (rank + 1) % RANKS;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    for (int i = 0; i < TIMES; i++) {
        compute();
        halo();
        messages();
        collectives(row);
        if (argc > 1)
            MPI_Neighbor_alltoall(out, HALO / 4, MPI_DOUBLE, in, HALO / 4, MPI_DOUBLE, grid);
    }
    MPI_Comm_free(&grid);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
