#ifndef HELIO_REPRODUCE_REPRODUCE_H
#define HELIO_REPRODUCE_REPRODUCE_H

#include <stdbool.h>

#include "base/status.h"

/* The papers, recomputed: each published number beside ours. docs/reproduce-fmu.md and its like */
struct paper;

/* All papers there are; ends with NULL. */
extern const struct paper *const papers[];
const char *paper_name(const struct paper *paper);
const char *paper_title(const struct paper *paper);

struct reproduce_options {
    const char *folder; /* where the files go; it is made if it is not there */
    bool quick;         /* leave out what takes long */
    unsigned jobs;      /* runs at a time; 0 = as many as there are processors */
};

/* Runs what a paper needs and what is not in FOLDER/runs.db yet, prints a summary on standard output, and
 * writes into the folder: NAME.csv, a line per published number; NAME-figures.csv, a line per point of its
 * figures; NAME-figures.gp, a gnuplot script that draws them; NAME.html, both drawn. Numbers that deviate are
 * a result and no failure: STATUS_FAILED is for files that cannot be written. */
enum status reproduce_paper(const struct paper *paper, const struct reproduce_options *options);

/* Every paper of a list that ends with NULL in this way, also when one of them fails; then what they come to
 * together: a table on standard output, all.csv and all.html. The first status that is not STATUS_OK. */
enum status reproduce_all(const struct paper *const *list, const struct reproduce_options *options);

#endif
