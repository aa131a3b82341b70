#ifndef HELIO_REPRODUCE_INTERNAL_H
#define HELIO_REPRODUCE_INTERNAL_H

#include <stdio.h>

#include "base/param.h"
#include "output/json.h"
#include "reproduce/configuration.h"
#include "reproduce/paper.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"

/* What the files of this room share. */

enum verdict {
    VERDICT_REPRODUCED, /* within the tolerance */
    VERDICT_PREDICTED,  /* within the tolerance, and held out from the fit that it depends on */
    VERDICT_FITTED,     /* within the tolerance, which chose a value that it depends on */
    VERDICT_INPUT,      /* a number of the paper that was put in */
    VERDICT_DEVIATES,
    VERDICT_MEASURED,       /* the paper has words and no number, or the item has no tolerance */
    VERDICT_NOT_COMPUTABLE, /* from what the paper says */
    VERDICT_NOT_RUN,
    VERDICTS
};

struct reproduction_row {
    const struct published_item *published;
    const struct configuration *configuration; /* NULL: the same in all, or in none */
    const char *variant;                       /* beside all configurations; NULL: of one */
    char *name;                                /* item, item/configuration or item/variant */
    double ours, deviation_percent;
    enum verdict verdict;
    char *note;
    const char *experiment; /* that shows the cause in the note */
};

struct reproduction {
    const struct paper *paper;
    bool quick, searches;
    const char *wanted; /* a pattern of items; NULL: all */
    struct published published;
    struct configurations configurations;
    const struct configuration *configuration; /* in which the paper is being computed */
    struct runs *runs;
    const char *failed_because; /* why a run asked for since the last item failed; NULL = none did */
    struct reproduction_row *rows;
    size_t row_count, row_capacity;
    json_t *figures;
    bool figure_is_left_out; /* that which points are given for */
    json_t *point;           /* given last; NULL: it was left out */
    bool broken;             /* the paper gave an item that is not published, or a sweep cannot be read */
};

/* Loads what a paper declares, and opens its runs. Close it in any case. */
enum status reproduction_open(struct reproduction *reproduction, const struct paper *paper,
                              const struct reproduce_options *options);
void reproduction_close(struct reproduction *reproduction);
/* Calls the paper in each configuration until all runs that it asks for are there, and completes the rows. */
enum status reproduction_complete(struct reproduction *reproduction);
/* Lets the paper's code add the rows and figures of one configuration. */
void reproduction_compute(struct reproduction *reproduction, const struct configuration *configuration);

const char *verdict_name(enum verdict verdict);
void rows_clear(struct reproduction *reproduction);
/* Adds a row for each published item that has none, and sorts all rows in the order of the published items.
 */
void rows_complete(struct reproduction *reproduction);
size_t rows_count(const struct reproduction *reproduction, enum verdict verdict);
/* Counts published numbers and claims by their verdict in one configuration: all, or the searched ones that
 * are held out. */
enum numbers { NUMBERS_ALL, NUMBERS_HELD_OUT };
void numbers_count(const struct reproduction *reproduction, const struct configuration *configuration,
                   enum numbers which, size_t counts[static VERDICTS]);
/* How many of these are as published: reproduced, predicted or fitted. */
size_t numbers_met(const size_t counts[static VERDICTS]);
/* The configuration that meets most numbers, the first of several. */
const struct configuration *configuration_best(const struct reproduction *reproduction);
/* Makes the same choices in all configurations: "coloring=initial p3m_5=26"; NULL: none. A search then varies
 * them no more. False, reported: there is no such unknown or value. */
bool configurations_change(struct reproduction *reproduction, const char *changes);
/* Whether a row is that of its item in this configuration. */
bool row_is_of(const struct reproduction_row *row, const struct configuration *configuration);

/* write.c, gnuplot.c and figures.c: what is written of a reproduction, to standard output or into files. */
void summary_write(const struct reproduction *reproduction, FILE *out);
/* A table with a line for each configuration, or paper, and a column for each verdict. */
void counts_write_header(const char *first, FILE *out);
void counts_write(const char *first, const size_t counts[static VERDICTS], FILE *out);
void rows_write_header(FILE *out);
void rows_write(const struct reproduction *reproduction, FILE *out);    /* NAME.csv without its header */
void figures_write(const struct reproduction *reproduction, FILE *out); /* NAME-figures.csv */
void gnuplot_write(const struct reproduction *reproduction, FILE *out); /* NAME-figures.gp, which draws it */
enum { FIGURE_DIGITS = 9 };                                             /* of real numbers in JSON */
json_t *paper_json(const struct reproduction *reproduction);            /* without the figures */
char *page_json(const struct reproduction *reproduction);               /* to be freed */

/* reproduce_paper(); `seen` is called with what came out before it is freed. */
typedef void reproduction_seen(void *self, const struct reproduction *reproduction);
enum status reproduce_paper_seen(const struct paper *paper, const struct reproduce_options *options,
                                 reproduction_seen *seen, void *self);

#endif
