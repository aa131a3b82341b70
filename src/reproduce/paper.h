#ifndef HELIO_REPRODUCE_PAPER_H
#define HELIO_REPRODUCE_PAPER_H

#include <stdbool.h>

#include "reproduce/runs.h"
#include "sweep/sweep.h"

/* What the file of a paper is made of. CONTRIBUTING.md, "A paper", says how to add one. */
struct reproduction;

struct paper {
    const char
        *name; /* of the folder papers/NAME, the command `helio reproduce NAME`, and the files written */
    const char *title;
    /* Asks for runs, computes from them, gives items and figures. It is called again and again, until it asks
     * for no run that is not there: so it keeps nothing between calls, and what it gave before is forgotten.
     * What it computes from missing runs is NaN all by itself. */
    void (*reproduce)(struct reproduction *reproduction);
};

/* Defines the paper of the folder papers/FOLDER, FOLDER_paper, which the build puts into the list of papers.
 */
#define PAPER(folder, paper_title, function)                                                                 \
    extern const struct paper folder##_paper;                                                                \
    const struct paper folder##_paper = {.name = #folder, .title = (paper_title), .reproduce = (function)}

/* Whether what takes long is to be left out. */
bool reproduction_is_quick(const struct reproduction *reproduction);

/* One run, as far as it is there. `settings`: assignments separated by blanks, "fmu.count=16 seed=2", or
 * NULL. Never NULL; a run that is not there, or that failed, has nothing but NaN. */
const struct run_facts *reproduction_run(struct reproduction *reproduction, const char *fabric,
                                         const char *workload, const char *settings);

/* A run of an experiment file that has a sweep (docs/sweep.md). */
struct swept_run {
    const char *fabric;
    const struct sweep_setting *values; /* what the sweep gave it */
    size_t count;
    const struct run_facts *facts;
    double speedup; /* over the fabric that is the file's `baseline`; NaN without one */
};
typedef void swept_visit(void *self, struct reproduction *reproduction, const struct swept_run *run);

/* The value of a parameter that the sweep varies, in canonical form ("5 us"); "" where it does not. */
const char *swept_value(const struct swept_run *run, const char *name);

/* Asks for the runs of an experiment file of the paper's, "papers/fmu/switch-time.yaml", and visits each but
 * those of the baseline. */
void reproduction_sweep(struct reproduction *reproduction, const char *path, void *self, swept_visit *visit);

/* The default of a parameter that is a quantity, in its base unit (units.h; times in ps); NaN if there is no
 * such. */
double reproduction_parameter(const char *name);

/* The published number itself, NaN where there is none: for what is fitted to it. */
double reproduction_published(const struct reproduction *reproduction, const char *item);

/* What came out for a published number, in its unit. `item` is its name in published.csv; `variant`, or NULL,
 * tells apart what was computed for it in several ways ("correct", "simplecomm"). NaN, and the item is not
 * run, for the reason that one of the runs asked for since the item before failed. */
void reproduction_item(struct reproduction *reproduction, const char *item, const char *variant, double ours);
/* The same, the item's name made from a format. */
void reproduction_item_format(struct reproduction *reproduction, const char *variant, double ours,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* It was not computed, for this reason. */
void reproduction_skip(struct reproduction *reproduction, const char *item, const char *variant,
                       const char *reason);

enum figure_kind {
    FIGURE_LINES, /* x is a number */
    FIGURE_BARS,  /* x is a name; the bars of one name stand side by side */
    FIGURE_MAP    /* x and series are names, y is a colour around 1: where it wins, where it loses */
};

struct figure {
    const char *id;    /* "figure-13": of the element, and of the file of numbers */
    const char *title; /* "Figure 13: ..." */
    const char *says;  /* in a sentence or two, what is seen; NULL = nothing */
    const char *how;   /* how to read it */
    const char *x, *y; /* what the axes show, with unit; of a map: x and colour */
    enum figure_kind kind;
    bool x_log, y_log;
    double reference; /* a line across at this value; 0 = none */
};

/* Begins a figure; its texts are copied. */
void reproduction_figure(struct reproduction *reproduction, const struct figure *figure);
/* A point of the figure begun last, in one of its panels; one that is NaN is left out. */
void reproduction_point(struct reproduction *reproduction, const char *panel, const char *series,
                        const char *x, double y);
void reproduction_point_at(struct reproduction *reproduction, const char *panel, const char *series, double x,
                           double y);

#endif
