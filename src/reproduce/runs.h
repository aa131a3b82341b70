#ifndef HELIO_REPRODUCE_RUNS_H
#define HELIO_REPRODUCE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The numbers of a run; NaN while it is missing. */
struct run_facts {
    double makespan_s, idle_fraction, messages, bytes, mean_bytes;
    char *metrics; /* JSON: what its fabric counted; NULL = the run is missing */
    char *host;    /* JSON: what its hosts counted */
    char *causes;  /* JSON: idle seconds by the kind of call that waited */
    int64_t id;    /* in the file of results; 0 = the run is missing */
};

extern const struct run_facts run_unknown; /* all numbers are NaN */

/* A metric of the fabric that is a single number, times in seconds; NaN: there is none of that name. */
double run_metric(const struct run_facts *facts, const char *name);
/* A metric of the host model. */
double run_host_metric(const struct run_facts *facts, const char *name);
/* The share of all idle time that was spent in calls of one kind: "p2p", "alltoall". */
double run_idle_share(const struct run_facts *facts, const char *cause);
/* 1: no kind of call idled longer than this one; 0: one did; NaN: the run is missing, or nothing idled. */
double run_idles_most_in(const struct run_facts *facts, const char *cause);

/* The runs that papers ask for, each once. Those that are done are kept in a file of results (sweep/store.h):
 * no run is made twice, and a reproduction that was ended continues. */
struct runs;

/* `path` may be ":memory:". `jobs`: runs at the same time; 0 = as many as there are processors. */
enum status runs_open(const char *path, unsigned jobs, struct runs **runs);
void runs_close(struct runs *runs);

/* The run of `workload` on `fabric` with `settings` (paper.h). A missing run is wanted from now on, and its
 * facts are NaN. Where it has failed, *reason is set; else *reason stays as it is. */
const struct run_facts *runs_ask(struct runs *runs, const char *fabric, const char *workload,
                                 const char *settings, const char **reason);

/* A metric of the fabric that has a value for each link or each buffer, from the file of results:
 * "link_granted_s". How many values there are; 0: the run is missing, or has no such metric. The caller frees
 * *values. */
size_t runs_series(struct runs *runs, const struct run_facts *facts, const char *name, double **values);

/* How often a run was asked for that had not been made. */
size_t runs_missing(const struct runs *runs);

/* Makes the runs that are wanted; the progress line has `name`. *made: how many there were. A run that fails
 * stays failed, and its first error is the reason. STATUS_CANCELLED, reported: a signal has interrupted it.
 */
enum status runs_catch_up(struct runs *runs, const char *name, size_t *made);

#endif
