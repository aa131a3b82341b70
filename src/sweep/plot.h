#ifndef HELIO_SWEEP_PLOT_H
#define HELIO_SWEEP_PLOT_H

#include <stdbool.h>

#include "sweep/results_table.h"

/* A sweep's results as a figure for a paper. plot.csv has a line for each value of one parameter, and in it
 * for each series the mean and half of the 95 % confidence interval. plot.gp is a gnuplot script with the
 * same numbers that draws them. */
struct plot_request {
    const char *x;      /* a varied parameter; NULL = the first one */
    bool shows_speedup; /* instead of time */
};

/* Makes the folder and writes both files. STATUS_BAD_INPUT, reported: no parameter is varied, `x` is not
 * varied, speedups have no baseline, or the folder exists. */
enum status plot_write(const struct results_table *results_table, const struct plot_request *request,
                       const char *folder);

#endif
