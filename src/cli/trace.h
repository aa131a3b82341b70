#ifndef HELIO_CLI_TRACE_H
#define HELIO_CLI_TRACE_H

/* The commands of `helio trace` that have a file of their own; argv[0] is the command's own name. Each
 * returns the exit status. */
int cli_trace_info(int argc, char **argv);
int cli_trace_extrapolate(int argc, char **argv);

#endif
