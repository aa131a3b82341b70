#ifndef HELIO_TRACE_GOAL_WRITE_H
#define HELIO_TRACE_GOAL_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "call/graph.h"

/* Writes the graph of a program as GOAL, which txt2bin and LogGOPSim read too: as text, each operation with a
 * label, or in the binary form. STATUS_BAD_INPUT, reported: GOAL cannot say what the program does.
 * STATUS_FAILED, reported: it cannot be written. */
enum status goal_write(const struct program *program, const char *out, bool binary);

/* Whether all computations take whole ns, as GOAL has them. */
bool goal_has_times(const struct program *program);

/* The same to a stream, whose errors the caller sees. For tests. */
void goal_write_text(const struct program *program, FILE *out);
void goal_write_binary(const struct program *program, FILE *out);

#endif
