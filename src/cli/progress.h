#ifndef HELIO_CLI_PROGRESS_H
#define HELIO_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "sim/result.h"

/* A line on standard error that says how far a run or a sweep is and when it will be done: on a terminal
 * only, after two seconds. It is wiped at the end. */
struct progress_line {
    double began_s, shown_s;
    bool visible;
};

void progress_begin(struct progress_line *progress);

/* Shows a run, which goes on: true. `self` is the progress_line. */
bool progress_show(void *self, const char *what, uint64_t calls, uint64_t total_calls, ps_t now);

/* Shows a sweep, and wipes the line when it has ended. `self` is the progress_line. */
void progress_show_runs(void *self, size_t ended, size_t to_run);

void progress_wipe(struct progress_line *progress);

/* Wipes the line. On a terminal it says how fast the run was simulated, which is no part of its result. */
void progress_end(struct progress_line *progress, const struct result *result);

#endif
