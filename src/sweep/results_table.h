#ifndef HELIO_SWEEP_RESULTS_TABLE_H
#define HELIO_SWEEP_RESULTS_TABLE_H

#include <stdio.h>

#include "base/stats.h"
#include "base/text_index.h"
#include "output/json.h"
#include "sweep/store.h"

/* A store's finished runs as a table. Each row is a run, in the order of the store, with its varied
 * parameters, its results, and its speedup over the baseline. A parameter of a workload that is varied or
 * that the baseline names, as alltoall.bytes, is a parameter like the others, and the row's `workload` is
 * without it. If a file that runs read has had other contents, or helio or a plug-in has changed, two
 * parameters that are none tell the runs apart (RESULTS_TRACE_CONTENTS, RESULTS_EXECUTION). */
struct results_table_row {
    int64_t id;
    const char *fabric, *program;
    const char *trace_hash; /* of the contents of its trace; "": it has none */
    json_t *parameters, *metrics;
    uint32_t ranks;
    ps_t makespan_ps;
    double idle_fraction, mean_bytes;
    uint64_t messages;
    sum_t bytes;
    double speedup; /* over the baseline's run with the same parameters; 0 = no such run */
    size_t reason;  /* why the speedup is not that of the fabrics alone: number of a text of `reasons` */
    size_t group;   /* rows that differ only in their seed have the same one */
};

/* Rows that differ only in their seed. */
struct results_table_group {
    size_t first;                             /* row */
    struct mean_estimate makespan_s, speedup; /* speedup has no values if there is no baseline */
};

/* The hash of the trace, if a path of a trace has had several contents. */
#define RESULTS_TRACE_CONTENTS "trace_xxh3"
/* 1, 2, ...: of the runs that have the same parameters and the same trace, if there are such. */
#define RESULTS_EXECUTION "execution"

/* Limits of a table. No sweep reaches them; a file that somebody has made for it could. */
enum {
    RESULTS_RUNS = 10000000,
    RESULTS_METRICS = 10000,      /* different names */
    RESULTS_TEXT_BYTES = 1 << 24, /* of the parameters of a run, or of its metrics */
};

struct results_table {
    json_t *varied;   /* list of names: parameters that a sweep varies, then others that differ */
    json_t *baseline; /* the parameters of the baseline; empty = no baseline */
    struct results_table_row *rows;
    size_t count, capacity;
    size_t unfinished; /* runs of the store without a result: failed, or not run yet; they have no row */
    struct results_table_group *groups;
    size_t group_count;
    struct text_index split;   /* names of parameters of workloads that are taken out of `workload` */
    struct text_index metrics; /* names */
    /* Names of parameters that differ, but have one value for each machine: they are in no column. */
    struct text_index followers;
    /* "a node sends at 76.8 GB/s, on packet at 12.5 GB/s": what differs between the network of a row and that
     * of its baseline, or of the first fabric, in more than the fabric. Number 0 is "": nothing. */
    struct text_index reasons;
};

enum status results_table_read(struct results_table *results_table, struct store *store);

/* Notes how many runs have no result, if there are some: what is shown is of the others. */
void results_note_unfinished(size_t unfinished, size_t all);
void results_table_free(struct results_table *results_table);

/* Takes the parameters of workloads of these names, "alltoall.bytes", out of the parameter `workload` of a
 * run, and makes them parameters of their own. */
void results_split_workload(const struct text_index *names, json_t *parameters);

/* The row's value of a parameter; NULL: none. */
const char *results_table_value(const struct results_table_row *row, const char *parameter);

/* The mean of a number over the rows of each group: makespan_s, speedup, idle_fraction, messages, bytes,
 * mean_bytes, or a metric. It counts the rows that have it. The caller frees the estimates. */
struct mean_estimate *results_table_estimate(const struct results_table *results_table, const char *name);

/* Why the row is not compared fairly, as of `reasons`; "": it is. */
const char *results_table_reason(const struct results_table *results_table,
                                 const struct results_table_row *row);

/* The groups as one JSON object: their common parameters, their own, and their results. The report page of a
 * sweep shows it. The caller frees it. */
char *results_table_json(const struct results_table *results_table);

/* CSV: a line of names, then a line per run, or a line per group with means and 95 % confidence intervals
 * (results_table_csv.c). The same results give the same bytes. */
void results_table_print_runs(const struct results_table *results_table, FILE *out);
void results_table_print_means(const struct results_table *results_table, FILE *out);

#endif
