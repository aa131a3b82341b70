#ifndef HELIO_TRACE_TI_DECOMPILE_H
#define HELIO_TRACE_TI_DECOMPILE_H

#include <stddef.h>

#include "base/status.h"
#include "trace/image/compiled.h"

/* A compiled trace as TI text. If it was made from TI text, every line comes back as it was, except for the
 * blanks before the action, the line's end, and the spelling of compute amounts, which read back as the same
 * number. Else the calls are written as ti/write.h says. */

/* One rank's text, to be freed. NULL, reported: no action says one of its calls. */
char *decompile_rank(struct compiled_trace *compiled, uint32_t rank, size_t *size);

/* Appends the lines of calls `from` to `to` - 1 (from 0) of a rank. The trace has been made from TI text. */
struct rank_text {
    char *bytes; /* to be freed */
    size_t size, capacity;
};
void decompile_lines(const struct compiled_trace *compiled, uint32_t rank, uint64_t from, uint64_t to,
                     struct rank_text *text);

/* Writes a folder of rank-<k>.txt, which must not exist yet, or an archive if the path ends in .tar.zst. The
 * archive's bytes depend on nothing but the trace and the file's name. */
enum status decompile_write(struct compiled_trace *compiled, const char *path);

#endif
