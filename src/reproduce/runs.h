#ifndef HELIO_REPRODUCE_RUNS_H
#define HELIO_REPRODUCE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* What a run came to. Numbers of a run that is not there are NaN. */
struct run_facts {
    double makespan_s, idle_fraction, messages, bytes, mean_bytes;
    char *metrics; /* JSON: what its fabric counted; NULL = not there */
    char *host;    /* JSON: what its hosts counted */
    char *causes;  /* JSON: idle seconds by what was waited for */
};

extern const struct run_facts run_unknown; /* nothing but NaN */

/* One of the fabric's metrics that are single numbers, times in seconds; NaN where there is none. */
double run_metric(const struct run_facts *facts, const char *name);
/* The same of its host model. */
double run_host_metric(const struct run_facts *facts, const char *name);
/* The share of all idle time that was spent in calls of one kind: "p2p", "alltoall". */
double run_idle_share(const struct run_facts *facts, const char *cause);

/* The runs that somebody asked for, each once; those that are done are kept in a file of results
 * (sweep/store.h), so that nothing is run twice and what was broken off goes on. */
struct runs;

/* `jobs`: runs at a time, 0 = as many as there are processors. */
enum status runs_open(const char *path, unsigned jobs, struct runs **runs);
void runs_close(struct runs *runs);

/* The run of `workload` on `fabric` with `settings` (paper.h). If it is not there it is wanted from now on,
 * and the facts are NaN; *reason is set, and left alone otherwise, if it was tried and failed. */
const struct run_facts *runs_ask(struct runs *runs, const char *fabric, const char *workload,
                                 const char *settings, const char **reason);

/* Runs what is wanted and not there; `name` is said with the progress. Returns how many there were. A run
 * that fails stays failed, with its first error as the reason. */
size_t runs_catch_up(struct runs *runs, const char *name);

#endif
