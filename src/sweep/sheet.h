#ifndef HELIO_SWEEP_SHEET_H
#define HELIO_SWEEP_SHEET_H

#include <jansson.h>
#include <stdio.h>

#include "sweep/store.h"
#include "sweep/student.h"

/* A store's finished runs as a table: a row per run, in the order of the store, with what was varied, what
 * came out, and what that is compared with the baseline. */
struct sheet_row {
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
struct sheet_group {
    size_t first;                        /* row */
    struct estimate makespan_s, speedup; /* the latter of no values where there is no baseline */
};

struct sheet {
    json_t *varied;   /* list of the names of parameters that sweeps vary, and of others that differ */
    json_t *baseline; /* parameters that make a run the baseline's; empty = no baseline */
    struct sheet_row *rows;
    size_t count, capacity;
    struct sheet_group *groups;
    size_t group_count;
    const char **metrics; /* names, as they first appear */
    size_t metric_count, metric_capacity;
};

enum status sheet_read(struct sheet *sheet, struct store *store);
void sheet_free(struct sheet *sheet);

/* The row's value of a parameter; NULL: it has none. */
const char *sheet_value(const struct sheet_row *row, const char *parameter);

/* The groups, with what they have in common and what not, as one JSON object: what the page of a sweep shows.
 * To be freed. */
char *sheet_json(const struct sheet *sheet);

/* Comma-separated values: a line of names, then a line per run, or per group with means and 95 % confidence
 * intervals. The same bytes for the same results. */
enum status sheet_print_runs(const struct sheet *sheet, FILE *out);
enum status sheet_print_means(const struct sheet *sheet, FILE *out);

#endif
