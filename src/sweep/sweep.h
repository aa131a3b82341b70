#ifndef HELIO_SWEEP_SWEEP_H
#define HELIO_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sim/memory.h"
#include "sweep/point.h"
#include "sweep/store.h"

/* The room for many runs: they are planned, run once, and kept.
 *
 *     point.h            parameters that lead to one run
 *     definition.h       the sweep of an experiment file, and its points (definition_points.c)
 *     store.h            the file of results
 *     merge.h            several stores become one
 *     worker.h           runs points one after another
 *     worker_pool.h      an ops table of workers; process_pool.h has processes of this machine
 *     plan.h             which runs the points lead to, and which of them are still to be run
 *     findings.h         what the points show before they are run
 *     sweep.h            all together (sweep.c), and an estimate of the time (forecast.c)
 *     rerun.h            repeats a run of a store
 *     results_table.h    a store as a table; as CSV and JSON (results_table_csv.c, results_table_json.c)
 *     results_network.h  which rows of the table are not compared fairly
 *     plot.h             a figure of the table, for gnuplot
 *
 * The results of many runs come from a store, and what it does not have is run:
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
 * The results do not depend on the number of jobs. */

/* How far a sweep is. */
struct sweep_progress {
    size_t ended, to_run; /* of this call */
    size_t kept, runs;    /* of the sweep, or of its shard: those that the store has, and all */
};

struct definition;
struct sweep_options {
    unsigned jobs;          /* processes that run points at the same time; 0 = one for each processor */
    unsigned shard, shards; /* run only the points i with i % shards == shard; 0 shards = all points */
    const char *title;      /* of the line of progress; NULL = none */
    void (*progress)(void *self, const struct sweep_progress *at); /* before the first run and after each */
    void *self;
    bool force;                          /* also runs for which there seems to be too little memory */
    const struct definition *definition; /* of these points, kept in the store with them; NULL = none */
};

/* options->jobs, or the number of processors that this process may use. */
unsigned sweep_jobs(const struct sweep_options *options);

/* The memory that each of so many workers may take. */
struct memory_room sweep_room(const struct sweep_options *options, unsigned workers);

/* Runs the points that the store has no results for, in `jobs` processes, and adds each result to the store
 * as soon as it is there. Points of the same contents are run once. `runs`, if it is not NULL, gets the
 * result of each point; the caller frees them with sweep_free, also after an error. A point without a result,
 * for example one of another shard, gets all zeroes.
 *
 * STATUS_CANCELLED, reported: a signal has interrupted it (output/interrupt.h), and the store has the runs
 * that ended before. STATUS_BAD_INPUT: a point is wrong, and the store has not changed. STATUS_FAILED: some
 * runs failed. Each is reported with its settings and the cause, and all others are in the store. */
enum status sweep_run(struct store *store, const struct sweep_point *points, size_t count,
                      const struct sweep_options *options, struct store_run *runs);
void sweep_free(struct store_run *runs, size_t count);

/* sweep_run with points that are planned already. Shuts the pool of workers down at the end; NULL: processes
 * of this machine. */
struct sweep_plan;
struct worker_pool;
enum status sweep_run_plan(struct sweep_plan *plan, struct worker_pool *worker_pool, struct store *store,
                           const struct sweep_options *options, struct store_run *runs);

/* An estimate of what a sweep costs. */
struct sweep_forecast {
    size_t runs, to_run;    /* of different contents; those without results in the store */
    size_t assumed;         /* runs to do on a fabric of which the store has no run: their speed is assumed */
    double work_s;          /* of all runs to do, one after another */
    double longest_s;       /* of the longest run: more workers do not make the sweep shorter than that */
    double memory_bytes;    /* of the largest run, at its peak */
    double calls, messages; /* of all runs to do */
    double most_messages;   /* of one run */
};

/* The time of a run is that of the store's runs on the same fabric, in proportion to the number of calls and
 * messages. Does not change the store. `findings` and STATUS_BAD_INPUT as those of sweep_plan_init. */
struct sweep_findings;
enum status sweep_forecast(struct store *store, const struct sweep_point *points, size_t count,
                           const struct sweep_options *options, struct sweep_findings *findings,
                           struct sweep_forecast *forecast);

/* The time that the sweep takes with so many workers. */
double sweep_forecast_time_s(const struct sweep_forecast *forecast, unsigned workers);

/* A metric of the run's fabric that is a single number. False: it has none of that name. */
bool sweep_metric(const struct store_run *run, const char *name, double *value);

#endif
