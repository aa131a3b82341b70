#ifndef HELIO_CAPTURE_PROCESS_H
#define HELIO_CAPTURE_PROCESS_H

#include <stdbool.h>

/* Whether this process records its calls, the lock that threads take for that, and the computation between
 * calls. */

/* Begins to record; computation counts from here. */
void process_start(double operations_per_s, bool is_threaded);
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

#endif
