/* Test programs that consist of checks. PROGRAM CHECK... runs the named checks on any number of ranks; rank 0
 * prints "ok CHECK" after each. */
#ifndef HELIO_TESTS_MPI_CHECKS_H
#define HELIO_TESTS_MPI_CHECKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int world_rank, world_size;

static void fail(const char *check, const char *what, long a, long b)
{
    fprintf(stderr, "%s: rank %d: %s (%ld, %ld)\n", check, world_rank, what, a, b);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void *room(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        fail("room", "no memory", (long)bytes, 0);
    return memory;
}

static int handled;

static inline void on_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    handled++;
}

/* Checks that a call that returned `error` failed with the class `expected`, and that the user's error
 * handler was called once. */
static inline void check_error(const char *check, const char *what, int error, int expected)
{
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        MPI_Error_class(error, &class);
    if (class != expected || handled != 1) {
        fprintf(stderr, "%s: handled %d times\n", what, handled);
        fail(check, what, class, expected);
    }
    handled = 0;
}

struct check {
    const char *name;
    void (*run)(void);
};

static inline void begin_checks(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

/* MPICH 4.0.2 over TCP may wait in MPI_Finalize for ever, with the library and without it. All output is
 * written here, so the process may end; but its launcher loses output that it has not passed on when the
 * first rank ends. */
static inline int end_checks(void)
{
    if (getenv("LEAVE_WITHOUT_FINALIZE")) {
        enum { LEAVE_US = 100000 };
        fflush(stdout);
        usleep(LEAVE_US);
        _exit(0);
    }
    MPI_Finalize();
    return 0;
}

static inline int run_checks(int argc, char **argv, const struct check *checks, size_t count)
{
    begin_checks(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        size_t c = 0;
        while (c < count && strcmp(argv[i], checks[c].name) != 0)
            c++;
        if (c == count)
            fail("main", "there is no such check: argument", i, 0);
        checks[c].run();
        MPI_Barrier(MPI_COMM_WORLD);
        if (world_rank == 0)
            printf("ok %s\n", argv[i]), fflush(stdout);
    }
    return end_checks();
}

#endif
