#ifndef HELIO_ENGINE_BATCH_H
#define HELIO_ENGINE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/time.h"
#include "call/jobs.h"

/* A batch system: which of the jobs that wait may start, and on which nodes. It knows nothing of ranks, and
 * of time only what it is told. docs/jobs.md
 *
 * Jobs start in the order of submission: the first one that waits starts when enough nodes are free. With
 * backfilling others may start before it, if that does not delay it as far as the estimates tell: EASY
 * (Lifka, The ANL/IBM SP scheduling system, 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001). */

#define BATCH_NONE UINT32_MAX

struct batch_job {
    uint32_t nodes; /* that it needs; no more than the machine has */
    ps_t estimate;  /* of its time */
};

struct batch {
    const struct program_queue *queue;
    const struct batch_job *jobs;
    uint32_t nodes, free; /* of the machine */
    uint32_t *job_at;     /* of each node: its job, or BATCH_NONE */
    uint32_t *given;      /* nodes of the job that has started last, in the order of its ranks */
    uint32_t *waiting;    /* jobs, in the order of submission */
    uint32_t *running;    /* jobs */
    ps_t *started;        /* of each job */
    size_t waiting_count, running_count;
    struct rng rng;
};

/* All nodes are free, and no job waits. queue and jobs outlive it. */
void batch_open(struct batch *batch, const struct program_queue *queue, uint32_t nodes,
                const struct batch_job *jobs, size_t count);
void batch_close(struct batch *batch);

/* The job waits from now on. */
void batch_submit(struct batch *batch, uint32_t job);
/* The nodes of the job, which runs, are free again. */
void batch_end(struct batch *batch, uint32_t job);
/* Starts the next job that may start now, and returns it; its nodes are in `given`. BATCH_NONE: all others
 * wait. Comes when all that happens at this time is known. */
uint32_t batch_start(struct batch *batch, ps_t now);

#endif
