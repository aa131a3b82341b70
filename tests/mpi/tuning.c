/* Compares what the MPI sends in its collectives with what our choice of algorithms sends (coll/tuning.h):
 * the messages and bytes of each pair of ranks. tuning [ordered|nonblocking] BYTES[,BYTES...] [COLLECTIVE...]
 * prints a line of CSV for each collective, size and root:
 *
 *     collective,ranks,root,bytes,algorithm,result
 *
 * The result is "same", or the first pair that differs. With "ordered", reductions have an operation that
 * does not commute, with "nonblocking" the calls are the non-blocking ones; our choice stays the same. Exit
 * status: 0, 77 if messages cannot be counted. */
#include "tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpi.h>

#include "coll/nodes.h"
#include "coll/tuning.h"

#ifdef OPEN_MPI
#define TUNING coll_tuning_openmpi
#define LIMITS coll_tuning_openmpi
#else
#define TUNING coll_tuning_mpich
#define LIMITS coll_tuning_mpich_flat /* the same, where nodes play no part */
#endif

static int rank, size;
static struct coll_nodes nodes; /* as the MPI sees them */

/* One call. Vector kinds have equal blocks. */
struct point {
    enum coll_kind kind;
    bool block; /* reduce_scatter_block */
    int root;
    uint64_t bytes;
};

/* ------------------------------------------------------------------ buffers */

enum { CHUNK_BYTES = 1 << 21 };

/* Memory of any size that takes one chunk: all data are zeros, so they may lie on top of one another. */
static char *buffer_of(uint64_t bytes, int file)
{
    uint64_t length = (bytes / CHUNK_BYTES + 1) * CHUNK_BYTES;
    char *memory = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint64_t at = 0; memory != MAP_FAILED && at < length; at += CHUNK_BYTES)
        if (mmap(memory + at, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED)
            memory = MAP_FAILED;
    if (memory == MAP_FAILED) {
        perror("tuning: memory for messages");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* -------------------------------------------------------------------- calls */

static MPI_Op sum = MPI_SUM;
static bool nonblocking;

/* Calls `name`, or its non-blocking form `other`, and waits. */
#define CALL(name, other, ...)                                                                               \
    do {                                                                                                     \
        MPI_Request request = MPI_REQUEST_NULL;                                                              \
        if (nonblocking)                                                                                     \
            other(__VA_ARGS__, &request);                                                                    \
        else                                                                                                 \
            name(__VA_ARGS__);                                                                               \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
    } while (0)

/* All data are zeros, so there is nothing to compute. */
static void do_not_commute(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)a, (void)b, (void)count, (void)type;
}

static char *from, *into;
static int counts[TUNING_RANKS_MAX], offsets[TUNING_RANKS_MAX];

static void call_reduction(const struct point *point)
{
    bool floats = point->bytes % sizeof(float) == 0;
    MPI_Datatype type = floats ? MPI_FLOAT : MPI_SIGNED_CHAR;
    int count = (int)(floats ? point->bytes / sizeof(float) : point->bytes);
    for (int i = 0; i < size; i++)
        counts[i] = count;
    if (point->kind == COLL_REDUCE)
        CALL(MPI_Reduce, MPI_Ireduce, from, into, count, type, sum, point->root, MPI_COMM_WORLD);
    else if (point->kind == COLL_ALLREDUCE)
        CALL(MPI_Allreduce, MPI_Iallreduce, from, into, count, type, sum, MPI_COMM_WORLD);
    else if (point->kind == COLL_SCAN)
        CALL(MPI_Scan, MPI_Iscan, from, into, count, type, sum, MPI_COMM_WORLD);
    else if (point->kind == COLL_EXSCAN)
        CALL(MPI_Exscan, MPI_Iexscan, from, into, count, type, sum, MPI_COMM_WORLD);
    else if (point->block)
        CALL(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, into, count, type, sum,
             MPI_COMM_WORLD);
    else
        CALL(MPI_Reduce_scatter, MPI_Ireduce_scatter, from, into, counts, type, sum, MPI_COMM_WORLD);
}

static void call_vector(const struct point *point)
{
    int n = (int)point->bytes, root = point->root;
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        offsets[i] = i * n;
    }
    if (point->kind == COLL_ALLTOALLV)
        CALL(MPI_Alltoallv, MPI_Ialltoallv, from, counts, offsets, MPI_BYTE, into, counts, offsets, MPI_BYTE,
             MPI_COMM_WORLD);
    else if (point->kind == COLL_ALLGATHERV)
        CALL(MPI_Allgatherv, MPI_Iallgatherv, from, n, MPI_BYTE, into, counts, offsets, MPI_BYTE,
             MPI_COMM_WORLD);
    else if (point->kind == COLL_GATHERV)
        CALL(MPI_Gatherv, MPI_Igatherv, from, n, MPI_BYTE, into, counts, offsets, MPI_BYTE, root,
             MPI_COMM_WORLD);
    else
        CALL(MPI_Scatterv, MPI_Iscatterv, from, counts, offsets, MPI_BYTE, into, n, MPI_BYTE, root,
             MPI_COMM_WORLD);
}

