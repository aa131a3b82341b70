/* Measures MPI_Alltoall: the MPI's default, its own algorithms by force, and those of the preloaded library,
 * all in one launch and in turns, so that whatever else the machine does meets all of them alike. Started by
 * `helio alltoall bench` and `tune`, which say what its lines mean.
 *
 *   helio-alltoall-bench-MPI SIZES ALGORITHMS SAMPLES
 *
 * Sizes in bytes and algorithms separated by commas; the first algorithm is what the others are compared
 * with. `mpi` is the MPI's default, `mpi:NAME` an algorithm of its own. Every sample's data is checked.
 * Standard output, by rank 0:
 *
 *   cluster NODES RANKS MOST_RANKS_OF_A_NODE VERSION
 *   sample BYTES ALGORITHM NANOSECONDS PROCESSOR_NANOSECONDS
 *   done
 *
 * Times are of a call, samples in the order in which they were taken. */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALGORITHMS_MAX = 32, SIZES_MAX = 64, NAME_MAX_LENGTH = 40, LEAVE_US = 200000 };

struct bench_candidate {
    char name[NAME_MAX_LENGTH];
    MPI_Comm comm;
    int forced; /* number of the MPI's own algorithm; -1: none */
};

struct bench {
    int rank, size, samples;
    struct bench_candidate candidates[ALGORITHMS_MAX];
    int candidate_count;
    long sizes[SIZES_MAX];
    int size_count;
    unsigned char *send, *recv;
};

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "helio-alltoall-bench: %s%s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

/* ------------------------------------------------------------------------------- the MPI's own, by force */

#ifdef OPEN_MPI
/* Read when a communicator is made. */
static const char variable[] = "coll_tuned_alltoall_algorithm";
static const char *const own_names[] = {"default", "linear", "pairwise", "modified_bruck", "linear_sync"};
#else
/* Read at every call. */
static const char variable[] = "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM";
static const char *const own_names[] = {"auto",     "brucks", "nb", "pairwise", "pairwise_sendrecv_replace",
                                        "scattered"};
#endif

static int own_number(const char *name)
{
    for (size_t i = 1; i < sizeof own_names / sizeof *own_names; i++)
        if (strcmp(name, own_names[i]) == 0)
            return (int)i;
    stop("the MPI has no alltoall algorithm ", name);
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
            stop("the MPI has no control variable ", variable);
        ready = 1;
    }
    MPI_T_cvar_write(handle, &number);
}

/* --------------------------------------------------------------------------------------------- candidates */

/* A communicator each: the library decides by communicator, and so does Open MPI. */
static void prepare(struct bench_candidate *candidate)
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
        stop("no memory", "");
    MPI_Alltoall(both[0], 1, MPI_BYTE, both[1], 1, MPI_BYTE,
                 candidate->comm); /* now the library has read it */
    free(both[0]), free(both[1]);
    if (is_own)
        force(0);
}

#ifndef OPEN_MPI
/* MPICH's ranks poll without end, in the way of those whose messages they wait for. Over TCP, UCX polls by
 * this, which stands before the system's: so one can see what the same MPI takes when it gives way. */
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

static void read_words(struct bench *bench, char *sizes, char *algorithms)
{
    for (char *item = strtok(sizes, ","); item; item = strtok(NULL, ",")) {
        if (bench->size_count == SIZES_MAX)
            stop("too many sizes", "");
        bench->sizes[bench->size_count++] = strtol(item, NULL, 10);
    }
    for (char *item = strtok(algorithms, ","); item; item = strtok(NULL, ",")) {
        if (bench->candidate_count == ALGORITHMS_MAX)
            stop("too many algorithms", "");
        snprintf(bench->candidates[bench->candidate_count++].name, NAME_MAX_LENGTH, "%s", item);
    }
}

/* ------------------------------------------------------------------------------------------------ samples */

static unsigned char byte_of(int from, int to, long i)
{
    return (unsigned char)(from * 31 + to * 7 + i);
}

