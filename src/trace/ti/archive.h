#ifndef HELIO_TRACE_TI_ARCHIVE_H
#define HELIO_TRACE_TI_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/ti/rank_files.h"

/* Whether a file begins like a tar archive, plain or compressed by zstd, gzip, xz or bzip2. `head`: its first
 * 512 bytes. */
bool archive_is_one(const unsigned char *head, size_t size);

/* Adds the file of each rank in an archive to `files`, with its text. An error is reported for `path`. */
enum status archive_unpack(const char *path, const char *packed, size_t size, struct ti_files *files);

#endif
