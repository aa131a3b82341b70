#ifndef HELIO_REPORT_INSIGHT_H
#define HELIO_REPORT_INSIGHT_H

#include <stddef.h>
#include <stdio.h>

#include "sim/insight.h"
#include "sim/result.h"

/* The sentences, which follow the table. */
void report_insight(const struct insight *insight, FILE *out);

/* Which algorithms the collective calls have: the first result that knows it says it for all. */
void report_collectives(const struct result *results, size_t count, FILE *out);

/* For each fabric the critical path by kinds of time, with its longest messages. */
void report_paths(const struct result *results, size_t count, FILE *out);

#endif
