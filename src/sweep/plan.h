#ifndef HELIO_SWEEP_PLAN_H
#define HELIO_SWEEP_PLAN_H

#include "sweep/sweep.h"

/* The runs that the points of a sweep lead to. Points of the same contents, and therefore of the same key,
 * lead to one run. Planning many points takes long, so the plan is made in a store of its own, and others can
 * use the real store meanwhile. */
struct sweep_plan {
    const struct sweep_point *points;
    size_t count;
    size_t *run_of;       /* of each point: its run, counted from 0 in the order of the points */
    struct store *drafts; /* the runs; run i has the id i + 1. Only the plan uses this store */
    size_t runs;
    int64_t *ids; /* of each run, in the real store */
    size_t *todo; /* points to run, one for each run */
    size_t todo_count;
    size_t kept; /* runs that the store has results of */
};

/* Adds what the points show to `findings`; NULL: nobody asks. STATUS_BAD_INPUT, reported: a point is wrong.
 * Free the plan also after an error. */
struct sweep_findings;
enum status sweep_plan_init(struct sweep_plan *plan, const struct sweep_point *points, size_t count,
                            struct sweep_findings *findings);
void sweep_plan_free(struct sweep_plan *plan);

/* Adds the runs that the store does not have as planned, and fills in ids, todo and kept. `options` say which
 * shard is to be run. Call it in a transaction. It closes the drafts. */
enum status sweep_plan_enter(struct sweep_plan *plan, struct store *store,
                             const struct sweep_options *options);
/* Fills in ids and todo but adds nothing; the id of a run that the store does not have is 0. */
enum status sweep_plan_compare(struct sweep_plan *plan, struct store *store,
                               const struct sweep_options *options);

#endif
