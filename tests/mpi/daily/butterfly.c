/* Recursive doubling: in each stage a rank exchanges with the rank that differs in one bit. */
#include "daily.h"

enum { BLOCK = 4096, ROUNDS = 10 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    double *out = daily_array(BLOCK), *in = daily_array(BLOCK), value = me;
    for (int round = 0; round < ROUNDS; round++) {
        for (int bit = 1; bit < ranks; bit *= 2) {
            MPI_Sendrecv(out, BLOCK, MPI_DOUBLE, me ^ bit, 3, in, BLOCK, MPI_DOUBLE, me ^ bit, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            value = daily_work(50L * BLOCK, value + in[0]);
        }
        value = daily_work(3600000 / ranks, value);
    }
    free(out);
    free(in);
    daily_end(value);
    return 0;
}
