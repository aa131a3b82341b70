#ifndef HELIO_TRACE_INPUT_H
#define HELIO_TRACE_INPUT_H

#include "trace/image/format.h"

/* Finds the format of `path` and lets it find the files and their key. Errors, reported: no such file or
 * folder, no format claims it, or what the format finds wrong. A compiled trace is not opened further: its
 * format has no open(). */
enum status trace_input_open(struct trace_input *input, const char *path);

/* Whether the path is more likely a trace than an experiment file: a folder, an archive, a file that a format
 * claims by its name or first bytes, an index, or a file of a kind that is no experiment, of which
 * trace_input_open says what it is. */
bool trace_input_is_likely(const char *path);

void trace_input_close(struct trace_input *input);

#endif
