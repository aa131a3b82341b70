/* A unit test of autotune.c of the preloaded alltoall: it finds the faster way, and takes the MPI's way if
 * the ranks cannot add up their times. There is one rank; the test defines PMPI_Allreduce itself. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "live/coll/internal.h"

static bool adds_up;
static int failures;

__attribute__((visibility("default"))) int PMPI_Allreduce(const void *mine, void *all, int count,
                                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)type, (void)op, (void)comm;
    if (!adds_up)
        return MPI_ERR_INTERN;
    memcpy(all, mine, (size_t)count * sizeof(int64_t));
    return MPI_SUCCESS;
}

static void expect(bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "autotune: failed: %s\n", what), failures++;
}

/* Makes a whole trial in which our way takes `ours_ns` and the other `theirs_ns`. Returns the number of calls
 * that went our way. */
static int run_trial(struct autotune *autotune, const struct live_comm *comm, int64_t ours_ns,
                     int64_t theirs_ns)
{
    int ours_count = 0;
    for (int i = 0; i < AUTOTUNE_CALLS; i++) {
        bool measured, ours = autotune_next(autotune, &measured);
        expect(measured, "each call of a trial is measured");
        ours_count += ours;
        autotune_add_time(autotune, comm, ours, ours ? ours_ns : theirs_ns, "autotune");
    }
    return ours_count;
}

/* Makes a trial and its repetitions in a program in which every `period`-th call is large, beginning with
 * call `phase`. The faster way needs a little less for each call; both ways need far more for the first call
 * after a change of way. Returns whether our way was taken. */
static bool finds_ours(const struct live_comm *comm, int period, int phase, bool ours_is_faster)
{
    enum { SMALL = 100, LARGE = 10000, AFTER_CHANGE = 100000, GAIN = 1 };
    struct autotune autotune = {0};
    bool last = false, measured;
    for (int i = 0; i < 3 * AUTOTUNE_CALLS; i++) {
        bool ours = autotune_next(&autotune, &measured);
        if (!measured)
            break;
        int64_t ns = i % period == phase ? LARGE : SMALL;
        ns -= ours == ours_is_faster ? GAIN : 0;
        ns += ours != last || i == 0 ? (ours ? 2 : 1) * AFTER_CHANGE : 0;
        autotune_add_time(&autotune, comm, ours, ns, "autotune");
        last = ours;
    }
    return autotune_next(&autotune, &measured);
}

/* Checks that calls go the way `expected` until the next trial. Returns how many. */
static int calls_held(struct autotune *autotune, bool expected)
{
    bool measured;
    for (int count = 0;; count++) {
        bool ours = autotune_next(autotune, &measured);
        if (measured || count > 100000)
            return count;
        expect(ours == expected, "the way that was found is held");
    }
}

int main(void)
{
    const struct live_comm comm = {.size = 1};
    struct autotune autotune = {0};
    adds_up = true;
    expect(run_trial(&autotune, &comm, 10, 20) == AUTOTUNE_CALLS / 2, "each way is measured as often");
    expect(calls_held(&autotune, true) == 1024, "the faster way is held for 1024 calls");
    run_trial(&autotune, &comm, 10, 20);
    expect(calls_held(&autotune, true) == 2048, "what is found again is held for twice as many");
    run_trial(&autotune, &comm, 20, 10);
    expect(calls_held(&autotune, false) == 1024, "what is found anew is held for 1024 calls");
    adds_up = false;
    for (int again = 0; again < 2; again++) {
        run_trial(&autotune, &comm, 10, 20);
        expect(calls_held(&autotune, false) == 1024, "where times cannot be added up the MPI's way is held");
    }
    adds_up = true;
    run_trial(&autotune, &comm, 10, 20);
    expect(calls_held(&autotune, true) == 1024, "a later trial may find ours");
    autotune = (struct autotune){0};
    run_trial(&autotune, &comm, 11, 20);
    expect(calls_held(&autotune, true) == 0, "what is unclear is tried again at once");
    run_trial(&autotune, &comm, 20, 11);
    expect(calls_held(&autotune, true) == 0, "and where that disagrees once more");
    run_trial(&autotune, &comm, 20, 11);
    expect(calls_held(&autotune, false) == 1024, "two of three are enough");
    run_trial(&autotune, &comm, 20, 11);
    expect(calls_held(&autotune, false) == 2048, "and what was found before is a vote");
    for (int period = 1; period <= 4; period++)
        for (int phase = 0; phase < period; phase++)
            for (int faster = 0; faster < 2; faster++)
                expect(finds_ours(&comm, period, phase, faster) == faster, "periods do not mislead it");
    return failures > 0;
}
