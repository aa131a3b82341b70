/* Iterations of known calls, of which a part is recorded. Arguments: how the part is chosen (times, control,
 * twice, crossing, uneven, alone), and how many iterations there are. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, numbers[2000];
static const char *how;

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Messages to both neighbours, a communicator of its own, and a sum. */
static void iterate(int i, MPI_Comm half)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(numbers, 1000, MPI_INT, (rank + ranks - 1) % ranks, i % 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(numbers + 1000, 1000, MPI_INT, (rank + 1) % ranks, i % 7, MPI_COMM_WORLD, &requests[1]);
    rest();
    MPI_Waitall(2, requests, statuses);
    MPI_Bcast(numbers, 10 + i, MPI_INT, 0, half);
    MPI_Allreduce(numbers, numbers + 1000, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* MPI_Pcontrol on all ranks at the same place of the program, or not. */
static void control(int i, int count)
{
    const int first = count / 4, last = count / 2;
    if (strcmp(how, "control") == 0 && (i == first || i == last))
        MPI_Pcontrol(i == first);
    if (strcmp(how, "twice") == 0 && (i == 5 || i == 10 || i == 20 || i == 25))
        MPI_Pcontrol(i == 5 || i == 20);
    if (strcmp(how, "uneven") == 0 && (i == first + rank || i == last + rank))
        MPI_Pcontrol(i == first + rank);
    if (strcmp(how, "alone") == 0 && rank == 0 && i == first)
        MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    how = argv[1];
    const int count = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(how, "times") != 0)
        MPI_Pcontrol(0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    /* A message that is under way from the first iteration to the last one. */
    if (strcmp(how, "crossing") == 0 && rank == 0)
        MPI_Isend(numbers, 1, MPI_INT, ranks - 1, 99, MPI_COMM_WORLD, &sent);
    for (int i = 0; i < count; i++) {
        control(i, count);
        if (strcmp(how, "crossing") == 0 && (i == 2 || i == count - 2))
            MPI_Pcontrol(i == 2);
        iterate(i, half);
    }
    if (strcmp(how, "crossing") == 0 && rank == ranks - 1)
        MPI_Recv(numbers, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
