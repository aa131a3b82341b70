/* Measures a collective: the MPI's default, each of the MPI's own algorithms, and those of the preloaded
 * library. One launch measures all of them in turn, so that other load on the machine affects all alike.
 * `helio coll bench` and `helio coll tune` start this program and interpret its output.
 *
 *   helio-coll-bench-MPI COLLECTIVE SIZES ALGORITHMS SAMPLES
 *
 * COLLECTIVE is a name of `operations` below. Sizes, in bytes, and algorithms are lists with commas. The
 * other algorithms are compared with the first one. `mpi` is the MPI's default; `mpi:NAME` is one of the
 * MPI's own algorithms. The root is rank 0. Reductions are sums, of doubles where the size allows it, else of
 * bytes. The blocks of vector collectives have different lengths, of which the size is the mean. The data of
 * every sample is checked. Rank 0 writes to standard output:
 *
 *   cluster NODES RANKS MOST_RANKS_OF_A_NODE VERSION
 *   sample BYTES ALGORITHM NANOSECONDS PROCESSOR_NANOSECONDS
 *   done
 *
 * Times are per call. Samples are in the order in which they were taken. Only the calls that are measured go
 * through the library: all others are those of the profiling interface. */
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
    const struct operation *operation;
    int rank, size, samples;
    struct bench_candidate candidates[ALGORITHMS_MAX];
    int candidate_count;
    long sizes[SIZES_MAX];
    int size_count;
    unsigned char *send, *recv;
    /* Of a vector collective: the lengths of blocks and where they begin, for each rank. */
    int *send_counts, *recv_counts, *places;
};

