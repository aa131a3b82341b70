#ifndef HELIO_SWEEP_WORKER_H
#define HELIO_SWEEP_WORKER_H

#include <stdatomic.h>
#include <stdint.h>

#include "call/call.h"
#include "sim/memory.h"
#include "sweep/point.h"
#include "sweep/store.h"

/* Runs points one after another. A program stays open while the next point uses the same one. At first no
 * program is open. */
enum { SWEEP_POINT_PARTS = 1 << 16 };
struct sweep_worker {
    _Atomic uint64_t *parts_done; /* each point adds SWEEP_POINT_PARTS to it as it goes on; NULL: none does */
    struct memory_room room;      /* runs that need more are refused */
    struct program *program;
    char *trace, *workload; /* one of them says what was opened; the other is NULL */
};

/* The result of a point. It can be packed into bytes for another process of the same program. */
struct sweep_outcome {
    enum status status;
    struct store_run run; /* what store_finish needs, except for the id */
    char *messages;       /* the run's messages; "" = none */
};

/* Whether an experiment with these parameters uses this trace or this workload; one of the two is NULL. */
struct experiment_config;
bool sweep_has_input(const struct experiment_config *chosen, const char *trace, const char *workload);

void sweep_worker_run(struct sweep_worker *worker, const struct sweep_point *point,
                      struct sweep_outcome *outcome);
void sweep_worker_free(struct sweep_worker *worker);

void *sweep_outcome_pack(const struct sweep_outcome *outcome, size_t *length); /* the caller frees it */
/* The outcome's texts point into the bytes. False: the bytes are no outcome. */
bool sweep_outcome_unpack(void *bytes, size_t length, struct sweep_outcome *outcome);
/* Frees the outcome of sweep_worker_run, not an unpacked one. */
void sweep_outcome_free(struct sweep_outcome *outcome);

#endif
