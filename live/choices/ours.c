/* What our algorithms send in a collective call (point.h). */
#include <string.h>

#include "coll/nodes.h"
#include "live/choices/point.h"

#ifdef OPEN_MPI
#define LIMITS coll_tuning_openmpi
#else
#define LIMITS coll_tuning_mpich_flat /* the same, where nodes play no part */
#endif

struct point_sink {
    struct coll_sink base;
    struct sent *counts;
};

static void count_send(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    struct sent *counts_of = ((struct point_sink *)sink)->counts;
    counts_of->messages[peer]++;
    counts_of->bytes[peer] += span.bytes;
}

static void ignore_recv(struct coll_sink *sink, uint32_t peer, struct coll_span span)
{
    (void)sink, (void)peer, (void)span;
}

bool point_is_reduction(enum coll_kind kind)
{
    return kind == COLL_REDUCE || kind == COLL_ALLREDUCE || kind == COLL_REDUCE_SCATTER ||
           kind == COLL_SCAN || kind == COLL_EXSCAN;
}

bool point_has_root(enum coll_kind kind)
{
    return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER || kind == COLL_GATHERV ||
           kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

/* The call as `rank` knows it. */
static struct coll_call call_of(const struct point *point, const struct point_group *group, uint32_t rank)
{
    static uint64_t lengths[SENT_RANKS_MAX];
    bool is_root = (int)rank == point->root;
    bool floats = point_is_reduction(point->kind) && point->bytes % sizeof(float) == 0;
    bool all_know = point->kind == COLL_ALLGATHERV || point->kind == COLL_ALLTOALLV ||
                    (point->kind == COLL_REDUCE_SCATTER && !point->block);
    struct coll_call call = {.kind = point->kind,
                             .size = (uint32_t)group->size,
                             .rank = rank,
                             .root = (uint32_t)point->root,
                             .element = floats ? sizeof(float) : 1,
                             .bytes = point->bytes};
    for (int i = 0; i < group->size; i++)
        lengths[i] = point->bytes;
    if (all_know || (point->kind == COLL_GATHERV && is_root))
        call.recv_bytes = lengths;
    if (point->kind == COLL_ALLTOALLV || (point->kind == COLL_SCATTERV && is_root))
        call.send_bytes = lengths;
    return call;
}

const struct coll_algorithm *point_tuned(const struct point *point, const struct point_group *group)
{
    struct coll_call call = call_of(point, group, 0);
    return coll_tuned(&POINT_TUNING, &call);
}

size_t point_limits(const struct point *point, const struct point_group *group,
                    uint64_t limits[POINT_LIMITS_MAX])
{
    struct coll_call call = call_of(point, group, 0);
    const struct coll_tuning_kind *table = coll_tuning_kind(&LIMITS, &call);
    uint64_t per = table->measure == COLL_TUNING_TOTAL ? call.size : 1;
    uint32_t above = 0; /* the limit of ranks above which the row holds */
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < POINT_LIMITS_MAX; i++) {
        const struct coll_tuning_row *row = &table->rows[i];
        if (i > 0 && table->rows[i - 1].ranks_below != row->ranks_below)
            above = table->rows[i - 1].ranks_below;
        if (call.size >= above && call.size < row->ranks_below && row->bytes_below != COLL_TUNING_ANY_BYTES)
            limits[count++] = row->bytes_below / per;
    }
    return count;
}

void point_count(const struct point *point, const struct point_group *group,
                 const struct coll_algorithm *algorithm, struct sent *ours)
{
    memset(ours, 0, (size_t)group->size * sizeof *ours);
    for (uint32_t rank = 0; rank < (uint32_t)group->size; rank++) {
        struct coll_call call = call_of(point, group, rank);
        call.nodes = algorithm->node_aware ? &group->nodes : NULL;
        struct point_sink sink = {.base = {.send = count_send, .recv = ignore_recv}, .counts = &ours[rank]};
        for (uint32_t phase = 0; coll_emit(algorithm, &call, phase, &sink.base);)
            phase++;
    }
}

void point_group_open(struct point_group *group, MPI_Comm comm)
{
    static uint32_t places[SENT_RANKS_MAX];
    int rank, first, firsts[SENT_RANKS_MAX];
    MPI_Comm shared;
    group->comm = comm;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &group->size);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    first = rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, shared);
    MPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, comm);
    for (int i = 0; i < group->size; i++)
        places[i] = (uint32_t)firsts[i];
    coll_nodes_init(&group->nodes, (uint32_t)group->size, places, group->words);
    MPI_Comm_free(&shared);
}
