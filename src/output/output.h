#ifndef HELIO_BASE_OUTPUT_H
#define HELIO_BASE_OUTPUT_H

#include <stdio.h>

#include "base/status.h"

/* A file that is complete or absent: it is written beside `path`, and renamed at the end. A pipe or a device
 * is written directly. */
struct output {
    FILE *file; /* NULL: not open */
    char *path, *unfinished;
};

/* STATUS_FAILED, reported: the file cannot be written. */
enum status output_open(struct output *output, const char *path);

/* Keeps the file if `run` is STATUS_OK and every byte was written, else removes it. Returns `run`, or
 * STATUS_FAILED, reported, if writing failed. An output that is not open stays so. */
enum status output_close(struct output *output, enum status run);

#endif
