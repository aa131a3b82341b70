#ifndef TESTS_SUPPORT_DUMPI_CALLS_H
#define TESTS_SUPPORT_DUMPI_CALLS_H

/* DUMPI traces that a test writes call by call, and the calls that are read from them, as text. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "support/dumpi.h"
#include "trace/trace.h"

enum { BYTE = 5, INT = 9, DOUBLE = 14, TYPE = 28 }; /* TYPE: the first that a program makes */
enum { WORLD = 2, SELF = 3, COMM = 4 };             /* COMM: likewise */
enum { GROUP = 3, REQUEST = 2, MOST_RANKS = 8, UNDEFINED = -32766 };

#define LIST(...)                                                                                            \
    (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (const int[])                                           \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define NO_STATUS 0, (const int *)NULL
#define STATUS(bytes, source, tag, cancelled)                                                                \
    1, (const int[])                                                                                         \
    {                                                                                                        \
        bytes, source, tag, cancelled                                                                        \
    }

/* The ranks of the trace. Calls follow one another without computation. */
extern struct dumpi_text dumpi_ranks[MOST_RANKS];
extern int dumpi_rank_count;

/* A trace of so many ranks begins. */
void dumpi_begin(int count);

#define PUT(rank, ...) dumpi_text_put(&dumpi_ranks[rank], __VA_ARGS__)
#define PUT_ALL(...)                                                                                         \
    do                                                                                                       \
        for (int r = 0; r < dumpi_rank_count; r++)                                                           \
            PUT(r, __VA_ARGS__);                                                                             \
    while (0)

/* Writes the files of the ranks, and their .meta, whose path it returns. */
const char *dumpi_write_trace(void);
/* Writes the trace and opens it; the test fails if it is refused. */
struct compiled_trace *dumpi_open_trace(void);

/* All calls of the rank, or its last ones, a line each. */
void dumpi_expect_rank(const struct compiled_trace *compiled, uint32_t rank, const char *expected);
void dumpi_expect_last(const struct compiled_trace *compiled, uint32_t rank, const char *expected);
/* The calls of rank 0 of the trace that has been written. */
void dumpi_expect(const char *expected);
/* What has been said: this is in it, or with "" nothing. */
void dumpi_expect_messages(const char *part);
/* The trace is refused, with this message. */
void dumpi_expect_error(const char *part);

#endif
