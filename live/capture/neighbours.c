#include "live/capture/neighbours.h"

#include <stdio.h>
#include <stdlib.h>

#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/record.h"
#include "live/capture/topology.h"
#include "live/capture/traffic.h"
#include "live/capture/types.h"

/* A neighbourhood collective (MPI 3.1, section 7.6) is written as the messages that it consists of: a receive
 * from each source and a send to each target, then a wait for each. In the trace these messages have a
 * communicator of their own, beside that of the call, so that they match no others.
 *
 * On a grid, a message that this rank sends down a dimension is received there as one from above. If both
 * neighbours of a dimension are the same rank, their messages differ only in direction; so the tag is the
 * direction. On a graph, messages between two ranks match in order: all have tag 0. */

/* NULL: no memory. */
static struct neighbours *neighbours_of(struct capture_comm *comm, MPI_Comm handle)
{
    if (comm->neighbours)
        return comm->neighbours;
    comm->neighbours = neighbours_open(handle, comm->rank);
    if (!comm->neighbours)
        return NULL;
    snprintf(comm->neighbours->name, sizeof comm->neighbours->name, "%sn", comm->name);
    comm_write_members(comm, comm->neighbours->name);
    return comm->neighbours;
}

static int tag_from(const struct neighbours *neighbours, int source)
{
    return neighbours->is_grid ? source ^ 1 : 0;
}

static int tag_to(const struct neighbours *neighbours, int target)
{
    return neighbours->is_grid ? target : 0;
}

/* The sending or receiving side of a call. */
struct neighbour_side {
    const struct collective_call *call;
    int64_t count;
    const void *counts; /* NULL: `count` for all neighbours */
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: `type` for all neighbours */
};

/* `kept`: takes the line of a persistent collective; or NULL. */
static void write_message(const char *action, const struct capture_comm *comm, int peer, int tag,
                          const struct neighbour_side *side, int index, char **kept)
{
    if (peer == MPI_PROC_NULL)
        return;
    struct capture_type type = type_of(side->types ? side->types[index] : side->type);
    line_begin(action, 5);
    line_int(comm->world[peer]);
    line_int(tag);
    line_int((side->counts ? collective_number(side->call, side->counts, index) : side->count) *
             type.elements);
    line_int(type.id);
    line_text(comm->neighbours->name);
    if (kept) {
        line_keep(kept);
        return;
    }
    line_end();
    if (*action == 'i' && action[1] == 's')
        traffic_sent(comm->world[peer]);
    else
        traffic_received();
}

static void write_messages(const struct collective_call *call, const struct capture_comm *comm, char **kept)
{
    const struct neighbours *neighbours = comm->neighbours;
    const struct neighbour_side sent = {call, call->send_count, call->send_counts, call->send_type,
                                        call->send_types};
    const struct neighbour_side received = {call, call->recv_count, call->recv_counts, call->recv_type,
                                            call->recv_types};
    for (int i = 0; i < neighbours->in; i++)
        write_message("irecv", comm, neighbours->sources[i], tag_from(neighbours, i), &received, i, kept);
    for (int i = 0; i < neighbours->out; i++)
        write_message("isend", comm, neighbours->targets[i], tag_to(neighbours, i), &sent, i, kept);
}

static void write_wait(const struct capture_comm *comm, int from, int to, int tag)
{
    if (from == MPI_PROC_NULL || to == MPI_PROC_NULL)
        return;
    line_begin("wait", 4);
    line_int(comm->world[from]);
    line_int(comm->world[to]);
    line_int(tag);
    line_text(comm->neighbours->name);
    line_end();
}

void neighbours_wait(const struct capture_comm *comm)
{
    const struct neighbours *neighbours = comm->neighbours;
    for (int i = 0; i < neighbours->in; i++)
        write_wait(comm, neighbours->sources[i], comm->rank, tag_from(neighbours, i));
    for (int i = 0; i < neighbours->out; i++)
        write_wait(comm, comm->rank, neighbours->targets[i], tag_to(neighbours, i));
}

/* Its messages have a communicator of their own, since ranks may start several in different orders. */
static void keep_persistent(const struct collective_call *call, struct capture_comm *comm)
{
    struct capture_comm *alone = comm_alone(comm), *used = alone ? alone : comm;
    if (!neighbours_of(used, call->comm))
        return;
    struct capture_request *request =
        record_request(*call->request, REQUEST_NEIGHBOURS, call->action, used, true);
    free(request->text);
    request->text = NULL;
    write_messages(call, used, &request->text);
}

void record_neighbours(const struct collective_call *call)
{
    struct capture_comm *comm = comm_of(call->comm);
    if (comm->has_outsiders || !comm->world) {
        record_lost(call->mpi_name, comm);
        return;
    }
    if (call->is_persistent) {
        keep_persistent(call, comm);
        return;
    }
    if (!neighbours_of(comm, call->comm))
        return;
    write_messages(call, comm, NULL);
    if (call->request)
        record_collective_request(call, REQUEST_NEIGHBOURS);
    else
        neighbours_wait(comm);
}
