#ifndef HELIO_FUZZ_FUZZ_TRACE_H
#define HELIO_FUZZ_FUZZ_TRACE_H

#include "fuzz/fuzz.h"
#include "trace/image/compiled.h"
#include "trace/input.h"

/* TI traces in inputs: the ranks are separated by lines of "----". */
enum { FUZZ_MOST_RANKS = 64 };

/* The trace, compiled in memory, to be closed with its ops. NULL: it is refused. At most `most_ranks` ranks
 * are read, and at most FUZZ_MOST_RANKS. */
struct compiled_trace *fuzz_trace(struct fuzz_piece text, uint32_t most_ranks);

/* The same of an open trace, which stays open. */
struct compiled_trace *fuzz_compile(struct trace_input *input);

/* The bursts of a trace: whoever reads its calls meets no others than all that there are. Their places are
 * call sites of the trace, and they add up. */
void fuzz_bursts(struct program *program);

/* The bytes as a compiled trace, behind a header that is right in magic, version and checksum, which random
 * bytes never are. NULL: it is refused. */
struct compiled_trace *fuzz_image(const uint8_t *data, size_t size);

#endif
