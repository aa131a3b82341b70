#ifndef HELIO_SWEEP_RESULTS_TABLE_H
#define HELIO_SWEEP_RESULTS_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "base/stats.h"
#include "sweep/store.h"

/* A store's finished runs as a table: a row per run, in the order of the store, with what was varied, what
 * came out, and what that is compared with the baseline. */
struct results_table_row {
    int64_t id;
    const char *fabric, *program;
    json_t *parameters, *metrics;
    ps_t makespan_ps;
    double idle_fraction, mean_bytes;
    uint64_t messages, bytes;
    double speedup; /* over the baseline's run of the same parameters; 0 = there is none */
    size_t group;   /* rows that differ in their seed alone have the same */
};

/* Rows that differ in their seed alone. */
struct results_table_group {
    size_t first;                             /* row */
    struct mean_estimate makespan_s, speedup; /* the latter of no values where there is no baseline */
};

struct results_table {
    json_t *varied;   /* list of the names of parameters that sweeps vary, and of others that differ */
    json_t *baseline; /* parameters that make a run the baseline's; empty = no baseline */
    struct results_table_row *rows;
    size_t count, capacity;
    struct results_table_group *groups;
    size_t group_count;
    const char **metrics; /* names, as they first appear */
    size_t metric_count, metric_capacity;
};

enum status results_table_read(struct results_table *results_table, struct store *store);
void results_table_free(struct results_table *results_table);

/* The row's value of a parameter; NULL: it has none. */
const char *results_table_value(const struct results_table_row *row, const char *parameter);

/* The groups, with what they have in common and what not, as one JSON object: what the page of a sweep shows.
 * To be freed. */
char *results_table_json(const struct results_table *results_table);

/* Comma-separated values: a line of names, then a line per run, or per group with means and 95 % confidence
 * intervals. The same bytes for the same results. */
enum status results_table_print_runs(const struct results_table *results_table, FILE *out);
enum status results_table_print_means(const struct results_table *results_table, FILE *out);

#endif
