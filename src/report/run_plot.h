#ifndef HELIO_REPORT_RUN_PLOT_H
#define HELIO_REPORT_RUN_PLOT_H

#include <stdbool.h>

#include "base/status.h"

/* A figure for a paper from the output of `helio run --json`. plot.csv has a line for each fabric; plot.gp is
 * a gnuplot script with the same numbers that draws each fabric's time as a bar of computation and waiting,
 * or with `shows_speedup` its speedup over the first fabric. Makes the folder. STATUS_BAD_INPUT, reported:
 * the file is not such an output, or the folder exists. */
enum status run_plot_write(const char *results, const char *folder, bool shows_speedup);

/* Whether the file is JSON and not a sweep's results. False also if it cannot be read. */
bool run_plot_is_json(const char *path);

#endif
