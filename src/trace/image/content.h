#ifndef HELIO_TRACE_IMAGE_CONTENT_H
#define HELIO_TRACE_IMAGE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A whole file in memory, to be freed. An error is reported. */
enum status content_load(const char *path, char **bytes, size_t *size);

/* "cannot read PATH: " and why, by errno. Returns STATUS_BAD_INPUT. */
enum status content_cannot_read(const char *path);

/* XXH3-128 of one text after another and of their lengths: the key of a trace of several files. Formats other
 * than TI begin with their own name and version as the first text: then the same bytes have another key in
 * each format, and compiled traces of an older version are not found. */
struct content_hash {
    void *state;
};
bool content_hash_begin(struct content_hash *hash); /* false: no memory; end it in any case */
void content_hash_add(struct content_hash *hash, const char *bytes, size_t size);
void content_hash_end(struct content_hash *hash, uint64_t key[2]);

/* XXH3-128 of one text alone. */
void content_key(const char *bytes, size_t size, uint64_t key[2]);

#endif
