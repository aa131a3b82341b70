#include "live/capture/topology.h"

#include <stdlib.h>

#include "live/capture/symbols.h"

/* False: no memory; there are no neighbours then. */
static bool take_room(struct neighbours *neighbours, int in, int out)
{
    neighbours->sources = calloc((size_t)in + 1, sizeof *neighbours->sources);
    neighbours->targets = calloc((size_t)out + 1, sizeof *neighbours->targets);
    bool has_room = neighbours->sources && neighbours->targets;
    neighbours->in = has_room ? in : 0;
    neighbours->out = has_room ? out : 0;
    return has_room;
}

static void read_grid(struct neighbours *neighbours, MPI_Comm handle)
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

static void read_graph(struct neighbours *neighbours, MPI_Comm handle, int rank)
{
    int count;
    REAL(Graph_neighbors_count)(handle, rank, &count);
    if (!take_room(neighbours, count, count))
        return;
    REAL(Graph_neighbors)(handle, rank, count, neighbours->sources);
    REAL(Graph_neighbors)(handle, rank, count, neighbours->targets);
}

static void read_distributed_graph(struct neighbours *neighbours, MPI_Comm handle)
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

struct neighbours *neighbours_open(MPI_Comm handle, int rank)
{
    int topology;
    struct neighbours *neighbours = calloc(1, sizeof *neighbours);
    if (!neighbours)
        return NULL;
    REAL(Topo_test)(handle, &topology);
    if (topology == MPI_CART)
        read_grid(neighbours, handle);
    else if (topology == MPI_GRAPH)
        read_graph(neighbours, handle, rank);
    else if (topology == MPI_DIST_GRAPH)
        read_distributed_graph(neighbours, handle);
    return neighbours;
}

void neighbours_close(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    free(neighbours->sources);
    free(neighbours->targets);
    free(neighbours);
}
