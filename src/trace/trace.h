#ifndef HELIO_TRACE_TRACE_H
#define HELIO_TRACE_TRACE_H

#include "base/status.h"
#include "call/call.h"
#include "trace/image/compiled.h"

/* Traces: recorded programs. A format reads a trace, the image writer compiles it, and what runs is the
 * compiled trace. The files of this room:
 *
 *   trace     opens a trace: from the cache, or by compiling it
 *   input     finds the format of a path, and opens its files
 *   formats   the list of trace formats
 *   compile   lets a format read all ranks into an image
 *   summary   what a trace consists of: calls, messages, sizes
 *   image/    what all formats share: the image writer, compiled traces (image/image.h)
 *   ti/       SimGrid's text format (ti/ti.h)
 *   check/    errors of a whole trace, beyond those of single lines (check/check.h)
 *   edit/     traces made from traces (edit/edit.h), a room above this one
 *
 * A format does not include another one, and image/ includes none (src/rooms.txt). */

/* Opens a trace for running: a folder of rank-<k>.txt, a SimGrid index file, an archive (.tar, .tar.zst,
 * .tar.gz, .tar.xz) of such a folder, a compiled trace, or a trace of another format in the list. It is
 * compiled on first use and kept in the cache (output/cache.h), named by its contents; a damaged or outdated
 * entry is made anew. If the cache cannot be written, a warning says so and the compiled trace lives in
 * memory.
 *
 * STATUS_BAD_INPUT: the trace is wrong; every error has been reported with its file, line and column. Close
 * with (*program)->ops->close(). */
enum status trace_open(const char *path, struct program **program);

/* The same, as a compiled trace and without warnings (compiled_report_notes). */
enum status trace_open_compiled(const char *path, struct compiled_trace **compiled);

/* The same, but a program whose ranks execute graphs becomes *graph. The other one is NULL. */
enum status trace_open_either(const char *path, struct compiled_trace **compiled, struct program **graph);

/* Compiles a trace into `file`, without the cache. */
enum status trace_compile_to(const char *path, const char *file);

/* Compiles what the format of `input` reads into memory. STATUS_BAD_INPUT: errors have been reported. */
struct trace_input;
enum status trace_compile_in_memory(struct trace_input *input, struct compiled_trace **compiled);

/* XXH3-128 of the trace's contents in hexadecimal: its name in manifests. */
enum { TRACE_KEY_TEXT = 33 };
void trace_key(const struct program *program, char text[TRACE_KEY_TEXT]);

#endif
