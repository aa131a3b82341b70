#include "trace/formats.h"

#include <string.h>

#include "base/diag.h"

#define TRACE_FORMAT_LIST(name) &name##_trace_format,
const struct trace_format *trace_formats[TRACE_FORMATS_AT_MOST + 1] = {TRACE_FORMATS(TRACE_FORMAT_LIST)};

const struct trace_format *trace_format_find(const char *name)
{
    for (size_t i = 0; trace_formats[i]; i++)
        if (strcmp(trace_formats[i]->name, name) == 0)
            return trace_formats[i];
    return NULL;
}

enum status trace_format_add(const struct trace_format *format)
{
    size_t count = 0;
    while (trace_formats[count])
        count++;
    if (trace_format_find(format->name))
        diag_error("there is a trace format %s already", format->name);
    else if (count == TRACE_FORMATS_AT_MOST)
        diag_error("there are %d trace formats already; no more can be added", TRACE_FORMATS_AT_MOST);
    else if (!format->probe || !format->open || !format->read_rank || !format->rank_file || !format->close)
        diag_error(
            "the trace format %s lacks one of the functions probe, open, read_rank, rank_file and close",
            format->name);
    else
        trace_formats[count] = format;
    return trace_formats[count] == format ? STATUS_OK : STATUS_BAD_INPUT;
}

const struct trace_format *trace_format_of(const struct trace_probe *probe)
{
    const struct trace_format *surest = NULL;
    enum trace_claim most = TRACE_CLAIM_NONE;
    for (size_t i = 0; trace_formats[i]; i++) {
        enum trace_claim claim = trace_formats[i]->probe(trace_formats[i], probe);
        if (claim > most) {
            most = claim;
            surest = trace_formats[i];
        }
    }
    return surest;
}
