#ifndef HELIO_CLI_TRACE_H
#define HELIO_CLI_TRACE_H

#include "cli/options.h"

/* `helio trace info`; argv[0] is "info". Returns the exit status. */
int cli_trace_info(int argc, char **argv);

/* `helio trace extrapolate`, likewise. */
int cli_trace_extrapolate(int argc, char **argv);

/* The trace and the options of a command that takes one PATH. `took` is called for each option: its index in
 * the command's table, its value, and `self`. CLI_END: go on; else CLI_HELP or CLI_ERROR, reported. */
int trace_read_words(const struct cli_command *command, int argc, char **argv, const char **path,
                     void (*took)(void *self, int option, const char *value), void *self);

#endif
