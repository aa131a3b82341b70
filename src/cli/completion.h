#ifndef HELIO_CLI_COMPLETION_H
#define HELIO_CLI_COMPLETION_H

#include <stdio.h>

#include "cli/group.h"

/* Prints what a shell must know of a program's command lines, in the language of the shell. All of it comes
 * from the tables of the group. */
void completion_print_bash(const struct cli_group *group, FILE *out);
void completion_print_zsh(const struct cli_group *group, FILE *out);
void completion_print_fish(const struct cli_group *group, FILE *out);

#endif
