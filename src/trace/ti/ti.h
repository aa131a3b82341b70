#ifndef HELIO_TRACE_TI_TI_H
#define HELIO_TRACE_TI_TI_H

#include "trace/image/format.h"

/* SimGrid's time-independent traces (docs/trace-format.md). The files of trace/ti:
 *
 *   ti               the trace format: its functions, in struct trace_format
 *   source           finds the text of each rank: in a folder, by an index, in an archive, in memory
 *   rank_files       the files of a trace by their ranks
 *   archive          unpacks tar archives
 *   reader           reads the text of a rank, line by line
 *   line, action     one line: its fields, and what they mean
 *   action_table     the names of actions, their fields, and why some cannot be replayed
 *   annotations      words that begin with '#' behind the fields
 *   requests         the request that a wait names
 *   decompile        a compiled trace as TI text
 *   write            any program as TI text
 *   truncated_trace  completes the files of a capture that ended early */
extern const struct trace_format ti_trace_format;

/* An input whose ranks have these texts; it is closed like any other. */
void ti_input_of_texts(struct trace_input *input, const char *path, const char *const *texts,
                       const size_t *sizes, uint32_t ranks);

#endif
