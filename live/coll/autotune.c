#include <stdio.h>
#include <stdlib.h>

#include "live/coll/internal.h"

/* Trials are repeated, since programs change and machines are noisy. While a trial confirms the last
 * decision, the calls until the next trial double from PERIOD_MIN to PERIOD_MAX. LEFT_OUT: times of each way,
 * the slowest, that do not count. */
enum { PERIOD_MIN = 1024, PERIOD_MAX = 16384, LEFT_OUT = 1 };

/* A trial measures four calls our way, eight the MPI's way, four our way. Calls of one way follow one
 * another, as they do after the trial. The network and the caches are in the state that the previous calls
 * left, so the first call after a change of way does not count. Programs have patterns, such as a small
 * alltoallv before each large one: if a pattern repeats after two, three or four calls, both ways get equally
 * many calls of each kind. ENOUGH: votes that decide. */
enum { ROW = AUTOTUNE_CALLS / 4, ENOUGH = 2 };

static bool is_ours(uint32_t call)
{
    uint32_t row = call / ROW;
    return row == 0 || row == 3;
}

bool autotune_next(struct autotune *autotune, bool *measured)
{
    *measured = autotune->calls_left == 0;
    if (*measured)
        return is_ours(autotune->calls);
    autotune->calls_left--;
    return autotune->ours;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The sum of all times but the slowest: in that call something else may have had the core. */
static int64_t sum_of(int64_t *ns, uint32_t count)
{
    int64_t sum = 0;
    qsort(ns, count, sizeof *ns, compare_ns);
    for (uint32_t i = 0; i + LEFT_OUT < count; i++)
        sum += ns[i];
    return sum;
}

static void repeat_trial(struct autotune *autotune)
{
    autotune->calls = autotune->taken[0] = autotune->taken[1] = 0;
}

/* Takes a way until the next trial. The decision counts as one vote in that trial. */
static void conclude(struct autotune *autotune, bool ours)
{
    bool again = autotune->period && ours == autotune->ours;
    uint64_t period = again ? 2 * autotune->period : PERIOD_MIN;
    *autotune = (struct autotune){.ours = ours, .period = period < PERIOD_MAX ? period : PERIOD_MAX};
    autotune->calls_left = autotune->period;
    autotune->votes[ours] = 1;
}

void autotune_take(struct autotune *autotune, bool ours)
{
    conclude(autotune, ours);
}

static void report(const struct autotune *autotune, const char *what, double ours_us, double theirs_us)
{
    char until[64] = "not clear, so the trial is repeated";
    if (autotune->calls_left > 0)
        snprintf(until, sizeof until, "%s for %llu calls",
                 autotune->ours ? "by way of nodes" : "the MPI's own",
                 (unsigned long long)autotune->calls_left);
    fprintf(stderr, "helio coll: %s: %.1f us by way of nodes, %.1f us by the MPI: %s\n", what, ours_us,
            theirs_us, until);
}

/* Ends a trial. If one way takes at most half as long, the trial decides. Otherwise a few calls may mislead,
 * and two votes decide. Times are integers, so that their sums are the same on all ranks. If the MPI cannot
 * add up the times, its own way is taken: the ranks could not agree on another. True: it has decided. */
static bool decide(struct autotune *autotune, const struct live_comm *comm, const char *what)
{
    int64_t mine[2], all[2];
    for (int way = 0; way < 2; way++)
        mine[way] = sum_of(autotune->ns[way], autotune->taken[way]);
    if (PMPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm->mine) != MPI_SUCCESS) {
        *autotune = (struct autotune){.period = PERIOD_MIN, .calls_left = PERIOD_MIN};
        return false;
    }
    double calls = (autotune->taken[0] - LEFT_OUT) * 1e3 * comm->size;
    bool ours = all[1] <= all[0];
    autotune->votes[ours] += 2 * all[ours] <= all[!ours] ? ENOUGH : 1;
    if (autotune->votes[ours] < ENOUGH)
        repeat_trial(autotune);
    else
        conclude(autotune, ours);
    if (comm->settings.verbose && comm->rank == 0)
        report(autotune, what, (double)all[1] / calls, (double)all[0] / calls);
    return autotune->calls_left > 0;
}

bool autotune_add_time(struct autotune *autotune, const struct live_comm *comm, bool ours, int64_t ns,
                       const char *what)
{
    if (autotune->calls % ROW > 0)
        autotune->ns[ours][autotune->taken[ours]++] = ns;
    autotune->calls++;
    return autotune->calls == AUTOTUNE_CALLS && decide(autotune, comm, what);
}
