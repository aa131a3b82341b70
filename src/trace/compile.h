#ifndef HELIO_TRACE_COMPILE_H
#define HELIO_TRACE_COMPILE_H

#include <stdio.h>

#include "trace/image/format.h"

/* Lets the format of `input` read all ranks, and writes the compiled trace (trace/image/image.h) to `out`, an
 * empty file in which it can seek. STATUS_BAD_INPUT: errors in the trace have been reported, at most about
 * TRACE_MOST_ERRORS. STATUS_FAILED: `out` could not be written, and *error is the errno; this has not been
 * reported, since the caller may have another place to write to. Or something else went wrong: *error is as
 * before, and it has been reported. */
enum status trace_compile(struct trace_input *input, FILE *out, int *error);

#endif
