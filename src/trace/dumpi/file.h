#ifndef HELIO_TRACE_DUMPI_FILE_H
#define HELIO_TRACE_DUMPI_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/image/content.h"

/* The file of one rank, as sst-dumpi writes it (docs/traceformat.dox there):
 *
 *     magic | stream of calls | header | footer: how often each function was called | names | sizes of types
 *     | index: magic, and where each part begins
 *
 * The index is at the end, and has four to seven places: versions have added one after the other in front. */

#define DUMPI_VERSION(major, minor, patch)                                                                   \
    ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(patch))

struct dumpi_file {
    struct content_window window;
    const char *path;
    uint32_t version;
    uint64_t begin, end; /* of the records */
    uint64_t at;         /* of the next record */
    uint64_t sizes;      /* where the sizes of types are; 0: nowhere */
    uint32_t size_count; /* of types, which are numbered from 0 */
    uint64_t footer;     /* where the numbers of calls are; 0: nowhere */
    int64_t changed_ns;  /* when it was last written to */
};

/* Opens the file and reads its index and header. `key` gets the hash of its contents. Errors are reported.
 * `bytes` NULL: the file at the path. Else they are the contents, and stay the caller's. */
enum status dumpi_file_open(struct dumpi_file *file, const char *path, const char *bytes, uint64_t size,
                            uint64_t key[2]);
void dumpi_file_close(struct dumpi_file *file);

/* How often the footer says that each of the `count` functions was called; calls[i] for number i. False:
 * there is no footer. */
bool dumpi_file_calls(struct dumpi_file *file, uint32_t *calls, uint32_t count);

/* The sizes of types, size_count numbers. False, reported: they cannot be read. */
bool dumpi_file_sizes(struct dumpi_file *file, uint32_t *sizes);

#endif
