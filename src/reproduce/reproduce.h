#ifndef HELIO_REPRODUCE_REPRODUCE_H
#define HELIO_REPRODUCE_REPRODUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The papers, recomputed: each published number beside ours (docs/reproduce.md). What a single paper needs
 * lies in papers/NAME.
 *
 *     reproduce.c     one paper from end to end; what papers ask for
 *     all.c           all papers, and what they come to together
 *     paper.h         what a paper is written with: runs, items, figures
 *     runs.c          runs, each made once and kept in a file of results
 *     longer.c        the run of a program that repeats itself, from two shorter ones
 *     swept.c         the runs of an experiment file that has a sweep
 *     csv.c           the tables of papers/NAME
 *     published.c     published numbers, and what is said of them
 *     configuration.c what a paper leaves open, and what is chosen for it
 *     items.c         a few numbers, each with all that is known of it
 *     search.c        the search for the configuration that meets most; attempts.c what it has tried;
 *                     search_worker.c a worker that makes tries for it
 *     rows.c          items: each published number with ours and a verdict
 *     figures.c       figures, and everything as JSON
 *     write.c         the summary and the CSV files; gnuplot.c the script; folder.c where they go
 *     papers.h        the files of papers/ that are in the program */
struct paper;
struct worker_pool;

/* All papers, in the order of their lines in src/rooms.txt; ends with NULL. The build makes the list. */
extern const struct paper *const papers[];
const char *paper_name(const struct paper *paper);
const char *paper_title(const struct paper *paper);

struct reproduce_options {
    const char *folder; /* where the files go; it is made where there is none */
    bool quick;         /* leave out what takes long */
    unsigned jobs;      /* runs at the same time; 0 = as many as there are processors */
    /* Of a search. `workers`: what makes the tries (reproduce_worker_open), NULL: this process; the search
     * shuts them down. `tried`, if it is not NULL, is called before the first try and after each: so many of
     * at most `tries` are kept. */
    uint64_t tries;
    struct worker_pool *workers;
    void (*tried)(size_t kept, size_t tries);
    /* Also of a search: a pattern of the items that it holds out, in place of what the roles `chooses` and
     * `tests` say; "none": it holds out none of these. NULL: as the roles say. */
    const char *held_out;
    /* Of reproduce_items. `configuration` may be NULL: that which meets most of them. */
    const char *items, *configuration;
    /* Of these and of a search: choices, "coloring=initial p3m_5=26", that hold in all configurations; NULL:
     * none. */
    const char *changes;
};

/* Makes the runs of a paper that are not in FOLDER/runs.db yet, prints a summary on standard output, and
 * writes into the folder: NAME.csv, a line for each published number; NAME-figures.csv, a line for each point
 * of its figures; NAME-figures.gp, a gnuplot script that draws them; NAME.html, both drawn. A number that
 * deviates is a result and no failure. STATUS_FAILED is reported: a file cannot be written, or the paper
 * gives an item that is not published. */
enum status reproduce_paper(const struct paper *paper, const struct reproduce_options *options);

/* Computes the numbers whose names fit the pattern `items`, in one configuration, and prints each with its
 * source, its verdict and its cause. It keeps the runs in FOLDER/runs.db, and writes nothing else.
 * STATUS_BAD_INPUT, reported: there is no such number, configuration or unknown. */
enum status reproduce_items(const struct paper *paper, const struct reproduce_options *options);

/* Searches for the configuration of a paper that meets most published numbers (search.c), prints what came
 * out, and writes FOLDER/found.yaml, the configuration with the path that led there, and the tries
 * (attempts.h). STATUS_CANCELLED, reported: a signal has ended it, and the tries so far are kept. */
enum status reproduce_search(const struct paper *paper, const struct reproduce_options *options);

/* A worker of a search: a pool (sweep/worker_pool.h) of one worker, which makes one try at a time in this
 * process, with its runs in processes of their own, and keeps nothing. A try is the number of a
 * configuration, and its answer our value of each searched item. *fingerprint is equal only where the tries
 * are: same version, paper and options. Its shutdown closes it. STATUS_FAILED, reported: there is nothing to
 * search. */
enum status reproduce_worker_open(const struct paper *paper, const struct reproduce_options *options,
                                  struct worker_pool *worker, uint64_t *fingerprint);

/* Reproduces each paper of a list that ends with NULL, and goes on when one of them fails. Then it writes
 * what they come to together: a table on standard output, all.csv and all.html. Returns the first status that
 * is not STATUS_OK. */
enum status reproduce_all(const struct paper *const *list, const struct reproduce_options *options);

#endif
