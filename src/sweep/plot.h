#ifndef HELIO_SWEEP_PLOT_H
#define HELIO_SWEEP_PLOT_H

#include <stdbool.h>

#include "base/param.h"
#include "sweep/plot_axis.h"
#include "sweep/results_table.h"

/* A sweep's results as a figure for a paper. plot.csv has a line for each value of one parameter, and in it
 * for each series - a fabric with one combination of the other parameters - the mean and half of the 95 %
 * confidence interval. plot.gp is a gnuplot script with the same numbers that draws them: a curve for each
 * series, except that series of one fabric with the same results are one curve (plot_script.c). */
struct plot_request {
    const char *x; /* a varied parameter; NULL = the first with numbers, or else the first */
    const char *y; /* results_table_estimate; NULL = makespan_s */
    enum plot_scale x_scale, y_scale;
    const struct param_assignment *where; /* fmu.count=8: only the runs with this value */
    size_t where_count;
};

/* Makes the folder and writes both files. STATUS_BAD_INPUT, reported: no parameter is varied, `x` is not
 * varied, speedups have no baseline, no run with the values of `where` has `y`, or the folder exists. */
enum status plot_write(const struct results_table *results_table, const struct plot_request *request,
                       const char *folder);

#endif
