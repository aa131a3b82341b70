#ifndef HELIO_SWEEP_PROCESS_POOL_H
#define HELIO_SWEEP_PROCESS_POOL_H

#include "sim/memory.h"
#include "sweep/point.h"
#include "sweep/worker_pool.h"

/* Workers that are processes of this machine, made by fork when they get their first point. Runs that need
 * more than `room` are refused. */
void process_pool_init(struct worker_pool *worker_pool, size_t workers, const struct sweep_point *points,
                       struct memory_room room);

#endif
