#ifndef HELIO_OUTPUT_PROGRESS_LINE_H
#define HELIO_OUTPUT_PROGRESS_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* The line on a terminal that says how far a command is, and when the work will be done:
 *
 *     packet: 45 %, at 1.2 ms, 12 s to go
 *
 * The command line starts it once. It shows each task that base/progress.h is told of, from half a second
 * after the start on. It disappears when the task ends, and while a message is written. A thread draws it, so
 * that it goes on while the work has nothing to tell. */
void progress_line_start(void);
void progress_line_stop(void);

/* Wipes the line of a process that a signal ends. For signal handlers. */
void progress_line_abandon(void);

/* ------------------------------------------ what it says, for its test */

/* A task, as it is at one drawing. */
struct progress_state {
    const char *name;
    uint64_t done, total;   /* parts; total 0: not known */
    ps_t simulated;         /* 0: not known */
    double elapsed_s;       /* since the task began */
    unsigned shown_percent; /* what the line has said before; 0 at first */
};

/* Writes the line into text. The percentage does not go down, and is at most 99, because the line disappears
 * when the task is done. The time to go follows from the share that is done and the time that it took. */
void progress_line_print(struct progress_state *state, char *text, size_t size);

#endif
