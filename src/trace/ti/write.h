#ifndef HELIO_TRACE_TI_WRITE_H
#define HELIO_TRACE_TI_WRITE_H

#include <stdio.h>

#include "base/status.h"
#include "call/call.h"

/* Any program as TI text that SimGrid replays. Sizes are counted in the datatype that a call names, else in
 * bytes; a reduction without a type is in some type of its elements' size. Where a program has no init and
 * finalize, they are added. Annotations (docs/trace-format.md) say what the fields cannot: communicators, the
 * tags of a sendrecv, a source that is any. Some calls have no action: STATUS_FAILED, reported. */

/* The name of a rank's file in a trace: rank-<k>.txt, k = rank + 1. Returns `name`. */
enum { RANK_FILE_NAME = 32 };
const char *rank_file_name(uint32_t rank, char name[static RANK_FILE_NAME]);

/* All ranks, into a new folder of rank-<k>.txt, k = rank + 1, which appears under its name when it is
 * complete. STATUS_BAD_INPUT, reported: the folder exists. */
enum status ti_write(struct program *program, const char *folder);

/* One rank, from its next call on. */
enum status ti_write_rank(struct program *program, uint32_t rank, FILE *out);

/* The same as a text, to be freed. NULL, reported: no action says one of its calls. */
char *ti_rank_text(struct program *program, uint32_t rank, size_t *size);

#endif
