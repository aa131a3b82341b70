#ifndef HELIO_TRACE_IMAGE_CONTENT_H
#define HELIO_TRACE_IMAGE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* A whole file in memory, to be freed. An error is reported. */
enum status content_load(const char *path, char **bytes, size_t *size);

/* A file of which a part is in memory, for formats that are read from front to back and can be larger than
 * memory. All zero but `bytes` and `size`: bytes in memory, which stay the caller's. */
struct content_window {
    FILE *file;
    const char *path;
    const char *bytes; /* from byte `from` to `to` of the file */
    uint64_t from, to, size;
    char *buffer;
    size_t capacity;
    void *hash; /* of the first `hashed` bytes; NULL: nobody wants a key */
    uint64_t hashed;
};
/* Reads the whole file once, for its key, which is that of content_key; `key` NULL: not yet. The path stays
 * the caller's. */
enum status content_window_open(struct content_window *window, const char *path, uint64_t key[2]);
/* The bytes from `from` on, of which there are at least `count`, until the next call. NULL, reported: they
 * cannot be read. They exist if from + count <= size. */
const char *content_window_at(struct content_window *window, uint64_t from, size_t count);
/* For a key that is needed only behind the last byte. Between the two, bytes that are read in their order are
 * hashed as they are read, so that the file is not read twice. */
enum status content_window_begin_key(struct content_window *window);
enum status content_window_end_key(struct content_window *window, uint64_t key[2]);
void content_window_close(struct content_window *window);

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
