#ifndef HELIO_BASE_OUTPUT_H
#define HELIO_BASE_OUTPUT_H

#include <stdio.h>

#include "base/status.h"

/* A file that is written as a whole or not at all: what is written goes beside `path` and takes its name at
 * the end, so that a half-written file never bears it. What is no regular file (a pipe, a device) is written
 * to as it is. */
struct output {
    FILE *file; /* NULL: not open */
    char *path, *unfinished;
};

/* STATUS_FAILED, reported, when nothing can be written there. */
enum status output_open(struct output *output, const char *path);

/* Keeps the file if `run` is STATUS_OK and every byte was written, else removes what there is of it. Returns
 * `run`, or STATUS_FAILED, reported, when writing failed. Does nothing to an output that is not open. */
enum status output_close(struct output *output, enum status run);

#endif
