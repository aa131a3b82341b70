/* The transposition of a matrix of 1000 x 1000 numbers in blocks of rows: MPI_Alltoallv by the shares of
 * ranks. */
#include "daily.h"

enum { SIDE = 1000, STEPS = 8 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int rows = daily_share(SIDE, ranks, me), *counts = calloc((size_t)ranks, sizeof *counts),
        *starts = calloc((size_t)ranks, sizeof *starts);
    double *from = daily_array(rows * SIDE), *to = daily_array(rows * SIDE), value = me;
    for (int i = 0; i < ranks; i++) {
        counts[i] = rows * daily_share(SIDE, ranks, i);
        starts[i] = i ? starts[i - 1] + counts[i - 1] : 0;
    }
    for (int step = 0; step < STEPS; step++) {
        value = daily_work(10L * rows * SIDE, value + to[0]);
        from[0] = value;
        MPI_Alltoallv(from, counts, starts, MPI_DOUBLE, to, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    free(from);
    free(to);
    free(counts);
    free(starts);
    daily_end(value);
    return 0;
}
