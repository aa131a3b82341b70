/* Conjugate gradients with blocks of rows: the vector by MPI_Allgatherv, dot products by MPI_Allreduce. */
#include "daily.h"

enum { ROWS = 5000, ROUNDS = 15 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    MPI_Comm solver;
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    int own = daily_share(ROWS, ranks, me), *counts = calloc((size_t)ranks, sizeof *counts),
        *starts = calloc((size_t)ranks, sizeof *starts);
    double *mine = daily_array(own), *all = daily_array(ROWS), value = me;
    for (int i = 0; i < ranks; i++) {
        counts[i] = daily_share(ROWS, ranks, i);
        starts[i] = i ? starts[i - 1] + counts[i - 1] : 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double dot;
        mine[0] = value;
        MPI_Allgatherv(mine, own, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, solver);
        value = daily_work(1000L * own, value + all[0]);
        MPI_Allreduce(&value, &dot, 1, MPI_DOUBLE, MPI_SUM, solver);
        value = daily_work(100L * own, dot);
        MPI_Allreduce(&value, &dot, 1, MPI_DOUBLE, MPI_SUM, solver);
        value = daily_work(100L * own, dot);
    }
    free(counts);
    free(starts);
    free(mine);
    free(all);
    daily_end(value);
    return 0;
}