static void call_mpi(const struct point *point)
{
    int n = (int)point->bytes, root = point->root;
    switch (point->kind) {
    case COLL_BARRIER:
        CALL(MPI_Barrier, MPI_Ibarrier, MPI_COMM_WORLD);
        return;
    case COLL_BCAST:
        CALL(MPI_Bcast, MPI_Ibcast, into, n, MPI_BYTE, root, MPI_COMM_WORLD);
        return;
    case COLL_ALLTOALL:
        CALL(MPI_Alltoall, MPI_Ialltoall, from, n, MPI_BYTE, into, n, MPI_BYTE, MPI_COMM_WORLD);
        return;
    case COLL_ALLGATHER:
        CALL(MPI_Allgather, MPI_Iallgather, from, n, MPI_BYTE, into, n, MPI_BYTE, MPI_COMM_WORLD);
        return;
    case COLL_GATHER:
        CALL(MPI_Gather, MPI_Igather, from, n, MPI_BYTE, into, n, MPI_BYTE, root, MPI_COMM_WORLD);
        return;
    case COLL_SCATTER:
        CALL(MPI_Scatter, MPI_Iscatter, from, n, MPI_BYTE, into, n, MPI_BYTE, root, MPI_COMM_WORLD);
        return;
    case COLL_ALLTOALLV:
    case COLL_ALLGATHERV:
    case COLL_GATHERV:
    case COLL_SCATTERV:
        call_vector(point);
        return;
    default:
        call_reduction(point);
    }
}

/* --------------------------------------------------------------------- ours */

struct counting_sink {
    struct coll_sink base;
    struct tuning_counts *counts;
};

static void count_send(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    struct tuning_counts *counts_of = ((struct counting_sink *)sink)->counts;
    counts_of->messages[peer]++;
    counts_of->bytes[peer] += span.bytes;
}

static void ignore_recv(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

static bool is_reduction(enum coll_kind kind)
{
    return kind == COLL_REDUCE || kind == COLL_ALLREDUCE || kind == COLL_REDUCE_SCATTER ||
           kind == COLL_SCAN || kind == COLL_EXSCAN;
}

/* Our messages, of all ranks; returns the algorithm. */
static const struct coll_algorithm *count_ours(const struct point *point, struct tuning_counts *ours)
{
    static uint64_t lengths[TUNING_RANKS_MAX];
    const struct coll_algorithm *algorithm = NULL;
    bool floats = is_reduction(point->kind) && point->bytes % sizeof(float) == 0;
    for (int i = 0; i < size; i++)
        lengths[i] = point->bytes;
    memset(ours, 0, (size_t)size * sizeof *ours);
    for (uint32_t r = 0; r < (uint32_t)size; r++) {
        bool is_root = (int)r == point->root;
        struct coll_call call = {.kind = point->kind,
                                 .size = (uint32_t)size,
                                 .rank = r,
                                 .root = (uint32_t)point->root,
                                 .element = floats ? sizeof(float) : 1,
                                 .bytes = point->bytes};
        bool all_know = point->kind == COLL_ALLGATHERV || point->kind == COLL_ALLTOALLV ||
                        (point->kind == COLL_REDUCE_SCATTER && !point->block);
        if (all_know || (point->kind == COLL_GATHERV && is_root))
            call.recv_bytes = lengths;
        if (point->kind == COLL_ALLTOALLV || (point->kind == COLL_SCATTERV && is_root))
            call.send_bytes = lengths;
        algorithm = coll_tuned(&TUNING, &call);
        call.nodes = algorithm->node_aware ? &nodes : NULL;
        struct counting_sink sink = {.base = {.send = count_send, .recv = ignore_recv}, .counts = &ours[r]};
        for (uint32_t phase = 0; coll_emit(algorithm, &call, phase, &sink.base);)
            phase++;
    }
    return algorithm;
}

/* --------------------------------------------------------------- comparison */

static void print_result(const struct point *point, const struct tuning_counts *theirs,
                         const struct tuning_counts *ours, const char *algorithm)
{
    printf("%s%s,%d,%d,%" PRIu64 ",%s,", coll_kind_name(point->kind), point->block ? "_block" : "", size,
           point->root, point->bytes, algorithm);
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            if (theirs[a].messages[b] == ours[a].messages[b] && theirs[a].bytes[b] == ours[a].bytes[b])
                continue;
            printf("%d to %d: the MPI sends %" PRIu64 " messages of %" PRIu64 " B; ours %" PRIu64
                   " of %" PRIu64 " B\n",
                   a, b, theirs[a].messages[b], theirs[a].bytes[b], ours[a].messages[b], ours[a].bytes[b]);
            return;
        }
    puts("same");
}

