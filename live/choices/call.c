/* A collective call of the MPI (point.h). */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/choices/point.h"

MPI_Op point_sum = MPI_SUM;
bool point_nonblocking;

/* ------------------------------------------------------------------ buffers */

enum { CHUNK_BYTES = 1 << 21 };

static char *from, *into;

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
        perror("helio-choices: memory for messages");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

void point_open(void)
{
    int file = memfd_create("helio-choices", 0);
    if (file < 0 || ftruncate(file, CHUNK_BYTES) != 0) {
        perror("helio-choices: memory for messages");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    from = buffer_of(POINT_BYTES, file);
    into = buffer_of(POINT_BYTES, file);
}

/* -------------------------------------------------------------------- calls */

/* Calls `name`, or its non-blocking form `other`, and waits. */
#define CALL(name, other, ...)                                                                               \
    do {                                                                                                     \
        MPI_Request request = MPI_REQUEST_NULL;                                                              \
        if (point_nonblocking)                                                                               \
            other(__VA_ARGS__, &request);                                                                    \
        else                                                                                                 \
            name(__VA_ARGS__);                                                                               \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
    } while (0)

static int counts[SENT_RANKS_MAX], offsets[SENT_RANKS_MAX];

static void call_reduction(const struct point *point, MPI_Comm comm, int size)
{
    bool floats = point->bytes % sizeof(float) == 0;
    MPI_Datatype type = floats ? MPI_FLOAT : MPI_SIGNED_CHAR;
    int count = (int)(floats ? point->bytes / sizeof(float) : point->bytes);
    for (int i = 0; i < size; i++)
        counts[i] = count;
    if (point->kind == COLL_REDUCE)
        CALL(MPI_Reduce, MPI_Ireduce, from, into, count, type, point_sum, point->root, comm);
    else if (point->kind == COLL_ALLREDUCE)
        CALL(MPI_Allreduce, MPI_Iallreduce, from, into, count, type, point_sum, comm);
    else if (point->kind == COLL_SCAN)
        CALL(MPI_Scan, MPI_Iscan, from, into, count, type, point_sum, comm);
    else if (point->kind == COLL_EXSCAN)
        CALL(MPI_Exscan, MPI_Iexscan, from, into, count, type, point_sum, comm);
    else if (point->block)
        CALL(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, into, count, type, point_sum, comm);
    else
        CALL(MPI_Reduce_scatter, MPI_Ireduce_scatter, from, into, counts, type, point_sum, comm);
}

static void call_vector(const struct point *point, MPI_Comm comm, int size)
{
    int n = (int)point->bytes, root = point->root;
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        offsets[i] = i * n;
    }
    if (point->kind == COLL_ALLTOALLV)
        CALL(MPI_Alltoallv, MPI_Ialltoallv, from, counts, offsets, MPI_BYTE, into, counts, offsets, MPI_BYTE,
             comm);
    else if (point->kind == COLL_ALLGATHERV)
        CALL(MPI_Allgatherv, MPI_Iallgatherv, from, n, MPI_BYTE, into, counts, offsets, MPI_BYTE, comm);
    else if (point->kind == COLL_GATHERV)
        CALL(MPI_Gatherv, MPI_Igatherv, from, n, MPI_BYTE, into, counts, offsets, MPI_BYTE, root, comm);
    else
        CALL(MPI_Scatterv, MPI_Iscatterv, from, counts, offsets, MPI_BYTE, into, n, MPI_BYTE, root, comm);
}

void point_call(const struct point *point, const struct point_group *group)
{
    MPI_Comm comm = group->comm;
    int n = (int)point->bytes, root = point->root;
    switch (point->kind) {
    case COLL_BARRIER:
        CALL(MPI_Barrier, MPI_Ibarrier, comm);
        return;
    case COLL_BCAST:
        CALL(MPI_Bcast, MPI_Ibcast, into, n, MPI_BYTE, root, comm);
        return;
    case COLL_ALLTOALL:
        CALL(MPI_Alltoall, MPI_Ialltoall, from, n, MPI_BYTE, into, n, MPI_BYTE, comm);
        return;
    case COLL_ALLGATHER:
        CALL(MPI_Allgather, MPI_Iallgather, from, n, MPI_BYTE, into, n, MPI_BYTE, comm);
        return;
    case COLL_GATHER:
        CALL(MPI_Gather, MPI_Igather, from, n, MPI_BYTE, into, n, MPI_BYTE, root, comm);
        return;
    case COLL_SCATTER:
        CALL(MPI_Scatter, MPI_Iscatter, from, n, MPI_BYTE, into, n, MPI_BYTE, root, comm);
        return;
    case COLL_ALLTOALLV:
    case COLL_ALLGATHERV:
    case COLL_GATHERV:
    case COLL_SCATTERV:
        call_vector(point, comm, group->size);
        return;
    default:
        call_reduction(point, comm, group->size);
    }
}
