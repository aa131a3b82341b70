/* Measures MPI_Alltoall: the MPI's default, each of the MPI's own algorithms, and those of the preloaded
 * library. One launch measures all of them in turn, so that other load on the machine affects all alike.
 * `helio alltoall bench` and `helio alltoall tune` start this program and interpret its output.
 *
 *   helio-alltoall-bench-MPI SIZES ALGORITHMS SAMPLES
 *
 * Sizes, in bytes, and algorithms are lists with commas. The other algorithms are compared with the first
 * one. `mpi` is the MPI's default; `mpi:NAME` is one of the MPI's own algorithms. The data of every sample is
 * checked. Rank 0 writes to standard output:
 *
 *   cluster NODES RANKS MOST_RANKS_OF_A_NODE VERSION
 *   sample BYTES ALGORITHM NANOSECONDS PROCESSOR_NANOSECONDS
 *   done
 *
 * Times are per call. Samples are in the order in which they were taken. */
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/coll/digits.h"

enum { ALGORITHMS_MAX = 32, SIZES_MAX = 64, NAME_MAX_LENGTH = 40, LEAVE_US = 200000 };

struct bench_candidate {
    char name[NAME_MAX_LENGTH];
    MPI_Comm comm;
    int forced; /* the number of one of the MPI's own algorithms; -1: none is forced */
};

struct bench {
    int rank, size, samples;
    struct bench_candidate candidates[ALGORITHMS_MAX];
    int candidate_count;
    long sizes[SIZES_MAX];
    int size_count;
    unsigned char *send, *recv;
};

