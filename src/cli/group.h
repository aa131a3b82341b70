#ifndef HELIO_CLI_GROUP_H
#define HELIO_CLI_GROUP_H

#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"

/* Commands under a common word: those of helio itself, of `helio trace`, and so on. From these tables come
 * the choice of a command, the groups' help, the manual's pages and the shells' completion. */
struct cli_group;

struct cli_subcommand {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    const char *doc;                   /* one line */
    const struct cli_group *group; /* the commands that `run` chooses from; NULL: it is a command itself */
};

struct cli_group {
    const char *title; /* "helio trace" */
    const char *doc;   /* printed above the commands */
    const struct cli_subcommand *commands;
    size_t count;
    const char *after; /* printed below them; NULL = nothing */
};

/* Runs the command that argv[1] names; --help prints them all. */
int cli_group_run(const struct cli_group *group, int argc, char **argv);

/* All that helio can do (commands.c), and the groups in it. */
extern const struct cli_group cli_helio, cli_trace_group, cli_breakdown_group, cli_coll_group,
    cli_machine_group;

/* The group that the program began with: cli_group_run() was called for it first. The commands that describe
 * all others, manual and completion, have it from here, since they stand in its table themselves. */
const struct cli_group *cli_group_first(void);

/* The command's table. Only `run` knows it, so it is called with --help, and the table is caught instead of
 * printed. */
const struct cli_command *cli_group_table(const struct cli_subcommand *subcommand);

/* Calls `visit` for each group and each command, groups before what is in them, in table order. `title` is
 * what users type ("helio trace info"); of `group` and `command` one is NULL. */
struct cli_visit {
    const char *title, *doc;
    const struct cli_group *group;
    const struct cli_command *command;
};
void cli_group_each(const struct cli_group *group, void *self,
                    void (*visit)(void *self, const struct cli_visit *here));

#endif
