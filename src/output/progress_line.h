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

/* How far a task was. */
struct progress_mark {
    double share, elapsed_s;
};

/* A task, as it is at one drawing. */
struct progress_state {
    const char *name;
    uint64_t done, total;   /* parts; total 0: not known */
    ps_t simulated;         /* 0: not known */
    double elapsed_s;       /* since the task began */
    unsigned shown_percent; /* what the line has said before; 0 at first */
    /* Of earlier drawings, the older one first; the newer one is at most half as old as the task. 0 at first.
     */
    struct progress_mark marks[2];
};

/* Writes the line into text. The percentage does not go down, and is at most 99, because the line disappears
 * when the task is done. The time to go is what the rest takes at the speed since the older mark: the last
 * half of the time or more, since a part of a task may go on more slowly than what came before. */
void progress_line_print(struct progress_state *state, char *text, size_t size);

#endif