static void check(const struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    for (int from = 0; from < bench->size; from++)
        for (long i = 0; i < bytes; i++)
            if (bench->recv[from * bytes + i] != byte_of(from, bench->rank, i))
                stop("wrong data from ", candidate->name);
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct cost {
    double seconds;   /* a call, of the slowest rank */
    double processor; /* seconds a call, of all ranks together */
};

static void call(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    MPI_Alltoall(bench->send, (int)bytes, MPI_BYTE, bench->recv, (int)bytes, MPI_BYTE, candidate->comm);
}

/* A barrier in which who waits lets others run. In those of an MPI that spins, ranks that are through with a
 * sample would keep the cores from those that are not. */
static void meet(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

/* The first call is not timed: ranks leave a barrier far apart where they are more than cores, and leave a
 * call of the same kind as the timed ones follow one another. */
static struct cost sample(struct bench *bench, const struct bench_candidate *candidate, long bytes, int calls)
{
    struct cost cost;
    double began, here, used;
    memset(bench->recv, 0, (size_t)(bytes * bench->size));
    if (candidate->forced >= 0)
        force(candidate->forced);
    meet();
    call(bench, candidate, bytes);
    used = processor_seconds();
    began = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call(bench, candidate, bytes);
    here = (MPI_Wtime() - began) / calls;
    used = (processor_seconds() - used) / calls;
    meet();
    if (candidate->forced >= 0)
        force(0);
    MPI_Allreduce(&here, &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&used, &cost.processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(bench, candidate, bytes);
    return cost;
}

/* As many calls of an algorithm as take some hundredths of a second. With the same number for all, the
 * samples of a fast one would be short, and tell more of how ranks come out of the barrier before them, and
 * how the network does of what it carried last, than of the calls. */
static int calls_for(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    enum { FEWEST = 3, MOST = 1000 };
    double wanted = 4e-2, once = sample(bench, candidate, bytes, FEWEST).seconds;
    double calls = wanted / once;
    int number = calls < FEWEST ? FEWEST : calls > MOST ? MOST : (int)calls;
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

/* Calls that are not measured. The library's own choice is made by at most three trials in the first calls of
 * a size (autotune.c), after some that it leaves to the MPI (comm.c). */
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
        sample(bench, &bench->candidates[c], bytes, warm_calls(&bench->candidates[c]));
        calls[c] = calls_for(bench, &bench->candidates[c], bytes);
    }
    for (int turn = 0; turn < bench->samples; turn++)
        for (int c = 0; c < bench->candidate_count; c++) {
            int which = (c + turn) % bench->candidate_count;
            const struct bench_candidate *candidate = &bench->candidates[which];
            struct cost cost = sample(bench, candidate, bytes, calls[which]);
            if (bench->rank == 0)
                printf("sample %ld %s %.0f %.0f\n", bytes, candidate->name, cost.seconds * 1e9,
                       cost.processor * 1e9);
        }
    if (bench->rank == 0)
        fflush(stdout);
}

static void say_cluster(const struct bench *bench)
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
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1); /* or Open MPI lets nothing be forced */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    read_words(&bench, argv[1], argv[2]);
    bench.samples = (int)strtol(argv[3], NULL, 10);
    for (int i = 0; i < bench.size_count; i++)
        if (bench.sizes[i] > largest)
            largest = bench.sizes[i];
    bench.send = malloc((size_t)largest * (size_t)bench.size);
    bench.recv = malloc((size_t)largest * (size_t)bench.size);
    if (!bench.send || !bench.recv || bench.candidate_count == 0)
        stop("no memory, or no algorithm", "");
    for (int c = 0; c < bench.candidate_count; c++)
        prepare(&bench.candidates[c]);
    say_cluster(&bench);
    for (int i = 0; i < bench.size_count; i++)
        measure(&bench, bench.sizes[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench.rank == 0)
        printf("done\n");
    fflush(stdout);
#ifndef OPEN_MPI
    /* MPICH 4.0.2 over TCP may wait in MPI_Finalize for ever, with the library and without; all is said. But
     * its launcher ends the others as soon as one is gone like this, and what it has not handed on by then is
     * lost. */
    usleep(LEAVE_US);
    _exit(0);
#endif
    MPI_Finalize();
    return 0;
}
