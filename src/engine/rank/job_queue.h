#ifndef HELIO_ENGINE_RANK_JOB_QUEUE_H
#define HELIO_ENGINE_RANK_JOB_QUEUE_H

#include "engine/rank/context.h"

/* Jobs that wait for nodes (docs/jobs.md). Ranks of a job begin when the job starts, and do nothing before;
 * then they have their nodes. A job ends with its last rank. The batch system (engine/batch.h) decides when
 * all that happens at a time has happened, so that the order of events of that time does not matter. */
struct job_queue;

/* NULL: the program has no queue. Comes before the run. */
struct job_queue *job_queue_open(struct run_context *context, const struct program *program,
                                 uint32_t ranks_per_node);
void job_queue_close(struct job_queue *queue); /* NULL: does nothing */

/* The jobs are submitted at their times. `begin` lets a rank begin now. */
void job_queue_start(struct job_queue *queue, void (*begin)(void *self, uint32_t rank), void *self);

/* The rank has ended, now. */
void job_queue_rank_ended(struct job_queue *queue, uint32_t rank);

/* How many ranks have not begun; NULL: none. */
uint32_t job_queue_ranks_left(const struct job_queue *queue);

#endif
