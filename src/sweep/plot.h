#ifndef HELIO_SWEEP_PLOT_H
#define HELIO_SWEEP_PLOT_H

#include <stdbool.h>

#include "sweep/results_table.h"

/* A sweep's results as a figure for a paper: plot.csv, a line for each value of one parameter and for each
 * series its mean and half of its 95 % confidence interval, and plot.gp, the gnuplot script that draws it. */
struct plot_request {
    const char *x;      /* a varied parameter; NULL = the first of them */
    bool shows_speedup; /* over the baseline, instead of time */
};

/* Makes the folder. STATUS_BAD_INPUT, reported: nothing is varied, not that parameter, no baseline, or the
 * folder exists. */
enum status plot_write(const struct results_table *results_table, const struct plot_request *request,
                       const char *folder);

#endif
