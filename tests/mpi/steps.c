/* A program whose last rank is late for each gather, with a barrier behind it. By way of nodes all ranks wait
 * in the gather; by the MPI only the root does. So the calls' own times speak for the MPI. With owing.c the
 * steps of the program speak for the way of nodes.
 *
 *   steps_MPI steps */
#include "checks.h"

static void check_steps(void)
{
    enum { CALLS = 60, LATE_US = 20000 };
    int *all = room((size_t)world_size * sizeof *all);
    for (int call = 0; call < CALLS; call++) {
        int mine = 100 * call + world_rank;
        if (world_rank == world_size - 1)
            usleep(LATE_US);
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int from = 0; world_rank == 0 && from < world_size; from++)
            if (all[from] != 100 * call + from)
                fail("steps", "wrong number: call, from", call, from);
    }
    free(all);
}

static const struct check checks[] = {{"steps", check_steps}};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