static void abort_bench(const char *what, const char *name)
{
    fprintf(stderr, "helio-coll-bench: %s%s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

/* ------------------------------------------------ the MPI's own algorithms */

/* A collective that can be measured. */
enum { OWN_MAX = 10 };
struct operation {
    const char *name;    /* as the command line has it */
    const char *setting; /* the environment variable of the library */
    int sends_all, receives_all, reduces, is_vector;
    /* The control variable of the MPI that forces an algorithm, and the names of the algorithms by their
     * numbers. Open MPI reads the variable when it makes a communicator, MPICH at every call. NULL: it has
     * one algorithm. */
    const char *variable;
    const char *own_names[OWN_MAX];
};

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
    {"allgatherv", "HELIO_ALLGATHER", 0, 1, 0, 1, VARIABLE("allgatherv", "ALLGATHERV"),
     OWN(NAMES("default", "gatherv_bcast", "bruck", "ring", "neighbor", "two_proc"),
         NAMES("auto", "brucks", "nb", "recursive_doubling", "ring"))},
    {"gatherv", "HELIO_GATHERV", 0, 1, 0, 1, MPICH_VARIABLE("GATHERV"),
     OWN(NAMES("default"), NAMES("auto", "linear", "nb"))},
    {"scatterv", "HELIO_SCATTERV", 1, 0, 0, 1, MPICH_VARIABLE("SCATTERV"),
     OWN(NAMES("default"), NAMES("auto", "linear", "nb"))},
    {"barrier", "HELIO_BARRIER", 0, 0, 0, 0, VARIABLE("barrier", "BARRIER"),
     OWN(NAMES("default", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
         NAMES("auto", "nb", "smp", "dissemination"))},
};

static const struct operation *operation_of(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(name, operations[i].name) == 0)
            return &operations[i];
    abort_bench("there is no collective ", name);
    return NULL;
}

static int own_number(const struct operation *operation, const char *name)
{
    for (int i = 1; i < OWN_MAX && operation->own_names[i]; i++)
        if (strcmp(name, operation->own_names[i]) == 0)
            return i;
    abort_bench("the MPI has for this collective no algorithm ", name);
    return -1;
}

static void force(const char *variable, int number)
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

/* ------------------------------------------------------------------ blocks */

/* The bytes of block `block` of those that rank `of` sends or receives. In a vector collective they differ,
 * by up to half, from rank to rank; two neighbours have twice the mean together. */
static long block_bytes(const struct bench *bench, long bytes, int of, int block)
{
    long apart = (13 + 31L * (block / 2) + 17L * of) % (bytes / 2 + 1);
    if (!bench->operation->is_vector || (block == bench->size - 1 && block % 2 == 0))
        return bytes;
    return block % 2 == 0 ? bytes + apart : bytes - apart;
}

/* Where block `block` begins: there are gaps between blocks of different lengths. */
static long place_of(const struct bench *bench, long bytes, int block)
{
    return block * (bench->operation->is_vector ? bytes + bytes / 2 : bytes);
}

/* What rank `from` sends to rank `to`. In a gatherv or scatterv one of them is the root; what a rank sends in
 * an allgatherv is the same for all. */
static long bytes_between(const struct bench *bench, long bytes, int from, int to)
{
    return bench->operation->sends_all ? block_bytes(bench, bytes, from, to)
                                       : block_bytes(bench, bytes, 0, from);
}

/* Sets the arguments of a vector collective. In gatherv and scatterv they are right for the root, and block 0
 * of the others. */
static void lay_out(struct bench *bench, long bytes)
{
    for (int peer = 0; bench->operation->is_vector && peer < bench->size; peer++) {
        bench->send_counts[peer] = (int)bytes_between(bench, bytes, bench->rank, peer);
        bench->recv_counts[peer] = (int)bytes_between(bench, bytes, peer, bench->rank);
        bench->places[peer] = (int)place_of(bench, bytes, peer);
    }
}

/* ------------------------------------------------------------------- calls */

static unsigned char byte_of(int from, int to, long i)
{
    return (unsigned char)(from * 31 + to * 7 + i);
}

/* Bytes of an element: only sums have elements that are no bytes. */
static long element_of(const struct bench *bench, long bytes)
{
    return bench->operation->reduces && bytes % (long)sizeof(double) == 0 ? (long)sizeof(double) : 1;
}

static void call_vector(const struct bench *bench, MPI_Comm comm)
{
    const int *sent = bench->send_counts, *received = bench->recv_counts, *places = bench->places;
    const char *name = bench->operation->name;
    if (strcmp(name, "alltoallv") == 0)
        MPI_Alltoallv(bench->send, sent, places, MPI_BYTE, bench->recv, received, places, MPI_BYTE, comm);
    else if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(bench->send, *sent, MPI_BYTE, bench->recv, received, places, MPI_BYTE, comm);
    else if (strcmp(name, "gatherv") == 0)
        MPI_Gatherv(bench->send, *sent, MPI_BYTE, bench->recv, received, places, MPI_BYTE, 0, comm);
    else
        MPI_Scatterv(bench->send, sent, places, MPI_BYTE, bench->recv, *received, MPI_BYTE, 0, comm);
}

static void call_once(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    long element = element_of(bench, bytes);
    MPI_Datatype type = element > 1 ? MPI_DOUBLE : bench->operation->reduces ? MPI_UNSIGNED_CHAR : MPI_BYTE;
    int count = (int)(bytes / element);
    const char *name = bench->operation->name;
    void *send = bench->send, *recv = bench->recv;
    if (bench->operation->is_vector)
        call_vector(bench, candidate->comm);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(send, count, type, recv, count, type, candidate->comm);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(send, recv, count, type, MPI_SUM, candidate->comm);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(send, count, type, recv, count, type, candidate->comm);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(bench->rank == 0 ? send : recv, count, type, 0, candidate->comm);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(send, recv, count, type, MPI_SUM, 0, candidate->comm);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter_block(send, recv, count, type, MPI_SUM, candidate->comm);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(send, count, type, recv, count, type, 0, candidate->comm);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(send, count, type, recv, count, type, 0, candidate->comm);
    else
        MPI_Barrier(candidate->comm);
}

/* Element i of block `to` of what rank `from` sends. */
static void put_element(unsigned char *at, long element, unsigned char value)
{
    double number = value;
    if (element > 1)
        memcpy(at, &number, sizeof number);
    else
        *at = value;
}

static void fill(struct bench *bench, long bytes)
{
    long element = element_of(bench, bytes);
    int blocks = bench->operation->sends_all ? bench->size : 1;
    lay_out(bench, bytes);
    for (int to = 0; to < blocks; to++) {
        unsigned char *block = bench->send + place_of(bench, bytes, to);
        for (long i = 0; i < bytes_between(bench, bytes, bench->rank, to) / element; i++)
            put_element(block + i * element, element, byte_of(bench->rank, to, i));
    }
}

/* Element i of block `block` of what this rank receives. */
static void expect_element(const struct bench *bench, int block, long i, long element,
                           unsigned char *expected)
{
    const struct operation *operation = bench->operation;
    int to = operation->sends_all ? bench->rank : 0;
    double sum = 0;
    for (int from = 0; operation->reduces && from < bench->size; from++)
        sum += byte_of(from, to, i);
    if (!operation->reduces)
        put_element(expected, element, byte_of(operation->receives_all ? block : 0, to, i));
    else if (element > 1)
        memcpy(expected, &sum, sizeof sum);
    else
        *expected = (unsigned char)(long)sum;
}

static void check_data(const struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    const struct operation *operation = bench->operation;
    const char *name = operation->name;
    int is_root = bench->rank == 0, blocks = operation->receives_all ? bench->size : 1;
    int only_root =
        strcmp(name, "gather") == 0 || strcmp(name, "gatherv") == 0 || strcmp(name, "reduce") == 0;
    long element = element_of(bench, bytes);
    unsigned char expected[sizeof(double)];
    if (strcmp(name, "barrier") == 0 || (only_root && !is_root) || (strcmp(name, "bcast") == 0 && is_root))
        return;
    for (int block = 0; block < blocks; block++) {
        const unsigned char *received = bench->recv + place_of(bench, bytes, block);
        for (long i = 0; i < bytes_between(bench, bytes, block, bench->rank) / element; i++) {
            expect_element(bench, block, i, element, expected);
            if (memcmp(received + i * element, expected, (size_t)element) != 0)
                abort_bench("wrong data from ", candidate->name);
        }
    }
}

/* -------------------------------------------------------------- candidates */

/* Makes the candidate's communicator. Each has one, since the library and Open MPI choose the algorithm when
 * they first see a communicator. */
static void open_candidate(struct bench *bench, struct bench_candidate *candidate)
{
    const struct operation *operation = bench->operation;
    int is_own = strncmp(candidate->name, "mpi:", 4) == 0;
    candidate->forced = is_own ? own_number(operation, candidate->name + 4) : -1;
    if (is_own)
        force(operation->variable, candidate->forced);
    setenv(operation->setting, is_own ? "mpi" : candidate->name, 1);
    PMPI_Comm_dup(MPI_COMM_WORLD, &candidate->comm);
    lay_out(bench, 1);
    call_once(bench, candidate, 1); /* in this call the library reads its settings for the communicator */
    if (is_own)
        force(operation->variable, 0);
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

/* A barrier whose ranks yield while they wait. In the barrier of an MPI that spins, ranks that have finished
 * a sample would keep the cores from those that have not. */
static void yielding_barrier(void)
{
    MPI_Request request;
    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; PMPI_Test(&request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

/* Times `calls` calls after one call that is not timed. If there are more ranks than cores, ranks leave a
 * barrier at very different times; after the untimed call they are as far apart as after each timed one. */
static struct cost take_sample(struct bench *bench, const struct bench_candidate *candidate, long bytes,
                               int calls)
{
    struct cost cost;
    double began, here, used;
    memset(bench->recv, 0, (size_t)place_of(bench, bytes, bench->size));
    if (candidate->forced >= 0)
        force(bench->operation->variable, candidate->forced);
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
        force(bench->operation->variable, 0);
    PMPI_Allreduce(&here, &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(&used, &cost.processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
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
    PMPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number;
}

/* Calls before the first sample. The library's `auto` leaves the first calls to the MPI (comm.c) and then
 * makes at most three trials (autotune.c) before it decides. */
static int warm_calls(const struct bench_candidate *candidate)
{
    enum { WARM = 2, BEFORE = 8, TRIALS_AND_ONE = 49 };
    return strcmp(candidate->name, "auto") == 0 ? BEFORE + TRIALS_AND_ONE : WARM;
}

/* The library's `auto` tries both ways of a vector collective for all sizes together. Each size gets trials
 * of its own by a communicator of its own. */
static void begin_trials(struct bench *bench)
{
    for (int c = 0; bench->operation->is_vector && c < bench->candidate_count; c++)
        if (strcmp(bench->candidates[c].name, "auto") == 0) {
            PMPI_Comm_free(&bench->candidates[c].comm);
            open_candidate(bench, &bench->candidates[c]);
        }
}

static void measure(struct bench *bench, long bytes)
{
    int calls[ALGORITHMS_MAX];
    begin_trials(bench);
    fill(bench, bytes);
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
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, bench->rank, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &here);
    PMPI_Comm_rank(node, &leads);
    leads = leads == 0;
    PMPI_Comm_free(&node);
    PMPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Get_library_version(version, &length);
    if (bench->rank == 0)
        printf("cluster %d %d %d %.*s\n", nodes, bench->size, most, (int)strcspn(version, "\n,"), version);
}

/* Room for calls of `largest` bytes. */
static void make_room(struct bench *bench, long largest)
{
    size_t bytes = (size_t)place_of(bench, largest, bench->size), counts = (size_t)bench->size * sizeof(int);
    if (bench->operation->is_vector && bytes > INT_MAX)
        abort_bench("these blocks of all ranks together have more bytes than the counts of an ", "int");
    bench->send = malloc(bytes);
    bench->recv = malloc(bytes);
    bench->send_counts = malloc(counts);
    bench->recv_counts = malloc(counts);
    bench->places = malloc(counts);
    if (!bench->send || !bench->recv || !bench->send_counts || !bench->recv_counts || !bench->places ||
        bench->candidate_count == 0)
        abort_bench("no memory, or no algorithm", "");
}

int main(int argc, char **argv)
{
    static struct bench bench;
    long largest = 1;
    if (argc != 5) {
        fprintf(stderr, "usage: %s COLLECTIVE SIZES ALGORITHMS SAMPLES (helio coll bench starts it)\n",
                argv[0]);
        return 2;
    }
    /* Without this, force() has no effect on Open MPI. */
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    bench.operation = operation_of(argv[1]);
    read_lists(&bench, argv[2], argv[3]);
    bench.samples = (int)number_of(argv[4], INT_MAX);
    for (int i = 0; i < bench.size_count; i++)
        if (bench.sizes[i] > largest)
            largest = bench.sizes[i];
    make_room(&bench, largest);
    for (int c = 0; c < bench.candidate_count; c++)
        open_candidate(&bench, &bench.candidates[c]);
    print_cluster(&bench);
    for (int i = 0; i < bench.size_count; i++)
        measure(&bench, bench.sizes[i]);
    PMPI_Barrier(MPI_COMM_WORLD);
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
