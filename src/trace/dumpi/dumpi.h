#ifndef HELIO_TRACE_DUMPI_DUMPI_H
#define HELIO_TRACE_DUMPI_DUMPI_H

#include "trace/image/format.h"

/* DUMPI, the traces of sst-dumpi: a text PREFIX.meta and a binary file for each rank.
 *
 *     meta            the .meta file, and where the ranks are
 *     file            the file of a rank: its index and what is behind the calls
 *     record          the calls: functions.def says how each is laid out
 *     types           sizes of datatypes
 *     lists, events, groups, makers, communicators
 *                     communicators, which follow from what all ranks say
 *     reader, messages, collectives
 *                     from records to the calls of a compiled trace */
extern const struct trace_format dumpi_trace_format;

/* A trace in memory: the files of the ranks. They and the path stay the caller's. */
void dumpi_input_of_bytes(struct trace_input *input, const char *path, const char *const *bytes,
                          const size_t *sizes, uint32_t ranks);

#endif
