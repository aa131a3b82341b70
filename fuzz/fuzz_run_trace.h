#ifndef HELIO_FUZZ_FUZZ_RUN_TRACE_H
#define HELIO_FUZZ_FUZZ_RUN_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/input.h"

/* Compiles an open trace, closes it and runs it with the settings that the size of the fuzzer's input
 * chooses. True: it was accepted, and a run came to its end. */
bool fuzz_run_trace(struct trace_input *input, size_t size);

#endif
