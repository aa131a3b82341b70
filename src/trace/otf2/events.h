#ifndef HELIO_TRACE_OTF2_EVENTS_H
#define HELIO_TRACE_OTF2_EVENTS_H

#include "trace/otf2/anchor.h"

/* The records of an event file, one after another. A part of the file is in memory, a chunk. */

enum otf2_event_kind {
    OTF2_BUFFER_FLUSH = 10,
    OTF2_MEASUREMENT_ON_OFF = 11,
    OTF2_ENTER = 12,
    OTF2_LEAVE = 13,
    OTF2_SEND = 14,
    OTF2_ISEND = 15,
    OTF2_ISEND_COMPLETE = 16,
    OTF2_IRECV_REQUEST = 17,
    OTF2_RECV = 18,
    OTF2_IRECV = 19,
    OTF2_REQUEST_TEST = 20,
    OTF2_REQUEST_CANCELLED = 21,
    OTF2_COLLECTIVE_BEGIN = 22,
    OTF2_COLLECTIVE_END = 23,
    OTF2_RMA_FIRST = 35, /* one-sided communication */
    OTF2_RMA_LAST = 52,
    OTF2_COLLECTIVE_REQUEST = 85, /* non-blocking collectives, since OTF2 3 */
    OTF2_COLLECTIVE_COMPLETE = 86,
};

struct otf2_event {
    uint8_t kind;
    uint64_t time; /* as the location's clock showed it */
    uint64_t byte; /* its place in the file */
    struct otf2_bytes fields;
    struct otf2_bytes attributes; /* empty: none */
};

struct otf2_events {
    struct content_window *window;
    uint64_t chunk_bytes;
    uint64_t chunk_at; /* where the present chunk begins in the file */
    const unsigned char *chunk;
    struct otf2_bytes bytes; /* the rest of it */
    uint64_t time;
    const char *fault; /* set at the end: what is wrong; NULL: the file ended as it should */
    uint64_t fault_at;
    enum status status; /* not STATUS_OK, reported: the file cannot be read */
};

/* The window stays the caller's. */
void otf2_events_begin(struct otf2_events *events, struct content_window *window, uint64_t chunk_bytes);

/* False: there is no further record; see fault and status. */
bool otf2_events_next(struct otf2_events *events, struct otf2_event *event);

#endif
