#ifndef HELIO_CLI_REPRODUCE_COMMAND_H
#define HELIO_CLI_REPRODUCE_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "reproduce/reproduce.h"

/* The command line of `helio reproduce`, of which `helio-search` has the options before --search. */
enum reproduce_command_option {
    REPRODUCE_QUICK,
    REPRODUCE_OUTPUT,
    REPRODUCE_JOBS,
    REPRODUCE_TRIES,
    REPRODUCE_HOLD_OUT,
    REPRODUCE_SEARCH,
    REPRODUCE_ITEM,
    REPRODUCE_CONFIGURATION,
    REPRODUCE_WITH,
    REPRODUCE_OPTIONS
};
extern const struct cli_option reproduce_command_options[REPRODUCE_OPTIONS];

struct reproduce_command {
    const struct cli_command *command;
    const char *word;          /* of the command line */
    const struct paper *paper; /* NULL: all papers */
    bool searches;
    struct reproduce_options options;
    char *changes; /* options.changes */
    bool help;     /* --help was asked for and has been printed */
};

/* Reads the command line. Errors are reported. To be freed in any case, if the command has --with. */
enum status reproduce_command_init(struct reproduce_command *reproduce, const struct cli_command *command,
                                   int argc, char **argv);
void reproduce_command_free(struct reproduce_command *reproduce);

/* The papers that there are, for the help of a command. */
void reproduce_print_papers(FILE *out);

#endif
