#include "live/capture/between.h"

#include <stdlib.h>
#include <string.h>

#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/record.h"
#include "live/capture/symbols.h"
#include "live/capture/traffic.h"
#include "live/capture/types.h"

/* A collective of an intercommunicator (MPI 4.0, section 6.2.3) is written as one of a communicator that has
 * all ranks that take part:
 *
 *   barrier, allreduce                       of both groups
 *   bcast, reduce, gather(v), scatter(v)     of the root and the other group; the root is rank 0 there
 *   alltoall(v, w), allgather(v)             an alltoallv of both groups, in which no rank sends to its own
 *
 * Of MPI_Reduce_scatter a rank does not know how many elements each rank of the other group gets. So it is
 * written in parts, as both MPIs do it: each group's sum goes to the first rank of the other group, which
 * hands it out to its own group. */

enum between { BARRIER, ALLREDUCE, BCAST, REDUCE, GATHER, SCATTER, EXCHANGE, REDUCE_SCATTER, LOST };

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
    if (call->root == MPI_PROC_NULL) { /* another rank of this group is the root */
        if (!call->is_persistent)
            traffic_other_collective();
        return;
    }
    struct capture_comm *comm = comm_with_root(between, call->root);
    if (!comm)
        return;
    if (kind == GATHER || kind == SCATTER)
        record_blocks(call, comm, kind);
    else
        record_alike(call, comm, kind);
}

/* The parts of a call. */
struct parts {
    const struct collective_call *call;
    char name[sizeof((struct capture_comm *)NULL)->name]; /* of the communicator of a part */
    char *starts, *waits;                                 /* lines to be kept; NULL: none */
};

/* A persistent call is alone in its communicators, since ranks may start several in different orders. */
static void begin_part(struct parts *parts, struct capture_comm *comm, const char *action,
                       unsigned most_fields)
{
    struct capture_comm *alone = parts->call->is_persistent ? comm_alone(comm) : NULL;
    memcpy(parts->name, (alone ? alone : comm)->name, sizeof parts->name);
    if (alone) { /* no more than its name is needed */
        comm_hold(alone);
        comm_release(alone);
    }
    line_begin(action, most_fields);
}

/* `action`: what a wait for it names. */
static void end_part(struct parts *parts, const char *action)
{
    const bool has_request = parts->call->request;
    line_text(has_request ? "#i" : "");
    line_text(parts->name);
    if (parts->call->is_persistent)
        line_keep(&parts->starts);
    else
        line_end();
    if (!has_request)
        return;
    line_begin("comm_size", 3);
    line_text("#wait");
    line_text(action);
    line_text(parts->name);
    line_keep(&parts->waits);
}

/* The sum of the one group goes to the first rank of the other one, `root`. */
static void write_sum(struct parts *parts, struct capture_comm *between, int root, int64_t elements, int type)
{
    struct capture_comm *comm = root == MPI_PROC_NULL ? NULL : comm_with_root(between, root);
    if (!comm)
        return;
    begin_part(parts, comm, "reduce", 5);
    line_int(elements);
    line_int(0); /* operations: those of the reduction are part of the next burst */
    line_int(0);
    line_int(type);
    end_part(parts, "reduce");
}

/* The first rank of a group hands out the sum of the other one. */
static void write_shares(struct parts *parts, int rank, struct capture_comm *group, const struct side *got,
                         struct capture_type type)
{
    begin_part(parts, group, "scatterv", (unsigned)group->size + 5);
    for (int i = 0; i < group->size; i++)
        line_int(rank == 0 ? elements_of(got, type, i) : 0);
    line_int(elements_of(got, type, rank));
    line_int(0);
    line_int(type.id);
    line_int(type.id);
    end_part(parts, "scatterv");
}

static void remember_parts(struct parts *parts, struct capture_comm *comm)
{
    const struct collective_call *call = parts->call;
    struct capture_request *request =
        record_request(*call->request, REQUEST_PARTS, call->action, comm, call->is_persistent);
    free(request->text);
    free(request->waits);
    request->text = parts->starts;
    request->waits = parts->waits;
}

static void record_reduce_scatter_between(const struct collective_call *call, struct capture_comm *comm)
{
    const struct capture_type type = type_of(call->recv_type);
    const struct side got = {.call = call, .count = call->recv_count, .counts = call->recv_counts};
    struct capture_comm *group = comm_own_group(comm);
    struct parts parts = {.call = call};
    if (!group)
        return;
    int64_t sum = 0; /* both groups have the same */
    for (int i = 0; i < group->size; i++)
        sum += elements_of(&got, type, i);
    const int into_own = comm->rank == 0 ? MPI_ROOT : MPI_PROC_NULL, into_other = 0;
    const bool own_first = comm->members[0] == group->world[0]; /* the order is that of the other group */
    write_sum(&parts, comm, own_first ? into_own : into_other, sum, type.id);
    write_sum(&parts, comm, own_first ? into_other : into_own, sum, type.id);
    write_shares(&parts, comm->rank, group, &got, type);
    if (!call->is_persistent)
        traffic_other_collective();
    if (call->request)
        remember_parts(&parts, comm);
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
    return kind == REDUCE && strcmp(action, "reduce") != 0 ? REDUCE_SCATTER : kind;
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
    case REDUCE_SCATTER:
        record_reduce_scatter_between(call, comm);
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
