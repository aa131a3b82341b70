#ifndef HELIO_TRACE_OTF2_ANCHOR_H
#define HELIO_TRACE_OTF2_ANCHOR_H

#include "trace/otf2/source.h"

/* What the anchor file says about the archive. */
struct otf2_anchor {
    uint64_t chunk_bytes; /* of event files */
    uint64_t locations;
    uint64_t definitions; /* global ones */
};

enum { OTF2_MOST_CHUNK_BYTES = 16 << 20, OTF2_LEAST_CHUNK_BYTES = 256 << 10 };

/* STATUS_BAD_INPUT, reported: it is no anchor, is cut short, or is of a kind that is not read. */
enum status otf2_anchor_read(const char *path, struct otf2_bytes bytes, struct otf2_anchor *anchor);

#endif
