#ifndef HELIO_REPORT_TABLE_H
#define HELIO_REPORT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "sim/result.h"

/* The table of an experiment: for each fabric a row with its time, the speedup over the first fabric, the
 * shares of the ranks' time, and its messages. */
void report_table(const char *program, const struct result *results, size_t count, FILE *out);

#endif
