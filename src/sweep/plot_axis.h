#ifndef HELIO_SWEEP_PLOT_AXIS_H
#define HELIO_SWEEP_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A numeric axis of a figure: its scale, its range and its tics, which have units as people write them, such
 * as "10 us" and "1 MiB". */

/* What the values of an axis are. Values of all but PLOT_WORDS are in base units: seconds, bytes, bytes per
 * second, operations per second. */
enum plot_unit {
    PLOT_WORDS, /* no numbers of one kind: they stand side by side */
    PLOT_NUMBER,
    PLOT_TIME,
    PLOT_SIZE,
    PLOT_RATE,
    PLOT_FLOPS,
};

/* A value as a number in base units; PLOT_WORDS: it is none. */
enum plot_unit plot_unit_of(const char *text, double *number);

/* As a user may choose it. PLOT_SCALE_FITTING: logarithmic if the values are a geometric sequence, or the
 * largest is more than ten times the smallest above 0. */
enum plot_scale { PLOT_SCALE_FITTING, PLOT_SCALE_LINEAR, PLOT_SCALE_LOG };

struct plot_axis {
    enum plot_unit unit;
    bool is_across; /* horizontal */
    bool is_log;
    bool is_binary;       /* sizes in KiB and numbers in powers of 2 */
    int labels;           /* that have room, at most */
    double low, high;     /* the range that is drawn */
    const double *values; /* where tics stand, in ascending order; NULL: at round values */
    size_t count;
};

/* Values in ascending order; they must live as long as the axis. Tics stand at the values if few are there
 * and have room, as on a horizontal axis. */
struct plot_axis plot_axis_of_values(enum plot_unit unit, const double *values, size_t count,
                                     enum plot_scale scale);

/* A vertical axis for results from `least`, above 0, to `most`. A linear axis begins at 0. */
struct plot_axis plot_axis_of_results(enum plot_unit unit, double least, double most, enum plot_scale scale);

/* Writes `set xrange`, `set logscale` and `set xtics` of gnuplot; `letter` is x or y. */
void plot_axis_print(const struct plot_axis *axis, char letter, FILE *out);

#endif
