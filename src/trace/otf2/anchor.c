#include "trace/otf2/anchor.h"

#include <stdio.h>

enum { SUBSTRATE_FILES = 1, SUBSTRATE_SION = 2, COMPRESSION_NONE = 1, COMPRESSION_ZLIB = 2 };
enum { ANCHOR_FORMAT = 3, FIRST_TRACE_FORMAT = 1, LAST_TRACE_FORMAT = 3 };

static enum status refuse_version(const char *path, uint64_t byte, unsigned anchor, unsigned trace)
{
    char text[160];
    snprintf(text, sizeof text,
             "an archive of format %u with an anchor of format %u, which is not read; formats %d to %d with "
             "anchor %d are, those of OTF2 1.3 to 3",
             trace, anchor, FIRST_TRACE_FORMAT, LAST_TRACE_FORMAT, ANCHOR_FORMAT);
    return otf2_refuse(path, byte, text);
}

static enum status check_kind(const char *path, uint64_t byte, uint8_t substrate, uint8_t compression)
{
    if (substrate != SUBSTRATE_FILES)
        return otf2_refuse(path, byte,
                           substrate == SUBSTRATE_SION
                               ? "its events are in files of SIONlib, which are not read; record with "
                                 "SCOREP_TRACING_USE_SION=false"
                               : "it says of no kind that is known where its events are");
    if (compression != COMPRESSION_NONE)
        return otf2_refuse(path, byte + 1,
                           compression == COMPRESSION_ZLIB
                               ? "its files are compressed with zlib, which is not read; record without "
                                 "compression"
                               : "its compression is of no kind that is known");
    return STATUS_OK;
}

enum status otf2_anchor_read(const char *path, struct otf2_bytes bytes, struct otf2_anchor *anchor)
{
    const unsigned char *begin = bytes.at;
    uint8_t kind = otf2_byte(&bytes), order = otf2_byte(&bytes);
    bytes.is_big = order == OTF2_BIG;
    if (kind != OTF2_CHUNK || (order != OTF2_LITTLE && order != OTF2_BIG) ||
        strcmp(otf2_text(&bytes), "OTF2") != 0)
        return otf2_refuse(path, 0, "it does not begin as the anchor file of an OTF2 archive does");
    uint64_t version_at = (uint64_t)(bytes.at - begin);
    uint8_t anchor_format = otf2_byte(&bytes), trace_format = otf2_byte(&bytes);
    if (!bytes.failed && (anchor_format != ANCHOR_FORMAT || trace_format < FIRST_TRACE_FORMAT ||
                          trace_format > LAST_TRACE_FORMAT))
        return refuse_version(path, version_at, anchor_format, trace_format);
    otf2_fixed(&bytes, 3); /* the version of the library */
    uint64_t chunk_at = (uint64_t)(bytes.at - begin);
    anchor->chunk_bytes = otf2_time(&bytes);
    otf2_time(&bytes); /* chunks of definitions */
    uint64_t kind_at = (uint64_t)(bytes.at - begin);
    uint8_t substrate = otf2_byte(&bytes), compression = otf2_byte(&bytes);
    anchor->locations = otf2_time(&bytes);
    anchor->definitions = otf2_time(&bytes);
    if (bytes.failed)
        return otf2_refuse(path, (uint64_t)(bytes.end - begin), "the anchor file is cut short");
    if (anchor->chunk_bytes < OTF2_LEAST_CHUNK_BYTES || anchor->chunk_bytes > OTF2_MOST_CHUNK_BYTES)
        return otf2_refuse(path, chunk_at, "the size of its chunks is not between 256 KiB and 16 MiB");
    return check_kind(path, kind_at, substrate, compression);
}
