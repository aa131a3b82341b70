#include <stdio.h>
#include <stdlib.h>

#include "live/capture/capture.h"

/* Neighbourhood collectives (MPI 3.1, section 7.6) are what they are made of: a receive from each source and
 * a send to each target, and then all of their waits. Their messages have a communicator of their own beside
 * that of the call, so that they meet no other ones.
 *
 * On a grid, what goes down a dimension comes from above: where both neighbours are the same rank, their
 * messages are told apart by the direction that they take, which is the tag. On graphs the k-th to a rank is
 * its k-th from here. */
struct neighbours {
    int in, out;
    int *sources, *targets; /* ranks in the communicator, or MPI_PROC_NULL */
    bool is_grid;
    char name[50];
};

/* ----------------------------------------------------------------------------------------------- topology */

static bool take_room(struct neighbours *neighbours, int in, int out)
{
    neighbours->sources = calloc((size_t)in + 1, sizeof *neighbours->sources);
    neighbours->targets = calloc((size_t)out + 1, sizeof *neighbours->targets);
    bool has_room = neighbours->sources && neighbours->targets;
    neighbours->in = has_room ? in : 0;
    neighbours->out = has_room ? out : 0;
    return has_room;
}

static void look_around_grid(struct neighbours *neighbours, MPI_Comm handle)
{
    int dimensions;
    neighbours->is_grid = true;
    REAL(Cartdim_get)(handle, &dimensions);
    if (!take_room(neighbours, 2 * dimensions, 2 * dimensions))
        return;
    for (int i = 0; i < dimensions; i++) {
        int *pair = &neighbours->sources[2 * i];
        REAL(Cart_shift)(handle, i, 1, &pair[0], &pair[1]);
        neighbours->targets[2 * i] = pair[0];
        neighbours->targets[2 * i + 1] = pair[1];
    }
}

static void look_around_graph(struct neighbours *neighbours, MPI_Comm handle, int rank)
{
    int count;
    REAL(Graph_neighbors_count)(handle, rank, &count);
    if (!take_room(neighbours, count, count))
        return;
    REAL(Graph_neighbors)(handle, rank, count, neighbours->sources);
    REAL(Graph_neighbors)(handle, rank, count, neighbours->targets);
}

static void look_around_distributed(struct neighbours *neighbours, MPI_Comm handle)
{
    int in, out, is_weighted;
    REAL(Dist_graph_neighbors_count)(handle, &in, &out, &is_weighted);
    int *weights = calloc((size_t)(in + out) + 1, sizeof *weights);
    if (weights && take_room(neighbours, in, out)) {
        int *out_weights = weights + in;
        REAL(Dist_graph_neighbors)
        (handle, in, neighbours->sources, weights, out, neighbours->targets, out_weights);
    }
    free(weights);
}

/* NULL: no memory. */
static struct neighbours *neighbours_of(struct comm *comm, MPI_Comm handle)
{
    int topology;
    if (comm->neighbours)
        return comm->neighbours;
    comm->neighbours = calloc(1, sizeof *comm->neighbours);
    if (!comm->neighbours)
        return NULL;
    REAL(Topo_test)(handle, &topology);
    if (topology == MPI_CART)
        look_around_grid(comm->neighbours, handle);
    else if (topology == MPI_GRAPH)
        look_around_graph(comm->neighbours, handle, comm->rank);
    else if (topology == MPI_DIST_GRAPH)
        look_around_distributed(comm->neighbours, handle);
    snprintf(comm->neighbours->name, sizeof comm->neighbours->name, "%sn", comm->name);
    comm_write_members(comm, comm->neighbours->name);
    return comm->neighbours;
}

void neighbours_free(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    free(neighbours->sources);
    free(neighbours->targets);
    free(neighbours);
}

static int tag_from(const struct neighbours *neighbours, int source)
{
    return neighbours->is_grid ? source ^ 1 : 0;
}

static int tag_to(const struct neighbours *neighbours, int target)
{
    return neighbours->is_grid ? target : 0;
}

/* -------------------------------------------------------------------------------------------------- lines */

struct side {
    int count;
    const int *counts; /* NULL: the same for all */
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: the same for all */
};

static void write_message(const char *action, const struct comm *comm, int peer, int tag,
                          const struct side *side, int index)
{
    if (peer == MPI_PROC_NULL)
        return;
    struct type type = type_of(side->types ? side->types[index] : side->type);
    line_begin(action, 5);
    line_int(comm->world[peer]);
    line_int(tag);
    line_int((side->counts ? side->counts[index] : side->count) * type.elements);
    line_int(type.id);
    line_text(comm->neighbours->name);
    line_end();
}

static void write_wait(const struct comm *comm, int from, int to, int tag)
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

void neighbours_wait(const struct comm *comm)
{
    const struct neighbours *neighbours = comm->neighbours;
    for (int i = 0; i < neighbours->in; i++)
        write_wait(comm, neighbours->sources[i], comm->rank, tag_from(neighbours, i));
    for (int i = 0; i < neighbours->out; i++)
        write_wait(comm, comm->rank, neighbours->targets[i], tag_to(neighbours, i));
}

void record_neighbours(const struct collective *collective)
{
    struct comm *comm = comm_of(collective->comm);
    if (comm->has_outsiders || !comm->world) {
        record_lost(collective->mpi_name, comm);
        return;
    }
    const struct neighbours *neighbours = neighbours_of(comm, collective->comm);
    if (!neighbours)
        return;
    struct side sent = {(int)collective->send_count, collective->send_counts, collective->send_type,
                        collective->send_types};
    struct side received = {(int)collective->recv_count, collective->recv_counts, collective->recv_type,
                            collective->recv_types};
    for (int i = 0; i < neighbours->in; i++)
        write_message("irecv", comm, neighbours->sources[i], tag_from(neighbours, i), &received, i);
    for (int i = 0; i < neighbours->out; i++)
        write_message("isend", comm, neighbours->targets[i], tag_to(neighbours, i), &sent, i);
    if (collective->request)
        record_request(collective, REQUEST_NEIGHBOURS);
    else
        neighbours_wait(comm);
}