static void abort_bench(const char *what, const char *name)
{
    fprintf(stderr, "helio-alltoall-bench: %s%s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

/* ------------------------------------------------ the MPI's own algorithms */

/* The control variable of the MPI that forces an algorithm. */
#ifdef OPEN_MPI
/* Open MPI reads it when it makes a communicator. */
static const char variable[] = "coll_tuned_alltoall_algorithm";
static const char *const own_names[] = {"default", "linear", "pairwise", "modified_bruck", "linear_sync"};
#else
/* MPICH reads it at every call. */
static const char variable[] = "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM";
static const char *const own_names[] = {"auto",     "brucks", "nb", "pairwise", "pairwise_sendrecv_replace",
                                        "scattered"};
#endif

static int own_number(const char *name)
{
    for (size_t i = 1; i < sizeof own_names / sizeof *own_names; i++)
        if (strcmp(name, own_names[i]) == 0)
            return (int)i;
    abort_bench("the MPI has no alltoall algorithm ", name);
    return -1;
}

static void force(int number)
{
    static MPI_T_cvar_handle handle;
    static int ready;
    int index, count, provided;
    if (!ready) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        if (MPI_T_cvar_get_index(variable, &index) != MPI_SUCCESS ||
            MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
            abort_bench("the MPI has no control variable ", variable);
        ready = 1;
    }
    MPI_T_cvar_write(handle, &number);
}

/* -------------------------------------------------------------- candidates */

/* Makes the candidate's communicator. Each has one, since the library and Open MPI choose the algorithm when
 * they first see a communicator. */
static void open_candidate(struct bench_candidate *candidate)
{
    int is_own = strncmp(candidate->name, "mpi:", 4) == 0, size;
    unsigned char *both[2];
    candidate->forced = is_own ? own_number(candidate->name + 4) : -1;
    if (is_own)
        force(candidate->forced);
    setenv("HELIO_ALLTOALL", is_own ? "mpi" : candidate->name, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &candidate->comm);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    both[0] = calloc((size_t)size, 1), both[1] = calloc((size_t)size, 1);
    if (!both[0] || !both[1])
        abort_bench("no memory", "");
    /* In this call the library reads HELIO_ALLTOALL for the communicator. */
    MPI_Alltoall(both[0], 1, MPI_BYTE, both[1], 1, MPI_BYTE, candidate->comm);
    free(both[0]), free(both[1]);
    if (is_own)
        force(0);
}

#ifndef OPEN_MPI
/* MPICH's ranks poll without a pause and keep the core from the ranks whose messages they wait for. Over TCP,
 * UCX polls by this function, which hides the system's. With HELIO_BENCH_YIELD it yields the core if there is
 * nothing to read: so one can measure the same MPI with ranks that yield. */
__attribute__((visibility("default"))) int epoll_wait(int descriptor, struct epoll_event *events, int most,
                                                      int milliseconds)
{
    static int yields = -1;
    if (yields < 0)
        yields = getenv("HELIO_BENCH_YIELD") != NULL;
    int ready = epoll_pwait(descriptor, events, most, milliseconds, NULL);
    if (ready == 0 && yields)
        sched_yield();
    return ready;
}
#endif

static long number_of(const char *text, long most)
{
    const char *end = text;
    uint64_t number;
    if (!digits_read(&end, (uint64_t)most, &number) || *end)
        abort_bench("not a number: ", text);
    return (long)number;
}

static void read_lists(struct bench *bench, char *sizes, char *algorithms)
{
    for (char *item = strtok(sizes, ","); item; item = strtok(NULL, ",")) {
        if (bench->size_count == SIZES_MAX)
            abort_bench("too many sizes", "");
        bench->sizes[bench->size_count++] = number_of(item, LONG_MAX);
    }
    for (char *item = strtok(algorithms, ","); item; item = strtok(NULL, ",")) {
        if (bench->candidate_count == ALGORITHMS_MAX)
            abort_bench("too many algorithms", "");
        snprintf(bench->candidates[bench->candidate_count++].name, NAME_MAX_LENGTH, "%s", item);
    }
}

/* ----------------------------------------------------------------- samples */

static unsigned char byte_of(int from, int to, long i)
{
    return (unsigned char)(from * 31 + to * 7 + i);
}

static void check_data(const struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    for (int from = 0; from < bench->size; from++)
        for (long i = 0; i < bytes; i++)
            if (bench->recv[from * bytes + i] != byte_of(from, bench->rank, i))
                abort_bench("wrong data from ", candidate->name);
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct cost {
    double seconds;   /* per call, of the slowest rank */
    double processor; /* processor seconds per call, of all ranks together */
};

static void call_once(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    MPI_Alltoall(bench->send, (int)bytes, MPI_BYTE, bench->recv, (int)bytes, MPI_BYTE, candidate->comm);
}

/* A barrier whose ranks yield while they wait. In the barrier of an MPI that spins, ranks that have finished
 * a sample would keep the cores from those that have not. */
static void yielding_barrier(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

/* Times `calls` calls after one call that is not timed. If there are more ranks than cores, ranks leave a
 * barrier at very different times; after the untimed call they are as far apart as after each timed one. */
static struct cost take_sample(struct bench *bench, const struct bench_candidate *candidate, long bytes,
                               int calls)
{
    struct cost cost;
    double began, here, used;
    memset(bench->recv, 0, (size_t)(bytes * bench->size));
    if (candidate->forced >= 0)
        force(candidate->forced);
    yielding_barrier();
    call_once(bench, candidate, bytes);
    used = processor_seconds();
    began = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call_once(bench, candidate, bytes);
    here = (MPI_Wtime() - began) / calls;
    used = (processor_seconds() - used) / calls;
    yielding_barrier();
    if (candidate->forced >= 0)
        force(0);
    MPI_Allreduce(&here, &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&used, &cost.processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_data(bench, candidate, bytes);
    return cost;
}

/* The number of calls of an algorithm that take some hundredths of a second. If all algorithms made equally
 * many calls, the samples of a fast one would be short: they would depend more on when ranks leave the
 * barrier and on what the network carried last than on the calls. */
static int calls_for(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    enum { FEWEST = 3, MOST = 1000 };
    double wanted = 4e-2, once = take_sample(bench, candidate, bytes, FEWEST).seconds;
    double calls = wanted / once;
    int number = calls < FEWEST ? FEWEST : calls > MOST ? MOST : (int)calls;
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

/* Calls before the first sample. The library's `auto` leaves the first calls to the MPI (comm.c) and then
 * makes at most three trials (autotune.c) before it decides. */
static int warm_calls(const struct bench_candidate *candidate)
{
    enum { WARM = 2, BEFORE = 8, TRIALS_AND_ONE = 49 };
    return strcmp(candidate->name, "auto") == 0 ? BEFORE + TRIALS_AND_ONE : WARM;
}

static void measure(struct bench *bench, long bytes)
{
    for (int to = 0; to < bench->size; to++)
        for (long i = 0; i < bytes; i++)
            bench->send[to * bytes + i] = byte_of(bench->rank, to, i);
    int calls[ALGORITHMS_MAX];
    for (int c = 0; c < bench->candidate_count; c++) {
        take_sample(bench, &bench->candidates[c], bytes, warm_calls(&bench->candidates[c]));
        calls[c] = calls_for(bench, &bench->candidates[c], bytes);
    }
    for (int turn = 0; turn < bench->samples; turn++)
        for (int c = 0; c < bench->candidate_count; c++) {
            int which = (c + turn) % bench->candidate_count;
            const struct bench_candidate *candidate = &bench->candidates[which];
            struct cost cost = take_sample(bench, candidate, bytes, calls[which]);
            if (bench->rank == 0)
                printf("sample %ld %s %.0f %.0f\n", bytes, candidate->name, cost.seconds * 1e9,
                       cost.processor * 1e9);
        }
    if (bench->rank == 0)
        fflush(stdout);
}

static void print_cluster(const struct bench *bench)
{
    MPI_Comm node;
    int here, leads, nodes, most, length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, bench->rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_rank(node, &leads);
    leads = leads == 0;
    MPI_Comm_free(&node);
    MPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    if (bench->rank == 0)
        printf("cluster %d %d %d %.*s\n", nodes, bench->size, most, (int)strcspn(version, "\n,"), version);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    long largest = 1;
    if (argc != 4) {
        fprintf(stderr, "usage: %s SIZES ALGORITHMS SAMPLES (helio alltoall bench starts it)\n", argv[0]);
        return 2;
    }
    /* Without this, force() has no effect on Open MPI. */
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    read_lists(&bench, argv[1], argv[2]);
    bench.samples = (int)number_of(argv[3], INT_MAX);
    for (int i = 0; i < bench.size_count; i++)
        if (bench.sizes[i] > largest)
            largest = bench.sizes[i];
    bench.send = malloc((size_t)largest * (size_t)bench.size);
    bench.recv = malloc((size_t)largest * (size_t)bench.size);
    if (!bench.send || !bench.recv || bench.candidate_count == 0)
        abort_bench("no memory, or no algorithm", "");
    for (int c = 0; c < bench.candidate_count; c++)
        open_candidate(&bench.candidates[c]);
    print_cluster(&bench);
    for (int i = 0; i < bench.size_count; i++)
        measure(&bench, bench.sizes[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench.rank == 0)
        printf("done\n");
    fflush(stdout);
#ifndef OPEN_MPI
    /* MPICH 4.0.2 over TCP may wait in MPI_Finalize for ever, with the library and without it. All output is
     * written, so the process ends without it. The launcher then ends all ranks and loses output that it has
     * not passed on yet; so each rank waits first. */
    usleep(LEAVE_US);
    _exit(0);
#endif
    MPI_Finalize();
    return 0;
}
