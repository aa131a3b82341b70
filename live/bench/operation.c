#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/bench/bench.h"
#include "live/program/end.h"

void bench_abort(const char *what, const char *name)
{
    fprintf(stderr, "helio-coll-bench: %s%s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

void bench_refuse(const char *format, ...)
{
    char line[512] = "refused ";
    va_list values;
    va_start(values, format);
    vsnprintf(line + strlen(line), sizeof line - strlen(line), format, values);
    va_end(values);
    program_end(line, 0);
}

#ifdef OPEN_MPI
#define VARIABLE(lower, upper) "coll_tuned_" lower "_algorithm"
#define MPICH_VARIABLE(upper)  NULL
#define OWN(open_mpi, mpich)                                                                                 \
    {                                                                                                        \
        open_mpi                                                                                             \
    }
#else
#define VARIABLE(lower, upper) "MPIR_CVAR_" upper "_INTRA_ALGORITHM"
#define MPICH_VARIABLE(upper)  VARIABLE("", upper)
#define OWN(open_mpi, mpich)                                                                                 \
    {                                                                                                        \
        mpich                                                                                                \
    }
#endif
#define NAMES(...) __VA_ARGS__

static const struct operation operations[] = {
    {"alltoall", "HELIO_ALLTOALL", 1, 1, 0, 0, VARIABLE("alltoall", "ALLTOALL"),
     OWN(NAMES("default", "linear", "pairwise", "modified_bruck", "linear_sync"),
         NAMES("auto", "brucks", "nb", "pairwise", "pairwise_sendrecv_replace", "scattered"))},
    {"allreduce", "HELIO_ALLREDUCE", 0, 0, 1, 0, VARIABLE("allreduce", "ALLREDUCE"),
     OWN(NAMES("default", "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
               "rabenseifner"),
         NAMES("auto", "nb", "smp", "recursive_doubling", "reduce_scatter_allgather"))},
    {"allgather", "HELIO_ALLGATHER", 0, 1, 0, 0, VARIABLE("allgather", "ALLGATHER"),
     OWN(NAMES("default", "linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc"),
         NAMES("auto", "brucks", "nb", "recursive_doubling", "ring"))},
    {"bcast", "HELIO_BCAST", 0, 0, 0, 0, VARIABLE("bcast", "BCAST"),
     OWN(NAMES("default", "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial",
               "knomial", "scatter_allgather", "scatter_allgather_ring"),
         NAMES("auto", "binomial", "nb", "smp", "scatter_recursive_doubling_allgather",
               "scatter_ring_allgather"))},
    {"reduce", "HELIO_REDUCE", 0, 0, 1, 0, VARIABLE("reduce", "REDUCE"),
     OWN(NAMES("default", "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary",
               "rabenseifner"),
         NAMES("auto", "binomial", "nb", "smp", "reduce_scatter_gather"))},
    {"reduce_scatter", "HELIO_REDUCE_SCATTER", 1, 0, 1, 0,
     VARIABLE("reduce_scatter_block", "REDUCE_SCATTER_BLOCK"),
     OWN(NAMES("default", "basic_linear", "recursive_doubling", "recursive_halving", "butterfly"),
         NAMES("auto", "noncommutative", "recursive_doubling", "pairwise", "recursive_halving", "nb"))},
    {"gather", "HELIO_GATHER", 0, 1, 0, 0, VARIABLE("gather", "GATHER"),
     OWN(NAMES("default", "basic_linear", "binomial", "linear_sync"), NAMES("auto", "binomial", "nb"))},
    {"scatter", "HELIO_SCATTER", 1, 0, 0, 0, VARIABLE("scatter", "SCATTER"),
     OWN(NAMES("default", "basic_linear", "binomial", "linear_nb"), NAMES("auto", "binomial", "nb"))},
    {"alltoallv", "HELIO_ALLTOALLV", 1, 1, 0, 1, VARIABLE("alltoallv", "ALLTOALLV"),
     OWN(NAMES("default", "linear", "pairwise"),
         NAMES("auto", "nb", "pairwise_sendrecv_replace", "scattered"))},
    {"alltoallw", "HELIO_ALLTOALLV", 1, 1, 0, 1, MPICH_VARIABLE("ALLTOALLW"),
     OWN(NAMES("default"), NAMES("auto", "nb", "pairwise_sendrecv_replace", "scattered"))},
    {"allgatherv", "HELIO_ALLGATHER", 0, 1, 0, 1, VARIABLE("allgatherv", "ALLGATHERV"),
     OWN(NAMES("default", "gatherv_bcast", "bruck", "ring", "neighbor", "two_proc"),
         NAMES("auto", "brucks", "nb", "recursive_doubling", "ring"))},
    {"gatherv", "HELIO_GATHERV", 0, 1, 0, 1, MPICH_VARIABLE("GATHERV"),
     OWN(NAMES("default"), NAMES("auto", "linear", "nb"))},
    {"scatterv", "HELIO_SCATTERV", 1, 0, 0, 1, MPICH_VARIABLE("SCATTERV"),
     OWN(NAMES("default"), NAMES("auto", "linear", "nb"))},
    {"reduce_scatterv", "HELIO_REDUCE_SCATTER", 1, 0, 1, 1, VARIABLE("reduce_scatter", "REDUCE_SCATTER"),
     OWN(NAMES("default", "non-overlapping", "recursive_halving", "ring", "butterfly"),
         NAMES("auto", "nb", "noncommutative", "pairwise", "recursive_doubling", "recursive_halving"))},
    {"barrier", "HELIO_BARRIER", 0, 0, 0, 0, VARIABLE("barrier", "BARRIER"),
     OWN(NAMES("default", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
         NAMES("auto", "nb", "smp", "dissemination"))},
};

const struct operation *operation_of(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(name, operations[i].name) == 0)
            return &operations[i];
    bench_abort("there is no collective ", name);
}

int operation_own_number(const struct operation *operation, const char *name)
{
    for (int i = 1; i < OWN_MAX && operation->own_names[i]; i++)
        if (strcmp(name, operation->own_names[i]) == 0)
            return i;
    char names[256] = "";
    for (int i = 1; i < OWN_MAX && operation->own_names[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s mpi:%s", i > 1 ? "," : "",
                 operation->own_names[i]);
    bench_refuse("--algorithms: the MPI has no %s of its own that is named mpi:%s;%s", operation->name, name,
                 *names ? names : " it has one algorithm");
}

void operation_force(const char *variable, int number)
{
    static MPI_T_cvar_handle handle;
    static int ready;
    int index, count, provided;
    if (!ready) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        if (MPI_T_cvar_get_index(variable, &index) != MPI_SUCCESS ||
            MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
            bench_abort("the MPI has no control variable ", variable);
        ready = 1;
    }
    MPI_T_cvar_write(handle, &number);
}
