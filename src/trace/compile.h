#ifndef HELIO_TRACE_COMPILE_H
#define HELIO_TRACE_COMPILE_H

#include <stdio.h>

#include "base/status.h"
#include "trace/source.h"

/* Reads every line of a trace and writes its compiled form (trace/image.h) to `out`, an empty file that can
 * be sought in; `path` is its name for messages. Errors of the trace are reported with file, line and column,
 * up to COMPILE_MOST_ERRORS of them. */
enum { COMPILE_MOST_ERRORS = 20 };
enum status compile(const struct source *source, FILE *out, const char *path);

#endif
