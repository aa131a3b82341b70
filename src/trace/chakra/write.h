#ifndef HELIO_TRACE_CHAKRA_WRITE_H
#define HELIO_TRACE_CHAKRA_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "call/graph.h"

/* Writes the graph of a program as Chakra execution traces: a new folder `out` with NAME.RANK.et for each
 * rank, where NAME is that of the folder, and NAME.groups.json with the ranks of each group, as ASTRA-sim
 * reads them. STATUS_BAD_INPUT, reported: Chakra cannot say what the program does, or the folder exists.
 * STATUS_FAILED, reported: it cannot be written. */
enum status chakra_write(const struct program *program, const char *out);

/* Whether Chakra has such a collective call of the program. Another one has to become messages. */
bool chakra_has_call(const struct program *program, const struct call *call);

bool chakra_has_calls(const struct program *program); /* all those of its graph */

/* The file of a rank to a stream, whose errors the caller sees. The program has passed chakra_write_check.
 * For tests. */
struct chakra_writer *chakra_writer_open(const struct program *program);
void chakra_writer_put(struct chakra_writer *writer, uint32_t rank, FILE *out);
void chakra_writer_close(struct chakra_writer *writer);

/* STATUS_BAD_INPUT, reported: Chakra has no such operation. */
enum status chakra_write_check(const struct program *program);

#endif
