#include <locality_aware.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An alltoall three ways, in turns: by the MPI itself (PMPI_Alltoall), by the preloaded library
 * (MPI_Alltoall), and by each algorithm of MPI Advance's locality_aware. bench/advance builds and starts it.
 *
 *   advance BYTES...
 *
 * A line for each size and way: how many times as fast as the MPI itself, the median of SAMPLES ratios of the
 * same turn and its 95 % interval. A sample is as many calls as take the MPI SAMPLE_S. Each way's result is
 * compared with the MPI's once. */
enum { SAMPLES = 11, LOW = 1, HIGH = SAMPLES - 2 }; /* the 2nd and the 10th of 11: 98.8 % */
static const double sample_s = 0.04;

struct way {
    const char *name;
    int method; /* of MPI Advance; or one of the two below */
};
enum { BY_MPI = -1, BY_HELIO = -2 };
static const struct way ways[] = {
    {"MPI", BY_MPI},
    {"heliograph, auto", BY_HELIO},
    {"pairwise", ALLTOALL_PAIRWISE},
    {"nonblocking", ALLTOALL_NONBLOCKING},
    {"hierarchical, pairwise", ALLTOALL_HIERARCHICAL_PAIRWISE},
    {"hierarchical, nonblocking", ALLTOALL_HIERARCHICAL_NONBLOCKING},
    {"multileader, pairwise", ALLTOALL_MULTILEADER_PAIRWISE},
    {"multileader, nonblocking", ALLTOALL_MULTILEADER_NONBLOCKING},
    {"node-aware, pairwise", ALLTOALL_NODE_AWARE_PAIRWISE},
    {"node-aware, nonblocking", ALLTOALL_NODE_AWARE_NONBLOCKING},
    {"locality-aware, pairwise", ALLTOALL_LOCALITY_AWARE_PAIRWISE},
    {"locality-aware, nonblocking", ALLTOALL_LOCALITY_AWARE_NONBLOCKING},
    {"multileader locality, pairwise", ALLTOALL_MULTILEADER_LOCALITY_PAIRWISE},
    {"multileader locality, nonblocking", ALLTOALL_MULTILEADER_LOCALITY_NONBLOCKING},
};
enum { WAYS = sizeof ways / sizeof *ways };

struct alltoall {
    char *from, *into, *right;
    int bytes, ranks, rank;
    MPIL_Comm *comm;
};

static void call(const struct alltoall *all, const struct way *way, char *into)
{
    if (way->method == BY_MPI)
        PMPI_Alltoall(all->from, all->bytes, MPI_BYTE, into, all->bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (way->method == BY_HELIO)
        MPI_Alltoall(all->from, all->bytes, MPI_BYTE, into, all->bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
        MPIL_Alltoall(all->from, all->bytes, MPI_BYTE, into, all->bytes, MPI_BYTE, all->comm);
}

/* Seconds of a call, of the slowest rank. */
static double time_of(const struct alltoall *all, const struct way *way, int calls)
{
    if (way->method >= 0)
        MPIL_Set_alltoall_algorithm((enum AlltoallMethod)way->method);
    PMPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime(), own_s, slowest_s;
    for (int i = 0; i < calls; i++)
        call(all, way, all->into);
    own_s = MPI_Wtime() - began_s;
    PMPI_Allreduce(&own_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest_s / calls;
}

static int calls_of_sample(const struct alltoall *all, const struct way *way)
{
    double call_s = time_of(all, way, 20);
    int calls = (int)(sample_s / call_s);
    calls = calls < 1 ? 1 : calls > 1000 ? 1000 : calls;
    PMPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return calls;
}

static void check(const struct alltoall *all, const struct way *way)
{
    size_t size = (size_t)all->bytes * (size_t)all->ranks;
    memset(all->into, 0, size);
    if (way->method >= 0)
        MPIL_Set_alltoall_algorithm((enum AlltoallMethod)way->method);
    call(all, way, all->into);
    if (memcmp(all->into, all->right, size) == 0)
        return;
    fprintf(stderr, "advance: %s: rank %d has other data than by the MPI\n", way->name, all->rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void measure(const struct alltoall *all)
{
    enum { WARM = 400 }; /* calls: `auto` has chosen by then */
    static double ratios[WAYS][SAMPLES], times[SAMPLES];
    int calls[WAYS];
    for (int way = 0; way < WAYS; way++) {
        check(all, &ways[way]);
        time_of(all, &ways[way], ways[way].method == BY_HELIO ? WARM : 3);
        calls[way] = calls_of_sample(all, &ways[way]);
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        times[sample] = time_of(all, &ways[0], calls[0]);
        for (int way = 1; way < WAYS; way++)
            ratios[way][sample] = times[sample] / time_of(all, &ways[way], calls[way]);
    }
    if (all->rank != 0)
        return;
    qsort(times, SAMPLES, sizeof *times, by_value);
    for (int way = 1; way < WAYS; way++) {
        qsort(ratios[way], SAMPLES, sizeof **ratios, by_value);
        printf("| %d B | %.0f | %s | %.2f (%.2f-%.2f) |\n", all->bytes, times[SAMPLES / 2] * 1e6,
               ways[way].name, ratios[way][SAMPLES / 2], ratios[way][LOW], ratios[way][HIGH]);
    }
    fflush(stdout);
}

static void measure_size(struct alltoall *all, int bytes)
{
    size_t size = (size_t)bytes * (size_t)all->ranks;
    all->bytes = bytes;
    all->from = malloc(size);
    all->into = malloc(size);
    all->right = malloc(size);
    if (!all->from || !all->into || !all->right)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < size; i++)
        all->from[i] = (char)(all->rank * 31 + (int)i * 7);
    call(all, &ways[0], all->right);
    measure(all);
    free(all->from);
    free(all->into);
    free(all->right);
}

int main(int argc, char **argv)
{
    struct alltoall all = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
    MPIL_Comm_init(&all.comm, MPI_COMM_WORLD);
    for (int i = 1; i < argc; i++)
        measure_size(&all, atoi(argv[i]));
    fflush(stdout);
    PMPI_Barrier(MPI_COMM_WORLD);
#ifndef OPEN_MPI
    _Exit(0); /* MPICH over TCP sometimes never returns from MPI_Finalize (docs/coll.md) */
#endif
    MPI_Finalize();
    return 0;
}
