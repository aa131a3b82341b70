/* A library to be preloaded before others that replace collectives. It counts the alltoalls and allreduces of
 * an unchanged program and measures their time. MPI_Finalize writes to the file $COLLECTIVE_TIMES: the calls
 * of rank 0, and the seconds of the rank that spends most time in them. With MPICH it then ends the process:
 * over TCP MPICH 4.0.2 may never return from MPI_Finalize. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double seconds;
static long calls;
static int depth; /* calls that such a call makes are not counted */

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "times: there is no %s behind this library\n", name);
        exit(1);
    }
    return function;
}

#define COUNTED(call)                                                                                        \
    do {                                                                                                     \
        double from = PMPI_Wtime();                                                                          \
        depth++;                                                                                             \
        call;                                                                                                \
        if (--depth == 0) {                                                                                  \
            seconds += PMPI_Wtime() - from;                                                                  \
            calls++;                                                                                         \
        }                                                                                                    \
    } while (0)

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm)
{
    static int (*way)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int error;
    if (!way)
        *(void **)&way = next("MPI_Alltoall");
    COUNTED(error = way(send, send_count, send_type, receive, receive_count, receive_type, comm));
    return error;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int (*way)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int error;
    if (!way)
        *(void **)&way = next("MPI_Allreduce");
    COUNTED(error = way(send, receive, count, type, op, comm));
    return error;
}

/* Open MPI's Fortran functions do not call the C functions. */
void mpi_alltoall_(void *send, int *send_count, int *send_type, void *receive, int *receive_count,
                   int *receive_type, int *comm, int *error);
void mpi_alltoall_(void *send, int *send_count, int *send_type, void *receive, int *receive_count,
                   int *receive_type, int *comm, int *error)
{
    static void (*way)(void *, int *, int *, void *, int *, int *, int *, int *);
    if (!way)
        *(void **)&way = next("mpi_alltoall_");
    COUNTED(way(send, send_count, send_type, receive, receive_count, receive_type, comm, error));
}

void mpi_allreduce_(void *send, void *receive, int *count, int *type, int *op, int *comm, int *error);
void mpi_allreduce_(void *send, void *receive, int *count, int *type, int *op, int *comm, int *error)
{
    static void (*way)(void *, void *, int *, int *, int *, int *, int *);
    if (!way)
        *(void **)&way = next("mpi_allreduce_");
    COUNTED(way(send, receive, count, type, op, comm, error));
}

static void tell(void)
{
    double most = 0;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    const char *path = getenv("COLLECTIVE_TIMES");
    FILE *file = rank == 0 && path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld %.6f\n", calls, most);
    fclose(file);
}

int MPI_Finalize(void)
{
    static int (*way)(void);
    if (!way)
        *(void **)&way = next("MPI_Finalize");
    tell();
#ifndef OPEN_MPI
    enum { LEAVE_US = 200000 }; /* the launcher loses output that it has not passed on yet */
    void (*flush_fortran)(void *);
    *(void **)&flush_fortran = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");
    if (flush_fortran)
        flush_fortran(NULL); /* all units */
    fflush(NULL);
    PMPI_Barrier(MPI_COMM_WORLD);
    usleep(LEAVE_US);
    _exit(0);
#endif
    return way();
}

void mpi_finalize_(int *error);
void mpi_finalize_(int *error)
{
    static void (*way)(int *);
    if (!way)
        *(void **)&way = next("mpi_finalize_");
    tell();
    way(error);
}
