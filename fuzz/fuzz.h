#ifndef HELIO_FUZZ_FUZZ_H
#define HELIO_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What fuzz targets share. A target is a file fuzz/NAME.c that defines fuzz_target.
 *
 *   entry         what libFuzzer calls; counts the inputs, and those that are accepted, for fuzz/check
 *   replay        a main() for builds without libFuzzer
 *   fuzz          this file
 *   fuzz_trace    TI traces and compiled traces in inputs
 *   fuzz_goal     GOAL in inputs
 *   fuzz_config   configs at their defaults
 *   fuzz_network  reads a network file, and uses it in all ways
 *   fuzz_run      runs what was read, bounded by events and sizes
 *   seeds         a program that writes the seeds of binary formats (make-seeds); seeds_store: of results
 *   dictionaries  a program that writes the dictionaries of text formats
 *   no_sync       for targets that write files: does not wait for the disk */

/* Reads any bytes. True: the reader accepted them. Returns in any case, and leaves nothing allocated; an
 * error of the program ends the process (fuzz_must). Diagnostics go nowhere. */
bool fuzz_target(const uint8_t *data, size_t size);

/* From here on, diagnostics go nowhere. */
void fuzz_be_silent(void);

/* Ends the process with a message, unless what must hold does hold. */
void fuzz_must(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For an input that is not read or not run because it asks for too much: entry.c counts those. */
extern bool fuzz_is_too_large;

/* The topology is a family with a table of routes, and large: that takes seconds to build. */
bool fuzz_is_large_graph(const char *text);

/* The input as a text with a zero byte at its end. The caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The bytes as a file in memory, to be closed. */
int fuzz_file(const void *data, size_t size);

/* A piece of an input. */
struct fuzz_piece {
    const char *bytes;
    size_t size;
};

/* The bytes before the next separator. Both are taken off the rest. */
struct fuzz_piece fuzz_cut(struct fuzz_piece *rest, const char *separator);

#endif
