/* Calls whose places are known: each stands in a line of its own, and one function is inlined. Rank 1
 * computes longest, so rank 0 waits for its message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT 1000

static double numbers[2 * COUNT];

/* Processor time, which is computation. */
static void compute(double seconds)
{
    struct timespec first, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &first);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) < seconds);
}

static inline __attribute__((always_inline)) void exchange(int other)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(numbers, COUNT, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(numbers + COUNT, COUNT, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

/* Called through a pointer, from two lines. */
__attribute__((noinline)) static void agree(int *sum)
{
    int one = 1;
    MPI_Allreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
void (*volatile agree_later)(int *sum) = agree;

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 3; i++) {
        compute(rank ? 0.04 : 0.001);
        exchange(1 - rank);
        agree_later(&sum);
    }
    if (argc > 1)
        abort();
    if (rank == 0)
        MPI_Send(numbers, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    agree_later(&sum);
    MPI_Finalize();
    return sum != 2;
}
