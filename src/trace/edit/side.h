#ifndef HELIO_TRACE_EDIT_SIDE_H
#define HELIO_TRACE_EDIT_SIDE_H

#include "trace/edit/edit.h"

/* Several traces side by side as one: the ranks of the first, then those of the second, and so on. What is
 * the world of each becomes a communicator of its ranks. The sources are closed. `out`: see edit_make.
 * STATUS_BAD_INPUT, reported: a trace is not a valid program, or they are too many. */
enum status side_make(struct compiled_trace *const *sources, size_t count, const char *out,
                      struct compiled_trace **result);

#endif
