#ifndef HELIO_SWEEP_WORK_H
#define HELIO_SWEEP_WORK_H

#include "call/call.h"
#include "sweep/sweep.h"

/* Running points one after another; the program stays open from one to the next where it is the same. */
struct work {
    struct program *program; /* NULL: none is open */
    char *trace, *workload;  /* what it was opened by; NULL = the other */
};

/* What came of a point, as bytes that another process of the same program can read. */
struct outcome {
    enum status status;
    struct store_run run; /* what store_finish takes, but the id */
    char *said;           /* messages meant for people, "" = none */
};

/* Whether a trace and a workload, NULL where there is the other, are what an experiment was chosen to run. */
struct experiment_config;
bool work_is_input(const struct experiment_config *chosen, const char *trace, const char *workload);

void work_point(struct work *work, const struct sweep_point *point, struct outcome *outcome);
void work_close(struct work *work);

void *outcome_pack(const struct outcome *outcome, size_t *length); /* to be freed */
/* Points into the bytes. False: they are no outcome. */
bool outcome_unpack(void *bytes, size_t length, struct outcome *outcome);
void outcome_free(struct outcome *outcome); /* of work_point */

#endif
