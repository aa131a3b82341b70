/* Calls that MPI 4 has added and that a trace can say: persistent collectives, also of neighbours and between
 * two groups, large counts, MPI_Isendrecv;
 * and one that it cannot. Runs with 4 ranks. With an older MPI it ends with status 77. */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4

int main(void)
{
    puts("skipped: this MPI is older than MPI 4");
    return 77;
}

#else

static int rank, left, right, out[64], in[64];
static MPI_Status statuses[4];

static void persistent(void)
{
    const int counts[4] = {1, 2, 3, 4}, starts[4] = {0, 1, 3, 6};
    MPI_Request requests[3];
    MPI_Allreduce_init(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Gatherv_init(out, rank + 1, MPI_INT, in, counts, starts, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[1]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Startall(2, requests + 1);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

/* The ranks start two collectives in different orders. */
static void start_both(MPI_Request requests[2])
{
    for (int i = 0; i < 2; i++) {
        MPI_Start(&requests[rank % 2]);
        MPI_Start(&requests[1 - rank % 2]);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void out_of_order(void)
{
    MPI_Request requests[2];
    MPI_Bcast_init(out, 16, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    start_both(requests);
}

static void neighbours(void)
{
    MPI_Comm grid;
    MPI_Request requests[2];
    const int sizes[2] = {2, 2}, periods[2] = {1, 0}, starts[4] = {0, 5, 10, 15};
    const int counts[4] = {5, 5, 4, 4};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Neighbor_alltoallv_init(out, counts, starts, MPI_INT, in, counts, starts, MPI_INT, grid,
                                MPI_INFO_NULL, &requests[0]);
    MPI_Neighbor_allgather_init(out, 3, MPI_INT, in, 3, MPI_INT, grid, MPI_INFO_NULL, &requests[1]);
    start_both(requests);
    MPI_Comm_free(&grid);
}

/* The groups {0, 2} and {1, 3}. */
static void between_groups(void)
{
    MPI_Comm half, between;
    MPI_Request requests[2];
    const int parts[2] = {8 + rank % 2, 9 - rank % 2};
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 10, &between);
    MPI_Reduce_scatter_init(out, in, parts, MPI_INT, MPI_SUM, between, MPI_INFO_NULL, &requests[0]);
    MPI_Reduce_scatter_block_init(out, in, 2, MPI_INT, MPI_SUM, between, MPI_INFO_NULL, &requests[1]);
    start_both(requests);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void large(void)
{
    const MPI_Count counts[4] = {1, 2, 3, 4};
    const MPI_Aint starts[4] = {0, 1, 3, 6};
    MPI_Count same[4];
    MPI_Aint apart[4];
    MPI_Request requests[2];
    for (int i = 0; i < 4; i++) {
        same[i] = rank + 1;
        apart[i] = i * (rank + 1);
    }
    if (rank == 0)
        MPI_Send_c(out, 6, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv_c(in, 6, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv_c(in, 7, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 7, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Sendrecv_c(out, 8, MPI_INT, right, 3, in, 9, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast_c(out, 10, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Alltoallv_c(out, counts, starts, MPI_INT, in, same, apart, MPI_INT, MPI_COMM_WORLD);
    MPI_Iallreduce_c(out, in, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Reduce_scatter_init_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

static void both(void)
{
    MPI_Request requests[2];
    MPI_Isendrecv(out, 12, MPI_INT, right, 4, in, 13, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(out, 14, MPI_INT, right, 5, left, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    /* One end is nobody. */
    MPI_Isendrecv(out, 15, MPI_INT, rank < 3 ? rank + 1 : MPI_PROC_NULL, 6, in, 15, MPI_INT,
                  rank > 0 ? rank - 1 : MPI_PROC_NULL, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void partitioned(void)
{
    MPI_Request requests[2];
    int arrived = 0;
    MPI_Psend_init(out, 2, 4, MPI_INT, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 4, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    MPI_Pready(1, requests[0]);
    MPI_Parrived(requests[1], 0, &arrived);
    MPI_Waitall(2, requests, statuses);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    persistent();
    large();
    both();
    out_of_order();
    neighbours();
    between_groups();
    if (argc > 1)
        partitioned();
    MPI_Finalize();
    return 0;
}

#endif
