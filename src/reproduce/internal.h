#ifndef HELIO_REPRODUCE_INTERNAL_H
#define HELIO_REPRODUCE_INTERNAL_H

#include <stdio.h>

#include "output/json.h"
#include "reproduce/paper.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"

/* What the files of this room share. */

enum verdict {
    VERDICT_REPRODUCED, /* within the tolerance */
    VERDICT_DEVIATES,
    VERDICT_MEASURED, /* the paper has words and no number, or the item has no tolerance */
    VERDICT_NOT_RUN,
    VERDICTS
};

struct reproduction_row {
    const struct published_item *published;
    char *name; /* item, or item/variant */
    double ours, deviation_percent;
    enum verdict verdict;
    char *note;
};

struct reproduction {
    const struct paper *paper;
    bool quick;
    struct published published;
    struct runs *runs;
    const char *failed_because; /* why a run asked for since the last item failed; NULL = none did */
    struct reproduction_row *rows;
    size_t row_count, row_capacity;
    json_t *figures;
    bool broken; /* the paper gave an item that is not published, or a sweep cannot be read */
};

const char *verdict_name(enum verdict verdict);
void rows_clear(struct reproduction *reproduction);
/* Adds a row for each published item that has none, and sorts all rows in the order of the published items.
 */
void rows_complete(struct reproduction *reproduction);
size_t rows_count(const struct reproduction *reproduction, enum verdict verdict);
/* Counts published numbers and claims by verdict, each once: the verdict of one that is computed in several
 * ways is that of the best way. */
void numbers_count(const struct reproduction *reproduction, size_t counts[static VERDICTS]);

/* write.c, gnuplot.c and figures.c: what is written of a reproduction, to standard output or into files. */
void summary_write(const struct reproduction *reproduction, FILE *out);
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
