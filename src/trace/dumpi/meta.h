#ifndef HELIO_TRACE_DUMPI_META_H
#define HELIO_TRACE_DUMPI_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The text file PREFIX.meta of a trace: lines KEY=VALUE, of which numprocs and fileprefix count. The ranks
 * are FILEPREFIX-0000.bin and so on beside it, with four digits or more. */
struct dumpi_meta {
    char *path;
    uint32_t ranks;
    char *prefix; /* with the folder */
    int digits;
};

/* `path` is the file, or a folder that holds one. Errors are reported, also that a rank's file is not there,
 * or that there is one of a rank more. */
enum status dumpi_meta_open(struct dumpi_meta *meta, const char *path, bool is_folder);
void dumpi_meta_close(struct dumpi_meta *meta);

char *dumpi_meta_file(const struct dumpi_meta *meta, uint32_t rank); /* to be freed */

/* How many files *.meta the folder holds. */
size_t dumpi_meta_count(const char *folder);

/* The same of a text, without looking for files. */
enum status dumpi_meta_read(struct dumpi_meta *meta, const char *text, size_t size);

#endif
