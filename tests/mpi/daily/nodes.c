/* Sums within nodes of 4 ranks, then among the first ranks of all nodes. MPI_Comm_split stands for
 * MPI_Comm_split_type, so that one machine can have several nodes. */
#include "daily.h"

enum { NUMBERS = 1000, ROUNDS = 20, NODE = 4 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    MPI_Comm node, firsts;
    MPI_Comm_split(MPI_COMM_WORLD, me / NODE, me, &node);
    MPI_Comm_split(MPI_COMM_WORLD, me % NODE ? MPI_UNDEFINED : 0, me, &firsts);
    double *own = daily_array(NUMBERS), *sum = daily_array(NUMBERS), value = me;
    for (int round = 0; round < ROUNDS; round++) {
        value = daily_work(10000000 / ranks, value + sum[0]);
        own[0] = value;
        MPI_Reduce(own, sum, NUMBERS, MPI_DOUBLE, MPI_SUM, 0, node);
        if (firsts != MPI_COMM_NULL)
            MPI_Allreduce(MPI_IN_PLACE, sum, NUMBERS, MPI_DOUBLE, MPI_SUM, firsts);
        MPI_Bcast(sum, NUMBERS, MPI_DOUBLE, 0, node);
    }
    free(own);
    free(sum);
    daily_end(value);
    return 0;
}
