#ifndef HELIO_TRACE_OTF2_SOURCE_H
#define HELIO_TRACE_OTF2_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "trace/image/content.h"
#include "trace/otf2/bytes.h"

/* The files of an archive: the anchor STEM.otf2, the global definitions STEM.def, and for each location
 * STEM/ID.def and STEM/ID.evt. */

/* A file in memory, by its name behind the stem: ".def", "/0.evt". For tests. */
struct otf2_memory {
    const char *suffix;
    const void *bytes;
    size_t size;
};

struct otf2_source {
    char *stem;
    const struct otf2_memory *memory; /* NULL: the files are on the disk */
    size_t memory_count;
};

char *otf2_source_path(const struct otf2_source *source, const char *suffix); /* to be freed */

/* Opens a file for reading in parts, with the hash of its contents. `path`, from otf2_source_path, lives as
 * long as the window. STATUS_BAD_INPUT, reported: it cannot be read. */
enum status otf2_source_open(const struct otf2_source *source, const char *path,
                             struct content_window *window, uint64_t key[2]);

/* The whole of a small file, whose window stays open for it. */
enum status otf2_source_all(struct content_window *window, struct otf2_bytes *bytes);

/* Reports what is wrong with a file at a byte. Returns STATUS_BAD_INPUT. */
enum status otf2_refuse(const char *path, uint64_t byte, const char *what);

#endif
