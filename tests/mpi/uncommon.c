/* Calls that few programs make and that the capture must handle: cancelled receives, with each call that may
 * end them; matched probes; neighbourhood collectives; MPI_Comm_idup; intercommunicators; requests that
 * outlive their communicator. With an argument, a file: MPI-IO as well, which a trace cannot express. Runs
 * with 4 ranks. */
#include <mpi.h>
#include <stdio.h>

static int rank, left, right;
static double out[64], in[64];
static MPI_Status statuses[2];

static void cancelled(void)
{
    MPI_Request requests[4];
    MPI_Status status;
    int is_cancelled = 0, is_done = 0;
    MPI_Irecv(in, 10, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 11, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(in, 12, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(in, 13, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Start(&requests[3]);
    for (int i = 0; i < 4; i++)
        MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    MPI_Request_free(&requests[1]);
    while (!is_done)
        MPI_Testany(1, &requests[2], &(int){0}, &is_done, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); /* no message is sent to the cancelled receives */
    MPI_Start(&requests[3]);
    MPI_Send(out, 13, MPI_DOUBLE, right, 4, MPI_COMM_WORLD);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[3]);
    if (!is_cancelled)
        fprintf(stderr, "rank %d: a receive of nothing was not cancelled\n", rank);
}

/* The message is there before its receive is cancelled. So the cancel comes too late. */
static void too_late(void)
{
    MPI_Request request;
    MPI_Irecv(in, 14, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &request);
    MPI_Send(out, 14, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
    MPI_Sendrecv(out, 1, MPI_DOUBLE, right, 6, in, 1, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void matched(void)
{
    MPI_Message message;
    MPI_Request requests[2];
    MPI_Status status;
    int flag = 0;
    MPI_Isend(out, 3, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 4, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Recv(in, 4, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the second one */
    MPI_Mrecv(in, 64, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, statuses);
    MPI_Isend(out, 5, MPI_DOUBLE, right, 8, MPI_COMM_WORLD, &requests[0]);
    while (!flag)
        MPI_Improbe(left, 8, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Imrecv(in, 64, MPI_DOUBLE, &message, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

static void neighbours(void)
{
    MPI_Comm grid, ring;
    MPI_Request request;
    int sizes[2] = {2, 2}, periods[2] = {1, 0}, count = 1 + rank, room = 1 + left, start = 0, weight = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Neighbor_alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, grid);
    MPI_Ineighbor_allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Ineighbor_alltoallv(out, &count, &start, MPI_DOUBLE, in, &room, &start, MPI_DOUBLE, ring, &request);
    MPI_Comm_free(&ring); /* while its collective is under way */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);
}

/* The argument for `root`, a rank of the world, in a collective of the groups {0, 2} and {1, 3}. */
static int root_of(int root)
{
    if (rank % 2 != root % 2)
        return root / 2;
    return rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void between_groups(MPI_Comm between)
{
    MPI_Request request;
    const int one_each[2] = {8, 9}, starts[2] = {0, 8}, other = 1 - rank % 2;
    const int counts[2] = {1 + other, 3 + other};
    MPI_Barrier(between);
    MPI_Bcast(out, 4, MPI_DOUBLE, root_of(2), between);
    MPI_Reduce(out, in, 5, MPI_DOUBLE, MPI_SUM, root_of(1), between);
    MPI_Allreduce(out, in, 6, MPI_DOUBLE, MPI_SUM, between);
    MPI_Gather(out, 7, MPI_DOUBLE, in, 7, MPI_DOUBLE, root_of(0), between);
    MPI_Iscatterv(out, one_each, starts, MPI_DOUBLE, in, one_each[rank / 2], MPI_DOUBLE, root_of(0), between,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(out, 1, MPI_DOUBLE, root_of(2), between);
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, between);
    MPI_Allgatherv(out, 1 + rank, MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, between);
    MPI_Reduce_scatter_block(out, in, 3, MPI_DOUBLE, MPI_SUM, between);
    /* Two parts of 17 elements for each group, not the same ones for both. */
    const int parts[2] = {8 + rank % 2, 9 - rank % 2};
    MPI_Ireduce_scatter(out, in, parts, MPI_DOUBLE, MPI_SUM, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm late, half, between;
    MPI_Request request;
    int peer = rank / 2;
    MPI_Comm_idup(MPI_COMM_WORLD, &late, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 1, MPI_DOUBLE, right, 9, in, 1, MPI_DOUBLE, left, 9, late, MPI_STATUS_IGNORE);
    MPI_Comm_free(&late);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 10, &between);
    MPI_Sendrecv(out, 2, MPI_DOUBLE, peer, 11, in, 2, MPI_DOUBLE, peer, 11, between, MPI_STATUS_IGNORE);
    between_groups(between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void files(const char *path)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 8, out, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left = (rank + 3) % 4;
    right = (rank + 1) % 4;
    cancelled();
    too_late();
    matched();
    neighbours();
    communicators();
    if (argc > 1)
        files(argv[1]);
    MPI_Finalize();
    return 0;
}
