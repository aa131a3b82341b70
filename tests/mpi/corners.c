/* Programs by which a tracer is easily misled, each by its name: tests/mpi/capture.sh says what is expected.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* waits for its receiver */

static int rank;
static char out[LARGE], in[LARGE];
static MPI_Status statuses[4];

/* Until somebody ends it. */
static void endless(void)
{
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(20000);
    }
}

/* Ends well for all that its launcher can see. */
static void unfinished(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}

/* A send that nobody waits for is still under way when all others are waited for; its receiver comes later.
 */
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

enum { ROUNDS = 40, MESSAGES = 20 };
static MPI_Comm parents[2];
static pthread_barrier_t round_end;

static void *make_communicators(void *parent)
{
    MPI_Comm made;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_dup(*(MPI_Comm *)parent, &made);
        for (int k = 0; k < MESSAGES; k++)
            MPI_Sendrecv(out, 1, MPI_INT, rank, 5, &(int){0}, 1, MPI_INT, rank, 5, made, MPI_STATUS_IGNORE);
        MPI_Comm_free(&made);
        pthread_barrier_wait(&round_end);
    }
    return NULL;
}

/* Each of two threads makes communicators, whose first rank is another's: which of the two is ahead differs
 * from rank to rank. */
static void threads(void)
{
    pthread_t other;
    int level;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        fprintf(stderr, "threads may not call MPI at once\n");
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &parents[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &parents[1]);
    pthread_barrier_init(&round_end, NULL, 2);
    pthread_create(&other, NULL, make_communicators, &parents[1]);
    make_communicators(&parents[0]);
    pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"endless", endless},
    {"freed", freed},
    {"threads", threads},
    {"unfinished", unfinished},
};

int main(int argc, char **argv)
{
    int found = 0;
    alarm(100); /* whatever goes wrong, nothing is left running */
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
