/* Measures a collective: the MPI's default, each of the MPI's own algorithms, and those of the preloaded
 * library. One launch measures all of them in turn, so that other load on the machine affects all alike.
 * `helio coll bench` and `helio coll tune` start this program and interpret its output.
 *
 *   helio-coll-bench-MPI COLLECTIVE SIZES ALGORITHMS SAMPLES LIMIT
 *
 * COLLECTIVE is a name of `operations` (operation.c). Sizes, in bytes, and algorithms are lists with commas.
 * The other algorithms are compared with the first one. `mpi` is the MPI's default; `mpi:NAME` is one of the
 * MPI's own algorithms; `control` is the MPI's default once more, which shows by how much equals differ. The
 * root is rank 0. Reductions are sums, of doubles where the size allows it, else of bytes. The blocks of
 * vector collectives have different lengths, of which the size is the mean; reduce_scatterv is
 * MPI_Reduce_scatter with such blocks. The data of every sample is checked. Rank 0 writes to standard output:
 *
 *   cluster NODES RANKS MOST_RANKS_OF_A_NODE VERSION
 *   sample BYTES ALGORITHM NANOSECONDS PROCESSOR_NANOSECONDS
 *   longest BYTES LONGEST    bytes of the longest block, where each rank has one block
 *   left BYTES ALGORITHM     the library has left the calls of its algorithm to the MPI
 *   slow BYTES ALGORITHM     it has taken LIMIT seconds for this size, which has no further samples
 *   late BYTES ALGORITHM     a sample has not ended for so long; nothing follows. Bytes of 0: the
 *                            first call, in which the library reads its settings
 *   guard busy ok|failed WHY    whether other work has used processors meanwhile
 *   done
 *   refused WHY              in place of all others: what is asked for is wrong
 *
 * Times are per call. Samples are in the order in which they were taken. Only the calls that are measured go
 * through the library: all others are those of the profiling interface. */
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "live/bench/bench.h"
#include "live/coll/digits.h"
#include "live/program/end.h"
#include "live/quiet/processor_time.h"

/* -------------------------------------------------------------- candidates */

/* Whether the MPI executes the calls of the algorithm of this name. */
static bool is_of_mpi(const char *name)
{
    return strcmp(name, "mpi") == 0 || strncmp(name, "mpi:", 4) == 0 || strcmp(name, "control") == 0;
}

/* Makes the candidate's communicator. Each has one, since the library and Open MPI choose the algorithm when
 * they first see a communicator. */
static void open_candidate(struct bench *bench, struct bench_candidate *candidate)
{
    const struct operation *operation = bench->operation;
    int is_own = strncmp(candidate->name, "mpi:", 4) == 0;
    candidate->forced = is_own ? operation_own_number(operation, candidate->name + 4) : -1;
    if (is_own)
        operation_force(operation->variable, candidate->forced);
    setenv(operation->setting, is_of_mpi(candidate->name) ? "mpi" : candidate->name, 1);
    PMPI_Comm_dup(MPI_COMM_WORLD, &candidate->comm);
    blocks_lay_out(bench, 1);
    limit_begin(bench, candidate, 0);
    call_once(bench, candidate, 1); /* in this call the library reads its settings for the communicator */
    limit_end();
    if (is_own)
        operation_force(operation->variable, 0);
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
        bench_abort("not a number: ", text);
    return (long)number;
}

static void read_lists(struct bench *bench, char *sizes, char *algorithms)
{
    for (char *item = strtok(sizes, ","); item; item = strtok(NULL, ",")) {
        if (bench->size_count == SIZES_MAX)
            bench_abort("too many sizes", "");
        bench->sizes[bench->size_count++] = number_of(item, LONG_MAX);
    }
    for (char *item = strtok(algorithms, ","); item; item = strtok(NULL, ",")) {
        if (bench->candidate_count == ALGORITHMS_MAX)
            bench_abort("too many algorithms", "");
        snprintf(bench->candidates[bench->candidate_count++].name, NAME_MAX_LENGTH, "%s", item);
    }
}

