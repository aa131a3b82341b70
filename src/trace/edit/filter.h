#ifndef HELIO_TRACE_EDIT_FILTER_H
#define HELIO_TRACE_EDIT_FILTER_H

#include "base/sum.h"
#include "trace/edit/edit.h"

/* Some ranks of a trace, numbered anew, and some of their calls. */

enum { FILTER_ALL_COMMS = -1 };

struct filter_choice {
    const uint32_t *ranks; /* those kept: ascending, or the members of `comm` in their order */
    uint32_t count;
    int64_t comm; /* only calls of this communicator, which becomes the world; FILTER_ALL_COMMS */
    bool no_messages, no_collectives, no_compute;
    /* Calls with ranks that are not kept: left out, or a collective of those kept. Otherwise they are errors.
     */
    bool drop_outside;
};

/* What was left out. */
struct filter_counts {
    uint64_t sends, receives; /* to and from ranks that are not kept */
    sum_t sent, received;     /* their bytes */
    uint64_t smaller;         /* calls of collectives that lost members */
    uint64_t rootless;        /* calls of collectives that lost their root */
    uint64_t others;          /* calls of other communicators and kinds */
};

/* `out`: see edit_make. STATUS_BAD_INPUT, reported. */
enum status filter_make(const struct compiled_trace *source, const struct filter_choice *choice,
                        const char *out, struct filter_counts *counts, struct compiled_trace **result);

#endif
