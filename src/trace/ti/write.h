#ifndef HELIO_TRACE_TI_WRITE_H
#define HELIO_TRACE_TI_WRITE_H

#include "base/status.h"
#include "call/call.h"

/* Writes a program as text that SimGrid replays: a new folder of rank-<k>.txt, k = rank + 1, which appears
 * under its name when it is whole. Sizes are counted in the datatype that a call names, else in bytes, and
 * reductions of unnamed types in some type of their elements' size; where a program has no init and finalize,
 * they are added. Calls of communicators other than the world's have no line. STATUS_BAD_INPUT: the folder
 * exists. */
enum status ti_write(struct program *program, const char *folder);

#endif
