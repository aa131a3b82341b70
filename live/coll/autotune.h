#ifndef HELIO_LIVE_COLL_AUTOTUNE_H
#define HELIO_LIVE_COLL_AUTOTUNE_H

#include <stdbool.h>
#include <stdint.h>

struct live_comm;

/* Chooses between the library's way of a collective and the MPI's by measuring both. A trial measures
 * AUTOTUNE_CALLS calls. The way that it finds faster is taken for `period` calls; then comes the next trial.
 * All ranks of the communicator come to the same decision.
 *
 * A call is measured in two ways: its own time, and its step, which is the time since the call before it. The
 * step shows what the call does to the rest of the program: ranks that need not wait in a gather may wait for
 * one another in the next barrier instead. */
enum { AUTOTUNE_CALLS = 16, AUTOTUNE_ROW = AUTOTUNE_CALLS / 4, AUTOTUNE_TAKEN = 2 * (AUTOTUNE_ROW - 1) };

struct autotune {
    uint32_t calls;      /* of the present trial so far */
    uint64_t calls_left; /* until the next trial; 0: a trial is going on */
    uint64_t period;     /* calls for which the last decision was taken; 0: there was none */
    bool ours;           /* the last decision: the library's way */
    uint32_t votes[2];   /* for each way, from the repetitions of the present trial */
    uint32_t taken[2];   /* times in ns, for each way */
    int64_t ns[2][AUTOTUNE_TAKEN], step_ns[2][AUTOTUNE_TAKEN];
    int64_t ended_ns; /* the end of the call before this one */
    int64_t tried_ns; /* the time of all measured calls of this process until then */
};

/* True: the next call goes the library's way. *measured: its time is expected by autotune_add_time. */
bool autotune_next(struct autotune *autotune, bool *measured);

/* Takes a decision that trials elsewhere have come to, until the first trial here. */
void autotune_take(struct autotune *autotune, bool ours);

/* Takes a way that is predicted, and not measured, for AUTOTUNE_PREDICTED calls, if nothing has been tried so
 * far. True: it is taken. */
enum { AUTOTUNE_PREDICTED = 128 };
bool autotune_begin_with(struct autotune *autotune, bool ours);

/* Adds a measured call, from `began_ns` to `ended_ns` on the clock of this rank. Collective, as it may end
 * the trial. `what` names the call in messages: "MPI_Alltoallv". True: the trial has come to a decision,
 * autotune->ours. */
bool autotune_add_time(struct autotune *autotune, const struct live_comm *comm, bool ours, int64_t began_ns,
                       int64_t ended_ns, const char *what);

#endif
