#ifndef HELIO_SWEEP_WORKER_POOL_H
#define HELIO_SWEEP_WORKER_POOL_H

#include "sweep/plan.h"

/* Who runs points: processes of this machine, or the ranks of an MPI program. Each worker takes one point at
 * a time, by its index. */
struct worker_answer {
    size_t worker;
    void *bytes; /* of an outcome, to be freed; NULL: the worker ended instead, `cause` says how */
    size_t length;
    char cause[128];
};

struct worker_pool {
    size_t workers;
    void *self;
    /* False: the worker cannot be given anything, and `answer` says why. */
    bool (*give)(struct worker_pool *worker_pool, size_t worker, size_t point, struct worker_answer *answer);
    /* Waits for any worker that has a point. A worker that ended may be given another. */
    void (*take)(struct worker_pool *worker_pool, struct worker_answer *answer);
    void (*dismiss)(struct worker_pool *worker_pool); /* when all have answered */
};

/* Processes made of this one by fork. */
void worker_pool_of_processes(struct worker_pool *worker_pool, size_t workers,
                              const struct sweep_point *points);

/* What sweep_run does with points once they are planned. The crew, NULL for processes of this machine, is
 * dismissed at the end. */
enum status sweep_run_plan(struct plan *plan, struct worker_pool *worker_pool, struct store *store,
                           const struct sweep_options *options, struct store_run *runs);

#endif
