/* Small programs with calls that are hard to trace; the argument names one. tests/mpi/capture.sh has the
 * expected lines. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 4 << 20 }; /* bytes of a message that waits for its receiver */

static int rank;
static char out[LARGE], in[LARGE];
static MPI_Status statuses[4];

/* Runs until it is killed. */
static void endless(void)
{
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(20000);
    }
}

/* Uses the processor for a second, in pieces between calls. */
static void burns(void)
{
    struct timespec now;
    for (int i = 1; i <= 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        do
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < 200 * i);
    }
}

/* Is killed behind so many calls. */
static void dies(void)
{
    for (int i = 0; i < 20000; i++)
        MPI_Sendrecv(out, 1, MPI_INT, rank, i % 100, in, 1, MPI_INT, rank, i % 100, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    raise(SIGKILL);
}

/* Ends without MPI_Finalize, with status 0. */
static void unfinished(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
}

/* A send whose request is freed is still under way when the program waits for all others; its receiver comes
 * later. */
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

/* Three sends, which may have the same handle. Then calls that the MPI refuses: they set no result and
 * complete no request. */
static void shared(void)
{
    MPI_Request requests[3];
    int index = 1, done = 2, indices[3] = {0, 1, 2};
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Isend(out, 1, MPI_INT, 1, 1 + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        if (MPI_Waitsome(3, NULL, &done, indices, statuses) == MPI_SUCCESS ||
            MPI_Waitsome(-3, requests, &done, indices, statuses) == MPI_SUCCESS ||
            MPI_Waitany(-3, requests, &index, statuses) == MPI_SUCCESS)
            fprintf(stderr, "a call that is wrong was not refused\n");
        MPI_Waitany(3, requests, &index, statuses);
        for (int i = 0; i < 3; i++)
            MPI_Wait(&requests[i], statuses);
    }
    for (int i = 0; rank == 1 && i < 3; i++)
        MPI_Recv(in, 1, MPI_INT, 0, 1 + i, MPI_COMM_WORLD, statuses);
}

/* MPI_Buffer_detach waits until the receiver has come; the MPI may use the processor meanwhile. */
static void buffered(void)
{
    int size = LARGE + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)size);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, size);
        MPI_Bsend(out, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
    } else {
        sleep(1);
        MPI_Recv(in, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, statuses);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(buffer);
}

/* Predefined types. Their sizes in the trace must be those of the MPI. */
static void types(void)
{
    const MPI_Datatype all[] = {MPI_DOUBLE_INT,  MPI_LONG_INT, MPI_FLOAT_INT, MPI_SHORT_INT, MPI_2INT,
                                MPI_LONG_DOUBLE, MPI_C_BOOL,   MPI_WCHAR,     MPI_PACKED,    MPI_AINT};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        MPI_Sendrecv(out, 1, all[i], 0, i, in, 1, all[i], 0, i, MPI_COMM_SELF, statuses);
}

/* More lines than fit into a file whose size is limited. */
static void many(void)
{
    for (int i = 0; i < 120000; i++)
        MPI_Sendrecv(out, 1, MPI_INT, 0, 1, in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    puts("all is done");
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

/* Each of two threads makes communicators. Rank 0 of the first thread's communicators is not rank 0 of the
 * second's, and which thread is ahead differs between ranks. */
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
    {"buffered", buffered},     {"burns", burns},     {"dies", dies},
    {"endless", endless},       {"freed", freed},     {"many", many},
    {"shared", shared},         {"threads", threads}, {"types", types},
    {"unfinished", unfinished},
};

int main(int argc, char **argv)
{
    int found = 0;
    alarm(1000); /* ends the process if it hangs */
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
