#ifndef HELIO_TRACE_CACHE_H
#define HELIO_TRACE_CACHE_H

#include "base/status.h"
#include "call/call.h"
#include "trace/image/compiled.h"
#include "trace/ti/source.h"

/* Opens a trace for running: a folder of rank-<k>.txt, a SimGrid index file, an archive (.tar, .tar.zst,
 * .tar.gz, .tar.xz) of such a folder, or a compiled trace. Text is compiled on first use and kept in the
 * cache (base/cache.h), named by its contents; a damaged or outdated entry is made anew. Where nothing can be
 * written there, a warning says so and the compiled form lives in memory.
 *
 * STATUS_BAD_INPUT: the trace is wrong; every error has been reported with its file, line and column. Close
 * with (*program)->ops->close(). */
enum status trace_open(const char *path, struct program **program);

/* The same for those who look inside; without the warnings, see compiled_report_notes. */
enum status trace_open_compiled(const char *path, struct compiled_trace **compiled);

/* Compiles a text trace into `file`, without the cache. */
enum status trace_compile_to(const char *path, const char *file);

/* XXH3-128 of the trace's contents in hexadecimal, which names it in manifests. */
enum { TRACE_KEY_TEXT = 33 };
void trace_key(const struct program *program, char text[TRACE_KEY_TEXT]);

#endif
