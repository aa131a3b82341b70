/* All calls that the capture records, each with different arguments, and with all that MPI allows: derived
 * types, MPI_IN_PLACE, communicators, persistent requests, wildcards, MPI_PROC_NULL. Runs with an even number
 * of ranks, 4 or more. An argument names a rank that is killed in the middle. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static int rank, ranks, left, right;
static double out[4096], in[4096];
static MPI_Status statuses[2 * MOST];

static void point_to_point(void)
{
    MPI_Status status;
    MPI_Request requests[4];
    int other = rank ^ 1;
    if (rank % 2 == 0) {
        MPI_Send(out, 10, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
        MPI_Ssend(out, 11, MPI_INT, other, 2, MPI_COMM_WORLD);
        MPI_Recv(in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                 &status); /* only one rank sends such a message */
        MPI_Recv(in, 100, MPI_DOUBLE, other, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else {
        MPI_Recv(in, 100, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 100, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 12, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
        MPI_Send(out, 13, MPI_DOUBLE, other, 12, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(out, 5, MPI_DOUBLE, right, 4, in, 6, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(out, 7, MPI_DOUBLE, right, 5, left, 5, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(out, 5, MPI_DOUBLE, right, 4, in, 6, MPI_DOUBLE, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status);
    MPI_Recv(in, 6, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 20, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 20, MPI_DOUBLE, right, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, 20, MPI_DOUBLE, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, statuses);
    MPI_Irecv(in, 21, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, 21, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(in + 100, 22, MPI_DOUBLE, left, 8, MPI_COMM_WORLD, &requests[2]);
    MPI_Wait(&requests[0], &status);
    MPI_Isend(out, 22, MPI_DOUBLE, right, 8, MPI_COMM_WORLD, &requests[3]);
    for (int index, i = 0; i < 3; i++)
        MPI_Waitany(4, requests, &index, &status);
}

static void many_requests(void)
{
    MPI_Request requests[2 * MOST];
    int flag = 0, done, indices[2 * MOST], left_over = 2 * MOST;
    for (int i = 0; i < MOST; i++) {
        MPI_Irecv(in + i, 1, MPI_DOUBLE, left, 100 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out, 1, MPI_DOUBLE, right, 100 + i, MPI_COMM_WORLD, &requests[MOST + i]);
    }
    while (left_over > MOST) {
        MPI_Testsome(2 * MOST, requests, &done, indices, statuses);
        left_over -= done;
    }
    while (!flag)
        MPI_Testall(2 * MOST, requests, &flag, statuses);
}

static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Send_init(out, 30, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 30, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void derived(void)
{
    MPI_Datatype column, pair;
    int starts[2] = {0, 3}, lengths[2] = {1, 2};
    MPI_Type_vector(10, 2, 5, MPI_DOUBLE, &column);       /* 160 bytes */
    MPI_Type_indexed(2, lengths, starts, MPI_INT, &pair); /* 12 bytes */
    MPI_Type_commit(&column);
    MPI_Type_commit(&pair);
    MPI_Sendrecv(out, 2, column, right, 10, in, 320, MPI_BYTE, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(out, 3, pair, 1, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
}

static int send_counts[MOST], recv_counts[MOST], starts_[MOST];

static void collectives(MPI_Comm comm)
{
    int me, size;
    MPI_Request request;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        send_counts[i] = 1 + me + i;
        recv_counts[i] = 1 + me + i;
        starts_[i] = 20 * i;
    }
    MPI_Barrier(comm);
    MPI_Bcast(out, 40, MPI_DOUBLE, size - 1, comm);
    MPI_Reduce(out, in, 41, MPI_DOUBLE, MPI_SUM, 1, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, 42, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Scan(out, in, 43, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Exscan(out, in, 44, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Alltoall(out, 5, MPI_DOUBLE, in, 5, MPI_DOUBLE, comm);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 6, MPI_DOUBLE, comm);
    MPI_Alltoallv(out, send_counts, starts_, MPI_DOUBLE, in, recv_counts, starts_, MPI_DOUBLE, comm);
    MPI_Allgather(out, 7, MPI_DOUBLE, in, 7, MPI_DOUBLE, comm);
    for (int i = 0; i < size; i++)
        recv_counts[i] = 1 + i;
    MPI_Allgatherv(out, 1 + me, MPI_DOUBLE, in, recv_counts, starts_, MPI_DOUBLE, comm);
    MPI_Gather(me == 0 ? MPI_IN_PLACE : (void *)out, 8, MPI_DOUBLE, in, 8, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(out, 1 + me, MPI_DOUBLE, in, recv_counts, starts_, MPI_DOUBLE, 1, comm);
    MPI_Scatter(out, 9, MPI_DOUBLE, me == 0 ? MPI_IN_PLACE : (void *)in, 9, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(out, recv_counts, starts_, MPI_DOUBLE, in, 1 + me, MPI_DOUBLE, 1, comm);
    MPI_Reduce_scatter(out, in, recv_counts, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, 3, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Iallreduce(out, in, 45, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(comm, &request);
    MPI_Waitall(1, &request, statuses);
}

static void communicators(void)
{
    MPI_Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    collectives(half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Sendrecv(out, 1, MPI_DOUBLE, right, 4, in, 1, MPI_DOUBLE, left, 4, copy, MPI_STATUS_IGNORE);
    int me;
    MPI_Comm_rank(half, &me);
    if (me == 0)
        MPI_Send(out, 2, MPI_DOUBLE, 1, 11, half);
    if (me == 1)
        MPI_Recv(in, 2, MPI_DOUBLE, 0, 11, half, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

static double work(void)
{
    double sum = 0;
    for (int i = 0; i < 2000000; i++)
        sum += 1.0 / (1 + i);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    point_to_point();
    out[0] = work(); /* it is sent later, so the compiler cannot remove the work */
    many_requests();
    persistent();
    derived();
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == atoi(argv[1]))
        raise(SIGKILL);
    collectives(MPI_COMM_WORLD);
    communicators();
    MPI_Finalize();
    return 0;
}
