#ifndef HELIO_CLI_COMPLETION_PARTS_H
#define HELIO_CLI_COMPLETION_PARTS_H

#include <stdio.h>

#include "base/param.h"
#include "cli/options.h"

/* What the completions of all shells share. */

/* What an option's value, or a command's word, is. */
enum completion_value {
    COMPLETE_NOTHING,  /* it takes none */
    COMPLETE_NAMES,    /* completion_name_at() or completion_word_at() has them */
    COMPLETE_SETTING,  /* PARAMETER=VALUE */
    COMPLETE_WORKLOAD, /* NAME:PARAMETER=VALUE,... */
    COMPLETE_TOPOLOGY,
    COMPLETE_FILE
};
enum completion_value completion_value_of(const struct cli_command *command, size_t option);
enum completion_value completion_word_of(const struct cli_command *command);

/* The index-th name that an option's value, or a command's word, may be; NULL behind the last, and where they
 * are no names. Beside those of the option's help these are fabrics and collectives, papers and commands. */
const char *completion_name_at(const struct cli_command *command, size_t option, size_t index);
const char *completion_word_at(const struct cli_command *command, size_t index);

/* The title without its first word: "trace info" of "helio trace info", "" of "helio". */
const char *completion_path(const char *title);

/* The index-th value that a parameter may have, such as "half", "true", "ring" or "torus:", which needs sizes
 * behind it. NULL: there is none, as for quantities. Valid until the next call. */
const char *completion_value_at(const struct param *param, size_t index);

/* Visits the tables of all parameters, `workload` NULL, and those of all workloads. */
void completion_each_table(void *self,
                           void (*visit)(void *self, const char *workload, const struct param_table *table));

/* Lists, separated by blanks: the values of a parameter, the names of a table's parameters, the names of all
 * parameters of experiments, workloads, topologies. */
void completion_print_values(FILE *out, const char *before_each, const struct param *param);
void completion_print_names(FILE *out, const struct param_table *table, const char *after_each);
void completion_print_parameters(FILE *out, const char *after_each);
void completion_print_workloads(FILE *out);
void completion_print_topologies(FILE *out);

/* The first line of a doc, for a place in single quotes: `quote` replaces a single quote, and a backslash
 * precedes each character of `special`. */
void completion_print_doc(FILE *out, const char *doc, const char *special, const char *quote);

#endif
