#ifndef HELIO_CLI_COMPLETION_PARTS_H
#define HELIO_CLI_COMPLETION_PARTS_H

#include <stdio.h>

#include "cli/options.h"

/* What the completions of all shells share. */

/* What an option's value is. */
enum completion_value {
    COMPLETE_NOTHING, /* it takes none */
    COMPLETE_NAMES,   /* name_at has them */
    COMPLETE_SETTING, /* PARAMETER=VALUE */
    COMPLETE_FILE
};
enum completion_value completion_value_of(const struct cli_command *command, size_t option);

/* The title without its first word: "trace info" of "helio trace info", "" of "helio". */
const char *completion_path(const char *title);

/* The names of all parameters, separated by blanks. */
void completion_print_parameters(FILE *out);

/* The first line of a doc, for a place in single quotes: `quote` replaces a single quote, and a backslash
 * precedes each character of `special`. */
void completion_print_doc(FILE *out, const char *doc, const char *special, const char *quote);

#endif
