/* What the tracer adds to a poll that finds nothing, in a program like HPCC's MPIRandomAccess: it changes
 * words of a large table at random, and polls one request four times before each. Blocks that call the
 * wrapper and blocks that call the MPI's own function take turns in one process, since two processes differ
 * by more than what is measured. Run it with helio capture; without, it prints what it cannot tell from zero.
 *
 *   capture_poll [PAIRS] */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { UPDATES = 100000, POLLS = 4, WORDS = 1 << 22, MOST_PAIRS = 10000 };

typedef int testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);

static uint64_t *table, number = 1;
static MPI_Request polled;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Nanoseconds per poll, with its share of an update. */
__attribute__((noinline)) static double block(testany *poll)
{
    const double began = now_ns();
    int index, flag;
    for (int i = 0; i < UPDATES; i++) {
        for (int k = 0; k < POLLS; k++)
            poll(1, &polled, &index, &flag, MPI_STATUS_IGNORE);
        number = (number << 1) ^ (number >> 63 ? 7 : 0);
        table[number & (WORDS - 1)] ^= number;
    }
    return (now_ns() - began) / UPDATES / POLLS;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The function of the MPI's library itself: in that which has MPI_Wtime, which no tracer wraps. */
static testany *mpis_own(void)
{
    Dl_info info;
    void *library = dladdr(dlsym(RTLD_DEFAULT, "MPI_Wtime"), &info) ? dlopen(info.dli_fname, RTLD_NOW) : NULL;
    void *found = library ? dlsym(library, "PMPI_Testany") : NULL;
    if (!found) {
        fprintf(stderr, "capture_poll: the MPI's own PMPI_Testany was not found\n");
        exit(1);
    }
    return (testany *)found;
}

static void measure(testany *own, testany *wrapped, int pairs)
{
    static double alone[MOST_PAIRS], more[MOST_PAIRS];
    block(own);
    block(wrapped);
    for (int i = 0; i < pairs; i++) {
        const double first = block(i % 2 ? own : wrapped), second = block(i % 2 ? wrapped : own);
        alone[i] = i % 2 ? first : second;
        more[i] = i % 2 ? second - first : first - second;
    }
    qsort(alone, (size_t)pairs, sizeof *alone, compare);
    qsort(more, (size_t)pairs, sizeof *more, compare);
    printf("poll and share of the work %.2f ns, the tracer %.2f ns (%.2f to %.2f)\n", alone[pairs / 2],
           more[pairs / 2], more[pairs / 4], more[3 * pairs / 4]);
}

int main(int argc, char **argv)
{
    int in, out = 0;
    const int pairs = argc > 1 ? atoi(argv[1]) : 200;
    MPI_Init(&argc, &argv);
    table = calloc(WORDS, sizeof *table);
    if (!table || pairs < 1 || pairs > MOST_PAIRS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &polled); /* its message comes after the last poll */
    measure(mpis_own(), (testany *)dlsym(RTLD_DEFAULT, "MPI_Testany"), pairs);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&polled, MPI_STATUS_IGNORE);
    free(table);
    MPI_Finalize();
    return 0;
}
