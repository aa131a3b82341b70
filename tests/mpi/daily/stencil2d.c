/* A 2-D stencil on a Cartesian communicator without wrap-around, 720 x 720 cells. */
#include "daily.h"

enum { CELLS = 720, STEPS = 12 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int sides[2] = {0, 0}, around[2] = {0, 0}, at[2], north, south, west, east;
    MPI_Comm plane;
    MPI_Dims_create(ranks, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &plane);
    MPI_Cart_coords(plane, me, 2, at);
    MPI_Cart_shift(plane, 0, 1, &north, &south);
    MPI_Cart_shift(plane, 1, 1, &west, &east);
    int rows = daily_share(CELLS, sides[0], at[0]), columns = daily_share(CELLS, sides[1], at[1]);
    double *edges = daily_array(4 * (rows + columns)), value = me;
    for (int step = 0; step < STEPS; step++) {
        double *in = edges, *out = edges + 2 * (rows + columns);
        MPI_Request requests[8];
        MPI_Status statuses[8];
        MPI_Irecv(in, columns, MPI_DOUBLE, north, 0, plane, &requests[0]);
        MPI_Irecv(in + columns, columns, MPI_DOUBLE, south, 1, plane, &requests[1]);
        MPI_Irecv(in + 2 * columns, rows, MPI_DOUBLE, west, 2, plane, &requests[2]);
        MPI_Irecv(in + 2 * columns + rows, rows, MPI_DOUBLE, east, 3, plane, &requests[3]);
        MPI_Isend(out, columns, MPI_DOUBLE, north, 1, plane, &requests[4]);
        MPI_Isend(out + columns, columns, MPI_DOUBLE, south, 0, plane, &requests[5]);
        MPI_Isend(out + 2 * columns, rows, MPI_DOUBLE, west, 3, plane, &requests[6]);
        MPI_Isend(out + 2 * columns + rows, rows, MPI_DOUBLE, east, 2, plane, &requests[7]);
        MPI_Waitall(8, requests, statuses);
        value = daily_work(20L * rows * columns, value + in[0]);
        out[0] = out[columns] = value;
    }
    double largest;
    MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, plane);
    free(edges);
    daily_end(value);
    return 0;
}
