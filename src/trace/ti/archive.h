#ifndef HELIO_TRACE_TI_ARCHIVE_H
#define HELIO_TRACE_TI_ARCHIVE_H

#include <stddef.h>

#include "trace/ti/rank_files.h"

/* Adds the file of each rank in an archive to `files`, with its text. An error is reported for `path`. */
enum status archive_unpack(const char *path, const char *packed, size_t size, struct ti_files *files);

#endif
