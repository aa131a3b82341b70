#ifndef HELIO_TRACE_TI_COMPILE_H
#define HELIO_TRACE_TI_COMPILE_H

#include <stdio.h>

#include "base/status.h"
#include "trace/ti/source.h"

/* Reads every line of a trace and writes its compiled form (trace/image/image.h) to `out`, an empty file that
 * can be sought in. STATUS_BAD_INPUT: errors of the trace have been reported with file, line and column, up
 * to TRACE_MOST_ERRORS of them. STATUS_FAILED: `out` could not be written; *error is the errno, and nothing
 * has been reported, since the caller may have another place to write to. */
enum { TRACE_MOST_ERRORS = 20 };
enum status compile(const struct ti_source *source, FILE *out, int *error);

#endif
