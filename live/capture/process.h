#ifndef HELIO_CAPTURE_PROCESS_H
#define HELIO_CAPTURE_PROCESS_H

#include <stdbool.h>

#include "live/capture/poll_times.h"

/* Whether this process records its calls, the lock that threads take for that, and the computation between
 * calls. */

/* Which threads may call the MPI. */
enum process_threads { THREADS_ONE, THREADS_IN_TURN, THREADS_AT_ONCE };

/* Begins to record; computation counts from here. `skips_polls`: of polls that find nothing, some need not be
 * timed. */
void process_start(double operations_per_s, enum process_threads threads, bool skips_polls);
/* Stops; writes what this thread has computed since its last call. */
void process_stop(void);
bool process_is_recording(void);
/* Several threads may call MPI at once. */
bool process_is_threaded(void);

/* A call begins, which `caller` makes, in a function of the MPI that has this frame. Writes what the thread
 * has computed since its last call. False: the call is not recorded, since the capture has not begun or is
 * over, or the call was made by the MPI inside another call. After true, lines may be written until
 * capture_leave(). capture_pause() and capture_resume() enclose the MPI's own work, in which other threads
 * may record. */
bool capture_enter(const void *caller, const void *frame);
/* The same for a call that may find nothing, such as MPI_Test: what the thread has computed is written by a
 * later call, or by capture_found(), before the lines of what this call has found. */
bool capture_enter_poll(const void *caller, const void *frame);
void capture_found(void);
void capture_pause(void);
void capture_resume(void);
void capture_leave(void);
/* The MPI begins with a poll that is timed, and has ended. */
void capture_poll_begins(void);
void capture_poll_ends(void);
/* In place of capture_leave() after capture_enter_poll(). `is_long`: the MPI may have much to do in a poll,
 * such as a large message, so the next one is timed. */
void capture_leave_poll(bool is_long);

extern struct poll_times capture_polls;

/* A poll that is not timed needs no more than these, since a program makes many millions of them. The number
 * of polls that are left is negative during such a poll: calls that the MPI makes inside it are not recorded.
 * If the poll finds nothing, capture_leave_untimed() is all that follows. Otherwise capture_end_untimed()
 * comes first, and then what follows other polls. */
static inline bool capture_may_be_untimed(void)
{
    return capture_polls.left > 0;
}

static inline void capture_enter_untimed(void)
{
    capture_polls.left = -capture_polls.left;
}

static inline void capture_leave_untimed(void)
{
    capture_polls.left = -capture_polls.left - 1;
}

void capture_end_untimed(const void *caller, const void *frame);

#endif
