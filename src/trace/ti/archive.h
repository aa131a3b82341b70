#ifndef HELIO_TRACE_TI_ARCHIVE_H
#define HELIO_TRACE_TI_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/ti/source.h"

enum { ARCHIVE_HEAD = 512 }; /* bytes of a file that tell whether it is an archive */

/* A tar archive, plain or compressed by zstd, gzip, xz or bzip2. */
bool archive_is_one(const unsigned char *head, size_t size);

/* Every rank's file of the archive in source->packed, into memory. */
enum status archive_unpack(struct ti_source *source);

#endif
