#ifndef HELIO_REPORT_SLACK_H
#define HELIO_REPORT_SLACK_H

#include <stddef.h>
#include <stdio.h>

#include "sim/result.h"

/* For each fabric how many messages have little slack, which ones are nearest to the critical path, which
 * ranks have least, and what the longest message of the path gains at most. */
void report_slack(const struct result *results, size_t count, FILE *out);

#endif
