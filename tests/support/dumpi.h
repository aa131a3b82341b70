#ifndef HELIO_TESTS_DUMPI_H
#define HELIO_TESTS_DUMPI_H

#include <stddef.h>
#include <stdint.h>

#include "trace/dumpi/record.h"

/* Writes DUMPI files call by call, for tests and for the seeds of the fuzzer. */
struct dumpi_text {
    unsigned char *bytes;
    size_t count, capacity;
    uint32_t calls[DUMPI_FUNCTIONS]; /* for the footer */
    uint8_t version[3];
    uint8_t mask;     /* enum dumpi_mask; the default has both clocks, the thread and statuses */
    uint16_t thread;  /* of the next call */
    uint64_t gap_ns;  /* between two calls, 1000 */
    uint64_t took_ns; /* by a call, 500 */
    uint64_t now_ns;
    uint32_t sizes[64]; /* of datatypes; the first size_count are written */
    uint32_t size_count;
    unsigned places; /* in the index, 7; the oldest form has 4, which leave out the sizes */
    bool is_short;   /* only calls and header */
};

void dumpi_text_begin(struct dumpi_text *text);

/* A call. Behind its function come the arguments by the letters of functions.def:
 *
 *     i s b      int
 *     l          long long
 *     a t d      int count, const int *
 *     A          int count, const int *: three for each
 *     h          const char *
 *     H X        nothing: no texts are written
 *     S          int count, const int *: bytes, source, tag, cancelled for each; without statuses too
 *
 * What is only at the root is given at the root only. */
void dumpi_text_put(struct dumpi_text *text, enum dumpi_function function, ...);

/* Bytes that are no call. */
void dumpi_text_add(struct dumpi_text *text, const void *bytes, size_t count);

/* Ends the stream and writes what is behind it. */
void dumpi_text_end(struct dumpi_text *text);
void dumpi_text_free(struct dumpi_text *text);

#endif
