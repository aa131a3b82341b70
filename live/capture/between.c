#include "live/capture/between.h"

#include <string.h>

#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/record.h"
#include "live/capture/symbols.h"
#include "live/capture/types.h"

/* A collective of an intercommunicator (MPI 4.0, section 6.2.3) is written as one of a communicator that has
 * all ranks that take part:
 *
 *   barrier, allreduce                       of both groups
 *   bcast, reduce, gather(v), scatter(v)     of the root and the other group; the root is rank 0 there
 *   alltoall(v, w), allgather(v)             an alltoallv of both groups, in which no rank sends to its own
 *
 * MPI_Reduce_scatter is lost: a rank does not know how many elements each rank of the other group gets. */

enum between { BARRIER, ALLREDUCE, BCAST, REDUCE, GATHER, SCATTER, EXCHANGE, LOST };

/* What a rank sends or receives. */
struct side {
    const struct collective_call *call;
    int64_t count;
    const void *counts; /* NULL: `count` for each peer */
    MPI_Datatype handle;
    const MPI_Datatype *handles; /* NULL: `handle` for each peer; else numbers are in bytes */
};

/* Elements of the trace's type to or from the i-th rank of the other group. */
static int64_t elements_of(const struct side *side, struct capture_type type, int i)
{
    int64_t count = side->counts ? collective_number(side->call, side->counts, i) : side->count;
    MPI_Count bytes = 0;
    if (!side->handles)
        return count * type.elements;
    REAL(Type_size_x)(side->handles[i], &bytes);
    return count * (int64_t)bytes;
}

/* Their sum, and those of each rank of both groups. */
static void write_exchange(const struct side *side, struct capture_type type, const struct capture_comm *comm)
{
    const bool is_first = comm->members[0] == comm->world[0]; /* the other group is */
    const int first = is_first ? 0 : comm->member_count - comm->size;
    int64_t sum = 0;
    for (int i = 0; i < comm->size; i++)
        sum += elements_of(side, type, i);
    line_int(sum);
    for (int i = 0; i < comm->member_count; i++) {
        const bool is_other = i >= first && i < first + comm->size;
        line_int(is_other ? elements_of(side, type, i - first) : 0);
    }
}

static void record_exchange(const struct collective_call *call, struct capture_comm *comm)
{
    const struct side sent = {call, call->send_count, call->send_counts, call->send_type, call->send_types};
    const struct side got = {call, call->recv_count, call->recv_counts, call->recv_type, call->recv_types};
    const struct capture_type send = type_of(call->send_type), recv = type_of(call->recv_type);
    struct collective_call own = *call;
    own.action = "alltoallv";
    line_begin(own.action, 2 * (unsigned)comm->member_count + 4);
    write_exchange(&sent, send, comm);
    write_exchange(&got, recv, comm);
    line_int(send.id);
    line_int(recv.id);
    collective_end(&own, comm);
}

/* barrier, bcast, reduce, allreduce. A root is rank 0 of `comm`. */
static void record_alike(const struct collective_call *call, struct capture_comm *comm, enum between kind)
{
    const struct capture_type type = type_of(kind == BARRIER ? MPI_BYTE : call->recv_type);
    line_begin(call->action, 4);
    if (kind != BARRIER)
        line_int(call->recv_count * type.elements);
    if (kind == REDUCE || kind == ALLREDUCE)
        line_int(0); /* operations: those of the reduction are part of the next burst */
    if (kind == BCAST || kind == REDUCE)
        line_int(0);
    if (kind != BARRIER)
        line_int(type.id);
    collective_end(call, comm);
}

/* gather(v): all but the root send; scatter(v): all but the root receive. The root has the sizes of all
 * blocks, and no block of its own. */
static void record_blocks(const struct collective_call *call, struct capture_comm *comm, enum between kind)
{
    const bool is_gather = kind == GATHER, is_root = call->root == MPI_ROOT;
    const struct side whole = {.call = call,
                               .count = is_gather ? call->recv_count : call->send_count,
                               .counts = is_gather ? call->recv_counts : call->send_counts};
    const bool sends = is_gather != is_root; /* the arguments of the other side mean nothing */
    const struct capture_type type = type_of(sends ? call->send_type : call->recv_type);
    const int64_t block = is_root ? 0 : (sends ? call->send_count : call->recv_count) * type.elements;
    struct collective_call own = *call;
    own.action = is_gather ? "gatherv" : "scatterv";
    line_begin(own.action, (unsigned)comm->size + 4);
    if (is_gather)
        line_int(block);
    for (int i = 0; i < comm->size; i++)
        line_int(is_root && i > 0 ? elements_of(&whole, type, i - 1) : 0);
    if (!is_gather)
        line_int(block);
    line_int(0);
    line_int(type.id);
    line_int(type.id);
    collective_end(&own, comm);
}

static void record_rooted_between(const struct collective_call *call, struct capture_comm *between,
                                  enum between kind)
{
    if (call->root == MPI_PROC_NULL)
        return; /* another rank of this group is the root */
    struct capture_comm *comm = comm_with_root(between, call->root);
    if (!comm)
        return;
    if (kind == GATHER || kind == SCATTER)
        record_blocks(call, comm, kind);
    else
        record_alike(call, comm, kind);
}

static enum between kind_of(const char *action)
{
    static const char *const names[] = {
        [BARRIER] = "barrier", [ALLREDUCE] = "allreduce", [BCAST] = "bcast",  [REDUCE] = "reduce",
        [GATHER] = "gather",   [SCATTER] = "scatter",     [EXCHANGE] = "all", [LOST] = "",
    };
    enum between kind = BARRIER;
    while (kind != LOST && strncmp(action, names[kind], strlen(names[kind])) != 0)
        kind++;
    return kind == REDUCE && strcmp(action, "reduce") != 0 ? LOST : kind;
}

static void record_between(const struct collective_call *call, struct capture_comm *comm)
{
    const enum between kind = comm->has_outsiders || !comm->member_count ? LOST : kind_of(call->action);
    switch (kind) {
    case BARRIER:
    case ALLREDUCE:
        record_alike(call, comm, kind);
        break;
    case BCAST:
    case REDUCE:
    case GATHER:
    case SCATTER:
        record_rooted_between(call, comm, kind);
        break;
    case EXCHANGE:
        record_exchange(call, comm);
        break;
    case LOST:
        record_lost(call->mpi_name, comm); /* without a request: its wait writes nothing */
    }
}

void record_collective(void (*within)(const struct collective_call *call), const struct collective_call *call)
{
    struct capture_comm *comm = comm_of(call->comm);
    if (comm->is_inter)
        record_between(call, comm);
    else
        within(call);
}