/* ----------------------------------------------------------------- samples */

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
    memset(bench->recv, 0, (size_t)block_place(bench, bytes, bench->size));
    if (candidate->forced >= 0)
        operation_force(bench->operation->variable, candidate->forced);
    yielding_barrier();
    call_once(bench, candidate, bytes);
    used = processor_own_s();
    began = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call_once(bench, candidate, bytes);
    here = (MPI_Wtime() - began) / calls;
    used = (processor_own_s() - used) / calls;
    yielding_barrier();
    if (candidate->forced >= 0)
        operation_force(bench->operation->variable, 0);
    PMPI_Allreduce(&here, &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(&used, &cost.processor, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    data_check(bench, candidate, bytes);
    return cost;
}

/* A sample that ends within the limit, or all ranks do. */
static struct cost limited_sample(struct bench *bench, int which, long bytes, int calls)
{
    struct bench_candidate *candidate = &bench->candidates[which];
    double began = MPI_Wtime();
    limit_begin(bench, candidate, bytes);
    struct cost cost = take_sample(bench, candidate, bytes, calls);
    limit_end();
    candidate->spent_s += MPI_Wtime() - began;
    return cost;
}

/* The number of calls of an algorithm that take some hundredths of a second. If all algorithms made equally
 * many calls, the samples of a fast one would be short: they would depend more on when ranks leave the
 * barrier and on what the network carried last than on the calls. The number grows step by step: calls can be
 * slower the more of them follow each other. The root of a gather has to find each message among all that
 * ranks have sent ahead of it. */
static int calls_for(struct bench *bench, int which, long bytes)
{
    enum { FEWEST = 3, MOST = 1000 };
    const double wanted = 4e-2;
    double took;
    int number = FEWEST;
    for (;;) {
        took = limited_sample(bench, which, bytes, number).seconds * number; /* the same on all ranks */
        if (took >= wanted / 2 || number == MOST)
            break;
        number = 2 * number < MOST ? 2 * number : MOST;
    }
    double calls = number * wanted / took;
    return calls < FEWEST ? FEWEST : calls > number ? number : (int)calls;
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

/* How many calls the preloaded library has executed; 0 without it. */
static unsigned long library_calls(void)
{
    static unsigned long (*taken)(void);
    if (!taken)
        *(void **)&taken = dlsym(RTLD_DEFAULT, "helio_coll_taken");
    return taken ? taken() : 0;
}

/* Whether the name is one of the library's algorithms. */
static bool is_of_library(const char *name)
{
    return strcmp(name, "auto") != 0 && !is_of_mpi(name);
}

static void measure_candidate(struct bench *bench, int which, long bytes, int calls)
{
    const struct bench_candidate *candidate = &bench->candidates[which];
    struct cost cost = limited_sample(bench, which, bytes, calls);
    if (bench->rank == 0)
        printf("sample %ld %s %.0f %.0f\n", bytes, candidate->name, cost.seconds * 1e9, cost.processor * 1e9);
}

static void measure(struct bench *bench, long bytes)
{
    int calls[ALGORITHMS_MAX], count = bench->candidate_count;
    begin_trials(bench);
    data_fill(bench, bytes);
    if (bench->rank == 0 && blocks_longest(bench, bytes) > 0)
        printf("longest %ld %ld\n", bytes, blocks_longest(bench, bytes));
    for (int c = 0; c < count; c++) {
        bench->candidates[c].spent_s = 0;
        limited_sample(bench, c, bytes, warm_calls(&bench->candidates[c]));
        const unsigned long before = library_calls();
        calls[c] = calls_for(bench, c, bytes);
        bench->candidates[c].is_left = is_of_library(bench->candidates[c].name) && library_calls() == before;
    }
    for (int turn = 0; turn < bench->samples; turn++) {
        for (int c = 0; c < count; c++) {
            int which = (c + turn) % count;
            measure_candidate(bench, which, bytes, calls[which]);
        }
        if (turn + 1 < bench->samples && limit_is_reached(bench, bytes))
            break;
    }
    for (int c = 0; bench->rank == 0 && c < count; c++)
        if (bench->candidates[c].is_left)
            printf("left %ld %s\n", bytes, bench->candidates[c].name);
    if (bench->rank == 0)
        fflush(stdout);
}

/* -------------------------------------------------------------------- guard */

/* What processors do beside this measurement, as helio calibrate asks it too. */
struct bench_quiet {
    MPI_Comm machine; /* the ranks under one kernel */
    double began, ranks_s, machine_s;
};

static double ranks_seconds(const struct bench_quiet *quiet)
{
    double mine = processor_own_s(), all;
    PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, quiet->machine);
    return all;
}

static void quiet_begin(struct bench_quiet *quiet, const struct bench *bench)
{
    PMPI_Comm_split(MPI_COMM_WORLD, processor_kernel_number(), bench->rank, &quiet->machine);
    quiet->ranks_s = ranks_seconds(quiet);
    quiet->machine_s = processor_machine_s();
    quiet->began = MPI_Wtime();
}

/* Of the machine on which other work has used most. The machine counts in hundredths of a second, which may
 * be more than a short measurement has. */
static void quiet_print(const struct bench_quiet *quiet, const struct bench *bench)
{
    enum { MOST_PERCENT = 5 };
    const double elapsed = MPI_Wtime() - quiet->began, used = processor_machine_s() - quiet->machine_s,
                 own = ranks_seconds(quiet) - quiet->ranks_s;
    const double share = 100 * (used - own) / (elapsed * (double)sysconf(_SC_NPROCESSORS_ONLN));
    double worst;
    PMPI_Reduce(&share, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (bench->rank == 0)
        printf("guard busy %s other work used %.1f %% of the processors' time, %s %d %%\n",
               worst <= MOST_PERCENT ? "ok" : "failed",
               worst < 0     ? 0
               : worst > 100 ? 100
                             : worst,
               worst <= MOST_PERCENT ? "at most" : "more than", MOST_PERCENT);
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
    for (char *blank = version; (blank = strchr(blank, '\t'));) /* in MPICH's */
        *blank = ' ';
    if (bench->rank == 0)
        printf("cluster %d %d %d %.*s\n", nodes, bench->size, most, (int)strcspn(version, "\n,"), version);
}

#ifdef OPEN_MPI
#define THIS_MPI "openmpi"
#else
#define THIS_MPI "mpich"
#endif

/* The launcher of another MPI starts n programs of one rank each. */
static void refuse_other_launcher(const struct bench *bench)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; bench->size == 1 && i < sizeof sizes / sizeof *sizes; i++) {
        const char *size = getenv(sizes[i]);
        if (size && strtol(size, NULL, 10) > 1)
            bench_refuse("--mpi is " THIS_MPI
                         ", but the launcher is of another MPI: it has started %s programs "
                         "of one rank each; mpirun." THIS_MPI " is a launcher of " THIS_MPI,
                         size);
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct bench_quiet quiet;
    long largest = 1;
    if (argc != 6) {
        fprintf(stderr, "usage: %s COLLECTIVE SIZES ALGORITHMS SAMPLES LIMIT (helio coll bench starts it)\n",
                argv[0]);
        return 2;
    }
    /* Without this, operation_force() has no effect on Open MPI. */
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    refuse_other_launcher(&bench);
    bench.operation = operation_of(argv[1]);
    read_lists(&bench, argv[2], argv[3]);
    bench.samples = (int)number_of(argv[4], INT_MAX);
    bench.limit_s = (int)number_of(argv[5], INT_MAX);
    for (int i = 0; i < bench.size_count; i++)
        if (bench.sizes[i] > largest)
            largest = bench.sizes[i];
    blocks_open(&bench, largest);
    for (int c = 0; c < bench.candidate_count; c++)
        open_candidate(&bench, &bench.candidates[c]);
    print_cluster(&bench);
    quiet_begin(&quiet, &bench);
    for (int i = 0; i < bench.size_count; i++)
        measure(&bench, bench.sizes[i]);
    quiet_print(&quiet, &bench);
    program_end("done", 0);
}
