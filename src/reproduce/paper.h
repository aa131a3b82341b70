#ifndef HELIO_REPRODUCE_PAPER_H
#define HELIO_REPRODUCE_PAPER_H

#include <stdbool.h>

#include "reproduce/runs.h"
#include "sweep/sweep.h"

/* What a paper is written with. CONTRIBUTING.md, "A paper", says how to add one. */
struct reproduction; /* one paper being reproduced */

struct paper {
    const char
        *name; /* of the folder papers/NAME, the command `helio reproduce NAME`, and the files written */
    const char *title;
    const char
        *headline; /* the configuration that meets most numbers, of which --item speaks; NULL: not known */
    /* Asks for runs, computes from them, and gives items and figures. It is called again until all runs that
     * it asks for are there. It keeps nothing between calls, and what it gave before is dropped. What it
     * computes from a missing run is NaN. */
    void (*reproduce)(struct reproduction *reproduction);
};

/* Defines the paper of the folder papers/NAME as NAME_paper. The build puts it into the list of papers. */
#define PAPER(word, paper_title, paper_headline, function)                                                   \
    extern const struct paper word##_paper;                                                                  \
    const struct paper word##_paper = {                                                                      \
        .name = #word, .title = (paper_title), .headline = (paper_headline), .reproduce = (function)}

/* Whether to leave out what takes long. */
bool reproduction_is_quick(const struct reproduction *reproduction);
/* Whether this is a try of a search. A quick one may compute something smaller than what was published. */
bool reproduction_is_try(const struct reproduction *reproduction);

/* The paper is computed in each of its configurations (configuration.h). All runs have the parameters of the
 * configuration; for what is not a parameter the paper's code asks here. The unknown has to be in
 * papers/NAME/unknowns.csv. */
const char *reproduction_choice(struct reproduction *reproduction, const char *unknown);
bool reproduction_chooses(struct reproduction *reproduction, const char *unknown, const char *value);
/* Whether this configuration is the first one: what does not depend on configurations is computed then. */
bool reproduction_is_first(const struct reproduction *reproduction);

/* A search asks only for items with the role "searched", in configurations that are none of the paper's own;
 * --item asks only for some; both draw nothing. Whether an item whose name begins so is wanted; and figures.
 */
bool reproduction_wants(const struct reproduction *reproduction, const char *prefix);
bool reproduction_draws(const struct reproduction *reproduction);

/* A run of a workload, or of a trace: "trace:FILE". `settings` are assignments separated by blanks,
 * "fmu.count=16 seed=2", or NULL. The result is never NULL: all numbers of a run that is missing or has
 * failed are NaN. */
const struct run_facts *reproduction_run(struct reproduction *reproduction, const char *fabric,
                                         const char *workload, const char *settings);

/* What the fabric of a run counted for each link or each buffer (runs.h). The caller frees *values. */
size_t reproduction_series(struct reproduction *reproduction, const struct run_facts *facts, const char *name,
                           double **values);

/* The run of a program that repeats itself, from two shorter ones: it goes on after `more` with `further`
 * times what `more` does and `fewer` does not. Times, messages, bytes, idle seconds, counters and sums grow
 * so, and queue_wait_mean_s is the mean of what has grown; all other metrics are NaN. */
const struct run_facts *reproduction_run_longer(struct reproduction *reproduction, const char *fabric,
                                                const char *fewer, const char *more, double further,
                                                const char *settings);

/* What a run that cannot be made is: its numbers are NaN, and the next item is not run for this reason, a
 * text that stays valid. */
const struct run_facts *reproduction_run_missing(struct reproduction *reproduction, const char *reason);

/* A run of an experiment file that has a sweep (docs/sweep.md). */
struct swept_run {
    const char *fabric;
    const struct sweep_setting *values; /* what the sweep gave it */
    size_t count;
    const struct run_facts *facts;
    double speedup; /* over the fabric that is the file's `baseline`; NaN without one */
};
typedef void swept_visit(void *self, struct reproduction *reproduction, const struct swept_run *run);

/* The value of a parameter that the sweep varies, in canonical form ("5 us"); "" of one that it does not
 * vary. */
const char *swept_value(const struct swept_run *run, const char *name);

/* Asks for the runs of an experiment file in papers/, "papers/fmu/switch-time.yaml", and visits each, except
 * those of the baseline. */
void reproduction_sweep(struct reproduction *reproduction, const char *path, void *self, swept_visit *visit);

/* The default of a parameter that is a quantity, in its base unit (units.h; times in ps); NaN where there is
 * no such parameter. */
double reproduction_parameter(const char *name);

/* The published number itself, for what is fitted to it; NaN where there is none. */
double reproduction_published(const struct reproduction *reproduction, const char *item);

/* Our value of a published number, in its unit. `item` is its name in published.csv. `variant` is NULL for
 * the value in this configuration; else it names another way, which is shown and does not count. NaN: the
 * item is not run, and the reason is that of a failed run that was asked for since the item before. */
void reproduction_item(struct reproduction *reproduction, const char *item, const char *variant, double ours);
/* The same, the item's name made from a format. */
void reproduction_item_format(struct reproduction *reproduction, const char *variant, double ours,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The number was not computed, for this reason. */
void reproduction_skip(struct reproduction *reproduction, const char *item, const char *variant,
                       const char *reason);

enum figure_kind {
    FIGURE_LINES, /* x is a number */
    FIGURE_BARS,  /* x is a name; the bars of one name stand side by side */
    FIGURE_MAP    /* x and series are names, y is a colour: above 1 a gain, below 1 a loss */
};

struct figure {
    const char *id;    /* "figure-13": of the element, and of the file of numbers */
    const char *title; /* "Figure 13: ..." */
    const char *says;  /* what is seen, in a sentence or two; NULL = nothing */
    const char *how;   /* how to read it; NULL = nothing */
    const char *x, *y; /* what the axes show, with unit; of a map: x and colour */
    enum figure_kind kind;
    bool x_log, y_log;
    double reference; /* a line across at this value; 0 = none */
    bool is_common;   /* to all configurations: drawn once */
};

/* Begins a figure; its texts are copied. Its id and title name the configuration where there are several. */
void reproduction_figure(struct reproduction *reproduction, const struct figure *figure);
/* A point of the figure begun last, in one of its panels. A point that is NaN is left out. */
void reproduction_point(struct reproduction *reproduction, const char *panel, const char *series,
                        const char *x, double y);
void reproduction_point_at(struct reproduction *reproduction, const char *panel, const char *series, double x,
                           double y);
/* The point given last shows this item: the page draws the published number over it. */
void reproduction_point_of(struct reproduction *reproduction, const char *item);

#endif
