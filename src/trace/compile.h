#ifndef HELIO_TRACE_COMPILE_H
#define HELIO_TRACE_COMPILE_H

#include <stdio.h>

#include "base/status.h"
#include "trace/source.h"

/* Reads every line of a trace and writes its compiled form (trace/image.h) to `out`, an empty file that can
 * be sought in. STATUS_BAD_INPUT: errors of the trace have been reported with file, line and column, up to
 * COMPILE_MOST_ERRORS of them. STATUS_FAILED: `out` could not be written; *error is the errno, and nothing
 * has been reported, since the caller may have another place to write to. */
enum { COMPILE_MOST_ERRORS = 20 };
enum status compile(const struct source *source, FILE *out, int *error);

#endif
