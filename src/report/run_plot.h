#ifndef HELIO_REPORT_RUN_PLOT_H
#define HELIO_REPORT_RUN_PLOT_H

#include <stdbool.h>

#include "base/status.h"

/* The result that `helio run --json` has printed as a figure for a paper: plot.csv, a line for each fabric,
 * and plot.gp, the gnuplot script that draws it: each fabric's time as a bar of what its ranks computed and
 * what they waited, or with `shows_speedup` its speedup over the first. Makes the folder. STATUS_BAD_INPUT,
 * reported: the file is none of that kind, or the folder exists. */
enum status run_plot_write(const char *results, const char *folder, bool shows_speedup);

/* Whether the file holds JSON, and not a sweep's results. False also when it cannot be read. */
bool run_plot_is_json(const char *path);

#endif
