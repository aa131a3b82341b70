/* The time of an MPI call. The program is run with the preloaded tracer and without it, and the difference is
 * the cost of the tracer. Prints nanoseconds of processor time per call, the least of several rounds. One
 * rank sends to itself, so no other process adds waiting time.
 *
 *   capture [lines | test | testany | iprobe]      lines: calls that each have a line in the trace; the
 *                                                  others: polls that find nothing */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CALLS = 200000, ROUNDS = 21, REQUESTS = 4, LINES_TAG = REQUESTS, NO_TAG };

static MPI_Request polled[REQUESTS]; /* receives of messages that come after the last round */

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void lines(void)
{
    double out[8] = {0}, in[8];
    MPI_Request requests[2];
    for (int i = 0; i < CALLS / 4; i++) { /* four lines of a trace: irecv, isend, and two waits */
        MPI_Irecv(in, 8, MPI_DOUBLE, 0, LINES_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 8, MPI_DOUBLE, 0, LINES_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

static void test(void)
{
    for (int i = 0, flag; i < CALLS; i++)
        MPI_Test(&polled[0], &flag, MPI_STATUS_IGNORE);
}

static void testany(void)
{
    for (int i = 0, flag, index; i < CALLS; i++)
        MPI_Testany(REQUESTS, polled, &index, &flag, MPI_STATUS_IGNORE);
}

static void iprobe(void)
{
    for (int i = 0, flag; i < CALLS; i++)
        MPI_Iprobe(0, NO_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static double least_of(void (*round)(void))
{
    double least = 0;
    for (int i = 0; i <= ROUNDS; i++) { /* the first one warms up */
        double began = cpu_ns();
        round();
        double ns = (cpu_ns() - began) / CALLS;
        if (i == 1 || (i > 1 && ns < least))
            least = ns;
    }
    return least;
}

static const struct way {
    const char *name;
    void (*round)(void);
} ways[] = {{"lines", lines}, {"test", test}, {"testany", testany}, {"iprobe", iprobe}};

int main(int argc, char **argv)
{
    int in[REQUESTS], out = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < REQUESTS; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &polled[i]);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argc > 1 ? argv[1] : "lines") == 0)
            printf("%.1f\n", least_of(ways[i].round));
    for (int i = 0; i < REQUESTS; i++)
        MPI_Send(&out, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    for (int i = 0; i < REQUESTS; i++)
        MPI_Wait(&polled[i], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
