#ifndef HELIO_TRACE_TI_TRUNCATED_TRACE_H
#define HELIO_TRACE_TI_TRUNCATED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The folder of a capture that may have ended before its program did: what a rank wrote is there up to the
 * call in which it was, but the file may go on with zero bytes, or end within a line or without `finalize`;
 * and ranks may have had no file. */
struct truncated_trace {
    uint32_t ranks;
    uint64_t lines;
    uint32_t unfinished;             /* ranks that had no `finalize`: it has been added */
    uint32_t first_unfinished;       /* the lowest of them */
    uint32_t world;                  /* ranks that the program had; 0: no file says so */
    uint32_t missing, first_missing; /* of these, ranks without a file */
    bool
        has_mixed; /* ranks found the files of other ones, or say that their programs were of several sizes */
    struct truncated_lost {
        char *name;
        uint64_t count;
    } * lost; /* calls that the trace says it cannot say, by name */
    size_t lost_count, lost_capacity;
};

void truncated_trace_free(struct truncated_trace *prefix);

/* Cuts the files of all ranks back to whole lines and ends each with `finalize`, so that the trace can be
 * read. STATUS_FAILED, reported, when a file cannot be read or written. To be freed in any case. */
enum status truncated_trace_complete(const char *folder, struct truncated_trace *prefix);

#endif
