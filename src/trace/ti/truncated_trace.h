#ifndef HELIO_TRACE_TI_TRUNCATED_TRACE_H
#define HELIO_TRACE_TI_TRUNCATED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The folder of a capture that may have ended before its program did. The file of a rank has all calls up to
 * the one in which the rank was, but it may go on with zero bytes, or end within a line or without
 * `finalize`. Ranks may have no file at all. */
struct truncated_trace {
    uint32_t ranks;
    uint64_t lines;
    uint32_t unfinished;             /* ranks that had no `finalize`: it has been added */
    uint32_t first_unfinished;       /* the lowest of them */
    uint32_t world;                  /* ranks that the program had; 0: no file says so */
    uint32_t missing, first_missing; /* of `world`, the ranks without a file */
    bool has_parts;                  /* parts of a run have been recorded (trace/edit/interval.h) */
    bool has_mixed;                  /* files of several programs: see truncated_trace_complete */
    struct truncated_lost {
        char *name;
        uint64_t count;
    } * lost; /* calls that are not in the trace, by name */
    size_t lost_count, lost_capacity;
};

void truncated_trace_free(struct truncated_trace *trace);

/* Cuts the files of all ranks back to whole lines and ends each with `finalize`, so that the trace can be
 * read. `has_mixed`: a rank found a file of its number from another program, or files name worlds of
 * different sizes. STATUS_FAILED, reported: a file cannot be read or written. To be freed in any case. */
enum status truncated_trace_complete(const char *folder, struct truncated_trace *trace);

#endif
