#ifndef HELIO_REPRODUCE_INTERNAL_H
#define HELIO_REPRODUCE_INTERNAL_H

#include <jansson.h>
#include <stdio.h>

#include "reproduce/paper.h"
#include "reproduce/published.h"
#include "reproduce/reproduce.h"

/* What the files of this room share. */
enum verdict {
    VERDICT_REPRODUCED, /* within the tolerance */
    VERDICT_DEVIATES,
    VERDICT_MEASURED, /* the paper says it in words only */
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
    const char *failed_because; /* of a run asked for since the last item; NULL = none failed */
    struct reproduction_row *rows;
    size_t row_count, row_capacity;
    json_t *figures;
    bool broken; /* the paper's file named an item that is not published */
};

const char *verdict_name(enum verdict verdict);
void rows_clear(struct reproduction *reproduction);
/* A row for each published item that nothing was given for, so that none gets lost; all in the order in which
 * the items are published. */
void rows_complete(struct reproduction *reproduction);
size_t rows_count(const struct reproduction *reproduction, enum verdict verdict);
/* Published numbers and claims, each once: one that is computed in several ways has the verdict of the way
 * that comes out best; those in words only are "measured", or "not run". */
void numbers_count(const struct reproduction *reproduction, size_t counts[static VERDICTS]);

/* What is written of a reproduction; all but the summary into files. */
enum status write_summary(const struct reproduction *reproduction, FILE *out);
void write_rows_header(FILE *out);
void write_rows(const struct reproduction *reproduction, FILE *out);    /* NAME.csv, but for its header */
void write_figures(const struct reproduction *reproduction, FILE *out); /* NAME-figures.csv */
void write_gnuplot(const struct reproduction *reproduction, FILE *out); /* NAME-figures.gp, which draws it */
json_t *paper_json(const struct reproduction *reproduction);            /* all but the figures */
char *page_json(const struct reproduction *reproduction);               /* to be freed */
char *json_text(json_t *taken);                                         /* to be freed */

/* reproduce_paper(), and `seen` is shown what came out before it is forgotten. */
typedef void reproduction_seen(void *self, const struct reproduction *reproduction);
enum status reproduce_paper_seen(const struct paper *paper, const struct reproduce_options *options,
                                 reproduction_seen *seen, void *self);

#endif
