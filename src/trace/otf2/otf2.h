#ifndef HELIO_TRACE_OTF2_OTF2_H
#define HELIO_TRACE_OTF2_OTF2_H

#include "trace/image/format.h"
#include "trace/otf2/source.h"

/* OTF2, the Open Trace Format of Score-P and others (docs/otf2.md): reads the calls of MPI from the records
 * of an archive. Records have their length, so that those of newer versions are passed over. The files of
 * this folder:
 *
 *     bytes.h        numbers, records, chunks
 *     source.c       the files of an archive, on the disk or in memory
 *     anchor.c       the anchor file
 *     regions.c      what a region is, by its name
 *     definitions.c  global definitions: strings, regions, communicators, which location is which rank
 *     local.c        a location's own numbers, and its clock
 *     events.c       the records of a location, chunk by chunk
 *     attributes.c   what our own timelines say beside a record
 *     sizes.c        the sizes of a collective from the sums that a record has
 *     vectors.c      the sums of all ranks, where sizes differ
 *     queue.c        calls that wait until their requests complete
 *     calls.c        from records to calls
 *     otf2.c         the format
 *
 * The library of OTF2 is not used: it has no bounds for what a damaged file says, and ends the process or
 * reads beyond its buffers. */

/* An archive whose files are in memory, named by `path`, which ends in ".otf2". For tests. STATUS_BAD_INPUT:
 * an error has been reported; nothing is open. */
enum status otf2_input_of_files(struct trace_input *input, const char *path, const struct otf2_memory *files,
                                size_t count);

#endif
