/* The transposition of a matrix of 1000 x 1000 numbers in blocks of rows: MPI_Alltoallv by the shares of
 * ranks. Rank 0 hands the rows out, and collects them. */
#include "daily.h"

enum { SIDE = 1000, STEPS = 8 };

static int *shares(int unit)
{
    int *counts = calloc((size_t)ranks, sizeof *counts);
    for (int i = 0; i < ranks; i++)
        counts[i] = unit * daily_share(SIDE, ranks, i);
    return counts;
}

static int *starts_of(const int *counts)
{
    int *starts = calloc((size_t)ranks, sizeof *starts);
    for (int i = 1; i < ranks; i++)
        starts[i] = starts[i - 1] + counts[i - 1];
    return starts;
}

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    int rows = daily_share(SIDE, ranks, me), own = rows * SIDE;
    int *counts = shares(rows), *starts = starts_of(counts);
    int *all_counts = shares(SIDE), *all_starts = starts_of(all_counts);
    double *all = daily_array(me ? 0 : SIDE * SIDE), *from = daily_array(own), *to = daily_array(own),
           value = me;
    MPI_Scatterv(all, all_counts, all_starts, MPI_DOUBLE, to, own, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        value = daily_work(10L * own, value + to[0]);
        from[0] = value;
        MPI_Alltoallv(from, counts, starts, MPI_DOUBLE, to, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    MPI_Gatherv(to, own, MPI_DOUBLE, all, all_counts, all_starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(all);
    free(from);
    free(to);
    free(counts);
    free(starts);
    free(all_counts);
    free(all_starts);
    daily_end(value);
    return 0;
}
