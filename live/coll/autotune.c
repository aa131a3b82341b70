#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/coll/internal.h"

/* Trials are repeated, since programs change and machines are noisy. A clear decision holds for PERIOD_CLEAR
 * calls. One between ways that are nearly as fast holds for PERIOD_CLOSE: there the other way may win when
 * the kernel moves ranks to other cores. While a trial confirms the last decision, the calls until the next
 * trial double, up to PERIOD_MAX. LEFT_OUT: times of each way, the slowest, that do not count. */
enum { PERIOD_CLOSE = 256, PERIOD_CLEAR = 1024, PERIOD_MAX = 16384, LEFT_OUT = 1 };

/* Our way is taken if it gains at least a sixteenth. Of ways that take nearly as long a trial may pick the
 * slower one, and then the MPI's is the safe choice. */
enum { LEAST_GAIN = 16 };

/* A trial measures four calls our way, eight the MPI's way, four our way. Calls of one way follow one
 * another, as they do after the trial. The network and the caches are in the state that the previous calls
 * left, so the first call after a change of way does not count. Programs have patterns, such as a small
 * alltoallv before each large one: if a pattern repeats after two, three or four calls, both ways get equally
 * many calls of each kind. ENOUGH: votes that decide. */
enum { ROW = AUTOTUNE_ROW, ENOUGH = 2 };

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

/* The times that ranks add up: of each way its own times, and each step. */
struct trial_sums {
    int64_t own_ns[2], step_ns[2][AUTOTUNE_TAKEN];
};
enum { SUMS = sizeof(struct trial_sums) / sizeof(int64_t) };

/* True: the program goes on faster by the way `ours`. The ways are clearly different if each step of one, but
 * its slowest, is shorter than all of the other. By chance that happens once in 132 trials. The times between
 * calls are the program's own, and may differ by more than the two ways do; then the steps say nothing. */
static bool steps_are_shorter(const struct trial_sums *all, bool ours)
{
    return all->step_ns[ours][AUTOTUNE_TAKEN - 1 - LEFT_OUT] < all->step_ns[!ours][0];
}

/* The mean step of a rank in us. */
static double step_us(const struct trial_sums *all, const struct live_comm *comm, bool ours)
{
    double sum = 0;
    for (int i = 0; i + LEFT_OUT < AUTOTUNE_TAKEN; i++)
        sum += (double)all->step_ns[ours][i];
    return sum / (1e3 * (AUTOTUNE_TAKEN - LEFT_OUT) * comm->size);
}

static void repeat_trial(struct autotune *autotune)
{
    autotune->calls = autotune->taken[0] = autotune->taken[1] = 0;
}

/* Takes a way until the next trial. The decision counts as one vote in that trial. */
static void conclude(struct autotune *autotune, bool ours, bool clear)
{
    uint64_t least = clear ? PERIOD_CLEAR : PERIOD_CLOSE;
    bool again = autotune->period && ours == autotune->ours;
    uint64_t period = again && autotune->period >= least ? 2 * autotune->period : least;
    *autotune = (struct autotune){.ours = ours, .period = period < PERIOD_MAX ? period : PERIOD_MAX};
    autotune->calls_left = autotune->period;
    autotune->votes[ours] = 1;
}

void autotune_take(struct autotune *autotune, bool ours)
{
    conclude(autotune, ours, false);
}

bool autotune_begin_with(struct autotune *autotune, bool ours)
{
    if (autotune->period > 0 || autotune->calls > 0)
        return false;
    *autotune =
        (struct autotune){.ours = ours, .period = AUTOTUNE_PREDICTED, .calls_left = AUTOTUNE_PREDICTED};
    return true;
}

/* `by_steps`: the steps have decided, and not the calls' own times. */
static void report(const struct autotune *autotune, const struct live_comm *comm,
                   const struct trial_sums *all, bool by_steps, const char *what)
{
    double calls = (AUTOTUNE_TAKEN - LEFT_OUT) * 1e3 * comm->size;
    char until[64] = "not clear, so the trial is repeated", steps[96] = "";
    if (autotune->calls_left > 0)
        snprintf(until, sizeof until, "%s for %llu calls",
                 autotune->ours ? "by way of nodes" : "the MPI's own",
                 (unsigned long long)autotune->calls_left);
    if (by_steps)
        snprintf(steps, sizeof steps, " (from call to call %.1f us and %.1f us, which decides)",
                 step_us(all, comm, true), step_us(all, comm, false));
    fprintf(stderr, "helio coll: %s: %.1f us by way of nodes, %.1f us by the MPI: %s%s\n", what,
            (double)all->own_ns[1] / calls, (double)all->own_ns[0] / calls, until, steps);
}

/* Ends a trial. If the steps are clearly different, they decide, else the calls' own times. If one way takes
 * at most half as long, the trial is enough. Otherwise a few calls may mislead, and two votes decide. Times
 * are integers, so that their sums are the same on all ranks. If the MPI cannot add up the times, its own way
 * is taken: the ranks could not agree on another. True: it has decided. */
static bool decide(struct autotune *autotune, const struct live_comm *comm, const char *what)
{
    struct trial_sums mine, all;
    for (int way = 0; way < 2; way++)
        mine.own_ns[way] = sum_of(autotune->ns[way], AUTOTUNE_TAKEN);
    memcpy(mine.step_ns, autotune->step_ns, sizeof mine.step_ns);
    if (PMPI_Allreduce(&mine, &all, SUMS, MPI_INT64_T, MPI_SUM, comm->mine) != MPI_SUCCESS) {
        *autotune = (struct autotune){.period = PERIOD_CLEAR, .calls_left = PERIOD_CLEAR};
        return false;
    }
    for (int way = 0; way < 2; way++)
        qsort(all.step_ns[way], AUTOTUNE_TAKEN, sizeof(int64_t), compare_ns);
    bool by_steps = steps_are_shorter(&all, true) || steps_are_shorter(&all, false);
    bool ours = by_steps ? steps_are_shorter(&all, true)
                         : all.own_ns[1] + all.own_ns[1] / LEAST_GAIN <= all.own_ns[0];
    bool clear = 2 * all.own_ns[ours] <= all.own_ns[!ours];
    autotune->votes[ours] += clear ? ENOUGH : 1;
    if (autotune->votes[ours] < ENOUGH)
        repeat_trial(autotune);
    else
        conclude(autotune, ours, clear);
    if (comm->settings.verbose && comm->rank == 0)
        report(autotune, comm, &all, by_steps, what);
    return autotune->calls_left > 0;
}

/* The time that this process has spent in measured calls. A step does not count those of other trials, which
 * change their ways at the same calls in many programs. */
static _Atomic int64_t all_tried_ns;

bool autotune_add_time(struct autotune *autotune, const struct live_comm *comm, bool ours, int64_t began_ns,
                       int64_t ended_ns, const char *what)
{
    int64_t own = ended_ns - began_ns, tried = atomic_load(&all_tried_ns);
    if (autotune->calls % ROW > 0) {
        uint32_t i = autotune->taken[ours]++;
        autotune->ns[ours][i] = own;
        autotune->step_ns[ours][i] = ended_ns - autotune->ended_ns - (tried - autotune->tried_ns);
    }
    autotune->tried_ns = atomic_fetch_add(&all_tried_ns, own) + own;
    autotune->ended_ns = ended_ns;
    autotune->calls++;
    return autotune->calls == AUTOTUNE_CALLS && decide(autotune, comm, what);
}
