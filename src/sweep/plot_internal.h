#ifndef HELIO_SWEEP_PLOT_INTERNAL_H
#define HELIO_SWEEP_PLOT_INTERNAL_H

/* What plot.c, which collects the numbers of a figure, plot_script.c, which draws them, and plot_caption.c
 * share. */

#include <string.h>

#include "sweep/plot.h"

struct plot {
    const struct results_table *results_table;
    const struct plot_request *request;
    const char *x, *y;
    struct mean_estimate *estimates;          /* of y, of each group */
    struct text_index values, series;         /* texts of x; names in plot.csv */
    size_t *first_group;                      /* of each series: the number of its first group */
    const struct results_table_group **cells; /* [value * series.count + series]; NULL = no run */
    enum plot_unit unit;                      /* of x */
};

static inline bool plot_shows_speedup(const struct plot *plot)
{
    return strcmp(plot->y, "speedup") == 0;
}

/* The name of a varied parameter. */
const char *plot_varied_at(const struct results_table *results_table, size_t index);
/* Whether a varied parameter is neither the fabric nor the seed. */
bool plot_is_axis(const char *name);
/* The row that stands for a series. */
const struct results_table_row *plot_series_row(const struct plot *plot, size_t series);
/* The result in a cell; NULL: there is none. */
const struct mean_estimate *plot_estimate(const struct plot *plot, size_t cell);
/* The place on the x axis. */
double plot_x(const struct plot *plot, size_t value);

/* In a figure of speedups: whether the series has points that differ from the baseline in more than the
 * fabric. */
bool plot_is_marked(const struct plot *plot, size_t series);
/* The lines that say why, below the figure. */
struct plot_caption {
    char **lines;
    size_t count, capacity;
};
void plot_caption_make(const struct plot *plot, struct plot_caption *caption);
double plot_caption_height_cm(const struct plot_caption *caption);
/* Sets labels of gnuplot at the bottom of a figure of this height. */
void plot_caption_print(const struct plot_caption *caption, double font_size, double height_cm, FILE *out);
void plot_caption_free(struct plot_caption *caption);

/* Writes the gnuplot script (plot_script.c). */
void plot_write_script(const struct plot *plot, FILE *out);

#endif