static void compare(const struct point *point)
{
    static struct tuning_counts mine, theirs[TUNING_RANKS_MAX], ours[TUNING_RANKS_MAX];
    tuning_count_begin(&mine);
    call_mpi(point);
    tuning_count_end();
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, theirs, (int)sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_result(point, theirs, ours, count_ours(point, ours)->name);
}

/* Collective. The ranks that share memory, as the MPI says. */
static void find_nodes(void)
{
    static uint32_t places[TUNING_RANKS_MAX], words[5 * TUNING_RANKS_MAX];
    int first, firsts[TUNING_RANKS_MAX];
    MPI_Comm shared;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, shared);
    MPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        places[i] = (uint32_t)firsts[i];
    coll_nodes_init(&nodes, (uint32_t)size, places, words);
    MPI_Comm_free(&shared);
}

static bool is_asked_for(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static bool has_root(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_GATHERV ||
           kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

/* Rooted kinds with the first rank and with the last one as root. */
static void compare_roots(struct point *point)
{
    for (point->root = 0; point->root < size; point->root += size - 1) {
        compare(point);
        if (!has_root(point->kind))
            break;
    }
}

/* The sizes below, at and above each limit for this number of ranks. */
static void compare_limits(struct point *point)
{
    uint64_t length[1] = {0};
    struct coll_call call = {
        .kind = point->kind, .size = (uint32_t)size, .recv_bytes = point->block ? NULL : length};
    const struct coll_tuning_kind *table = coll_tuning_kind(&LIMITS, &call);
    uint64_t per = table->measure == COLL_TUNING_TOTAL ? (uint64_t)size : 1;
    uint32_t above = 0; /* the limit of ranks above which the row holds */
    for (size_t i = 0; i < table->count; i++) {
        const struct coll_tuning_row *row = &table->rows[i];
        if (i > 0 && table->rows[i - 1].ranks_below != row->ranks_below)
            above = table->rows[i - 1].ranks_below;
        if ((uint32_t)size < above || (uint32_t)size >= row->ranks_below ||
            row->bytes_below == COLL_TUNING_ANY_BYTES)
            continue;
        for (uint64_t bytes = row->bytes_below / per - 1; bytes <= row->bytes_below / per + 1; bytes++) {
            point->bytes = bytes;
            if (bytes > 0)
                compare_roots(point);
        }
    }
}

/* All sizes; a barrier has none. */
static void compare_kind(enum coll_kind kind, bool block, const char *sizes)
{
    struct point point = {.kind = kind, .block = block};
    if (kind == COLL_BARRIER) {
        compare_roots(&point);
        return;
    }
    for (const char *at = sizes; *at; at += *at == ',') {
        char *end;
        point.bytes = strtoull(at, &end, 10);
        if (end == at) {
            compare_limits(&point);
            return;
        }
        at = end;
        compare_roots(&point);
    }
}

/* "ordered" or "nonblocking"; other words are no way of calling. */
static bool set_calls(const char *word)
{
    bool ordered = strcmp(word, "ordered") == 0;
    if (ordered)
        MPI_Op_create(do_not_commute, false, &sum);
    nonblocking = strcmp(word, "nonblocking") == 0;
    return ordered || nonblocking;
}

int main(int argc, char **argv)
{
    const char *why = "";
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(version, &length);
    const char *number = strrchr(TUNING.library, ' ') + 1;
    if (argc > 1 && set_calls(argv[1]))
        argc--, argv++;
    if (argc < 2 || size < 2 || size > TUNING_RANKS_MAX)
        why = "usage: tuning [ordered|nonblocking] BYTES[,BYTES...][,limits] [COLLECTIVE...], with 2 to 256 "
              "ranks";
    else if (!strstr(version, number))
        why = "the table is that of another version of this MPI";
    else if (tuning_count_open(&why))
        why = NULL;
    if (why) {
        if (rank == 0)
            printf("skipped: %s\n", why);
        MPI_Finalize();
        return 77;
    }
    find_nodes();
    int file = memfd_create("tuning", 0);
    if (ftruncate(file, CHUNK_BYTES) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    from = buffer_of(UINT64_C(4) << 26, file);
    into = buffer_of(UINT64_C(4) << 26, file);
    for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++)
        if (is_asked_for(coll_kind_name(kind), argv + 2, argc - 2))
            compare_kind(kind, false, argv[1]);
    if (is_asked_for("reduce_scatter_block", argv + 2, argc - 2))
        compare_kind(COLL_REDUCE_SCATTER, true, argv[1]);
    MPI_Finalize();
    return 0;
}
