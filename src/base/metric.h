#ifndef HELIO_BASE_METRIC_H
#define HELIO_BASE_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sum.h"

/* Metrics: what a component measures, declared once beside its code, as parameters are. Components do not
 * print them. */
enum metric_type {
    METRIC_COUNT,     /* uint64_t */
    METRIC_COUNT_SUM, /* sum_t */
    METRIC_BYTES,     /* uint64_t */
    METRIC_BYTES_SUM, /* sum_t */
    METRIC_TIME,      /* ps_t; shown in seconds */
    METRIC_TIME_SUM,  /* sum_t of times; shown in seconds */
    METRIC_RATIO,     /* double */
    METRIC_TIMES,     /* struct metric_series of times: one per link, per FMU ... */
    METRIC_COUNTS     /* struct metric_series of counts or bytes */
};

/* Each value is the sum_at() of its two halves. */
struct metric_series {
    const int64_t *values;
    size_t count;
    const int64_t *high; /* NULL: all are 0 */
};

/* `count` of these sums, from `first` on. */
static inline struct metric_series metric_series_of(const struct sums *sums, size_t first, size_t count)
{
    return (struct metric_series){sums->low + first, count, sums->high ? sums->high + first : NULL};
}

static inline sum_t metric_series_at(const struct metric_series *series, size_t index)
{
    return sum_at(series->values, series->high, index);
}

struct metric {
    const char *name; /* "switch_count"; times end in _s as they are shown */
    enum metric_type type;
    size_t offset; /* of the field in the component's struct of statistics */
    const char *doc;
};

static inline bool metric_is_series(const struct metric *metric)
{
    return metric->type == METRIC_TIMES || metric->type == METRIC_COUNTS;
}

struct metric_table {
    const struct metric *metrics;
    size_t count;
    size_t size;
};

#endif
