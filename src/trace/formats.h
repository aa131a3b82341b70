#ifndef HELIO_TRACE_FORMATS_H
#define HELIO_TRACE_FORMATS_H

#include "trace/image/format.h"

/* The list of trace formats. A line declares NAME_trace_format, which a file of the format defines, and lists
 * it. */
#define TRACE_FORMATS(LINE)                                                                                  \
    LINE(compiled) /* trace/image/compiled.c */                                                              \
    LINE(ti)       /* trace/ti */                                                                            \
    LINE(goal)     /* trace/goal */                                                                          \
    LINE(chakra)   /* trace/chakra */                                                                        \
    LINE(dumpi)    /* trace/dumpi */                                                                         \
    LINE(otf2)     /* trace/otf2 */

#define TRACE_FORMAT_DECLARE(name) extern const struct trace_format name##_trace_format;
TRACE_FORMATS(TRACE_FORMAT_DECLARE)
#undef TRACE_FORMAT_DECLARE

/* All formats; NULL behind the last. */
enum { TRACE_FORMATS_AT_MOST = 64 };
extern const struct trace_format *trace_formats[TRACE_FORMATS_AT_MOST + 1];

const struct trace_format *trace_format_find(const char *name); /* NULL: there is none of that name */

/* Adds one at the end of the list, for good. STATUS_BAD_INPUT, reported: there is one of that name, there are
 * too many, or functions are missing. */
enum status trace_format_add(const struct trace_format *format);

/* The format that claims a path most surely. NULL: none does. */
const struct trace_format *trace_format_of(const struct trace_probe *probe);

#endif
