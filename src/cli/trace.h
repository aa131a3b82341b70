#ifndef HELIO_CLI_TRACE_H
#define HELIO_CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "call/call.h"
#include "output/json.h"

/* The commands of `helio trace` that have a file of their own; argv[0] is the command's own name. Each
 * returns the exit status. */
int cli_trace_info(int argc, char **argv);
int cli_trace_extrapolate(int argc, char **argv);
int cli_trace_cut(int argc, char **argv);
int cli_trace_filter(int argc, char **argv);
int cli_trace_merge(int argc, char **argv);
int cli_trace_repeat(int argc, char **argv);

/* Of a program whose ranks execute graphs, which they close (trace_graph.c). */
enum status cli_trace_graph_info(struct program *program, bool json);
enum status cli_trace_graph_validate(struct program *program);

/* The sizes of messages, by classes as in struct trace_summary (trace_info.c). */
void cli_trace_histogram(const uint64_t *sizes, uint64_t messages);
json_t *cli_trace_sizes_json(const uint64_t *sizes);

#endif
