#include <stdio.h>
#include <stdlib.h>

#include "alltoall/live.h"

/* A trial is repeated ever more seldom while it finds the same: a program changes, and a machine is noisy. */
enum { HOLD_LEAST = 1024, HOLD_MOST = 16384, LEFT_OUT = 1 };

/* Four calls of ours, eight of the other, four of ours. Several in a row, as they are when the trial is over:
 * the network and the caches are as the last calls left them, so the first after a change is not counted.
 * Programs have periods, such as a small alltoallv before each large one: of two, three or four calls each
 * way gets as many of all. */
enum { ROW = TRIAL_CALLS / 4 };

static bool is_ours(uint32_t call)
{
    uint32_t row = call / ROW;
    return row == 0 || row == 3;
}

bool live_trial_next(struct live_trial *trial, bool *measured)
{
    *measured = trial->held == 0;
    if (*measured)
        return is_ours(trial->calls);
    trial->held--;
    return trial->ours;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of all but the slowest, in which something else may have had the core. */
static int64_t sum_of(int64_t *ns, uint32_t count)
{
    int64_t sum = 0;
    qsort(ns, count, sizeof *ns, compare);
    for (uint32_t i = 0; i + LEFT_OUT < count; i++)
        sum += ns[i];
    return sum;
}

/* Integers, whose sums are the same on all ranks. The MPI's own, where it cannot even add them up. */
static void decide(struct live_trial *trial, const struct live_comm *comm, const char *what)
{
    int64_t mine[2], all[2];
    for (int way = 0; way < 2; way++)
        mine[way] = sum_of(trial->ns[way], trial->taken[way]);
    if (PMPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm->mine) != MPI_SUCCESS) {
        *trial = (struct live_trial){.hold = HOLD_LEAST, .held = HOLD_LEAST};
        return;
    }
    double calls = (trial->taken[0] - LEFT_OUT) * 1e3 * comm->size;
    bool ours = all[1] <= all[0], again = trial->hold && ours == trial->ours;
    uint64_t hold = again ? 2 * trial->hold : HOLD_LEAST;
    *trial = (struct live_trial){.ours = ours, .hold = hold < HOLD_MOST ? hold : HOLD_MOST};
    trial->held = trial->hold;
    if (comm->settings.verbose && comm->rank == 0)
        fprintf(stderr,
                "helio alltoall: %s: %.1f us by way of nodes, %.1f us by the MPI: %s for %llu calls\n", what,
                (double)all[1] / calls, (double)all[0] / calls, ours ? "by way of nodes" : "the MPI's own",
                (unsigned long long)trial->hold);
}

void live_trial_tell(struct live_trial *trial, const struct live_comm *comm, bool ours, int64_t ns,
                     const char *what)
{
    if (trial->calls % ROW > 0)
        trial->ns[ours][trial->taken[ours]++] = ns;
    trial->calls++;
    if (trial->calls == TRIAL_CALLS)
        decide(trial, comm, what);
}
