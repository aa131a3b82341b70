/* A unit test of autotune.c of the preloaded collectives: it finds the faster way, also where only the time
 * between calls shows it, and takes the MPI's way if the ranks cannot add up their times. There is one rank,
 * whose clock the test sets; the test defines PMPI_Allreduce itself. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "live/coll/internal.h"

static bool adds_up;
static int failures;
static int64_t now_ns;

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

/* The next call of a trial takes `ours_ns` or `theirs_ns`. Returns whether it went our way. */
static bool make_call(struct autotune *autotune, const struct live_comm *comm, int64_t ours_ns,
                      int64_t theirs_ns)
{
    bool measured, ours = autotune_next(autotune, &measured);
    int64_t began_ns = now_ns;
    now_ns += ours ? ours_ns : theirs_ns;
    if (measured)
        autotune_add_time(autotune, comm, ours, began_ns, now_ns, "autotune");
    return ours;
}

/* Makes a whole trial in which our way takes `ours_ns` and the other `theirs_ns`. Returns the number of calls
 * that went our way. */
static int run_trial(struct autotune *autotune, const struct live_comm *comm, int64_t ours_ns,
                     int64_t theirs_ns)
{
    int ours_count = 0;
    for (int i = 0; i < AUTOTUNE_CALLS; i++) {
        expect(autotune->calls_left == 0, "each call of a trial is measured");
        ours_count += make_call(autotune, comm, ours_ns, theirs_ns);
    }
    return ours_count;
}

/* Makes a trial and its repetitions in a program in which every `period`-th call is large, beginning with
 * call `phase`. The faster way needs a tenth less for each call; both ways need far more for the first call
 * after a change of way. Returns whether our way was taken. */
static bool finds_ours(const struct live_comm *comm, int period, int phase, bool ours_is_faster)
{
    enum { SMALL = 100, LARGE = 10000, AFTER_CHANGE = 100000 };
    struct autotune autotune = {0};
    bool last = false, measured;
    for (int i = 0; i < 3 * AUTOTUNE_CALLS; i++) {
        bool ours = autotune_next(&autotune, &measured);
        if (!measured)
            break;
        int64_t ns = i % period == phase ? LARGE : SMALL;
        ns -= ours == ours_is_faster ? ns / 10 : 0;
        ns += ours != last || i == 0 ? (ours ? 2 : 1) * AFTER_CHANGE : 0;
        autotune_add_time(&autotune, comm, ours, now_ns, now_ns + ns, "autotune");
        now_ns += ns;
        last = ours;
    }
    return autotune_next(&autotune, &measured);
}

/* A program that goes on for some time after each call: for `after_ours_ns`, `after_theirs_ns`, and up to
 * `differs_ns` more. Returns whether our way is taken in the end. */
static bool finds_ours_in(const struct live_comm *comm, int64_t ours_ns, int64_t theirs_ns,
                          int64_t after_ours_ns, int64_t after_theirs_ns, int64_t differs_ns)
{
    struct autotune autotune = {0};
    uint64_t chance = 1;
    for (int i = 0; i < 4 * AUTOTUNE_CALLS && autotune.calls_left == 0; i++) {
        bool ours = make_call(&autotune, comm, ours_ns, theirs_ns);
        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
        now_ns += (ours ? after_ours_ns : after_theirs_ns) + (int64_t)((chance >> 33) % (uint64_t)differs_ns);
    }
    expect(autotune.calls_left > 0, "a program with time between calls gets a decision");
    return autotune.ours;
}

/* Ranks that do not wait in a call may wait behind it. */
static void test_steps(const struct live_comm *comm)
{
    expect(finds_ours_in(comm, 100, 10, 10, 1000, 1), "the wait behind the MPI's call counts");
    expect(!finds_ours_in(comm, 10, 100, 1000, 10, 1), "the wait behind our call counts");
    expect(!finds_ours_in(comm, 100, 10, 10, 100, 1), "a wait elsewhere that is as long gains nothing");
    expect(finds_ours_in(comm, 30, 100, 500, 500, 100000), "if steps differ by more, the calls decide");
    expect(!finds_ours_in(comm, 100, 30, 500, 500, 100000), "if steps differ by more, the calls decide");
    expect(finds_ours_in(comm, 100, 10, 10, 1000, 500), "steps that differ by less than the ways do decide");
}

/* A loop with two collectives whose trials change their ways at the same calls. */
static void test_two_trials(const struct live_comm *comm)
{
    struct autotune first = {0}, second = {0};
    for (int i = 0; i < 4 * AUTOTUNE_CALLS; i++) {
        make_call(&first, comm, 50, 60);
        make_call(&second, comm, 5000, 10);
        now_ns += 100;
    }
    expect(first.calls_left > 0 && first.ours, "the other trial does not mislead the first one");
    expect(second.calls_left > 0 && !second.ours, "the other trial does not mislead the second one");
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

static void test_predictions(const struct live_comm *comm)
{
    struct autotune autotune = {0};
    expect(autotune_begin_with(&autotune, true), "a prediction is taken before the first trial");
    expect(!autotune_begin_with(&autotune, false), "a second prediction is not");
    expect(calls_held(&autotune, true) == AUTOTUNE_PREDICTED, "a prediction holds for some calls");
    run_trial(&autotune, comm, 20, 10);
    expect(calls_held(&autotune, false) == 1024, "a trial corrects it");
    autotune = (struct autotune){0};
    autotune_begin_with(&autotune, true);
    calls_held(&autotune, true);
    run_trial(&autotune, comm, 15, 20);
    expect(autotune.calls_left == 0, "a prediction is no vote");
    run_trial(&autotune, comm, 15, 20);
    expect(calls_held(&autotune, true) == 256, "a trial confirms it");
    expect(!autotune_begin_with(&autotune, false), "after trials there is no prediction");
}

/* Ways that are as fast as each other. */
static void test_least_gain(const struct live_comm *comm)
{
    for (int ours_ns = 90; ours_ns <= 110; ours_ns++) {
        struct autotune autotune = {0};
        for (int i = 0; i < 2; i++) {
            for (int call = 0; call < AUTOTUNE_CALLS; call++)
                make_call(&autotune, comm, ours_ns, 100), now_ns += call % 5 * 50;
        }
        expect(calls_held(&autotune, ours_ns <= 94) == 256, "our way is taken where it gains a sixteenth");
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
    expect(calls_held(&autotune, false) == 256, "two of three are enough, for few calls");
    run_trial(&autotune, &comm, 20, 11);
    expect(calls_held(&autotune, false) == 512, "and what was found before is a vote");
    run_trial(&autotune, &comm, 20, 10);
    expect(calls_held(&autotune, false) == 1024, "what is clear now is held as what is clear at first");
    test_least_gain(&comm);
    for (int period = 1; period <= 4; period++)
        for (int phase = 0; phase < period; phase++)
            for (int faster = 0; faster < 2; faster++)
                expect(finds_ours(&comm, period, phase, faster) == faster, "periods do not mislead it");
    test_predictions(&comm);
    test_steps(&comm);
    test_two_trials(&comm);
    return failures > 0;
}
