/* Programs whose calls `auto` has to choose a way for.
 *
 *   steps_MPI steps|once|again
 *
 * steps: the last rank is late for each gather, with a barrier behind it. By way of nodes all ranks wait in
 * the gather; by the MPI only the root does. So the calls' own times speak for the MPI. With owing.c the
 * steps of the program speak for the way of nodes. once, again: collectives that can be predicted, on one
 * communicator and on two of the same shape. */
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

/* Fewer calls than a prediction holds for. */
static void call_in_turn(const char *check, MPI_Comm comm)
{
    enum { CALLS = 60 };
    int *all = room((size_t)world_size * sizeof *all), *parts = room((size_t)world_size * sizeof *parts);
    for (int call = 0; call < CALLS; call++) {
        int mine = call + world_rank, sum = -1, part = -1;
        int expected = world_size * call + world_size * (world_size - 1) / 2;
        for (int i = 0; i < world_size; i++)
            parts[i] = mine + i;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
        MPI_Reduce_scatter_block(parts, &part, 1, MPI_INT, MPI_SUM, comm);
        MPI_Barrier(comm);
        if (sum != expected || part != expected + world_size * world_rank)
            fail(check, "wrong sum: call, sum", call, sum);
        for (int from = 0; from < world_size; from++)
            if (all[from] != call + from)
                fail(check, "wrong number: call, from", call, from);
    }
    free(all), free(parts);
}

static void check_once(void)
{
    call_in_turn("once", MPI_COMM_WORLD);
}

static void check_again(void)
{
    for (int i = 0; i < 2; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        call_in_turn("again", comm);
        MPI_Comm_free(&comm);
    }
}

static const struct check checks[] = {{"steps", check_steps}, {"once", check_once}, {"again", check_again}};

int main(int argc, char **argv)
{
    return run_checks(argc, argv, checks, sizeof checks / sizeof *checks);
}
