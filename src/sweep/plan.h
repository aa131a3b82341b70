#ifndef HELIO_SWEEP_PLAN_H
#define HELIO_SWEEP_PLAN_H

#include "sweep/sweep.h"

/* The runs that points are, each contents once, and what they are in a store. A plan is made apart from the
 * store, which others may wait for: it takes long where points are many. */
struct plan {
    const struct sweep_point *points;
    size_t count;
    size_t *run_of;       /* of each point: its run, counted from 0 in the order of the points */
    struct store *drafts; /* the runs, run i as i + 1; of nobody else */
    size_t runs;
    int64_t *ids; /* of each run, in the store */
    size_t *todo; /* points to run, each contents once */
    size_t todo_count;
};

/* STATUS_BAD_INPUT, reported: a point is wrong. To be freed also on errors. */
enum status plan_make(struct plan *plan, const struct sweep_point *points, size_t count);
void plan_free(struct plan *plan);

/* Fills in ids and todo from the store, where what is not there yet is added as planned, in a transaction of
 * the caller's; the drafts are gone then. Options say which shard is to be run. */
enum status plan_enter(struct plan *plan, struct store *store, const struct sweep_options *options);
/* The same where nothing is added; the ids of what is not there are 0. */
enum status plan_compare(struct plan *plan, struct store *store, const struct sweep_options *options);

#endif
