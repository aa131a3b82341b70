#ifndef HELIO_TRACE_TI_DECOMPILE_H
#define HELIO_TRACE_TI_DECOMPILE_H

#include <stddef.h>

#include "base/status.h"
#include "trace/image/compiled.h"

/* The compiled form back to text. Every line is as it was, up to the blanks before the action, the line's end
 * and the spelling of compute amounts, which read back as the same number. */

/* One rank's text, to be freed. */
char *decompile_rank(const struct compiled_trace *compiled, uint32_t rank, size_t *size);

/* A folder of rank-<k>.txt, which must not exist yet, or an archive where the path ends in .tar.zst; the
 * archive's bytes depend on nothing but the trace and the file's name. */
enum status decompile_write(const struct compiled_trace *compiled, const char *path);

#endif
