/* A 3-D stencil on a Cartesian communicator: MPI_Sendrecv in each direction, MPI_PROC_NULL at the edges. */
#include "daily.h"

enum { CELLS = 72, STEPS = 6 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int sides[3] = {0, 0, 0}, around[3] = {0, 0, 0}, at[3];
    long cells = 1;
    MPI_Comm cube;
    MPI_Dims_create(ranks, 3, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 3, sides, around, 0, &cube);
    MPI_Cart_coords(cube, me, 3, at);
    for (int d = 0; d < 3; d++)
        cells *= daily_share(CELLS, sides[d], at[d]);
    double *in = daily_array(CELLS * CELLS), *out = daily_array(CELLS * CELLS), value = me;
    for (int step = 0; step < STEPS; step++) {
        for (int d = 0; d < 3; d++) {
            int face = (int)(cells / daily_share(CELLS, sides[d], at[d])), down, up;
            MPI_Cart_shift(cube, d, 1, &down, &up);
            MPI_Sendrecv(out, face, MPI_DOUBLE, up, 2 * d, in, face, MPI_DOUBLE, down, 2 * d, cube,
                         MPI_STATUS_IGNORE);
            MPI_Sendrecv(out, face, MPI_DOUBLE, down, 2 * d + 1, in, face, MPI_DOUBLE, up, 2 * d + 1, cube,
                         MPI_STATUS_IGNORE);
        }
        value = daily_work(60 * cells, value + in[0]);
        out[0] = value;
    }
    free(in);
    free(out);
    daily_end(value);
    return 0;
}
