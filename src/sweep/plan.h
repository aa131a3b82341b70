#ifndef HELIO_SWEEP_PLAN_H
#define HELIO_SWEEP_PLAN_H

#include "sweep/sweep.h"

/* Points in a store: where each has its row, and which are to be run. */
struct plan {
    const struct sweep_point *points;
    size_t count;
    int64_t *ids; /* of each point's run */
    size_t *todo; /* points to run, each contents once */
    size_t todo_count;
};

/* Adds what is not in the store yet as planned, in a transaction of the caller's. Options say which shard is
 * to be run. To be freed also on errors. */
enum status plan_make(struct plan *plan, struct store *store, const struct sweep_point *points, size_t count,
                      const struct sweep_options *options);
void plan_free(struct plan *plan);

#endif
