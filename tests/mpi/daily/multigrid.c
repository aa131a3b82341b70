/* V-cycles of a multigrid method in 2-D with 3 levels, each on all ranks; rows and columns of ranks have
 * communicators of their own. */
#include "daily.h"

enum { CELLS = 576, CYCLES = 6, LEVELS = 3 };

static MPI_Comm plane, row, column;
static int sides[2], at[2], near[4]; /* north, south, west, east */
static double *in, *out, value;

static void relax(int level)
{
    int rows = daily_share(CELLS, sides[0], at[0]) >> level,
        columns = daily_share(CELLS, sides[1], at[1]) >> level;
    for (int side = 0; side < 4; side++) {
        int count = side < 2 ? columns : rows;
        MPI_Sendrecv(out, count, MPI_DOUBLE, near[side], side, in, count, MPI_DOUBLE, near[side ^ 1], side,
                     plane, MPI_STATUS_IGNORE);
    }
    value = daily_work(20L * rows * columns, value + in[0]);
    out[0] = value;
}

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int around[2] = {0, 0};
    double norm;
    MPI_Dims_create(ranks, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &plane);
    MPI_Cart_coords(plane, me, 2, at);
    MPI_Comm_split(plane, at[0], at[1], &row);
    MPI_Comm_split(plane, at[1], at[0], &column);
    MPI_Cart_shift(plane, 0, -1, &near[1], &near[0]);
    MPI_Cart_shift(plane, 1, -1, &near[3], &near[2]);
    in = daily_array(CELLS);
    out = daily_array(CELLS);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        for (int level = 0; level < LEVELS; level++)
            relax(level);
        for (int level = LEVELS - 1; level-- > 0;)
            relax(level);
        MPI_Allreduce(&value, &norm, 1, MPI_DOUBLE, MPI_SUM, row);
        MPI_Allreduce(&norm, &value, 1, MPI_DOUBLE, MPI_SUM, column);
    }
    free(in);
    free(out);
    daily_end(value);
    return 0;
}
