#ifndef HELIO_CLI_OPTIONS_H
#define HELIO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Command lines from tables. A command declares each option once, with its documentation; reading, --help and
 * "did you mean" use the table. `--name value`, `--name=value` and `-n value` are the same. */
struct cli_option {
    const char *name;  /* "--set" */
    char letter;       /* 's' for -s; 0 = none */
    const char *value; /* "PATH=VALUE"; NULL = takes none; "NAME[,...]": a list */
    const char *doc;   /* one line, or several separated by newlines */
};

/* In the doc of an option, it says that each value counts. Of any other option two values are an error. */
#define CLI_REPEATS "; may be repeated"

enum { CLI_OPTIONS_AT_MOST = 64 }; /* of a command */

struct cli_command {
    const char *name;  /* "run" */
    bool alone;        /* a program, such as helio-sweep, and no command of helio */
    const char *words; /* "[EXPERIMENT.yaml]": what it takes beside options */
    const char *doc;
    const struct cli_option *options;
    size_t option_count;
    const char *after; /* printed below the options; NULL = nothing */
    /* Prints what depends on lists, between the options and `after`; NULL = nothing. */
    void (*print_lists)(FILE *out);
    /* The index-th name that the value of options[option] may be; listed below its doc. It returns NULL
     * behind the last, and for options whose values are no names. NULL = no option takes names. */
    const char *(*name_at)(size_t option, size_t index);
};

/* Reads a command line from left to right. */
struct cli_reader {
    const struct cli_command *command;
    int argc;
    char **argv;
    int next; /* the first of argv that has not been read; starts at 1 */
    int only_words;
    const char *given[CLI_OPTIONS_AT_MOST]; /* the value of each option; NULL = none has been read */
};

enum cli_found {
    CLI_END,
    CLI_WORD,  /* *value is a word that is no option */
    CLI_HELP,  /* --help: has been printed to standard output */
    CLI_ERROR, /* has been reported */
    CLI_OPTION /* CLI_OPTION + i: options[i], *value its value */
};

/* A command that has the option CLI_PLUGIN loads the plug-in when the option is read; cli_read then goes on.
 */
#define CLI_PLUGIN                                                                                           \
    {                                                                                                        \
        "--plugin", 0, "FILE.so", "load a plug-in: fabrics and other parts of your own" CLI_REPEATS          \
    }

/* What all fabrics of an experiment have in common. */
#define CLI_MACHINE                                                                                          \
    {                                                                                                        \
        "--machine", 0, "NAME|FILE.yaml",                                                                    \
            "what all fabrics have in common: rates, wires, hosts; a file, or a preset (helio machine)"      \
    }
#define CLI_AS_PUBLISHED                                                                                     \
    {                                                                                                        \
        "--as-published", 0, NULL, "no machine: each fabric with the numbers of its paper"                   \
    }

int cli_read(struct cli_reader *reader, const char **value);

/* Reads a whole command line: `take` gets what cli_read finds, CLI_WORD or CLI_OPTION + i, with its value. It
 * returns false once it has reported an error. Returns CLI_END, CLI_HELP, or CLI_ERROR. */
typedef bool cli_take(void *self, int found, const char *value);
int cli_read_all(const struct cli_command *command, int argc, char **argv, cli_take *take, void *self);

/* The exit status of a command line that did not lead to CLI_END. */
enum status cli_status(int found);

/* Takes the one word of a command: sets *word. False, reported, when it is set already. `what` is what the
 * command takes: "trace". */
bool cli_take_word(const struct cli_command *command, const char **word, const char *value, const char *what);

/* The same for a command that takes one file of results, and leads to the command that takes several. */
bool cli_take_results(const struct cli_command *command, const char **word, const char *value);

/* "helio run": what users type. Valid until the next call. */
const char *cli_title(const struct cli_command *command);

void cli_print_help(const struct cli_command *command, FILE *out);

/* From now on --help prints nothing and leaves the command's table there; NULL: it prints again. */
void cli_catch_help(const struct cli_command **table);

#endif
