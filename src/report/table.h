#ifndef HELIO_REPORT_TABLE_H
#define HELIO_REPORT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "sim/result.h"

/* The table of an experiment: for each fabric a row with its time and the speedup over the first fabric. For
 * ranks it has the shares of their time, for open-loop traffic the latency of messages and the throughput.
 * Times of a column have one unit. */
void report_table(const char *program, const struct result *results, size_t count, FILE *out);

/* The same rows as CSV, with names of columns that have units. Fields that a run has no value for are empty.
 */
void report_csv(const char *program, const struct result *results, size_t count, FILE *out);

#endif
