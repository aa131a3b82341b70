#ifndef HELIO_BASE_METRIC_H
#define HELIO_BASE_METRIC_H

#include <stddef.h>
#include <stdint.h>

/* Metrics: what a component measures, declared once beside its code, as parameters are. Components do not
 * print them. */
enum metric_type {
    METRIC_COUNT, /* uint64_t */
    METRIC_BYTES, /* uint64_t */
    METRIC_TIME,  /* ps_t; shown in seconds */
    METRIC_RATIO, /* double */
    METRIC_TIMES, /* struct metric_series of ps_t: one per link, per FMU ... */
    METRIC_COUNTS /* struct metric_series of uint64_t */
};

struct metric_series {
    const int64_t *values;
    size_t count;
};

struct metric {
    const char *name; /* "switch_count"; times end in _s as they are shown */
    enum metric_type type;
    size_t offset; /* of the field in the component's struct of statistics */
    const char *doc;
};

struct metric_table {
    const struct metric *metrics;
    size_t count;
    size_t size;
};

#endif
