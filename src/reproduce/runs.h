#ifndef HELIO_REPRODUCE_RUNS_H
#define HELIO_REPRODUCE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* What a run came to. Numbers of a run that is not there are NaN. */
struct run_facts {
    double makespan_s, idle_fraction, messages, bytes, mean_bytes;
    struct run_metric {
        char *name;
        double value;
    } * metrics; /* those of its fabric that are single numbers, times in seconds */
    size_t metric_count;
};

extern const struct run_facts run_unknown; /* nothing but NaN */

/* NaN where the fabric has no such metric. */
double run_metric(const struct run_facts *facts, const char *name);

/* The runs that somebody asked for, each once. */
struct runs;

struct runs *runs_new(void);
void runs_free(struct runs *runs);

/* The run of `workload` on `fabric` with `settings` (paper.h). If it is not there it is wanted from now on,
 * and the facts are NaN; *reason is set, and left alone otherwise, if it was tried and failed. */
const struct run_facts *runs_ask(struct runs *runs, const char *fabric, const char *workload,
                                 const char *settings, const char **reason);

/* Runs what is wanted and not there; `name` is said with the progress. Returns how many there were. A run
 * that fails stays failed, with the first error as its reason. */
size_t runs_catch_up(struct runs *runs, const char *name);

#endif
