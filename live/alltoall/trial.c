#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alltoall/live.h"

/* A trial is repeated ever more seldom while it finds the same: a program changes, and a machine is noisy. */
enum { HOLD_LEAST = 1024, HOLD_MOST = 16384, LEFT_OUT = 2 };

int64_t live_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* In the order of Thue and Morse, ours first: 0 1 1 0 1 0 0 1 ... Programs have periods, such as a small
 * alltoallv before each large one; in this order each way gets as many of both. */
static bool is_ours(uint32_t call)
{
    return __builtin_popcount(call) % 2 == 0;
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

/* Of all but the slowest, in which something else had the core. */
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
    bool ours = all[1] <= all[0], again = trial->hold && ours == trial->ours;
    uint64_t hold = again ? 2 * trial->hold : HOLD_LEAST;
    *trial = (struct live_trial){.ours = ours, .hold = hold < HOLD_MOST ? hold : HOLD_MOST};
    trial->held = trial->hold;
    if (comm->settings.verbose && comm->rank == 0) {
        double calls = (TRIAL_CALLS / 2 - LEFT_OUT) * 1e3 * comm->size;
        fprintf(stderr,
                "helio alltoall: %s: %.1f us by way of nodes, %.1f us by the MPI: %s for %llu calls\n", what,
                (double)all[1] / calls, (double)all[0] / calls, ours ? "by way of nodes" : "the MPI's own",
                (unsigned long long)trial->hold);
    }
}

void live_trial_tell(struct live_trial *trial, const struct live_comm *comm, bool ours, int64_t ns,
                     const char *what)
{
    trial->ns[ours][trial->taken[ours]++] = ns;
    trial->calls++;
    if (trial->calls == TRIAL_CALLS)
        decide(trial, comm, what);
}
