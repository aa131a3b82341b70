#ifndef HELIO_TRACE_IMAGE_FILE_H
#define HELIO_TRACE_IMAGE_FILE_H

#include <stdio.h>

#include "trace/image/image.h"

/* An image as it is written: front to back, the header last. */
struct image_file {
    FILE *file;
    uint64_t at; /* bytes written */
    void *hash;
    int error; /* errno of the first failure */
};

void image_file_begin(struct image_file *image, FILE *file);
/* Appends `count` records of `size` bytes, aligned. */
struct image_part image_file_append(struct image_file *image, const void *records, uint64_t count,
                                    size_t size);
/* Completes the header, writes it and flushes. Returns 0, or the errno of the first failure since begin. */
int image_file_finish(struct image_file *image, struct image_header *header);
void image_file_abandon(struct image_file *image);

#endif
