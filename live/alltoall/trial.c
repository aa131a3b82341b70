#include <stdio.h>
#include <stdlib.h>

#include "live/alltoall/live.h"

/* A trial is repeated ever more seldom while it finds the same: a program changes, and a machine is noisy. */
enum { HOLD_LEAST = 1024, HOLD_MOST = 16384, LEFT_OUT = 1 };

/* Four calls of ours, eight of the other, four of ours. Several in a row, as they are when the trial is over:
 * the network and the caches are as the last calls left them, so the first after a change is not counted.
 * Programs have periods, such as a small alltoallv before each large one: of two, three or four calls each
 * way gets as many of all. */
enum { ROW = TRIAL_CALLS / 4, ENOUGH = 2 };

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

static void repeat(struct live_trial *trial)
{
    trial->calls = trial->taken[0] = trial->taken[1] = 0;
}

/* What was found counts as a vote when it is looked at again. */
static void conclude(struct live_trial *trial, bool ours)
{
    bool again = trial->hold && ours == trial->ours;
    uint64_t hold = again ? 2 * trial->hold : HOLD_LEAST;
    *trial = (struct live_trial){.ours = ours, .hold = hold < HOLD_MOST ? hold : HOLD_MOST};
    trial->held = trial->hold;
    trial->votes[ours] = 1;
}

static void say(const struct live_trial *trial, const char *what, double ours_us, double theirs_us)
{
    char until[64] = "which is not clear, so once more";
    if (trial->held > 0)
        snprintf(until, sizeof until, "%s for %llu calls", trial->ours ? "by way of nodes" : "the MPI's own",
                 (unsigned long long)trial->held);
    fprintf(stderr, "helio alltoall: %s: %.1f us by way of nodes, %.1f us by the MPI: %s\n", what, ours_us,
            theirs_us, until);
}

/* Where one way takes less than half as long it is clear; else a few calls may mislead, and it needs two
 * votes. Integers, whose sums are the same on all ranks. The MPI's own, where it cannot even add them up. */
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
    bool ours = all[1] <= all[0];
    trial->votes[ours] += 2 * all[ours] <= all[!ours] ? ENOUGH : 1;
    if (trial->votes[ours] < ENOUGH)
        repeat(trial);
    else
        conclude(trial, ours);
    if (comm->settings.verbose && comm->rank == 0)
        say(trial, what, (double)all[1] / calls, (double)all[0] / calls);
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
