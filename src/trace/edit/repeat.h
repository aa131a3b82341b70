#ifndef HELIO_TRACE_EDIT_REPEAT_H
#define HELIO_TRACE_EDIT_REPEAT_H

#include "trace/edit/edit.h"

enum { REPEAT_MOST = 1000000000 };

/* A trace several times in a row, between one init and one finalize. `out`: see edit_make. STATUS_BAD_INPUT,
 * reported: the trace is not a valid program, or a request is open at its end. */
enum status repeat_make(const struct compiled_trace *source, uint64_t times, const char *out,
                        struct compiled_trace **result);

#endif
