/* Programs by which a tracer is easily misled, each by its name: tests/mpi/capture.sh says what is expected.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* waits for its receiver */

static int rank;
static char out[LARGE], in[LARGE];
static MPI_Status statuses[4];

/* Until somebody ends it, but no longer than a test may take. */
static void endless(void)
{
    alarm(100);
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(20000);
    }
}

/* A send that nobody waits for is still under way when all others are waited for; its receiver comes later. */
static void freed(void)
{
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Isend(out, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Request_free(&requests[0]);
        MPI_Irecv(in, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        MPI_Send(out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Send(out, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"endless", endless},
    {"freed", freed},
};

int main(int argc, char **argv)
{
    int found = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0) {
            programs[i].run();
            found = 1;
        }
    MPI_Finalize();
    if (!found)
        fprintf(stderr, "no program of that name\n");
    return found ? 0 : 2;
}
