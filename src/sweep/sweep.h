#ifndef HELIO_SWEEP_SWEEP_H
#define HELIO_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/status.h"
#include "sweep/store.h"

/* The results of many runs, from a store or by running what is not there:
 *
 *     struct store *store;
 *     store_open("results.db", STORE_WRITE, &store);      or ":memory:"
 *     const struct sweep_setting count = {.name = "fmu.count", .value = "16"};
 *     struct sweep_point points[] = {{.base = config, .fabric = "packet"},
 *                                    {.base = config, .fabric = "fmu", .settings = &count, .count = 1}};
 *     struct store_run runs[2];
 *     sweep_run(store, points, 2, &(struct sweep_options){.jobs = 2}, runs);
 *     ... runs[1].makespan_ps, sweep_metric(&runs[1], "switch_count", &value) ...
 *     sweep_free(runs, 2);
 *     store_close(store);
 *
 * What comes out does not depend on the number of jobs. */

struct sweep_setting {
    const char *name, *value; /* "fmu.count", "16": as given to --set */
    const char *origin;       /* where it is said, "sweep.yaml:3", for errors; NULL = nowhere in a file */
};

/* A run that is asked for. Points share their base, which is not changed. */
struct sweep_point {
    const struct config *base;
    const struct sweep_setting *settings; /* on top of it */
    size_t count;                         /* of settings */
    const char *fabric;                   /* one name */
};

struct definition;
struct sweep_options {
    unsigned jobs;          /* processes that run points at the same time; 0 = as many as sweep_jobs says */
    unsigned shard, shards; /* run only every shards-th point, from the shard-th, 0, on; 0 shards = all */
    /* Called before the first run and after each with how many of those to be run have ended. */
    void (*progress)(void *self, size_t ended, size_t to_run);
    void *self;
    const struct definition *definition; /* of these points, noted in the store with them; NULL = none */
};

/* The jobs that the options ask for; else a processor each, of those that this process may use. */
unsigned sweep_jobs(const struct sweep_options *options);

/* Runs the points that the store has no results for, each in a process of its own that takes one after
 * another, and adds each result to the store at once. Points of the same contents are run once. `runs`, if
 * not NULL, gets the result of each point, to be freed with sweep_free also on errors; without one it is all
 * zero, as where another shard runs it.
 *
 * STATUS_BAD_INPUT: a point is wrong, and the store is as it was. STATUS_FAILED: points could not be run,
 * each reported with its settings and the cause; all others have been. */
enum status sweep_run(struct store *store, const struct sweep_point *points, size_t count,
                      const struct sweep_options *options, struct store_run *runs);
void sweep_free(struct store_run *runs, size_t count);

/* What a sweep would take. */
struct sweep_forecast {
    size_t runs, to_run;   /* of different contents; those without results in the store */
    size_t assumed;        /* of those to be run: none on their fabric is done, so nothing is known of it */
    double work_s;         /* of all that are to be run, one after another */
    double longest_s;      /* of the longest of them, below which no number of workers comes */
    uint64_t memory_bytes; /* of the largest, the program's mapped input not counted */
};

/* Changes nothing in the store. Time is that of the store's runs on the same fabric, by the number of their
 * calls. STATUS_BAD_INPUT as sweep_run. */
enum status sweep_forecast(struct store *store, const struct sweep_point *points, size_t count,
                           const struct sweep_options *options, struct sweep_forecast *forecast);

/* What the fabric counted, one of its metrics that are single numbers. False: there is none of that name. */
bool sweep_metric(const struct store_run *run, const char *name, double *value);

/* The point's parameters: the base's, its settings and its fabric; to be freed. NULL: one of them is wrong,
 * which has been reported. */
struct config *sweep_config(const struct sweep_point *point);

/* "fmu, fmu.count=16, seed=2"; to be freed. */
char *sweep_label(const struct sweep_point *point);

#endif
