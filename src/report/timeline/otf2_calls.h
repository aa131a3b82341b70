#ifndef HELIO_REPORT_TIMELINE_OTF2_CALLS_H
#define HELIO_REPORT_TIMELINE_OTF2_CALLS_H

#include <otf2/otf2.h>

#include "report/timeline/internal.h"

/* The calls of ranks as records of MPI in an OTF2 archive: regions MPI_Send, MPI_Waitall ..., with records as
 * Score-P writes them. trace/otf2 reads them back. */
struct otf2_call_writer;

struct otf2_call_writer *otf2_call_writer_open(uint32_t ranks);
void otf2_call_writer_close(struct otf2_call_writer *writer);

/* Whether a rank has made a call: else the run executes graphs, and there are messages alone. */
bool otf2_call_writer_has_calls(const struct otf2_call_writer *writer);

/* Each returns the first error of the library. */
OTF2_ErrorCode otf2_call_writer_put(struct otf2_call_writer *writer, OTF2_EvtWriter *events,
                                    const struct program *program, uint32_t rank, const struct call *call,
                                    ps_t at);
OTF2_ErrorCode otf2_call_writer_end(struct otf2_call_writer *writer, OTF2_EvtWriter *events, uint32_t rank,
                                    ps_t at);

/* A message has met its receive. */
void otf2_call_writer_received(struct otf2_call_writer *writer, const struct timeline_message *message);

/* A string that records name, which must stay until the strings are written. Returns its number. */
OTF2_StringRef otf2_call_writer_text(struct otf2_call_writer *writer, const char *text);

/* Writes the strings that the records name, from number 0 on; before all other strings. Returns the number of
 * the next. */
OTF2_StringRef otf2_call_writer_strings(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions);

/* Regions and communicators have the first numbers below; groups and strings begin at these. */
struct otf2_call_numbers {
    uint32_t groups;
    OTF2_StringRef *strings, empty;
};
OTF2_ErrorCode otf2_call_writer_define(struct otf2_call_writer *writer, OTF2_GlobalDefWriter *definitions,
                                       const struct otf2_call_numbers *numbers);

enum { OTF2_CALL_REGIONS = CALL_OPS, OTF2_CALL_COMMS = 2 }; /* first numbers */

#endif
