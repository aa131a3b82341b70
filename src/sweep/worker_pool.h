#ifndef HELIO_SWEEP_WORKER_POOL_H
#define HELIO_SWEEP_WORKER_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ops table for workers that run points: processes of this machine (sweep/process_pool.h) or the ranks of
 * an MPI program (cli/cluster). Each worker runs one point at a time, which is named by its index. The points
 * of a search are configurations of a paper, and the bytes of an answer are numbers (reproduce/reproduce.h).
 */
struct worker_answer {
    size_t worker;
    void *
        bytes; /* of a sweep_outcome, say, which the caller frees; NULL: the worker ended, `cause` says how */
    size_t length;
    char cause[128];
};

struct worker_pool {
    size_t workers;
    void *self;
    /* The parts of points that the workers have done, SWEEP_POINT_PARTS for each point (sweep/worker.h),
     * while the points go on. NULL: only whole points are known. */
    const _Atomic uint64_t *parts_done;
    /* Gives an idle worker a point. False: it cannot take one, and `answer` says why. */
    bool (*submit)(struct worker_pool *worker_pool, size_t worker, size_t point,
                   struct worker_answer *answer);
    /* Waits for an answer of any worker that has a point. A worker that ended can be given another point.
     * False: a signal asks to stop (output/interrupt.h), and nobody has answered. */
    bool (*wait)(struct worker_pool *worker_pool, struct worker_answer *answer);
    /* Ends the workers that have a point, which is lost. NULL if wait() is always true. */
    void (*cancel)(struct worker_pool *worker_pool);
    /* Ends the workers, and frees the pool's memory. Call it when all workers have answered, or after
     * cancel(). */
    void (*shutdown)(struct worker_pool *worker_pool);
};

#endif
