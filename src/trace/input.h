#ifndef HELIO_TRACE_INPUT_H
#define HELIO_TRACE_INPUT_H

#include "trace/image/format.h"

/* Finds the format of `path` and lets it find the files and their key. Errors, reported: no such file or
 * folder, no format claims it, or what the format finds wrong. A compiled trace is not opened further: its
 * format has no open(). */
enum status trace_input_open(struct trace_input *input, const char *path);

void trace_input_close(struct trace_input *input);

#endif
