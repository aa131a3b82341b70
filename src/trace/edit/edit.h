#ifndef HELIO_TRACE_EDIT_EDIT_H
#define HELIO_TRACE_EDIT_EDIT_H

#include <stddef.h>

#include "base/status.h"
#include "trace/image/compiled.h"

/* Traces that are made from traces: a part of one, one several times, some of its ranks, several beside each
 * other. Each result is a valid program, or nothing is written.
 *
 *   edit     from the texts of ranks to a trace that has been checked, and to files
 *   pieces   a piece of each rank, once or several times
 *   places   where a trace can be cut: behind collectives, or between iterations
 *   loops    the iterations of each rank
 *   cut      why a place is none, and which ones are
 *   filter   some ranks, one communicator, some kinds of calls
 *   side     several programs side by side
 *   interval what was captured of a part of a run, cut so that it is a program */

/* An edit gives the ranks of its result as TI text, one after another. The reader of such texts compiles
 * them, so what is checked is what users will read. */
struct edit {
    uint32_t ranks;
    /* The text of a rank, to be freed. Another status than STATUS_OK: reported. */
    enum status (*rank_text)(void *self, uint32_t rank, char **text, size_t *size);
    void *self;
};

/* Makes the result, compiled. Messages about it name the files that it is going to have at `out`.
 * STATUS_BAD_INPUT, reported: it is not a valid program. */
enum status edit_make(const struct edit *edit, const char *out, struct compiled_trace **result);

/* Writes a result: an archive if `out` ends in .tar.zst, a compiled trace if it ends in .helio, and else a
 * folder of text. */
enum status edit_put(struct compiled_trace *result, const char *out);

/* STATUS_BAD_INPUT, reported: the source of an edit is not a valid program itself. */
enum status edit_check_source(const struct compiled_trace *source);

#endif
